// SPDX-License-Identifier: GPL-2.0-or-later
// export evict: a host may no longer write to a disk. export readmit: the host may log in again.
#include "change/carry_out.h"
#include "command/verb.h"
#include "disk/eviction_change.h"
#include "disk/exporting.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t longest_wait = 86400;
// An export, and one of its hosts that the administrator named.
struct HostOfExport {
    std::string name;
    std::string typed;
    Uuid host;
    std::string host_name; // empty: not known
};

std::string known_host(const OwnerInfo &info) {
    return info.host_name.empty() ? info.host.text()
                                  : fmt::format("{} ({})", info.host.text(), info.host_name);
}

std::string known_hosts(const std::vector<OwnerInfo> &owners) {
    std::vector<std::string> words;
    for (const OwnerInfo &info : owners) {
        words.push_back(known_host(info));
    }
    return words.empty() ? "no host is known" : fmt::format("known: {}", fmt::join(words, ", "));
}

// Finds the one connected host with the typed name or address. Returns an error if an owner is
// away: that host may have had the same name or address, and the eviction of another host would not
// fence it.
template <class Matches>
Result<void> find_connected(World &world, HostOfExport &wanted, const std::string &what,
                            Matches matches) {
    auto running = TRY(running_export(world, wanted.name));
    if (!running) {
        return Error{ExitCode::unavailable, fmt::format("there is no export '{}'", wanted.name),
                     "see: causeway export list"};
    }
    auto owners = TRY(owners_of(world, wanted.name));
    std::vector<OwnerInfo> found;
    std::copy_if(
        owners.begin(), owners.end(), std::back_inserter(found),
        [&](const OwnerInfo &info) { return info.state == CW_STATE_LIVE && matches(info); });
    if (std::any_of(owners.begin(), owners.end(), [](const OwnerInfo &info) {
            return info.owner && info.state != CW_STATE_LIVE;
        })) {
        return Error{ExitCode::usage,
                     fmt::format("an owner of the export '{}' is away, and its name and address "
                                 "are not known: '{}' may mean that host",
                                 wanted.name, wanted.typed),
                     fmt::format("give the UUID of the host; {}", known_hosts(owners))};
    }
    if (found.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("no host that is connected to the export '{}' has the {} '{}'",
                                 wanted.name, what, wanted.typed),
                     fmt::format("give its UUID; {}", known_hosts(owners))};
    }
    if (found.size() > 1) {
        return Error{ExitCode::usage,
                     fmt::format("{} hosts of the export '{}' have the {} '{}'", found.size(),
                                 wanted.name, what, wanted.typed),
                     fmt::format("give the UUID of one; {}", known_hosts(found))};
    }
    wanted.host = found.front().host;
    wanted.host_name = found.front().host_name;
    return {};
}

Result<HostOfExport> host_of_export(World &world, const Arguments &arguments) {
    HostOfExport wanted;
    auto name = TRY(parse_export_name(arguments.operands().front()));
    wanted.name = std::move(name);
    const auto typed = arguments.text("host");
    if (!typed || typed->empty()) {
        return Error{ExitCode::usage, "no host is given",
                     "give --host UUID, --host ADDRESS or --host NAME; causeway export list shows "
                     "the hosts"};
    }
    wanted.typed = *typed;
    if (const auto host = Uuid::parse(*typed)) {
        if (host->is_nil()) {
            return Error{ExitCode::usage, "a UUID of zeroes names no host",
                         "causeway export list shows the hosts"};
        }
        wanted.host = *host;
        return wanted;
    }
    Result<void> found;
    if (const auto address = SocketAddress::from_text(*typed)) {
        found = find_connected(world, wanted, "address", [&](const OwnerInfo &info) {
            return info.address.host_text() == address->host_text();
        });
    } else {
        found = find_connected(world, wanted, "name", [&](const OwnerInfo &info) {
            return info.host_name == wanted.typed;
        });
    }
    if (!found) {
        return found.error();
    }
    return wanted;
}

