// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiles/reading.h"

#include "base/durable_file.h"
#include "host/ipoib.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view white = " \t\r";

std::string without_quotes(const std::string &text) {
    const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                        text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

// Reads the next line and the lines that continue it.
bool take_line(std::istringstream &stream, std::string &line) {
    line.clear();
    bool any = false;
    for (std::string part; std::getline(stream, part);) {
        any = true;
        const bool goes_on = !part.empty() && part.back() == '\\';
        line += goes_on ? part.substr(0, part.size() - 1) + " " : part;
        if (!goes_on) {
            break;
        }
    }
    return any;
}

} // namespace

std::string trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(white);
    if (first == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(first, text.find_last_not_of(white) - first + 1));
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> words;
    std::size_t start = 0;
    while ((start = text.find_first_not_of(separators, start)) != std::string_view::npos) {
        const std::size_t end = text.find_first_of(separators, start);
        words.emplace_back(text.substr(start, end - start));
        start = end;
    }
    return words;
}

std::vector<KeyValue> read_key_values(std::string_view content) {
    std::vector<KeyValue> lines;
    std::string section;
    std::istringstream stream{std::string(content)};
    for (std::string raw; take_line(stream, raw);) {
        const std::string line = trim(raw);
        if (line.empty() || line.front() == '#' || line.front() == ';') {
            continue;
        }
        if (line.front() == '[' && line.back() == ']') {
            section = line.substr(1, line.size() - 2);
            continue;
        }
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) {
            lines.push_back({section, trim(line.substr(0, equals)),
                             without_quotes(trim(line.substr(equals + 1)))});
        }
    }
    return lines;
}

std::vector<std::string> values_of(const std::vector<KeyValue> &lines, std::string_view section,
                                   std::string_view key) {
    std::vector<std::string> values;
    for (const KeyValue &each : lines) {
        if (each.section != section || each.key != key) {
            continue;
        }
        if (each.value.empty()) {
            values.clear();
        } else {
            values.push_back(each.value);
        }
    }
    return values;
}

std::string value_of(const std::vector<KeyValue> &lines, std::string_view section,
                     std::string_view key) {
    const auto values = values_of(lines, section, key);
    return values.empty() ? "" : values.back();
}

bool same_text(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

bool fits_glob(const std::string &pattern, const std::string &text) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool same_port(std::string_view left, std::string_view right) {
    if (left.size() == ipoib_address_text && right.size() == ipoib_address_text) {
        return same_text(port_guid_of(std::string(left)), port_guid_of(std::string(right)));
    }
    return !left.empty() && same_text(left, right);
}

std::vector<fs::path> files_of_folder(const fs::path &folder, std::string_view suffix) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.front() != '.' && name.back() != '~' && name.size() >= suffix.size() &&
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
            found.push_back(entry->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string text_of_file(const fs::path &place) {
    std::error_code failure;
    if (fs::is_directory(place, failure)) {
        return {};
    }
    auto content = read_small_file(place);
    return content ? content->value_or("") : "";
}

} // namespace causeway
