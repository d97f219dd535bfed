// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/table.h"

#include <algorithm>
#include <cctype>

namespace causeway {

namespace {

constexpr std::size_t gap = 2;
constexpr const char *indent = "    ";

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

} // namespace

void Table::row(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    std::replace(cells.begin(), cells.end(), std::string(), std::string("-"));
    rows_.push_back({std::move(cells), {}, {}});
}

void Table::tone(std::size_t column, Tone tone) {
    rows_.back().tones[column] = tone;
}

void Table::note(std::string text) {
    rows_.back().notes.push_back(std::move(text));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); i++) {
        std::size_t width = columns_[i].title.size();
        for (const Row &row : rows_) {
            width = std::max(width, row.cells[i].size());
        }
        widths.push_back(width);
    }
    return widths;
}

std::size_t Table::fitting(const std::vector<std::size_t> &widths, std::size_t limit) const {
    std::size_t used = 0;
    for (std::size_t i = 0; i < widths.size(); i++) {
        used += widths[i] + (i == 0 ? 0 : gap);
        if (limit != 0 && used > limit) {
            return std::max<std::size_t>(i, 1);
        }
    }
    return widths.size();
}

std::string Table::line(const Row &row, const std::vector<std::size_t> &widths, std::size_t count,
                        bool colour) const {
    std::string line;
    std::size_t owed = 0; // spaces at the end of a cell; written only before another cell
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t padding = widths[i] - row.cells[i].size();
        const bool right = columns_[i].align == Align::right;
        line += std::string(owed + (i == 0 ? 0 : gap) + (right ? padding : 0), ' ');
        const auto tone = row.tones.find(i);
        const bool paint = colour && tone != row.tones.end();
        line += paint ? painted(row.cells[i], tone->second) : row.cells[i];
        owed = right ? 0 : padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string Table::overflow(const Row &row, std::size_t count, const Terminal &terminal) const {
    std::string text;
    std::string line;
    std::size_t used = 0;
    for (std::size_t i = count; i < columns_.size(); i++) {
        if (row.cells[i] == "-" || columns_[i].title.empty()) {
            continue;
        }
        const std::string title = lower(columns_[i].title) + " ";
        const std::size_t width = title.size() + row.cells[i].size();
        const std::string start(indent);
        if (used != 0 && used + gap + width > terminal.columns) {
            text += line + "\n";
            used = 0;
        }
        line = used == 0 ? start : line + std::string(gap, ' ');
        used += (used == 0 ? start.size() : gap) + width;
        const auto tone = row.tones.find(i);
        const bool paint = terminal.colour && tone != row.tones.end();
        line += title + (paint ? painted(row.cells[i], tone->second) : row.cells[i]);
    }
    return used == 0 ? text : text + line + "\n";
}

std::string Table::text(const Terminal &terminal) const {
    if (rows_.empty()) {
        return {};
    }
    const auto wide = widths();
    const std::size_t count = fitting(wide, terminal.columns);
    Row titles;
    for (const Column &column : columns_) {
        titles.cells.push_back(column.title);
    }
    std::string text = line(titles, wide, count, false);
    for (const Row &row : rows_) {
        text += line(row, wide, count, terminal.colour) + overflow(row, count, terminal);
        for (const std::string &note : row.notes) {
            text += indent + note + "\n";
        }
    }
    return text;
}

} // namespace causeway
