// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/new_device_name.h"

#include "config/file_header.h"
#include "doctor/gather.h"
#include "port/device_unit.h"
#include "port/port_name.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace causeway {

namespace {

namespace fs = std::filesystem;

using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string replaced(std::string text, const Replacements &replacements) {
    for (const auto &[old_text, new_text] : replacements) {
        for (std::size_t at = text.find(old_text); at != std::string::npos;
             at = text.find(old_text, at + new_text.size())) {
            text.replace(at, old_text.size(), new_text);
        }
    }
    return text;
}

// Writes the content of one file to another, with the replacements, and removes the first file.
Result<void> plan_move(ChangeSet &set, const fs::path &old_place, const fs::path &new_place,
                       const Replacements &replacements) {
    const std::string text = text_of(old_place).value_or("");
    if (!is_ours(text)) {
        return {};
    }
    TRY(set.write(new_place, replaced(text, replacements)));
    return set.remove(old_place);
}

} // namespace

Result<void> plan_new_device_name(World &world, ChangeSet &set, const std::string &from,
                                  const std::string &to) {
    const std::size_t before = set.changes().size();
    for (const auto &[setting, verb] :
         {std::pair("roce", "roce mode"), std::pair("tos", "roce tos")}) {
        DeviceUnit old_unit;
        old_unit.setting = setting;
        old_unit.subject = from;
        DeviceUnit new_unit = old_unit;
        new_unit.subject = to;
        const Replacements replacements = {
            {fmt::format("causeway {} {} ", verb, from), fmt::format("causeway {} {} ", verb, to)},
            // The name ends the description.
            {" " + from + "\n", " " + to + "\n"},
            {"\"" + old_unit.name() + "\"", "\"" + new_unit.name() + "\""}};
        TRY(plan_move(set, old_unit.unit(world.places), new_unit.unit(world.places), replacements));
        TRY(plan_move(set, old_unit.rule(world.places), new_unit.rule(world.places), replacements));
    }
    for (const KeptPort &kept : kept_ports_at_boot(world)) {
        if (kept.device != from) {
            continue;
        }
        const PortFiles old_files = port_files(world, from, kept.port);
        const PortFiles new_files = port_files(world, to, kept.port);
        const Replacements replacements = {
            {fmt::format(" {}/{} ", from, kept.port), fmt::format(" {}/{} ", to, kept.port)},
            {fmt::format("ATTR{{ibdev}}==\"{}\"", from), fmt::format("ATTR{{ibdev}}==\"{}\"", to)},
            {old_files.unit.filename().string(), new_files.unit.filename().string()}};
        TRY(plan_move(set, old_files.unit, new_files.unit, replacements));
        TRY(plan_move(set, old_files.state_rule, new_files.state_rule, replacements));
        TRY(plan_move(set, old_files.type_rule, new_files.type_rule, replacements));
    }
    if (set.changes().size() != before) {
        set.reload_systemd(world);
    }
    return {};
}

} // namespace causeway
