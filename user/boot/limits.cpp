// SPDX-License-Identifier: GPL-2.0-or-later
// limits set, unset, list: the amount of memory that programs may register with an RDMA device.
#include "base/append_once.h"
#include "base/units.h"
#include "boot/memlock_limits.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Returns the name of a service without ".service".
Result<std::string> parse_service(const std::string &typed) {
    const std::string name = typed.size() > 8 && typed.substr(typed.size() - 8) == ".service"
                                 ? typed.substr(0, typed.size() - 8)
                                 : typed;
    if (!is_name(name)) {
        return Error{ExitCode::usage, fmt::format("'{}' is no name of a service", typed),
                     "give it as systemctl does, without the folder"};
    }
    return name;
}

Result<void> plan_services(World &world, const Arguments &arguments, const std::string &limit,
                           ChangeSet &set) {
    for (const std::string &typed : arguments.list("service")) {
        auto name = TRY(parse_service(typed));
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
        TRY(set.write(memlock_dropin(world.places, name), text));
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
        // The limits of other names stay.
        auto limits = TRY(load_memlock_limits(world.places));
        for (const std::string &who : whom) {
            limits.set(who, limit);
        }
        TRY(set.write(world.places.memlock(), our_header("limits set") + limits.text()));
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

/* ---- limits unset ---- */

Result<void> plan_unset_names(World &world, const std::vector<std::string> &names, bool all,
                              ChangeSet &set) {
    auto limits = TRY(load_memlock_limits(world.places));
    const auto wanted = all ? limits.names() : names;
    bool found = false;
    for (const std::string &name : wanted) {
        found = limits.remove(name) || found;
    }
    if (!found) {
        return {};
    }
    return limits.text().empty()
               ? set.remove(world.places.memlock())
               : set.write(world.places.memlock(), our_header("limits set") + limits.text());
}

Result<Answer> run_limits_unset(World &world, const Arguments &arguments) {
    const auto &names = arguments.operands();
    const auto there = services_with_memlock(world.places);
    const bool all = names.empty() && !arguments.has("service");
    std::vector<std::string> services = all ? there : std::vector<std::string>();
    for (const std::string &typed : arguments.list("service")) {
        auto name = TRY(parse_service(typed));
        if (std::find(there.begin(), there.end(), name) != there.end()) {
            append_once(services, name);
        }
    }
    ChangeSet set("limits unset" +
                  (names.empty() ? "" : fmt::format(" {}", fmt::join(names, " "))));
    TRY(plan_unset_names(world, names, all, set));
    for (const std::string &service : services) {
        TRY(set.remove(memlock_dropin(world.places, service)));
    }
    if (!services.empty()) {
        set.reload_systemd(world);
    }
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set,
                                all ? "\"causeway limits set\" has set no limit"
                                    : "\"causeway limits set\" has set none of these limits"));
    if (!set.empty() && !arguments.dry_run()) {
        answer.text += "programs that run keep their limit; services until their restart\n";
    }
    return answer;
}

/* ---- limits list ---- */

Result<Answer> run_limits_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    answer.json["limits"] = Json::array();
    Table table({{"FOR"}, {"LIMIT", Table::Align::right}, {"FILE"}, {"WRITTEN BY"}});
    for (const ListedLimit &each : listed_limits(world.places)) {
        const auto bytes = each.bytes();
        answer.json["limits"].push_back({{"for", each.who},
                                         {"service", each.is_service},
                                         {"bytes", bytes ? Json(*bytes) : Json(nullptr)},
                                         {"unlimited", each.is_unlimited()},
                                         {"type", each.type},
                                         {"file", each.file.string()},
                                         {"by_causeway", each.by_causeway}});
        table.row({each.is_service ? each.who + ".service" : each.who,
                   bytes ? size_text(*bytes) : each.value, each.file.string(),
                   each.by_causeway ? "causeway" : "another"});
    }
    answer.text = answer.json["limits"].empty() ? "no file sets how much memory programs may lock\n"
                                                : table.text(world.terminal);
    return answer;
}

const VerbRows limits_rows(Section::host, 7, [] {
    return std::vector<Verb>{
        {
            .words = "limits set",
            .operands = "[unlimited|SIZE]",
            .summary = "set how much memory programs may lock for RDMA, by default unlimited; the "
                       "limits of other names stay",
            .options = {{"for", "WHO...",
                         "users, groups as @GROUP, or '*' for all but root; without --for and "
                         "--service: @rdma",
                         true},
                        {"service", "NAME...", "services of systemd; each gets a drop-in", true}},
            .most_operands = 1,
            .changes = true,
            .run = run_limits_set,
        },
        {
            .words = "limits unset",
            .operands = "[WHO...]",
            .summary = "remove limits that limits set has made; without WHO and --service all",
            .options = {{"service", "NAME...", "services of systemd", true}},
            .most_operands = 64,
            .changes = true,
            .run = run_limits_unset,
        },
        {
            .words = "limits list",
            .summary =
                "show the limits of locked memory that files of limits(5) and limits set make",
            .run = run_limits_list,
        },
    };
});

} // namespace

} // namespace causeway
