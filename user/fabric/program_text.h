// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the parsers of infiniband-diags. Names of nodes come from other machines, so
// characters that are not printable are replaced. A line that no rule of a parser matches is
// collected, so that no part of an output is dropped without a word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway {

inline constexpr std::uint64_t most_ports = 255; // of a node
inline constexpr std::uint64_t most_lid = 0xffff;

// The lines of one program's output that its parser does not understand.
struct Unread {
    std::vector<std::string> lines;

    void add(const std::string &line);
    // Returns the sentence for a warning; empty if every line was understood.
    std::string sentence(std::string_view program) const;
};

// Returns the text with '?' for each character that is not printable, without blanks at its ends.
std::string printable(std::string_view text);

// Returns the lines without blanks at their ends. A line that is longer than any program prints is
// left out and counted as not understood.
std::vector<std::string> program_lines(std::string_view text, Unread &unread);

// Parses a whole text as a number up to @most: decimal, or hexadecimal after "0x".
std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most);

// Parses "Mlid....................0xC000" and "NeighborMTU:.....2048" into name and value.
std::optional<std::pair<std::string, std::string>> dotted_line(const std::string &line);

} // namespace causeway
