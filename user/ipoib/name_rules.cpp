// SPDX-License-Identifier: GPL-2.0-or-later
#include "ipoib/name_rules.h"

#include "base/durable_file.h"
#include "config/file_header.h"

#include <algorithm>
#include <sstream>

namespace causeway {

namespace {

// Returns the text between @start and the next quotation mark, or "" if the line has none.
std::string quoted_after(const std::string &line, const std::string &start) {
    const std::size_t place = line.find(start);
    if (place == std::string::npos) {
        return {};
    }
    const std::size_t value = place + start.size();
    const std::size_t end = line.find('"', value);
    return end == std::string::npos ? std::string() : line.substr(value, end - value);
}

} // namespace

std::optional<NameRule> parse_name_rule(const std::string &line) {
    NameRule rule;
    if (line.empty() || line.front() == '#') {
        return std::nullopt;
    }
    rule.line = line;
    rule.is_device = line.find("SUBSYSTEM==\"infiniband\"") != std::string::npos;
    rule.name =
        rule.is_device ? quoted_after(line, "NAME_FIXED ") : quoted_after(line, ", NAME=\"");
    rule.guid = rule.is_device ? quoted_after(line, "ATTR{node_guid}==\"")
                               : quoted_after(line, "ATTR{address}==\"?*");
    return rule.name.empty() || rule.guid.empty() ? std::nullopt : std::optional(rule);
}

std::filesystem::path name_rules_place(const Places &places, bool of_devices) {
    return of_devices ? places.rdma_names() : places.ipoib_names();
}

Result<std::vector<NameRule>> load_name_rules(const Places &places, bool of_devices) {
    auto content = TRY(read_small_file(name_rules_place(places, of_devices)));
    std::vector<NameRule> rules;
    if (!content || !is_ours(*content)) {
        return rules;
    }
    std::istringstream stream(*content);
    for (std::string line; std::getline(stream, line);) {
        if (auto rule = parse_name_rule(line)) {
            rules.push_back(*std::move(rule));
        }
    }
    return rules;
}

Result<std::string> name_rules_without(const Places &places, bool of_devices,
                                       const std::string &name) {
    auto content = TRY(read_small_file(name_rules_place(places, of_devices)));
    std::string text;
    std::istringstream stream(content.value_or(""));
    for (std::string line; std::getline(stream, line);) {
        const auto rule = parse_name_rule(line);
        if (!line.empty() && line.front() != '#' && !(rule && rule->name == name)) {
            text += line + "\n";
        }
    }
    return text;
}

} // namespace causeway
