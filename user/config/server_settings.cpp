// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/server_settings.h"

#include "base/disk_name.h"
#include "base/durable_file.h"
#include "base/units.h"
#include "config/ini.h"

#include <fmt/format.h>

namespace causeway {

namespace {

const IniSchema &server_schema() {
    static const IniSchema schema = [] {
        IniSchema all{"server", {{"port"}}};
        for (const ServerLimit &limit : server_limits) {
            all.keys.push_back({limit.word});
        }
        return all;
    }();
    return schema;
}

// Returns none if the file does not have the key.
Result<std::optional<std::uint32_t>> number_at(const IniFile &file, std::string_view key,
                                               std::uint64_t least, std::uint64_t most) {
    if (!file.has(key)) {
        return std::optional<std::uint32_t>();
    }
    const auto number = parse_number(key, file.value(key), least, most);
    if (!number) {
        return file.error_at(key, number.error().what, number.error().fix);
    }
    return std::optional(static_cast<std::uint32_t>(*number));
}

} // namespace

std::string parameter_file(const ServerLimit &limit) {
    return fmt::format("/sys/module/causeway/parameters/{}", limit.parameter);
}

std::string server_settings_text(const ServerSettings &settings) {
    if (settings == ServerSettings()) {
        return {};
    }
    IniText ini("Written by causeway server set. You may edit it, and run: causeway reload",
                "server");
    if (settings.port) {
        ini.add("port", fmt::format("{}", *settings.port));
    }
    for (const ServerLimit &limit : server_limits) {
        if (const auto number = settings.*limit.value) {
            ini.add(limit.word, fmt::format("{}", *number));
        }
    }
    return ini.text();
}

Result<ServerSettings> parse_server_settings(const std::string &source, std::string_view content) {
    const auto file = TRY(IniFile::parse(source, content, server_schema()));
    ServerSettings settings;
    if (const auto port = TRY(number_at(file, "port", 1, highest_server_port))) {
        settings.port = static_cast<std::uint16_t>(*port);
    }
    for (const ServerLimit &limit : server_limits) {
        settings.*limit.value = TRY(number_at(file, limit.word, 1, limit.most));
    }
    return settings;
}

Result<std::string> edited_server_settings(const std::filesystem::path &place,
                                           const ServerSettings &before,
                                           const ServerSettings &after) {
    const std::string fresh = server_settings_text(after);
    const auto there = TRY(read_small_file(place));
    if (fresh.empty() || !there) {
        return fresh;
    }
    std::string text = edited_ini(*there, server_settings_text(before), fresh);
    const auto read = parse_server_settings(place.string(), text);
    return read && *read == after ? text : fresh;
}

std::uint16_t configured_port(const Places &places) {
    const auto settings = load_server_settings(places);
    return settings ? settings->port.value_or(default_port) : default_port;
}

Result<ServerSettings> load_server_settings(const Places &places) {
    const auto content = TRY(read_small_file(places.server_settings()));
    return content ? parse_server_settings(places.server_settings().string(), *content)
                   : Result<ServerSettings>(ServerSettings());
}

} // namespace causeway
