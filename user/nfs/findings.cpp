// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about NFS over RDMA.
#include "doctor/finding.h"
#include "nfs/facts.h"

#include "nfs/same_server.h"
#include "show/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// One finding covers all mounts of a server. Remounted one by one, each would join the client of
// the others by TCP again.
Sighting by_tcp_of_server(const std::vector<TcpMount> &mounts) {
    std::vector<std::string> folders;
    std::string blocked;
    for (const TcpMount &each : mounts) {
        folders.push_back(each.mount.directory);
        if (!each.users.empty()) {
            blocked += fmt::format("; {} is busy{}", each.mount.directory, users_text(each.users));
        }
    }
    Sighting seen;
    seen.subject = folders.front();
    seen.what = fmt::format("{} of {} {} mounted by TCP: {}{}", fmt::join(folders, ", "),
                            server_text(mounts.front().mount), folders.size() == 1 ? "is" : "are",
                            mounts.front().reason, blocked);
    seen.fix =
        fmt::format("{}causeway nfs remount {}",
                    blocked.empty() ? "" : "end what uses it, then: ", fmt::join(folders, " "));
    if (blocked.empty()) {
        seen.verb = {"nfs", "remount"};
        seen.verb.insert(seen.verb.end(), folders.begin(), folders.end());
    }
    return seen;
}

std::vector<Sighting> mounts_by_tcp(const Facts &facts) {
    std::vector<std::vector<TcpMount>> servers;
    for (const TcpMount &each : facts.of<NfsFacts>().by_tcp) {
        const auto server =
            std::find_if(servers.begin(), servers.end(), [&](const std::vector<TcpMount> &mounts) {
                return same_server(mounts.front().mount, each.mount);
            });
        if (server == servers.end()) {
            servers.push_back({each});
        } else {
            server->push_back(each);
        }
    }
    std::vector<Sighting> seen;
    for (const std::vector<TcpMount> &mounts : servers) {
        seen.push_back(by_tcp_of_server(mounts));
    }
    return seen;
}

std::vector<Sighting> not_listening(const Facts &facts) {
    const bool listens =
        std::any_of(facts.of<NfsFacts>().ports.begin(), facts.of<NfsFacts>().ports.end(),
                    [](const NfsdPort &port) { return port.is_rdma(); });
    if (!facts.of<NfsFacts>().wanted_port || !facts.of<NfsFacts>().server_runs || listens) {
        return {};
    }
    return {{"",
             fmt::format("nfsd runs and does not listen for RDMA on port {}",
                         *facts.of<NfsFacts>().wanted_port),
             fmt::format("echo 'rdma {}' > {}", *facts.of<NfsFacts>().wanted_port, nfsd_portlist)}};
}

std::vector<Sighting> server_stopped(const Facts &facts) {
    if (!facts.of<NfsFacts>().wanted_port || facts.of<NfsFacts>().server_runs) {
        return {};
    }
    return {{"", "folders are set up to be served by RDMA and nfsd does not run",
             "systemctl enable --now nfs-server"}};
}

std::vector<Sighting> connections_retrying(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const NfsConnection &each : facts.of<NfsFacts>().connections) {
        if (each.role != CW_ROLE_CLIENT || each.state == CW_STATE_LIVE ||
            each.state == CW_STATE_IDLE || each.attempts < 2) {
            continue;
        }
        seen.push_back(
            {each.server,
             fmt::format("mounts of {} have no connection after {} attempts: {}", each.server,
                         each.attempts, each.reason.empty() ? errno_text(each.error) : each.reason),
             fmt::format("causeway ping --ip {}", each.peer.host_text())});
    }
    return seen;
}

std::vector<Sighting> lame_rails(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const NfsConnection &each : facts.of<NfsFacts>().connections) {
        for (const NfsRail &rail : each.rails) {
            if (each.state != CW_STATE_LIVE || rail.state == CW_STATE_LIVE) {
                continue;
            }
            seen.push_back({each.server,
                            fmt::format("a queue pair to {} from {} is not connected: {}",
                                        each.server, rail.local.host_text(),
                                        rail.reason.empty() ? "no reason is known" : rail.reason),
                            "see the local addresses: causeway nfs rule list; causeway show"});
        }
    }
    return seen;
}

std::vector<Sighting> folders_open_to_all(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const std::string &place : facts.of<NfsFacts>().open_unmarked) {
        seen.push_back(
            {place,
             fmt::format("every host that reaches this one can mount the folder that {} exports",
                         place),
             fmt::format("write the line \"{}\" into that file where this is meant; else "
                         "causeway nfs set PATH --to CIDR",
                         allow_any_comment)});
    }
    return seen;
}

const FindingRows nfs_findings("nfs", [] {
    return std::vector<Finding>{
        {"mount-over-tcp", Severity::warning,
         "folders of a server are mounted by TCP though RDMA was asked for",
         "They work, with more processor time. The reason is what the mount by RDMA ended with. "
         "All "
         "of a server go back together, and only while no file of them is open.",
         "causeway nfs remount DIR", mounts_by_tcp},
        {"nfs-not-listening", Severity::error, "nfsd runs and does not listen for RDMA",
         "It was started before the RDMA module or device was there, or its nfs-utils knows no "
         "/etc/nfs.conf.d (bullseye).",
         "echo 'rdma 20049' > /proc/fs/nfsd/portlist", not_listening},
        {"nfs-server-stopped", Severity::error,
         "folders are set up to be served and nfsd does not run", "Clients wait.",
         "systemctl enable --now nfs-server", server_stopped},
        {"nfs-connection-retrying", Severity::error, "mounts have no connection to their server",
         "Programs that use them wait, those of soft mounts get errors.",
         "causeway ping --ip SERVER", connections_retrying},
        {"nfs-rail-down", Severity::warning, "one of the queue pairs of a mount is not connected",
         "The others carry its load: less bandwidth, and less to fall back on.",
         "causeway nfs rule list", lame_rails},
        {"nfs-open-to-all", Severity::notice, "the file of a folder names no hosts",
         "Every host that reaches this one can mount it, and the file does not say that this is "
         "meant. Files of older versions are so.",
         "write \"# allow any\" into its file where this is meant; else causeway nfs set PATH "
         "--to CIDR",
         folders_open_to_all},
    };
});

} // namespace

} // namespace causeway
