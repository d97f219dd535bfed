// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/transport.h"

#include "base/durable_file.h"
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

// MODULE_ALIAS of rpcrdma, of which the kernel asks for rpcrdma, rpcrdma6 and svcrdma by name. They
// are in modules.alias too where the kernel has the module; here they count where it has none.
constexpr std::array aliases = {"rpcrdma6", "xprtrdma", "svcrdma"};

std::vector<std::string> directories(const std::vector<NfsMount> &mounts) {
    std::vector<std::string> names;
    for (const NfsMount &mount : mounts) {
        names.push_back(mount.directory);
    }
    return names;
}

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
        "# What asks for in-tree rpcrdma, by any of its names, gets Causeway's module. Where "
        "that cannot be\n"
        "# loaded (not built for this kernel, refused by Secure Boot, removed), in-tree rpcrdma "
        "is loaded.\n"
        "# An alias of {} alone would leave neither: modprobe takes an alias as the only answer.\n"
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
            fmt::format("causeway nfs remount {}", fmt::join(directories(sight.mounts), " ")));
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
    std::vector<std::string> users;
    if (!sight.mounts.empty()) {
        users.push_back(fmt::format("{} {} mounted through it",
                                    fmt::join(directories(sight.mounts), ", "),
                                    sight.mounts.size() == 1 ? "is" : "are"));
    }
    if (sight.listens) {
        users.emplace_back("nfsd listens through it");
    }
    if (users.empty()) {
        auto gone = world.modules.unload(transport_module(*wrong));
        if (gone) {
            return std::nullopt;
        }
        users.push_back(gone.error().what);
    }
    return Error{ExitCode::try_again,
                 fmt::format("NFS over RDMA goes by the {} transport until its module {} is "
                             "unloaded: {}",
                             transport_name(*wrong), transport_module(*wrong),
                             fmt::join(users, ", and ")),
                 way_out(sight), EBUSY};
}

} // namespace causeway
