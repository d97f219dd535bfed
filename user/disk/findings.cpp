// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about disks: what this machine exports and has attached.
#include "disk/facts.h"
#include "disk/path_report.h"
#include "doctor/finding.h"

#include "show/words.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *restore = "causeway restore";

std::vector<Sighting> lost_backend(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, why] : facts.of<DiskFacts>().bad_backends) {
        seen.push_back({name, fmt::format("export {}: {}", name, why),
                        fmt::format("bring it back, then: {}; or give the export up: causeway "
                                    "export remove {}",
                                    restore, name)});
    }
    return seen;
}

std::vector<Sighting> not_exported(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &stored : facts.of<DiskFacts>().exports.good) {
        const std::string &name = stored.settings.name;
        const bool runs =
            std::any_of(facts.of<DiskFacts>().running_exports.begin(),
                        facts.of<DiskFacts>().running_exports.end(),
                        [&](const ExportInfo &running) { return running.settings.name == name; });
        if (!runs && facts.of<DiskFacts>().bad_backends.count(name) == 0 &&
            facts.of<DiskFacts>().bad_ledgers.count(name) == 0) {
            seen.push_back({name,
                            fmt::format("export {} is configured and not offered", name),
                            restore,
                            {"restore"}});
        }
    }
    return seen;
}

std::vector<Sighting> ledger_unusable(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, why] : facts.of<DiskFacts>().bad_ledgers) {
        if (facts.of<DiskFacts>().bad_backends.count(name) == 0) {
            seen.push_back({name, why.what, why.fix});
        }
    }
    return seen;
}

std::vector<Sighting> ledger_outdated(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const ExportInfo &running : facts.of<DiskFacts>().running_exports) {
        const std::string &name = running.settings.name;
        if (running.outdated) {
            seen.push_back({name,
                            fmt::format("an older copy of the ledger of export {} was put back: "
                                        "no host may log in",
                                        name),
                            remove_then_add(running.settings, {"--forget-owners"}, true) +
                                "; evict again who was evicted"});
        }
    }
    return seen;
}

std::vector<Sighting> ledger_unwritable(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const ExportInfo &running : facts.of<DiskFacts>().running_exports) {
        const ExportSettings &it = running.settings;
        if (!running.reason.empty()) {
            seen.push_back({it.name, fmt::format("export {}: {}", it.name, running.reason),
                            it.state_folder.empty()
                                ? "see that the disk with the ledger's files is sound"
                                : fmt::format("see that {} can be written and its disk is sound",
                                              it.state_folder)});
        }
    }
    return seen;
}

std::vector<Sighting> ledger_nearly_full(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const ExportInfo &running : facts.of<DiskFacts>().running_exports) {
        const std::string &name = running.settings.name;
        if (running.hosts_max != 0 &&
            std::uint64_t{running.hosts} * 10 > std::uint64_t{running.hosts_max} * 9) {
            seen.push_back(
                {name,
                 fmt::format("the ledger of export {} has {} hosts and room for {}", name,
                             running.hosts, running.hosts_max),
                 "detach the disk from hosts that do not need it; readmit hosts that are "
                 "evicted and will not come back"});
        }
    }
    return seen;
}

std::vector<Sighting> open_to_all(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &stored : facts.of<DiskFacts>().exports.good) {
        const ExportSettings &it = stored.settings;
        if (it.allow.empty() && it.key_file.empty() && !it.allow_any) {
            seen.push_back(
                {it.name,
                 fmt::format("every host that reaches this one can attach export {}: {} has no "
                             "list of hosts",
                             it.name, stored.place.string()),
                 fmt::format("causeway export set {0} --allow CIDR, or --key-file FILE; where this "
                             "is meant: causeway export set {0} --allow any",
                             it.name)});
        }
    }
    for (const auto &stored : facts.of<DiskFacts>().stock_files.good) {
        const StockExport &it = stored.settings;
        if (it.initiators.empty() && !it.allow_any && !it.chap.is_set()) {
            seen.push_back(
                {it.name,
                 fmt::format("every host that reaches this one can attach export {} by {}, without "
                             "a password: {} names no initiator",
                             it.name, via_title(it.via), stored.place.string()),
                 fmt::format("causeway export set {0} --initiator NAME; where this is meant: "
                             "causeway export set {0} --allow any",
                             it.name)});
        }
    }
    return seen;
}

