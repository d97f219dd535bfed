// SPDX-License-Identifier: GPL-2.0-or-later
// export list.
#include "base/units.h"
#include "config/dropins.h"
#include "show/table.h"
#include "verbs/stock.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Json export_json(const ExportInfo &info, bool persistent) {
    const ExportSettings &settings = info.settings;
    Json allow = Json::array();
    for (const Prefix &prefix : settings.allow) {
        allow.push_back(prefix.text());
    }
    return {{"name", settings.name},
            {"backend", backend_text(settings.backend)},
            {"path", settings.path},
            {"size", settings.size},
            {"block_size", info.block_size},
            {"read_only", settings.read_only},
            {"exclusive", settings.exclusive},
            {"write_through", settings.write_through},
            {"volatile_cache", info.volatile_cache},
            {"allow", allow},
            {"has_key", info.has_key},
            {"identity", settings.identity ? Json(settings.identity->text()) : Json(nullptr)},
            {"sessions", info.sessions},
            {"ending", info.ending},
            {"persistent", persistent}};
}

std::string options_phrase(const ExportSettings &settings, bool has_key) {
    std::vector<std::string> words;
    const auto add = [&](bool on, const char *word) {
        if (on) {
            words.emplace_back(word);
        }
    };
    add(settings.read_only, "read-only");
    add(settings.exclusive, "exclusive");
    add(settings.write_through, "write-through");
    add(has_key, "key");
    return fmt::format("{}", fmt::join(words, " "));
}

std::string state_phrase(const ExportInfo &info, bool persistent) {
    if (info.ending) {
        return fmt::format("ending for {} s", info.ending_for.count());
    }
    return persistent ? "running" : "until reboot";
}

std::string backend_column(const ExportSettings &settings) {
    return settings.backend == Backend::ram ? "memory" : settings.path;
}

std::string allow_phrase(const ExportSettings &settings) {
    std::vector<std::string> words;
    for (const Prefix &prefix : settings.allow) {
        words.push_back(prefix.text());
    }
    return words.empty() ? "everyone" : fmt::format("{}", fmt::join(words, " "));
}

} // namespace

Result<Answer> run_export_list(World &world, const Arguments & /*arguments*/) {
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    auto configured = load_exports(world.places);
    if (!configured) {
        return configured.error();
    }
    Answer answer;
    for (const Error &broken : configured->broken) {
        answer.warnings.push_back(broken.what);
    }
    answer.json["exports"] = Json::array();
    answer.json["not_running"] = Json::array();
    Table table({{"EXPORT"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"SESSIONS", Table::Align::right},
                 {"STATE"},
                 {"OPTIONS"},
                 {"ALLOWED"},
                 {"BACKEND"}});
    std::vector<ExportSettings> asleep;
    for (const auto &stored : configured->good) {
        asleep.push_back(stored.settings);
    }
    for (const ExportInfo &info : *exports) {
        const ExportSettings &settings = info.settings;
        const auto known =
            std::find_if(asleep.begin(), asleep.end(),
                         [&](const ExportSettings &other) { return other.name == settings.name; });
        const bool persistent = known != asleep.end();
        if (persistent) {
            asleep.erase(known);
        }
        answer.json["exports"].push_back(export_json(info, persistent));
        table.row({settings.name, size_text(settings.size), fmt::format("{}", info.block_size),
                   fmt::format("{}", info.sessions), state_phrase(info, persistent),
                   options_phrase(settings, info.has_key), allow_phrase(settings),
                   backend_column(settings)});
    }
    for (const ExportSettings &settings : asleep) {
        answer.json["not_running"].push_back(settings.name);
        table.row({settings.name, settings.size == 0 ? "" : size_text(settings.size), "", "",
                   "not running", options_phrase(settings, !settings.key_file.empty()),
                   allow_phrase(settings), backend_column(settings)});
    }
    if (!asleep.empty()) {
        answer.warnings.emplace_back(
            "some exports are configured and not running; causeway restore starts them");
    }
    answer.text = table.text(world.terminal);
    if (auto listed = list_stock_exports(world, answer); !listed) {
        return listed.error();
    }
    return answer;
}

} // namespace causeway
