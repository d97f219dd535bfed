// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of opensm, as lines of opensm.conf. Causeway's files have only the settings that
// differ from those of opensm's package. A unit joins the files when it starts opensm, where a
// later line replaces an earlier one with the same key (subnet/opensm.cpp).
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

class OpensmSettings {
  public:
    OpensmSettings() = default;
    // Leaves out empty lines and the line that names Causeway as the writer.
    explicit OpensmSettings(std::string_view text);

    // Returns the value of the last line with this key.
    std::optional<std::string> value(std::string_view key) const;
    // Replaces the lines with this key by one line.
    void set(const std::string &key, const std::string &value);
    void erase(std::string_view key);
    // Removes the lines that the other settings have too, also the comments.
    void subtract(const OpensmSettings &others);
    void append(const OpensmSettings &others);

    bool empty() const { return lines_.empty(); }
    std::string text() const;

    bool operator==(const OpensmSettings &) const = default;

  private:
    struct Line {
        std::string key; // "": a comment
        std::string value;

        bool operator==(const Line &) const = default;
    };

    std::vector<Line> lines_;
};

// Parses the upper 64 bits of GIDs: "fec0:0:0:1", "fec0:0:0:1::" or "0xfec0000000000001". Returns
// the last form.
Result<std::string> parse_subnet_prefix(const std::string &text);

} // namespace causeway
