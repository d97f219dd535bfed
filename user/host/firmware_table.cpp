// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/firmware_table.h"

#include "base/durable_file.h"
#include "config/dropin_folder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::size_t most_text = 80;

// Returns none if the text is no version: numbers of at most nine digits, with points between.
std::optional<std::vector<unsigned int>> version_of(const std::string &text) {
    std::vector<unsigned int> numbers;
    const char *at = text.data();
    const char *end = at + text.size();
    while (true) {
        unsigned int number = 0;
        const auto [after, failure] = std::from_chars(at, end, number);
        if (failure != std::errc() || after - at > 9) {
            return std::nullopt;
        }
        numbers.push_back(number);
        if (after == end) {
            return numbers;
        }
        if (*after != '.') {
            return std::nullopt;
        }
        at = after + 1;
    }
}

bool is_hexadecimal(std::string_view text, std::size_t digits) {
    return text.size() == digits && std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isxdigit(c) != 0;
           });
}

std::string in_lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Returns the key in the form of the map, or "" if it is none.
std::string key_of(const std::string &typed) {
    const std::size_t colon = typed.find(':');
    const std::string kind = typed.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : typed.substr(colon + 1);
    const bool plain = !rest.empty() && rest.size() <= most_text &&
                       std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '_' || c == '-';
                       });
    if (kind == "psid" || kind == "type") {
        return plain ? typed : "";
    }
    const bool ids = rest.size() >= 9 && is_hexadecimal(rest.substr(0, 4), 4) && rest[4] == ':' &&
                     is_hexadecimal(rest.substr(5, 4), 4);
    const bool revision = rest.size() == 9 || (rest.size() == 12 && rest[9] == ':' &&
                                               is_hexadecimal(rest.substr(10), 2));
    return kind == "pci" && ids && revision ? in_lower_case(typed) : "";
}

Error broken_line(const std::string &source, std::size_t line, const std::string &what,
                  const std::string &fix) {
    return Error{ExitCode::bad_config, fmt::format("{}:{}: {}", source, line, what), fix};
}

} // namespace

std::optional<FirmwareEntry> FirmwareTable::find(const AdapterIdentity &adapter) const {
    std::vector<std::string> keys = {"psid:" + adapter.psid};
    // Another seller may publish another firmware for the same hardware.
    if (adapter.psid.empty() || adapter.psid.compare(0, 3, "MT_") == 0) {
        const std::string id = in_lower_case(adapter.pci_id);
        const std::string revision = adapter.revision.compare(0, 2, "0x") == 0
                                         ? adapter.revision.substr(2)
                                         : adapter.revision;
        keys.push_back(fmt::format("pci:{}:{}", id, in_lower_case(revision)));
        keys.push_back("pci:" + id);
        keys.push_back("type:" + adapter.type);
    }
    for (const std::string &key : keys) {
        if (const auto found = entries.find(key); found != entries.end()) {
            return found->second.version == "-" ? std::nullopt : std::optional(found->second);
        }
    }
    return std::nullopt;
}

void add_firmware_lines(FirmwareTable &table, const std::string &source, std::string_view content) {
    std::istringstream stream{std::string(content)};
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        number++;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string typed;
        FirmwareEntry entry;
        if (!(words >> typed)) {
            continue;
        }
        const std::string key = key_of(typed);
        if (key.empty()) {
            table.broken.push_back(broken_line(
                source, number, fmt::format("'{}' names no adapter", typed),
                "write psid:PSID, pci:VENDOR:DEVICE, pci:VENDOR:DEVICE:REVISION or type:TYPE"));
            continue;
        }
        words >> entry.version;
        if (entry.version != "-" && !version_of(entry.version)) {
            table.broken.push_back(broken_line(
                source, number,
                entry.version.empty()
                    ? fmt::format("{} has no version", typed)
                    : fmt::format("'{}' is no version of a firmware", entry.version),
                "write numbers with points between, such as 16.35.8008; or -, if none is known"));
            continue;
        }
        std::getline(words >> std::ws, entry.note);
        entry.note.erase(entry.note.find_last_not_of(" \t\r") + 1);
        table.entries[key] = std::move(entry);
    }
}

FirmwareTable load_firmware_table(const Places &places) {
    FirmwareTable table;
    std::vector<std::filesystem::path> sources = {
        places.of_others("usr/share/causeway/firmware.conf")};
    auto additions = conf_files(places.of_others("etc/causeway/firmware.d"));
    if (additions) {
        sources.insert(sources.end(), additions->begin(), additions->end());
    } else {
        table.broken.push_back(additions.error());
    }
    for (const auto &source : sources) {
        auto content = read_small_file(source);
        if (!content) {
            table.broken.push_back(content.error());
        } else if (*content) {
            add_firmware_lines(table, source.string(), **content);
        }
    }
    return table;
}

bool is_older_firmware(const std::string &one, const std::string &other) {
    const auto first = version_of(one);
    const auto second = version_of(other);
    return first && second && *first < *second;
}

} // namespace causeway
