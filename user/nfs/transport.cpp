// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/transport.h"

#include "base/durable_file.h"
#include "change/kinds.h"
#include "nfs/same_server.h"
#include "nfs/server.h"

#include <algorithm>
#include <array>
#include <causeway.h>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *dropin_head =
    "# Written by \"causeway nfs transport causeway\"; \"causeway nfs transport in-tree\" removes "
    "it.\n";

// The aliases of rpcrdma (MODULE_ALIAS). The kernel requests rpcrdma, rpcrdma6 and svcrdma by name.
// If the kernel has the module, modules.alias also has these aliases; the drop-in has them for a
// kernel without it.
constexpr std::array aliases = {"rpcrdma6", "xprtrdma", "svcrdma"};

std::vector<std::string> users_of(const TransportSight &sight) {
    std::vector<std::string> users;
    if (!sight.mounts.empty()) {
        users.push_back(fmt::format("{} {} mounted through it",
                                    fmt::join(directories_of(sight.mounts), ", "),
                                    sight.mounts.size() == 1 ? "is" : "are"));
    }
    if (sight.listens) {
        users.emplace_back("nfsd listens through it");
    }
    return users;
}

Error stays_loaded(const TransportSight &sight, NfsTransport wrong,
                   const std::vector<std::string> &users) {
    return {ExitCode::try_again,
            fmt::format("NFS over RDMA goes by the {} transport until its module {} is "
                        "unloaded: {}",
                        transport_name(wrong), transport_module(wrong), fmt::join(users, ", and ")),
            way_out(sight), EBUSY};
}

NfsTransport transport_of_journal(const Json &json) {
    return json.get<std::string>() == transport_name(NfsTransport::causeway)
               ? NfsTransport::causeway
               : NfsTransport::in_tree;
}

const ChangeKind kind_nfs_transport("nfs-transport", [](const Json &json) -> ChangePointer {
    return change_nfs_transport(transport_of_journal(json.at("chosen")),
                                transport_of_journal(json.at("before")));
});

class TransportChange final : public Change {
  public:
    TransportChange(NfsTransport chosen, NfsTransport before) : chosen_(chosen), before_(before) {}

    std::string subject() const override { return "the module of NFS over RDMA"; }

    std::string show(Direction direction) const override {
        return fmt::format("modules\n-{}, where it is loaded and not in use\n",
                           transport_module(other(wanted(direction))));
    }

    std::string deed(Direction direction) const override {
        return fmt::format("NFS over RDMA goes by {}", transport_module(wanted(direction)));
    }

    Json json() const override {
        return {{"kind", kind_nfs_transport.name()},
                {"chosen", transport_name(chosen_)},
                {"before", transport_name(before_)}};
    }

    Result<Standing> standing(World &world) const override {
        return chosen_ != before_ && world.modules.loaded(transport_module(chosen_))
                   ? Standing::after
                   : Standing::before;
    }

    Result<void> forward(World &world) const override { return unload_other(world, chosen_); }
    Result<void> back(World &world) const override { return unload_other(world, before_); }

    Result<void> may_go_back(World &world) const override {
        auto sight = TRY(see_transport(world));
        sight.configured = before_;
        const auto users = users_of(sight);
        return users.empty() ? Result<void>() : stays_loaded(sight, chosen_, users);
    }

    bool leave_to_others() override { return true; }
    bool may_fail() const override { return true; }

  private:
    NfsTransport wanted(Direction direction) const {
        return direction == Direction::back ? before_ : chosen_;
    }

    static NfsTransport other(NfsTransport one) {
        return one == NfsTransport::causeway ? NfsTransport::in_tree : NfsTransport::causeway;
    }

    static Result<void> unload_other(World &world, NfsTransport wanted) {
        auto sight = TRY(see_transport(world));
        sight.configured = wanted;
        auto stays = settle_transport(world, sight);
        if (!stays) {
            return {};
        }
        stays->what += fmt::format(" ({})", stays->fix);
        return *std::move(stays);
    }

