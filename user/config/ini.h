// SPDX-License-Identifier: GPL-2.0-or-later
// The INI files under /etc/causeway: one section, lines "key = value", comments after '#'.
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct IniKey {
    std::string_view name;
    bool repeats = false;
};

// The section and the keys that a file may contain.
struct IniSchema {
    std::string_view section;
    std::vector<IniKey> keys;
};

class IniFile {
  public:
    // @source names the file in errors. All errors have the form "file:line: ...".
    static Result<IniFile> parse(const std::string &source, std::string_view content,
                                 const IniSchema &schema);

    bool has(std::string_view key) const;
    // Returns "" if the key is missing.
    std::string value(std::string_view key) const;
    std::vector<std::string> values(std::string_view key) const;
    // Parses yes, no, true, false, on, off, 1 and 0. Returns false if the key is missing.
    Result<bool> flag(std::string_view key) const;

    // Returns an error that names this file, and the line of the key if the file has the key.
    Error error_at(std::string_view key, std::string_view what, std::string_view fix = {}) const;

  private:
    std::string source_;
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
    std::map<std::string, std::size_t, std::less<>> lines_;
};

// Builds the text of a file. can_hold() returns false for a value that INI cannot hold; check each
// value with it first.
class IniText {
  public:
    IniText(std::string_view comment, std::string_view section);

    void add(std::string_view key, std::string_view value);
    const std::string &text() const { return text_; }

    static bool can_hold(std::string_view value);

  private:
    std::string text_;
};

// Returns the file @text with the settings of @after in place of those of @before, which are both
// texts of IniText. Comments stay, and so do the lines of settings that are the same in both.
std::string edited_ini(std::string_view text, std::string_view before, std::string_view after);

} // namespace causeway