bool runs(const Facts &facts, const DiskName &disk) {
    return std::any_of(facts.of<DiskFacts>().running_attachments.begin(),
                       facts.of<DiskFacts>().running_attachments.end(),
                       [&](const AttachmentInfo &running) {
                           return running.server == disk.server.text() && running.name == disk.name;
                       });
}

std::vector<Sighting> not_attached(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &stored : facts.of<DiskFacts>().attachments.good) {
        const DiskName &disk = stored.settings.disk;
        const auto hosts = stored.settings.hosts();
        const bool resolves =
            std::none_of(hosts.begin(), hosts.end(), [&](const std::string &host) {
                return facts.of<DiskFacts>().unresolved.count(host) != 0;
            });
        if (resolves && !runs(facts, disk)) {
            seen.push_back({disk.text(),
                            fmt::format("{} is configured and not attached", disk.text()),
                            restore,
                            {"restore"}});
        }
    }
    return seen;
}

std::vector<Sighting> unknown_server(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[server, why] : facts.of<DiskFacts>().unresolved) {
        seen.push_back(
            {server, why, fmt::format("getent hosts {}; fix DNS or /etc/hosts", server)});
    }
    return seen;
}

std::string reason_of(const SessionInfo &session) {
    if (session.reason.empty()) {
        return session.error == 0 ? "no reason is known" : errno_text(session.error);
    }
    return session.reason;
}

std::string disk_of(const SessionInfo &session) {
    return session.server + "/" + session.name;
}

// A disk with several paths does not use the address of its server's name.
std::string server_to_ask(const SessionInfo &session) {
    return session.paths.size() > 1
               ? ServerName{session.peer.host_text(), session.peer.port()}.text()
               : session.server;
}

std::vector<Sighting> retrying(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const SessionInfo &session : facts.of<DiskFacts>().sessions) {
        const bool tries = session.state == CW_STATE_HELD || session.state == CW_STATE_FAILING ||
                           (session.state == CW_STATE_CONNECTING && session.attempts > 1);
        if (session.role != CW_ROLE_CLIENT || !tries) {
            continue;
        }
        seen.push_back(
            {disk_of(session),
             fmt::format("{} is {}, {} attempts so far: {}", disk_of(session),
                         state_word(session.state), session.attempts, reason_of(session)),
             fmt::format("see whether the server answers: causeway discover {}",
                         server_to_ask(session))});
    }
    return seen;
}

// A path that has not had the time for an attempt since the session is live is not down.
bool path_is_down(const SessionInfo &session, const DiskPath &path) {
    constexpr std::uint64_t time_to_join = 30000000000; // nanoseconds
    return path.state != CW_DISK_PATH_LIVE &&
           (!path.reason.empty() || path.attempts > 1 || session.since > time_to_join);
}

// Returns true if the disk has a path by RDMA, and a path over TCP carries its I/O all the same.
bool has_fallen_back(const SessionInfo &session) {
    const auto has = [&](const auto &wanted) {
        return std::any_of(session.paths.begin(), session.paths.end(), wanted);
    };
    return has([](const DiskPath &path) { return path.transport == CW_TRANSPORT_RDMA; }) &&
           has([](const DiskPath &path) {
               return path.transport == CW_TRANSPORT_TCP && path.carries_io;
           });
}

