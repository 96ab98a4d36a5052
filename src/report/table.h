#pragma once

#include <string>
#include <vector>

namespace assay {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; the last one is not padded.
std::string text_table(const std::vector<Row>& rows);

// Text from elsewhere on one line of a terminal: control characters become visible.
std::string terminal_text(const std::string& text);

// Text from elsewhere inside Markdown, a table's cell included: nothing of it may end the cell or
// become markup. Control characters become visible.
std::string markdown_text(const std::string& text);

// "| a | b |\n"; the cells are Markdown already.
std::string markdown_row(const Row& cells);
// The line between a table's head of `columns` and its rows.
std::string markdown_rule(size_t columns);

}  // namespace assay
