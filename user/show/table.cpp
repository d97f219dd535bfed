// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/table.h"

#include <algorithm>

namespace causeway {

namespace {

void append_line(std::string &text, const std::vector<std::string> &cells,
                 const std::vector<Table::Column> &columns,
                 const std::vector<std::size_t> &widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); i++) {
        const std::string padding(widths[i] - cells[i].size(), ' ');
        line += i == 0 ? "" : "  ";
        line += columns[i].align == Table::Align::right ? padding + cells[i] : cells[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
}

} // namespace

void Table::row(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    std::replace(cells.begin(), cells.end(), std::string(), std::string("-"));
    rows_.push_back({std::move(cells), {}});
}

void Table::note(std::string text) {
    rows_.back().notes.push_back(std::move(text));
}

std::string Table::text() const {
    if (rows_.empty()) {
        return {};
    }
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (const Column &column : columns_) {
        titles.push_back(column.title);
        widths.push_back(column.title.size());
    }
    for (const Row &row : rows_) {
        for (std::size_t i = 0; i < widths.size(); i++) {
            widths[i] = std::max(widths[i], row.cells[i].size());
        }
    }
    std::string text;
    append_line(text, titles, columns_, widths);
    for (const Row &row : rows_) {
        append_line(text, row.cells, columns_, widths);
        for (const std::string &note : row.notes) {
            text += "    " + note + "\n";
        }
    }
    return text;
}

} // namespace causeway
