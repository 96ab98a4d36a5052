#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; the last one is not padded. No line is longer than
// `columns` (0: any may be): cells go on below themselves, and where even that is too wide, columns
// go on in a further table below, behind the first one again.
std::string text_table(const std::vector<Row>& rows, size_t columns = 0);
// Whether it would fit without that.
bool fits(const std::vector<Row>& rows, size_t columns);
// Columns as rows: for many figures of few things.
std::vector<Row> turned(const std::vector<Row>& rows);

// Text from elsewhere on one line of a terminal: control characters become visible.
std::string terminal_text(const std::string& text);

// Text from elsewhere inside Markdown, a table's cell included: nothing of it may end the cell or
// become markup. Control characters become visible.
std::string markdown_text(const std::string& text);

// Text from elsewhere as a field of a CSV, in quotes where it has to be. Control characters other
// than line breaks become visible.
std::string csv_field(const std::string& text);

// "| a | b |\n"; the cells are Markdown already.
std::string markdown_row(const Row& cells);
// The line between a table's head of `columns` and its rows.
std::string markdown_rule(size_t columns);

}  // namespace assay