// @session is live, so the fault is of this path.
std::string way_to_bring_back(const SessionInfo &session, const DiskPath &path) {
    const std::string remove =
        fmt::format("causeway path remove {} {}", disk_of(session), path.number);
    switch (-path.error) {
    case EMEDIUMTYPE:
        return fmt::format("{}; or causeway detach {}, attach it by this path, then add the others",
                           remove, disk_of(session));
    case EREMCHG:
    case ESTALE:
        return fmt::format("see whether {} is an address of the same server; if it is not: {}",
                           path.peer.host_text(), remove);
    default:
        break;
    }
    if (path.transport == CW_TRANSPORT_TCP) {
        return fmt::format("see that the server exports the disk with --tcp, that no firewall "
                           "closes TCP port {}, and that the port at each end has its cable and "
                           "its address",
                           path.peer.port());
    }
    const std::string port =
        path.peer.port() == default_port ? "" : fmt::format(" --port {}", path.peer.port());
    return fmt::format("see whether the server answers there: causeway ping --ip {}{}; see that "
                       "the port at each end has its cable and its address",
                       path.peer.host_text(), port);
}

// A disk without any live path has another finding.
std::vector<Sighting> path_down(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const SessionInfo &session : facts.of<DiskFacts>().sessions) {
        if (session.role != CW_ROLE_CLIENT || session.state != CW_STATE_LIVE) {
            continue;
        }
        for (const DiskPath &path : session.paths) {
            if (!path_is_down(session, path)) {
                continue;
            }
            const std::string why = failure_text(path.reason, path.error);
            const std::string fence = fence_sentence(path);
            const bool slower = path.transport == CW_TRANSPORT_RDMA && has_fallen_back(session);
            seen.push_back(
                {disk_of(session),
                 fmt::format("path {} of {} to {} is down{}: {}{}", path.number, disk_of(session),
                             path.peer.text(), slower ? ", and its I/O goes over TCP" : "",
                             why.empty()
                                 ? "no attempt was made; a server of an older version takes one "
                                   "path only"
                                 : why,
                             fence.empty() ? "" : "; " + fence),
                 way_to_bring_back(session, path)});
        }
    }
    return seen;
}

std::vector<Sighting> refused(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const SessionInfo &session : facts.of<DiskFacts>().sessions) {
        if (session.role == CW_ROLE_CLIENT && session.state == CW_STATE_REFUSED) {
            const char *what = session.error == -EMEDIUMTYPE ? "is granted less than before"
                                                             : "leads to another disk now";
            seen.push_back({disk_of(session),
                            fmt::format("{} {}: {}", disk_of(session), what, reason_of(session)),
                            fmt::format("causeway detach {0} --force; causeway attach {0}",
                                        disk_of(session))});
        }
    }
    return seen;
}

const char *why_revoked(std::uint16_t refusal) {
    switch (refusal) {
    case CW_FINAL_EVICTED:
        return "an administrator of the server evicted this host from the export";
    case CW_FINAL_STALE:
        return "a newer attachment of this host has taken its place, or a copy of this machine "
               "runs elsewhere";
    default:
        return "another host or a later boot of this one has the disk, a copy of this machine "
               "runs elsewhere, or the owners were discarded at the server";
    }
}

std::vector<Sighting> revoked(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const AttachmentInfo &running : facts.of<DiskFacts>().running_attachments) {
        if (running.state == CW_STATE_REVOKED) {
            const std::string disk = running.server + "/" + running.name;
            seen.push_back(
                {disk,
                 fmt::format("{} is revoked ({}): {}", disk, refusal_word(running.refusal),
                             why_revoked(running.refusal)),
                 way_back(running)});
        }
    }
    return seen;
}

std::vector<Sighting> loss(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const AttachmentInfo &running : facts.of<DiskFacts>().running_attachments) {
        if (running.loss) {
            const std::string disk = running.server + "/" + running.name;
            seen.push_back(
                {disk,
                 fmt::format("the server lost acknowledged writes of {}: its flushes "
                             "fail",
                             disk),
                 fmt::format("check what is on it, then: causeway acknowledge {}", disk)});
        }
    }
    return seen;
}

std::vector<Sighting> without_link(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const std::string &disk : facts.of<DiskFacts>().unlinked) {
        seen.push_back({disk, fmt::format("udev has made no link /dev/causeway/{}", disk),
                        "udevadm trigger --subsystem-match=block; see that 60-causeway.rules is "
                        "installed"});
    }
    return seen;
}

