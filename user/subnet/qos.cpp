// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/qos.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace causeway {

namespace {

constexpr unsigned int sl_count = 16;
constexpr unsigned int most_lanes = 15; // VL 15 is of subnet management
constexpr unsigned int most_weight = 255;

// Reads the whole text as a number up to @most.
std::optional<unsigned int> limited_number(std::string_view text, unsigned int most) {
    unsigned int number = 0;
    const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && rest == text.data() + text.size() && number <= most
               ? std::optional(number)
               : std::nullopt;
}

Result<QosLevel> parse_level(const std::string &text, bool high) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto sl = limited_number(std::string_view(text).substr(0, equals), sl_count - 1);
    const auto weight = limited_number(
        std::string_view(text).substr(std::min(equals + 1, text.size())), most_weight);
    if (!sl || !weight || *weight == 0) {
        return Error{ExitCode::usage, fmt::format("'{}' is no service level with a weight", text),
                     "give SL=WEIGHT with an SL from 0 to 15 and a weight from 1 to 255, such as "
                     "1=64"};
    }
    return QosLevel{*sl, 0, *weight, high};
}

std::vector<std::string> comma_parts(const std::string &text) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

// Reads "VL:WEIGHT,..." of one table of arbitration.
std::optional<std::map<unsigned int, unsigned int>> weights_in(const std::string &text) {
    std::map<unsigned int, unsigned int> weights;
    for (const std::string &part : comma_parts(text)) {
        const std::size_t colon = std::min(part.find(':'), part.size());
        const auto vl = limited_number(std::string_view(part).substr(0, colon), most_lanes - 1);
        const auto weight = limited_number(
            std::string_view(part).substr(std::min(colon + 1, part.size())), most_weight);
        if (!vl || !weight) {
            return std::nullopt;
        }
        weights[*vl] += *weight;
    }
    return weights;
}

std::string arbitration_table(const QosLevels &levels, bool high) {
    std::vector<std::string> entries;
    for (const QosLevel &level : levels.levels) {
        if (level.high == high) {
            entries.push_back(fmt::format("{}:{}", level.vl, level.weight));
        }
    }
    // An entry with the weight 0 is skipped.
    return entries.empty() ? "0:0" : fmt::format("{}", fmt::join(entries, ","));
}

// The numbers of data lanes that a port can have (IBA 14.2.5.6, PortInfo:OperationalVLs).
unsigned int lanes_for(std::size_t levels) {
    constexpr std::array<unsigned int, 5> counts = {1, 2, 4, 8, most_lanes};
    return *std::find_if(counts.begin(), counts.end() - 1,
                         [&](unsigned int count) { return count >= levels; });
}

} // namespace

Result<QosLevels> parse_qos_levels(const std::vector<std::string> &low,
                                   const std::vector<std::string> &high, unsigned int high_limit) {
    QosLevels levels;
    levels.high_limit = high_limit;
    for (const auto &[words, is_high] : {std::pair(&low, false), std::pair(&high, true)}) {
        for (const std::string &word : *words) {
            auto level = TRY(parse_level(word, is_high));
            levels.levels.push_back(level);
        }
    }
    std::sort(levels.levels.begin(), levels.levels.end(),
              [](const QosLevel &left, const QosLevel &right) { return left.sl < right.sl; });
    for (std::size_t i = 1; i < levels.levels.size(); i++) {
        if (levels.levels[i].sl == levels.levels[i - 1].sl) {
            return Error{ExitCode::usage,
                         fmt::format("service level {} is given twice", levels.levels[i].sl),
                         "give each level once, with --level or with --high"};
        }
    }
    if (levels.levels.empty() || levels.levels.front().sl != 0) {
        return Error{ExitCode::usage,
                     "service level 0 has no weight: all traffic that chooses no level has it",
                     "give --level 0=WEIGHT too"};
    }
    if (levels.levels.size() > most_lanes) {
        return Error{ExitCode::usage,
                     fmt::format("{} service levels are more than the {} virtual lanes of data",
                                 levels.levels.size(), most_lanes),
                     "give fewer; the others share the lane of service level 0"};
    }
    for (std::size_t i = 0; i < levels.levels.size(); i++) {
        levels.levels[i].vl = static_cast<unsigned int>(i);
    }
    return levels;
}

std::vector<std::string> qos_keys() {
    return {"qos", "qos_max_vls", "qos_high_limit", "qos_vlarb_low", "qos_vlarb_high", "qos_sl2vl"};
}

std::vector<std::pair<std::string, std::string>> qos_settings(const QosLevels &levels) {
    std::array<unsigned int, sl_count> lanes{};
    for (const QosLevel &level : levels.levels) {
        lanes.at(level.sl) = level.vl;
    }
    return {{"qos", "TRUE"},
            {"qos_max_vls", fmt::format("{}", lanes_for(levels.levels.size()))},
            {"qos_high_limit", fmt::format("{}", levels.high_limit)},
            {"qos_vlarb_low", arbitration_table(levels, false)},
            {"qos_vlarb_high", arbitration_table(levels, true)},
            {"qos_sl2vl", fmt::format("{}", fmt::join(lanes, ","))}};
}

bool qos_is_on(const OpensmSettings &settings) {
    return settings.value("qos") == "TRUE";
}

std::optional<QosLevels> qos_levels_of(const OpensmSettings &settings) {
    const auto limit = limited_number(settings.value("qos_high_limit").value_or(""), most_weight);
    const auto low = weights_in(settings.value("qos_vlarb_low").value_or(""));
    const auto high = weights_in(settings.value("qos_vlarb_high").value_or(""));
    const auto lanes = comma_parts(settings.value("qos_sl2vl").value_or(""));
    if (!limit || !low || !high || lanes.size() != sl_count) {
        return std::nullopt;
    }
    QosLevels levels;
    levels.high_limit = *limit;
    for (unsigned int sl = 0; sl < sl_count; sl++) {
        const auto vl = limited_number(lanes[sl], most_lanes);
        if (!vl) {
            return std::nullopt;
        }
        const auto weight = [&](const std::map<unsigned int, unsigned int> &weights) {
            const auto found = weights.find(*vl);
            return found == weights.end() ? 0U : found->second;
        };
        // A service level without a weight of its own has the lane of service level 0.
        if (sl != 0 && *vl == levels.levels.front().vl) {
            continue;
        }
        const bool is_high = weight(*high) != 0;
        levels.levels.push_back({sl, *vl, is_high ? weight(*high) : weight(*low), is_high});
    }
    return levels;
}

} // namespace causeway
