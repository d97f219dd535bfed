// SPDX-License-Identifier: GPL-2.0-or-later
// A table with aligned columns.
#pragma once

#include "machine/terminal.h"

#include <map>
#include <string>
#include <vector>

namespace causeway {

class Table {
  public:
    enum class Align { left, right };

    struct Column {
        std::string title;
        Align align = Align::left;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // Adds a row with one cell for each column. An empty cell shows as '-'.
    void row(std::vector<std::string> cells);
    // Sets the colour of a cell of the last row.
    void tone(std::size_t column, Tone tone);
    // Adds an indented line below the last row.
    void note(std::string text);

    // Returns the table, or "" if it has no rows. If the columns do not fit the terminal, the last
    // ones move to lines below each row, with their titles.
    std::string text(const Terminal &terminal = {}) const;

  private:
    struct Row {
        std::vector<std::string> cells;
        std::vector<std::string> notes;
        std::map<std::size_t, Tone> tones;
    };

    std::vector<std::size_t> widths() const;
    // Returns how many columns fit side by side.
    std::size_t fitting(const std::vector<std::size_t> &widths, std::size_t limit) const;
    std::string line(const Row &row, const std::vector<std::size_t> &widths, std::size_t count,
                     bool colour) const;
    std::string overflow(const Row &row, std::size_t count, const Terminal &terminal) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

} // namespace causeway
