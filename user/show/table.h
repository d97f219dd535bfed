// SPDX-License-Identifier: GPL-2.0-or-later
// Aligned columns for people.
#pragma once

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
    // A line of its own below the row before, indented.
    void note(std::string text);

    // Empty where there is no row.
    std::string text() const;

  private:
    struct Row {
        std::vector<std::string> cells;
        std::vector<std::string> notes;
    };

    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

} // namespace causeway
