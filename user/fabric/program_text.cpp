// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/program_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace {

constexpr std::size_t longest_line = 512;
constexpr std::size_t most_shown = 100; // characters of a line that a warning quotes

} // namespace

void Unread::add(const std::string &line) {
    lines.push_back(printable(line));
}

std::string Unread::sentence(std::string_view program) const {
    if (lines.empty()) {
        return "";
    }
    return fmt::format("{} printed {} that Causeway does not understand, the first is: {}", program,
                       lines.size() == 1 ? "a line" : fmt::format("{} lines", lines.size()),
                       lines.front().substr(0, most_shown));
}

std::string printable(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    const std::size_t start = out.find_first_not_of(' ');
    return start == std::string::npos ? ""
                                      : out.substr(start, out.find_last_not_of(' ') - start + 1);
}

std::vector<std::string> program_lines(std::string_view text, Unread &unread) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const std::size_t start = line.find_first_not_of(" \t\r");
        if (start == std::string::npos) {
            continue;
        }
        line = line.substr(start, line.find_last_not_of(" \t\r") - start + 1);
        if (line.size() > longest_line) {
            unread.add(line.substr(0, longest_line));
        } else {
            lines.push_back(line);
        }
    }
    return lines;
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
    const bool hexadecimal = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
    const std::string_view digits = hexadecimal ? text.substr(2) : text;
    std::uint64_t value = 0;
    const auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    return whole && !digits.empty() && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<std::pair<std::string, std::string>> dotted_line(const std::string &line) {
    const std::size_t dots = line.find("..");
    const std::size_t colon = line.find(':');
    const std::size_t end = std::min(dots, colon);
    if (end == std::string::npos || end == 0 ||
        line.find_first_of(" \t") < std::min(end, line.size())) {
        return std::nullopt;
    }
    const std::size_t value = line.find_first_not_of('.', line[end] == ':' ? end + 1 : end);
    return std::pair(line.substr(0, end),
                     value == std::string::npos ? "" : printable(line.substr(value)));
}

} // namespace causeway
