// SPDX-License-Identifier: GPL-2.0-or-later
// Parsers for files of other programs. They skip what they do not understand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A line "key = value", with the section that contains it.
struct KeyValue {
    std::string section;
    std::string key;
    std::string value;
};

// Parses files of systemd, keyfiles of NetworkManager, and files that a shell reads (without
// sections; quotes around a value are removed). A backslash at the end of a line continues it in
// the next line.
std::vector<KeyValue> read_key_values(std::string_view content);

// Returns all values of a key, in order. As in systemd, an empty value discards those before it.
std::vector<std::string> values_of(const std::vector<KeyValue> &lines, std::string_view section,
                                   std::string_view key);
// Returns the last value, or "" if there is none.
std::string value_of(const std::vector<KeyValue> &lines, std::string_view section,
                     std::string_view key);

std::string trim(std::string_view text);
std::vector<std::string> split(std::string_view text, std::string_view separators);
bool same_text(std::string_view left, std::string_view right); // ignores the case of letters
// Matches a pattern of fnmatch(3).
bool fits_glob(const std::string &pattern, const std::string &text);

// Returns true if two hardware addresses belong to the same port. For the 20 bytes of IPoIB, only
// the last eight are compared, because the first twelve may change at each start.
bool same_port(std::string_view left, std::string_view right);

// Returns the files of a folder whose names end in @suffix, sorted by name, without hidden files.
std::vector<std::filesystem::path> files_of_folder(const std::filesystem::path &folder,
                                                   std::string_view suffix);
// Returns "" if the file cannot be read.
std::string text_of_file(const std::filesystem::path &place);

} // namespace causeway
