// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/mounting.h"

#include "nfs/record.h"
#include "nfs/transport.h"

#include <algorithm>
#include <array>
#include <causeway.h>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/in.h>
#include <system_error>

namespace causeway {

namespace {

constexpr const char *rdma_devices = "/sys/class/infiniband";

// What mount.nfs says, and what it means for us. Where the server has answered, TCP would get the
// same answer.
struct Saying {
    std::string_view part;
    ExitCode code;
    bool final;
    std::string_view mend;
};
constexpr std::array sayings = {
    Saying{"access denied", ExitCode::no_permission, true,
           "on the server, see who may mount it: exportfs -v"},
    Saying{"No such file or directory", ExitCode::unavailable, true,
           "see what the server exports: showmount -e SERVER, or on it: exportfs -v"},
    Saying{"mount point", ExitCode::unavailable, true, "make the folder first: mkdir -p DIR"},
    Saying{"busy or already mounted", ExitCode::try_again, true, "see: findmnt DIR"},
    Saying{"incorrect mount option", ExitCode::usage, true, "see: man 5 nfs"},
    Saying{"invalid mount option", ExitCode::usage, true, "see: man 5 nfs"},
    Saying{"must be superuser", ExitCode::no_permission, true, "run the command as root"},
    Saying{"only root can", ExitCode::no_permission, true, "run the command as root"},
    Saying{"refused", ExitCode::try_again, false,
           "see whether nfsd runs and listens by RDMA: on the server, causeway net"},
    Saying{"timed out", ExitCode::try_again, false, "see whether the server answers: ping SERVER"},
    Saying{"not supported", ExitCode::unavailable, false, ""},
};

const Saying *meaning_of(const std::string &said) {
    for (const Saying &saying : sayings) {
        if (said.find(saying.part) != std::string::npos) {
            return &saying;
        }
    }
    return nullptr;
}

// "mount.nfs: Connection refused" without the program's name.
std::string plain(std::string said) {
    for (const std::string_view program : {"mount.nfs4: ", "mount.nfs: ", "mount: ", "umount: "}) {
        if (said.substr(0, program.size()) == program) {
            said.erase(0, program.size());
        }
    }
    said.erase(said.find_last_not_of(". ") + 1);
    return said;
}

struct Attempt {
    bool good = false;
    bool final = false; // the other way leads to the same
    Error error{};
};

Result<Attempt> attempt(World &world, const MountRequest &request, std::string_view netid,
                        std::optional<std::chrono::seconds> limit) {
    std::vector<std::string> words = {"mount", "-t", "nfs"};
    words.insert(words.end(), request.switches.begin(), request.switches.end());
    for (const std::string &word : {std::string("-o"), attempt_options(request.options, netid),
                                    request.source.text(), request.directory}) {
        words.push_back(word);
    }
    auto end = world.processes.run(words, limit);
    if (!end) {
        return end.error();
    }
    Attempt outcome;
    outcome.good = end->good();
    if (outcome.good) {
        return outcome;
    }
    if (end->timed_out) {
        outcome.error = {ExitCode::try_again, fmt::format("no answer within {} s", limit->count()),
                         "see whether the server answers: ping SERVER; rdma-timeout=SECONDS waits "
                         "longer"};
        return outcome;
    }
    const std::string said = plain(end->last_words());
    const Saying *saying = meaning_of(end->err);
    outcome.final = saying != nullptr && saying->final;
    outcome.error = {saying == nullptr ? ExitCode::failed : saying->code,
                     said.empty() ? fmt::format("mount failed with status {}", end->status) : said,
                     std::string(saying == nullptr ? "the kernel's log may say more: dmesg | tail"
                                                   : saying->mend)};
    return outcome;
}

// "6" where the server is reached by IPv6 only.
Result<std::string> family_of(World &world, const NfsSource &source) {
    auto addresses = world.resolver.resolve(ServerName{source.server, default_port});
    if (!addresses) {
        return addresses.error();
    }
    const bool v4 =
        std::any_of(addresses->begin(), addresses->end(), [](const SocketAddress &address) {
            return address.bytes().size() == sizeof(sockaddr_in);
        });
    return std::string(v4 ? "" : "6");
}

// Why there can be no RDMA from here.
std::optional<Error> no_rdma_here(World &world) {
    if (world.files.list(rdma_devices).empty()) {
        return Error{ExitCode::unavailable, "this machine has no RDMA device",
                     "see: rdma link show; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type "
                     "rxe netdev eth0"};
    }
    const bool loaded =
        world.modules.loaded(module_rpcrdma) || world.modules.loaded(module_in_tree_rpcrdma);
    if (!loaded) {
        // An alias: the configured one.
        if (auto there = world.modules.need(module_in_tree_rpcrdma); !there) {
            return there.error();
        }
    }
    return std::nullopt;
}

Result<Attempt> attempt_rdma(World &world, const MountRequest &request, const std::string &family) {
    if (const auto why = no_rdma_here(world)) {
        return Attempt{false, false, *why};
    }
    return attempt(world, request, "rdma" + family, request.options.rdma_limit);
}

Result<void> check_host(World &world) {
    if (world.processes.there("mount.nfs")) {
        return {};
    }
    return Error{ExitCode::unavailable, "mount.nfs is not installed: this machine cannot mount NFS",
                 "apt install nfs-common"};
}

Error about(const MountRequest &request, std::string_view way, Error error) {
    error.what = fmt::format("cannot mount {} on {}{}: {}", request.source.text(),
                             request.directory, way, error.what);
    return error;
}

// What the kernel says it is, where it says so.
std::uint8_t proof(World &world, const std::string &directory, std::uint8_t tried) {
    const auto on = mounted_on(world.files, directory);
    return on && on->nfs && on->nfs->transport != CW_TRANSPORT_NONE ? on->nfs->transport : tried;
}

} // namespace

Result<MountOutcome> mount_nfs(World &world, const MountRequest &request) {
    if (auto good = check_host(world); !good) {
        return good.error();
    }
    auto family = family_of(world, request.source);
    if (!family) {
        return family.error();
    }
    MountOutcome outcome;
    auto sight = see_transport(world);
    if (!sight) {
        return sight.error();
    }
    // Where nothing was chosen, what is loaded was somebody's choice.
    if (sight->configured == NfsTransport::causeway) {
        if (const auto stays = settle_transport(world, *sight)) {
            outcome.warnings.push_back(fmt::format("{} ({})", stays->what, stays->mend));
        }
    }
    auto first = attempt_rdma(world, request, *family);
    if (!first) {
        return first.error();
    }
    if (!first->good) {
        if (first->final || request.options.require_rdma) {
            return about(request, " by RDMA", first->error);
        }
        auto second = attempt(world, request, "tcp" + *family, std::nullopt);
        if (!second) {
            return second.error();
        }
        if (!second->good) {
            Error error = about(request, "", second->error);
            error.what += fmt::format("; and by RDMA: {}", first->error.what);
            return error;
        }
        outcome.reason = first->error.what;
    }
    outcome.transport =
        proof(world, request.directory, first->good ? CW_TRANSPORT_RDMA : CW_TRANSPORT_TCP);
    // A client of NFS 4.1 that finds a server it is connected to already stays with that
    // connection.
    if (outcome.transport == CW_TRANSPORT_RDMA) {
        outcome.reason.clear();
    }
    if (auto kept = keep_record(world.places, {request.source.text(), request.directory,
                                               request.options.text(), outcome.reason});
        !kept) {
        outcome.warnings.push_back(kept.error().what);
    }
    return outcome;
}

Result<void> mount_by_rdma(World &world, const MountRequest &request) {
    auto family = family_of(world, request.source);
    if (!family) {
        return family.error();
    }
    auto tried = attempt_rdma(world, request, *family);
    if (!tried) {
        return tried.error();
    }
    if (!tried->good) {
        return tried->error;
    }
    return {};
}

Result<void> unmount(World &world, const std::string &directory,
                     const std::vector<std::string> &switches) {
    std::vector<std::string> words = {"umount"};
    words.insert(words.end(), switches.begin(), switches.end());
    words.push_back(directory);
    auto end = world.processes.run(words);
    if (!end) {
        return end.error();
    }
    if (end->good()) {
        return {};
    }
    const bool busy = end->err.find("busy") != std::string::npos;
    Error error{busy ? ExitCode::try_again : ExitCode::failed,
                fmt::format("cannot unmount {}: {}", directory, plain(end->last_words()))};
    if (busy) {
        error.mend = fmt::format("see who uses it, and end that: fuser -vm {}", directory);
    } else if (end->err.find("must be superuser") != std::string::npos) {
        error.code = ExitCode::no_permission;
        error.mend = "run the command as root";
    }
    return error;
}

std::string real_directory(const std::string &typed) {
    std::error_code failure;
    const std::string bare = typed.substr(0, typed.find_last_not_of('/') + 1);
    const auto absolute = std::filesystem::absolute(bare.empty() ? "/" : bare, failure);
    // A path below a server that does not answer must not be walked into.
    const auto parent = std::filesystem::weakly_canonical(absolute.parent_path(), failure);
    std::string text = failure ? absolute.lexically_normal().string()
                               : (parent / absolute.filename()).lexically_normal().string();
    while (text.size() > 1 && text.back() == '/') {
        text.pop_back();
    }
    return text;
}

} // namespace causeway