// "5cbe11f0-... (node7)"
std::string done_to(World &world, const HostOfExport &wanted) {
    std::string name = wanted.host_name;
    if (const auto owners = owners_of(world, wanted.name); name.empty() && owners) {
        const auto info = find_host(*owners, wanted.host);
        name = info ? info->host_name : "";
    }
    return name.empty() ? wanted.host.text() : fmt::format("{} ({})", wanted.host.text(), name);
}

// If the eviction is @already done, undo has nothing to take back, so the journal gets no entry.
Result<Answer> apply(World &world, const Arguments &arguments, const HostOfExport &wanted,
                     Eviction eviction) {
    eviction.name = wanted.name;
    eviction.host = wanted.host;
    eviction.typed = wanted.typed;
    const bool already = eviction.already;
    ChangeSet set(fmt::format("export {} {} --host {}", eviction.evicts ? "evict" : "readmit",
                              wanted.name, wanted.host.text()),
                  Scope::disks);
    set.add(change_eviction(std::move(eviction)));
    auto answer = TRY(carry_out(world, {arguments.dry_run(), !already}, set, ""));
    answer.json["name"] = wanted.name;
    answer.json["host"] = wanted.host.text();
    return answer;
}

Result<Answer> run_export_evict(World &world, const Arguments &arguments) {
    auto limit = TRY(arguments.number("timeout", 0, longest_wait));
    auto wanted = TRY(host_of_export(world, arguments));
    const auto owners = owners_of(world, wanted.name);
    const auto before = owners ? find_host(*owners, wanted.host) : std::nullopt;
    Eviction eviction;
    eviction.already = before && before->evicted;
    if (limit) {
        eviction.limit = std::chrono::seconds(*limit);
    }
    auto answer = TRY(apply(world, arguments, wanted, std::move(eviction)));
    if (arguments.dry_run()) {
        return answer;
    }
    answer.text = fmt::format("host {} is evicted from {}: none of its writes can reach the disk "
                              "any more\n{}",
                              done_to(world, wanted), wanted.name, line_of_undo(answer));
    if (owners && !before) {
        answer.warnings.push_back(fmt::format(
            "'{}' had not seen the host {} before: see that it is the one that is meant; {}",
            wanted.name, wanted.host.text(), known_hosts(*owners)));
    }
    return answer;
}

Result<Answer> run_export_readmit(World &world, const Arguments &arguments) {
    auto wanted = TRY(host_of_export(world, arguments));
    const auto owners = owners_of(world, wanted.name);
    const auto before = owners ? find_host(*owners, wanted.host) : std::nullopt;
    Eviction readmission;
    readmission.evicts = false;
    readmission.already = owners && !(before && before->evicted);
    auto answer = TRY(apply(world, arguments, wanted, std::move(readmission)));
    if (arguments.dry_run()) {
        return answer;
    }
    if (owners && !before) {
        answer.json["changed"] = false;
        answer.text = fmt::format("'{}' knows no host {}, nothing to readmit\n", wanted.name,
                                  wanted.host.text());
    } else if (owners && !before->evicted) {
        answer.text = fmt::format("host {} was not evicted from {}; boots of it that others "
                                  "replaced may log in again\n",
                                  done_to(world, wanted), wanted.name);
    } else {
        answer.text =
            fmt::format("host {} may attach {} again; a disk of {} that it still has "
                        "attached from before must be detached and attached there\n{}",
                        done_to(world, wanted), wanted.name, wanted.name, line_of_undo(answer));
    }
    return answer;
}

constexpr OptionSpec host_option{"host", "UUID|ADDRESS|NAME",
                                 "UUID, address or name of the machine, as in export list"};

const VerbRows export_evict_rows(Section::disks, 3, [] {
    return std::vector<Verb>{
        {
            .words = "export evict",
            .operands = "NAME",
            .summary = "end all access of a machine to a disk, until export readmit",
            .options = {host_option,
                        {"timeout", "SECONDS",
                         "longest wait for the last command of the machine, then exit 75; by "
                         "default no limit"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_evict,
        },
        {
            .words = "export readmit",
            .operands = "NAME",
            .summary = "let a machine that was evicted attach the disk again",
            .options = {host_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_readmit,
        },
    };
});

} // namespace

} // namespace causeway
