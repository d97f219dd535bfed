// SPDX-License-Identifier: GPL-2.0-or-later
// Reading files of others: what is not understood is passed over.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A line "key = value" and the section that it stands in.
struct KeyValue {
    std::string section;
    std::string key;
    std::string value;
};

// Of systemd's files, keyfiles of NetworkManager, and files that a shell reads (without sections;
// the quotes around a value are taken off). Lines that end in a backslash go on in the next one.
std::vector<KeyValue> read_key_values(std::string_view content);

// All values of a key, in order. As systemd does, an empty one forgets those before it.
std::vector<std::string> values_of(const std::vector<KeyValue> &lines, std::string_view section,
                                   std::string_view key);
// The last value; empty where there is none.
std::string value_of(const std::vector<KeyValue> &lines, std::string_view section,
                     std::string_view key);

std::string trim(std::string_view text);
std::vector<std::string> split(std::string_view text, std::string_view separators);
bool same_text(std::string_view left, std::string_view right); // whatever the case of letters
bool fits_glob(const std::string &pattern, const std::string &text);

// Whether two hardware addresses are of the same port: the last eight bytes of IPoIB's 20 tell,
// since the first twelve may change at each start.
bool same_port(std::string_view left, std::string_view right);

// The files of a folder whose names end so, sorted by name. Hidden ones are left out.
std::vector<std::filesystem::path> files_of_folder(const std::filesystem::path &folder,
                                                   std::string_view suffix);
// Empty where it cannot be read.
std::string text_of_file(const std::filesystem::path &place);

} // namespace causeway
