// SPDX-License-Identifier: GPL-2.0-or-later
// limits set: the amount of memory that programs may register with an RDMA device.
#include "base/units.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *unlimited = "unlimited";
constexpr const char *default_group = "@rdma";

bool is_name(std::string_view text) {
    return !text.empty() && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.' || c == '@';
           });
}

// Returns the limit in KiB, the unit of limits(5).
Result<std::string> limit_text(const std::string &typed) {
    if (typed == unlimited) {
        return typed;
    }
    auto size = parse_size("the limit", typed);
    if (!size) {
        Error error = size.error();
        error.fix = "give unlimited or a size such as 4G";
        return error;
    }
    if (*size < 1024) {
        return Error{ExitCode::usage, fmt::format("'{}' is less than 1 KiB", typed),
                     "give unlimited or a size such as 4G"};
    }
    return fmt::format("{}", *size / 1024);
}

// Checks a name of limits(5): a user, a group after '@', or '*' for all users but root. Returns an
// error if the user or group does not exist.
Result<void> somebody(World &world, const std::string &who) {
    if (who == "*") {
        return {};
    }
    const bool group = who.substr(0, 1) == "@";
    const std::string name = group ? who.substr(1) : who;
    if (!is_name(name)) {
        return Error{ExitCode::usage, fmt::format("'{}' is not the name of a user or group", who),
                     "give a user, a group as @GROUP, or '*' for everyone but root"};
    }
    auto found = TRY(world.processes.run({"getent", group ? "group" : "passwd", name}));
    if (!found.good()) {
        return Error{
            ExitCode::unavailable, fmt::format("there is no {} {}", group ? "group" : "user", name),
            group ? fmt::format("make it with \"groupadd -r {}\", or give --for another", name)
                  : "give --for another"};
    }
    return {};
}

std::string limits_text(const std::vector<std::string> &whom, const std::string &limit) {
    std::string text = our_header("limits set");
    for (const std::string &who : whom) {
        text += fmt::format("{} - memlock {}\n", who, limit);
    }
    return text;
}

Result<void> plan_services(World &world, const Arguments &arguments, const std::string &limit,
                           ChangeSet &set) {
    for (const std::string &typed : arguments.list("service")) {
        const std::string name = typed.size() > 8 && typed.substr(typed.size() - 8) == ".service"
                                     ? typed.substr(0, typed.size() - 8)
                                     : typed;
        if (!is_name(name)) {
            return Error{ExitCode::usage, fmt::format("'{}' is no name of a service", typed),
                         "give it as systemctl does, without the folder"};
        }
        if (systemd_runs(world)) {
            auto there = TRY(world.processes.run({"systemctl", "cat", name + ".service"}));
            if (!there.good()) {
                return Error{ExitCode::unavailable, fmt::format("there is no service {}", name),
                             "see which there are: systemctl list-unit-files --type=service"};
            }
        }
        const std::string text =
            our_header("limits set") + fmt::format("[Service]\nLimitMEMLOCK={}\n",
                                                   limit == unlimited ? "infinity" : limit + "K");
        TRY(set.write(world.places.units() / (name + ".service.d") / "causeway-memlock.conf",
                      text));
    }
    return {};
}

Result<Answer> run_limits_set(World &world, const Arguments &arguments) {
    const auto &operands = arguments.operands();
    const std::string typed = operands.empty() ? unlimited : operands.front();
    auto limit = TRY(limit_text(typed));
    std::vector<std::string> whom = arguments.list("for");
    const bool services_only = whom.empty() && arguments.has("service");
    if (whom.empty() && !services_only) {
        whom.emplace_back(default_group);
    }
    ChangeSet set("limits set " + typed);
    for (const std::string &who : whom) {
        TRY(somebody(world, who));
    }
    if (!whom.empty()) {
        TRY(set.write(world.places.memlock(), limits_text(whom, limit)));
    }
    TRY(plan_services(world, arguments, limit, set));
    if (arguments.has("service")) {
        set.reload_systemd(world);
    }
    const bool changes = !set.empty();
    auto answer =
        carry_out(world, {arguments.dry_run()}, set, fmt::format("the limit is {} already", typed));
    if (answer && changes && !arguments.dry_run()) {
        answer->text += "programs have it that are started after the next login, services after "
                        "their restart\n";
    }
    return answer;
}

const VerbRows limits_rows(Section::host, 7, [] {
    return std::vector<Verb>{
        {
            .words = "limits set",
            .operands = "[unlimited|SIZE]",
            .summary = "set how much memory programs may lock for RDMA; by default unlimited",
            .options = {{"for", "WHO...",
                         "users, groups as @GROUP, or '*' for all but root; without --for and "
                         "--service: @rdma",
                         true},
                        {"service", "NAME...", "services of systemd; each gets a drop-in", true}},
            .most_operands = 1,
            .changes = true,
            .run = run_limits_set,
        },
    };
});

} // namespace

} // namespace causeway
