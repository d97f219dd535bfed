// SPDX-License-Identifier: GPL-2.0-or-later
// The INI files under /etc/causeway: one section, "key = value" lines, '#' starts a comment.
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

// What a file may hold.
struct IniSchema {
    std::string_view section;
    std::vector<IniKey> keys;
};

class IniFile {
  public:
    // The source names the file in errors, which are all of the form "file:line: ...".
    static Result<IniFile> parse(const std::string &source, std::string_view content,
                                 const IniSchema &schema);

    bool has(std::string_view key) const;
    // Empty where the key is not there.
    std::string value(std::string_view key) const;
    std::vector<std::string> values(std::string_view key) const;
    // yes, no, true, false, on, off, 1, 0; absent is no.
    Result<bool> flag(std::string_view key) const;

    // A complaint of this file: at the key's line where it stands in it.
    Error error_at(std::string_view key, std::string_view what, std::string_view fix = {}) const;

  private:
    std::string source_;
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
    std::map<std::string, std::size_t, std::less<>> lines_;
};

// Builds a file's text. A value that INI cannot hold is found by can_hold().
class IniText {
  public:
    IniText(std::string_view comment, std::string_view section);

    void add(std::string_view key, std::string_view value);
    const std::string &text() const { return text_; }

    static bool can_hold(std::string_view value);

  private:
    std::string text_;
};

} // namespace causeway
