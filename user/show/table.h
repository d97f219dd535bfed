// SPDX-License-Identifier: GPL-2.0-or-later
// Aligned columns for people.
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

    // One cell for each column; an empty one shows as '-'.
    void row(std::vector<std::string> cells);
    // The colour of a cell of the row before.
    void tone(std::size_t column, Tone tone);
    // A line of its own below the row before, indented.
    void note(std::string text);

    // Empty where there is no row. Where the columns do not fit the terminal, the last of them move
    // to lines below each row, with their titles.
    std::string text(const Terminal &terminal = {}) const;

  private:
    struct Row {
        std::vector<std::string> cells;
        std::vector<std::string> notes;
        std::map<std::size_t, Tone> tones;
    };

    std::vector<std::size_t> widths() const;
    // How many columns stand side by side.
    std::size_t fitting(const std::vector<std::size_t> &widths, std::size_t limit) const;
    std::string line(const Row &row, const std::vector<std::size_t> &widths, std::size_t count,
                     bool colour) const;
    std::string overflow(const Row &row, std::size_t count, const Terminal &terminal) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

} // namespace causeway