const FindingRows disk_findings("disk", [] {
    return std::vector<Finding>{
        {"export-backend-gone", Severity::error, "what an export offers is not there",
         "The device or file was removed, is not mounted yet, or has another name now.",
         "bring it back, then: causeway restore", lost_backend},
        {"export-not-running", Severity::error, "an export is configured and not offered",
         "Clients hold their I/O until it is back.", restore, not_exported},
        {"ledger-unusable", Severity::error,
         "an export does not start, because it has no ledger of its owners",
         "The ledger's files are absent or damaged, belong to another disk, or lie in a folder "
         "that is not mounted or not safe.",
         "put the files back or mount their folder, then: causeway restore", ledger_unusable},
        {"ledger-outdated", Severity::error, "an older copy of an export's ledger was put back",
         "The owners and evictions since then are not in it, so that no host may log in. A client "
         "that had seen a newer ledger gave notice of it.",
         "causeway export remove NAME --force, then add it with --uuid UUID and --forget-owners",
         ledger_outdated},
        {"ledger-unwritable", Severity::error, "the ledger of an export cannot be written",
         "Owners go on. No new host can attach the disk, and none can be evicted.",
         "see that the folder with the ledger can be written and its disk is sound",
         ledger_unwritable},
        {"ledger-nearly-full", Severity::warning, "the ledger of an export is nearly full",
         "Hosts without a session are forgotten to make room. When only owners and evicted hosts "
         "are left, no new host can attach the disk.",
         "detach the disk from hosts that do not need it", ledger_nearly_full},
        {"export-open-to-all", Severity::notice, "the file of an export has no list of hosts",
         "Every host that reaches this one can attach it: the file has neither networks nor a key, "
         "or no initiators, and it does not say that this is meant.",
         "write \"allow = any\" into its file where this is meant; else causeway export remove "
         "NAME, then add it with --uuid UUID and --allow CIDR or --key-file FILE",
         open_to_all},
        {"attachment-not-running", Severity::error, "a disk is configured and not attached",
         "causeway.service did not bring it back, or it was detached until the next boot.", restore,
         not_attached},
        {"server-name-unknown", Severity::error, "the name of a server does not resolve",
         "Its disks cannot be attached.", "getent hosts SERVER", unknown_server},
        {"attachment-retrying", Severity::error, "a disk has no connection to its server",
         "Its I/O is held, or fails after --io-timeout. The reason is the last one that an attempt "
         "ended with.",
         "causeway discover SERVER", retrying},
        {"disk-path-down", Severity::warning, "one of the paths of a disk is down",
         "I/O goes on by another path, over TCP if no path by RDMA is left. If that path is lost "
         "too, the I/O is held.",
         "causeway path list; causeway ping --ip ADDRESS; for a path over TCP, see that the disk "
         "is exported with --tcp and that no firewall closes TCP port 4794",
         path_down},
        {"attachment-other-disk", Severity::error, "a disk's name leads to another disk now",
         "The server offers another identity under this name; I/O fails until the disk that was "
         "attached answers again, so that data of two disks does not mix.",
         "causeway detach SERVER/NAME --force; causeway attach SERVER/NAME", refused},
        {"attachment-revoked", Severity::error, "a server refused a disk for good",
         "This host is no owner of the disk any more: all I/O fails, and no login is tried. Only a "
         "new attach gets the disk again, and the writes that were not answered are lost.",
         "causeway detach SERVER/NAME --force; causeway attach SERVER/NAME", revoked},
        {"disk-lost-writes", Severity::error, "a server lost acknowledged writes of a disk",
         "It stopped without warning while writes were in its volatile cache. Flushes fail until "
         "an administrator has dealt with it.",
         "causeway acknowledge SERVER/NAME", loss},
        {"disk-without-link", Severity::warning, "udev has made no link to a disk",
         "Mounts by /dev/causeway/SERVER/NAME do not find it; the node /dev/causewayN may have "
         "another number after a reboot.",
         "udevadm trigger --subsystem-match=block", without_link},
    };
});

} // namespace

} // namespace causeway
