#include "report/table.h"

#include <algorithm>

#include "base/escape.h"

namespace assay {

std::string text_table(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] + 2 - row[i].size(), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string terminal_text(const std::string& text) { return printable(utf8(text), false); }

std::string markdown_text(const std::string& text) {
  std::string safe;
  for (char c : terminal_text(text)) {
    if (std::string_view("|`*_<>[]\\&#~$").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdown_row(const Row& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string markdown_rule(size_t columns) {
  std::string line = "|";
  for (size_t i = 0; i < columns; ++i) line += " --- |";
  return line + "\n";
}

}  // namespace assay