    NfsTransport chosen_;
    NfsTransport before_;
};

} // namespace

std::string_view transport_name(NfsTransport transport) {
    return transport == NfsTransport::causeway ? "causeway" : "in-tree";
}

const char *transport_module(NfsTransport transport) {
    return transport == NfsTransport::causeway ? module_rpcrdma : module_in_tree_rpcrdma;
}

std::string transport_dropin_text() {
    std::string text = dropin_head;
    text += fmt::format(
        "# modprobe loads Causeway's module for each name of in-tree rpcrdma. If that module "
        "cannot be\n"
        "# loaded (not built for this kernel, refused by Secure Boot, removed), modprobe loads "
        "in-tree rpcrdma.\n"
        "# With an alias of {} alone, modprobe would load neither: it tries no module beside an "
        "alias.\n"
        "# modprobe.d(5) advises against \"install\" because modprobe cannot follow what it "
        "runs, such as\n"
        "# dependencies; nothing depends on rpcrdma, and no softdep can express \"else\".\n",
        module_rpcrdma);
    for (const char *alias : aliases) {
        text += fmt::format("alias {} {}\n", alias, module_in_tree_rpcrdma);
    }
    text +=
        fmt::format("install {1} /sbin/modprobe -q {0} || /sbin/modprobe --ignore-install {1}\n",
                    module_rpcrdma, module_in_tree_rpcrdma);
    return text;
}

bool is_former_dropin(std::string_view text) {
    std::string former = dropin_head;
    for (const char *alias : {"rpcrdma", "rpcrdma6", "xprtrdma", "svcrdma"}) {
        former += fmt::format("alias {} {}\n", alias, module_rpcrdma);
    }
    return text == former;
}

Result<TransportSight> see_transport(World &world) {
    TransportSight sight;
    auto dropin = TRY(read_small_file(world.places.modprobe()));
    if (dropin) {
        sight.configured = NfsTransport::causeway;
    }
    for (const NfsTransport one : {NfsTransport::in_tree, NfsTransport::causeway}) {
        if (world.modules.loaded(transport_module(one))) {
            sight.loaded = one;
        }
    }
    auto mounts = TRY(nfs_mounts(world.files));
    std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(sight.mounts),
                 [](const NfsMount &mount) { return mount.transport == CW_TRANSPORT_RDMA; });
    auto ports = TRY(nfsd_ports(world.files));
    sight.listens = std::any_of(ports.begin(), ports.end(),
                                [](const NfsdPort &port) { return port.is_rdma(); });
    return sight;
}

std::optional<NfsTransport> wrong_one(const TransportSight &sight) {
    return sight.loaded && *sight.loaded != sight.configured ? sight.loaded : std::nullopt;
}

std::string way_out(const TransportSight &sight) {
    std::vector<std::string> deeds;
    if (sight.listens) {
        deeds.emplace_back("systemctl stop nfs-server");
    }
    if (!sight.mounts.empty()) {
        deeds.push_back(
            fmt::format("causeway nfs remount {}", fmt::join(directories_of(sight.mounts), " ")));
    } else if (sight.loaded) {
        deeds.push_back(fmt::format("rmmod {}", transport_module(*sight.loaded)));
    }
    if (sight.listens) {
        deeds.emplace_back("systemctl start nfs-server");
    }
    return fmt::format("{}", fmt::join(deeds, "; "));
}

std::optional<Error> settle_transport(World &world, const TransportSight &sight) {
    const auto wrong = wrong_one(sight);
    if (!wrong) {
        return std::nullopt;
    }
    auto users = users_of(sight);
    if (users.empty()) {
        auto gone = world.modules.unload(transport_module(*wrong));
        if (gone) {
            return std::nullopt;
        }
        users.push_back(gone.error().what);
    }
    return stays_loaded(sight, *wrong, users);
}

ChangePointer change_nfs_transport(NfsTransport chosen, NfsTransport before) {
    return std::make_unique<TransportChange>(chosen, before);
}

} // namespace causeway
