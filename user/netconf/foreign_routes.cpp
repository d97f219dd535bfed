// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/foreign_routes.h"

#include "netconf/kept_now.h"
#include "profiles/reading.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::array conf_folders = {"etc", "run", "usr/local/lib", "usr/lib", "lib"};
constexpr unsigned int rule_of_main = 32766;
constexpr unsigned int rule_of_default = 32767;

// Returns the value of a key of networkd.conf, true by default. Drop-ins come after the file, and
// the last value counts.
bool networkd_manages(const Places &places, const std::string &key) {
    std::vector<fs::path> files;
    for (const char *folder : conf_folders) {
        files.push_back(places.of_others(std::string(folder) + "/systemd/networkd.conf"));
    }
    for (const char *folder : conf_folders) {
        const auto drop_ins = files_of_folder(
            places.of_others(std::string(folder) + "/systemd/networkd.conf.d"), ".conf");
        files.insert(files.end(), drop_ins.begin(), drop_ins.end());
    }
    std::string last;
    for (const fs::path &file : files) {
        const auto value = value_of(read_key_values(text_of_file(file)), "Network", key);
        last = value.empty() ? last : value;
    }
    constexpr std::array negations = {"no", "false", "off", "0", "n", "f"};
    return std::none_of(negations.begin(), negations.end(),
                        [&](const char *each) { return same_text(last, each); });
}

Error would_lose(const std::string &what) {
    return Error{ExitCode::unavailable,
                 fmt::format("systemd-networkd would delete {}, which a profile of causeway's "
                             "cannot keep",
                             what),
                 "write ManageForeignRoutes=no and ManageForeignRoutingPolicyRules=no into "
                 "[Network] of /etc/systemd/networkd.conf (systemd 248 and later) and restart "
                 "systemd-networkd, or give --no-persist"};
}

// Returns true for a rule that is neither the kernel's own nor from a file of networkd.
bool is_foreign(const Json &rule) {
    const unsigned int priority = rule.value("priority", 0U);
    const std::string protocol = rule.value("protocol", "");
    return priority != 0 && priority != rule_of_main && priority != rule_of_default &&
           !rule.contains("l3mdev") && protocol != "static" && protocol != "kernel";
}

std::optional<Json> foreign_rule(World &world) {
    for (const char *family : {"-4", "-6"}) {
        auto end = world.processes.run({"ip", "-json", family, "rule", "show"});
        const auto told = end && end->good() ? Json::parse(end->out, nullptr, false) : Json();
        if (!told.is_array()) {
            continue;
        }
        const auto found = std::find_if(told.begin(), told.end(), [](const Json &each) {
            return each.is_object() && is_foreign(each);
        });
        if (found != told.end()) {
            return std::make_optional<Json>(*found);
        }
    }
    return std::nullopt;
}

} // namespace

Result<void> refuse_foreign_routes(World &world, const std::string &interface) {
    if (networkd_manages(world.places, "ManageForeignRoutes")) {
        auto now = TRY(look_at_interface(world, interface));
        for (const RouteNow &each : now.others) {
            if (!each.leased()) {
                return would_lose(fmt::format("the route {}{}{} of {}", each.destination,
                                              each.table.empty() ? "" : " of table " + each.table,
                                              each.protocol.empty() ? "" : " of " + each.protocol,
                                              interface));
            }
        }
    }
    const auto rule = networkd_manages(world.places, "ManageForeignRoutingPolicyRules")
                          ? foreign_rule(world)
                          : std::nullopt;
    if (rule) {
        return would_lose(fmt::format("the rule {} (from {}) of ip rule",
                                      rule->value("priority", 0U), rule->value("src", "all")));
    }
    return {};
}

} // namespace causeway
