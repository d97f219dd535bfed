// SPDX-License-Identifier: GPL-2.0-or-later
// export evict, export readmit: which host may not write to a disk any more, and may again.
#include "command/plan.h"
#include "command/verb.h"
#include "disk/exporting.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t longest_wait = 86400;
// The kernel itself waits about 2 s for commands that are left; no answer comes sooner than this.
constexpr std::chrono::milliseconds pause_between(100);

// An export and a host of it, as they were typed.
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

Result<std::vector<OwnerInfo>> owners_of(World &world, const std::string &name) {
    auto owners = TRY(world.kernel.owners());
    std::vector<OwnerInfo> found;
    std::copy_if(owners.begin(), owners.end(), std::back_inserter(found),
                 [&](const OwnerInfo &info) { return info.name == name; });
    return found;
}

// The one connected host that a name or an address means. A host that is away may have had the
// same name or address, and to evict another host in its place fences nobody.
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
        return Error{ExitCode::usage, "it is not said which host",
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

std::optional<OwnerInfo> find_host(const std::vector<OwnerInfo> &owners, const Uuid &host) {
    const auto found = std::find_if(owners.begin(), owners.end(),
                                    [&](const OwnerInfo &info) { return info.host == host; });
    return found == owners.end() ? std::nullopt : std::optional(*found);
}

// "5cbe11f0-... (node7)"
std::string done_to(World &world, const HostOfExport &wanted, const Uuid &host) {
    std::string name = wanted.host_name;
    if (const auto owners = owners_of(world, wanted.name); name.empty() && owners) {
        const auto info = find_host(*owners, host);
        name = info ? info->host_name : "";
    }
    return name.empty() ? host.text() : fmt::format("{} ({})", host.text(), name);
}

// One line on a terminal that grows old in its place.
class Progress {
  public:
    Progress(World &world, std::string typed) : world_(world), typed_(std::move(typed)) {}
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    ~Progress() {
        if (shown_) {
            world_.err << "\n";
        }
    }

    void tell(std::chrono::seconds waited) {
        if (world_.terminal.columns == 0 || world_.json) {
            return;
        }
        shown_ = true;
        world_.err << fmt::format("\rcommands of {} are still at the disk, {} s so far", typed_,
                                  waited.count());
        world_.err.flush();
    }

  private:
    World &world_;
    std::string typed_;
    bool shown_ = false;
};

Error not_fenced(const HostOfExport &wanted, std::chrono::seconds waited) {
    return Error{ExitCode::try_again,
                 fmt::format("{} is NOT fenced yet: it may not log in to '{}' any more, but after "
                             "{} s commands of it are still at the disk",
                             wanted.typed, wanted.name, waited.count()),
                 fmt::format("give the same command again, until it succeeds: causeway export "
                             "evict {} --host {}",
                             wanted.name, wanted.host.text())};
}

// Asks until no command of the host is left.
Result<Uuid> evict(World &world, const HostOfExport &wanted,
                   std::optional<std::chrono::seconds> limit) {
    const auto start = Clock::now();
    Progress progress(world, wanted.typed);
    for (;;) {
        const auto asked = Clock::now();
        auto host = world.kernel.evict_host(wanted.name, wanted.host);
        if (!host) {
            Error error = host.error();
            error.what = fmt::format("{} is NOT fenced: cannot evict it from '{}': {}",
                                     wanted.typed, wanted.name, error.what);
            return error;
        }
        if (*host) {
            return **host;
        }
        const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
        if (limit && waited >= *limit) {
            return not_fenced(wanted, waited);
        }
        progress.tell(waited);
        std::this_thread::sleep_until(asked + pause_between);
    }
}

Answer answer_of(const HostOfExport &wanted, const Uuid &host, std::string text,
                 bool changed = true) {
    Answer answer;
    answer.json = {{"name", wanted.name}, {"host", host.text()}, {"changed", changed}};
    answer.text = std::move(text);
    return answer;
}

Result<Answer> run_export_evict(World &world, const Arguments &arguments) {
    auto limit = arguments.number("timeout", 0, longest_wait);
    if (!limit) {
        return limit.error();
    }
    auto wanted = TRY(host_of_export(world, arguments));
    if (arguments.dry_run()) {
        Plan plan;
        plan.act(fmt::format("evict {} from '{}', and wait until no command of it is left",
                             wanted.typed, wanted.name));
        return plan.answer();
    }
    auto owners = owners_of(world, wanted.name);
    const bool known = !owners || find_host(*owners, wanted.host);
    auto host = TRY(
        evict(world, wanted, *limit ? std::optional(std::chrono::seconds(**limit)) : std::nullopt));
    Answer answer =
        answer_of(wanted, host,
                  fmt::format("host {} is evicted from {}: none of its writes can reach the "
                              "disk any more\n",
                              done_to(world, wanted, host), wanted.name));
    if (!known) {
        answer.warnings.push_back(fmt::format(
            "'{}' had not seen the host {} before: see that it is the one that is meant; {}",
            wanted.name, host.text(), known_hosts(*owners)));
    }
    return answer;
}

Result<Answer> run_export_readmit(World &world, const Arguments &arguments) {
    auto wanted = TRY(host_of_export(world, arguments));
    if (arguments.dry_run()) {
        Plan plan;
        plan.act(fmt::format("let {} log in to '{}' again", wanted.typed, wanted.name));
        return plan.answer();
    }
    auto owners = owners_of(world, wanted.name);
    const auto before = owners ? find_host(*owners, wanted.host) : std::nullopt;
    auto host = world.kernel.readmit_host(wanted.name, wanted.host);
    if (!host) {
        Error error = host.error();
        error.what =
            fmt::format("cannot readmit {} to '{}': {}", wanted.typed, wanted.name, error.what);
        return error;
    }
    if (owners && !before) {
        return answer_of(
            wanted, *host,
            fmt::format("'{}' knows no host {}, nothing to readmit\n", wanted.name, host->text()),
            false);
    }
    if (owners && !before->evicted) {
        return answer_of(wanted, *host,
                         fmt::format("host {} was not evicted from {}; boots of it that others "
                                     "replaced may log in again\n",
                                     done_to(world, wanted, *host), wanted.name));
    }
    return answer_of(wanted, *host,
                     fmt::format("host {} may attach {} again; a disk of {} that it still has "
                                 "attached from before must be detached and attached there\n",
                                 done_to(world, wanted, *host), wanted.name, wanted.name));
}

constexpr OptionSpec host_option{"host", "UUID|ADDRESS|NAME",
                                 "which machine, as export list shows it"};

const VerbRows export_evict_rows(Section::disks, 3, [] {
    return std::vector<Verb>{
        {
            .words = "export evict",
            .operands = "NAME",
            .summary = "end all access of a machine to a disk, until it is readmitted",
            .options =
                {host_option,
                 {"timeout", "SECONDS",
                  "wait for so long until no command of it is left; without: as long as it takes"}},
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
