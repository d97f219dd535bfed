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

std::vector<std::string> users_of(const TransportState &state) {
    std::vector<std::string> users;
    if (!state.mounts.empty()) {
        users.push_back(fmt::format("{} {} mounted through it",
                                    fmt::join(directories_of(state.mounts), ", "),
                                    state.mounts.size() == 1 ? "is" : "are"));
    }
    if (state.listens) {
        users.emplace_back("nfsd listens through it");
    }
    return users;
}

Error stays_loaded(const TransportState &state, NfsTransport wrong,
                   const std::vector<std::string> &users) {
    return {ExitCode::try_again,
            fmt::format("NFS over RDMA goes by the {} transport until its module {} is "
                        "unloaded: {}",
                        transport_name(wrong), transport_module(wrong), fmt::join(users, ", and ")),
            way_out(state), EBUSY};
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

    std::string report(Direction direction) const override {
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
        auto state = TRY(read_transport(world));
        state.configured = before_;
        const auto users = users_of(state);
        return users.empty() ? Result<void>() : stays_loaded(state, chosen_, users);
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
        auto state = TRY(read_transport(world));
        state.configured = wanted;
        auto stays = settle_transport(world, state);
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

Result<TransportState> read_transport(World &world) {
    TransportState state;
    auto dropin = TRY(read_small_file(world.places.modprobe()));
    if (dropin) {
        state.configured = NfsTransport::causeway;
    }
    for (const NfsTransport one : {NfsTransport::in_tree, NfsTransport::causeway}) {
        if (world.modules.loaded(transport_module(one))) {
            state.loaded = one;
        }
    }
    auto mounts = TRY(nfs_mounts(world.files));
    std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(state.mounts),
                 [](const NfsMount &mount) { return mount.transport == CW_TRANSPORT_RDMA; });
    auto ports = TRY(nfsd_ports(world.files));
    state.listens = std::any_of(ports.begin(), ports.end(),
                                [](const NfsdPort &port) { return port.is_rdma(); });
    return state;
}

std::optional<NfsTransport> wrong_one(const TransportState &state) {
    return state.loaded && *state.loaded != state.configured ? state.loaded : std::nullopt;
}

std::string way_out(const TransportState &state) {
    std::vector<std::string> commands;
    if (state.listens) {
        commands.emplace_back("systemctl stop nfs-server");
    }
    if (!state.mounts.empty()) {
        commands.push_back(
            fmt::format("causeway nfs remount {}", fmt::join(directories_of(state.mounts), " ")));
    } else if (state.loaded) {
        commands.push_back(fmt::format("rmmod {}", transport_module(*state.loaded)));
    }
    if (state.listens) {
        commands.emplace_back("systemctl start nfs-server");
    }
    return fmt::format("{}", fmt::join(commands, "; "));
}

std::optional<Error> settle_transport(World &world, const TransportState &state) {
    const auto wrong = wrong_one(state);
    if (!wrong) {
        return std::nullopt;
    }
    auto users = users_of(state);
    if (users.empty()) {
        auto gone = world.modules.unload(transport_module(*wrong));
        if (gone) {
            return std::nullopt;
        }
        users.push_back(gone.error().what);
    }
    return stays_loaded(state, *wrong, users);
}

ChangePointer change_nfs_transport(NfsTransport chosen, NfsTransport before) {
    return std::make_unique<TransportChange>(chosen, before);
}

} // namespace causeway
