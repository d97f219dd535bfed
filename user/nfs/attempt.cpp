// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/attempt.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint16_t nfs_port = 2049;
constexpr const char *rdma_devices = "/sys/class/infiniband";

// A message of mount.nfs and what it means for the mount.
struct Saying {
    std::string_view part;
    ExitCode code;
    Outlook outlook;
    std::string_view fix;
    int system_error = 0; // the error of mount(2)
};
constexpr std::array sayings = {
    Saying{"access denied", ExitCode::no_permission, Outlook::final,
           "on the server, see who may mount it: exportfs -v", EACCES},
    Saying{"No such file or directory", ExitCode::unavailable, Outlook::final,
           "see what the server exports: showmount -e SERVER, or on it: exportfs -v"},
    Saying{"mount point", ExitCode::unavailable, Outlook::final,
           "make the folder first: mkdir -p DIR"},
    Saying{"busy or already mounted", ExitCode::try_again, Outlook::final, "see: findmnt DIR"},
    Saying{"incorrect mount option", ExitCode::usage, Outlook::final, "see: man 5 nfs", EINVAL},
    Saying{"invalid mount option", ExitCode::usage, Outlook::final, "see: man 5 nfs", EINVAL},
    Saying{"must be superuser", ExitCode::no_permission, Outlook::final, "run the command as root"},
    Saying{"only root can", ExitCode::no_permission, Outlook::final, "run the command as root"},
    Saying{"refused", ExitCode::try_again, Outlook::later,
           "see whether nfsd runs and listens by RDMA: on the server, causeway net"},
    Saying{"timed out", ExitCode::try_again, Outlook::later,
           "see whether the server answers: ping SERVER"},
    Saying{"No route to host", ExitCode::try_again, Outlook::later,
           "see whether the server answers: ping SERVER"},
    Saying{"unreachable", ExitCode::try_again, Outlook::later,
           "see whether the server answers: ping SERVER"},
    Saying{"Stale", ExitCode::try_again, Outlook::later, "on the server: exportfs -v"},
    Saying{"temporarily unavailable", ExitCode::try_again, Outlook::later, ""},
    Saying{"not supported", ExitCode::unavailable, Outlook::none, ""},
};

const Saying *meaning_of(const std::string &said) {
    for (const Saying &saying : sayings) {
        if (said.find(saying.part) != std::string::npos) {
            return &saying;
        }
    }
    return nullptr;
}

Result<Attempt> attempt(World &world, const MountRequest &request, std::string_view netid,
                        std::optional<std::chrono::seconds> limit) {
    auto end = TRY(world.processes.run(
        mount_words(request, attempt_options(request.options, netid), request.source.text()),
        limit));
    Attempt outcome;
    outcome.good = end.good();
    if (outcome.good) {
        return outcome;
    }
    if (end.timed_out) {
        outcome.timed_out = true;
        outcome.outlook = Outlook::later;
        outcome.error = {ExitCode::try_again, fmt::format("no answer within {} s", limit->count()),
                         "see whether the server answers: ping SERVER; rdma-timeout=SECONDS waits "
                         "longer"};
        return outcome;
    }
    const std::string said = without_program(end.last_words());
    const Saying *saying = meaning_of(end.err);
    outcome.outlook = saying == nullptr ? Outlook::none : saying->outlook;
    outcome.error = {saying == nullptr ? ExitCode::failed : saying->code,
                     said.empty() ? fmt::format("mount failed with status {}", end.status) : said,
                     std::string(saying == nullptr ? "the kernel's log may say more: dmesg | tail"
                                                   : saying->fix),
                     saying == nullptr ? 0 : saying->system_error};
    return outcome;
}

// Returns an error if this machine cannot use RDMA, or none. Loads the transport module if needed.
std::optional<Error> no_rdma_here(World &world) {
    if (world.files.list(rdma_devices).empty()) {
        return Error{ExitCode::unavailable, "this machine has no RDMA device",
                     "see: rdma link show; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type "
                     "rxe netdev eth0"};
    }
    const bool loaded =
        world.modules.loaded(module_rpcrdma) || world.modules.loaded(module_in_tree_rpcrdma);
    if (!loaded) {
        // modprobe resolves this name to the module that modprobe.d configures.
        TRY(world.modules.need(module_in_tree_rpcrdma));
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> mount_words(const MountRequest &request, const std::string &options,
                                     const std::string &source) {
    std::vector<std::string> words = {"mount", "-t", "nfs"};
    words.insert(words.end(), request.switches.begin(), request.switches.end());
    words.insert(words.end(), {"-o", options, source, request.directory});
    return words;
}

Result<NfsServer> find_nfs_server(World &world, const MountRequest &request) {
    auto addresses = TRY(world.resolver.resolve(ServerName{request.source.server, default_port}));
    const auto of_family = [&](int family) {
        return std::find_if(addresses.begin(), addresses.end(),
                            [&](const SocketAddress &one) { return one.family() == family; });
    };
    const auto v4 = of_family(AF_INET);
    const auto v6 = of_family(AF_INET6);
    const bool by_six = request.options.ipv6_only || v4 == addresses.end();
    if (by_six && v6 == addresses.end()) {
        return Error{
            ExitCode::unavailable,
            fmt::format("the server {} has no IPv6 address, and proto=rdma6 takes no other",
                        request.source.server),
            fmt::format("leave out proto=rdma6; see: getent ahosts {}", request.source.server)};
    }
    NfsServer server{by_six ? "6" : "", by_six ? *v6 : *v4};
    server.by_tcp.set_port(request.options.tcp_port.value_or(nfs_port));
    return server;
}

Result<Attempt> attempt_rdma(World &world, const MountRequest &request, const std::string &family,
                             std::chrono::seconds limit) {
    if (const auto why = no_rdma_here(world)) {
        return Attempt{false, Outlook::not_here, false, *why};
    }
    return attempt(world, request, "rdma" + family, limit);
}

Result<Attempt> attempt_tcp(World &world, const MountRequest &request, const std::string &family) {
    return attempt(world, request, "tcp" + family, std::nullopt);
}

std::string without_program(std::string said) {
    for (const std::string_view program : {"mount.nfs4: ", "mount.nfs: ", "mount: ", "umount: "}) {
        if (said.substr(0, program.size()) == program) {
            said.erase(0, program.size());
        }
    }
    said.erase(said.find_last_not_of(". ") + 1);
    return said;
}

Error cannot_mount(const MountRequest &request, std::string_view way, Error error) {
    error.what = fmt::format("cannot mount {} on {}{}: {}", request.source.text(),
                             request.directory, way, error.what);
    return error;
}

} // namespace causeway
