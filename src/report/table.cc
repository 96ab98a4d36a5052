#include "report/table.h"

#include <algorithm>
#include <string_view>

#include "base/escape.h"

namespace assay {

namespace {

constexpr size_t kGap = 2;            // between columns
constexpr size_t kMostUnbroken = 20;  // what is longer is broken anywhere

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Characters of UTF-8: a compiler's quotes are three bytes each.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

// Where the first so many characters end.
size_t bytes_of(std::string_view text, size_t width) {
  size_t end = 0;
  while (end < text.size() && (width > 0 || !begins_character(text[end])))
    width -= begins_character(text[end++]) ? 1 : 0;
  return end;
}

std::vector<size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

size_t total_of(const std::vector<size_t>& widths) {
  size_t total = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (size_t width : widths) total += width;
  return total;
}

// Where a text may be broken at the latest, so that no more than `width` characters come before:
// behind a space, a slash or a comma, else anywhere between two characters.
size_t break_of(std::string_view text, size_t width) {
  const size_t most = bytes_of(text, width);
  if (most == text.size()) return most;
  for (size_t end = most; end > 0; --end)
    if (text[end - 1] == '/' || text[end - 1] == ',' || text[end] == ' ') return end;
  return most;
}

std::vector<std::string> broken(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = break_of(text, width);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

// What a column needs at least: its longest piece that is not to be broken.
size_t least_of(const std::vector<Row>& rows, size_t column) {
  size_t least = 1;
  for (const Row& row : rows) {
    if (column >= row.size()) continue;
    size_t piece = 0;
    for (char c : row[column]) {
      if (begins_character(c)) piece = c == ' ' ? 0 : piece + 1;
      least = std::max(least, piece);
      if (c == '/' || c == ',') piece = 0;
    }
  }
  return std::min(least, kMostUnbroken);
}

std::string laid_out(const std::vector<Row>& rows, const std::vector<size_t>& widths) {
  std::string text;
  for (const Row& row : rows) {
    std::vector<std::vector<std::string>> cells;
    size_t lines = 1;
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(broken(row[i], widths[i]));
      lines = std::max(lines, cells.back().size());
    }
    for (size_t line = 0; line < lines; ++line) {
      for (size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = line < cells[i].size() ? cells[i][line] : "";
        text += cell;
        if (i + 1 < cells.size()) text.append(widths[i] + kGap - width_of(cell), ' ');
      }
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
  }
  return text;
}

// As wide as may be: the widest column gives first, and none more than it can; and last of all the
// first, which says what each row is of.
bool make_narrower(std::vector<size_t>& widths, const std::vector<size_t>& least, size_t columns) {
  while (total_of(widths) > columns) {
    size_t widest = 0;
    for (size_t i = 1; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == 0 || widths[i] > widths[widest])) widest = i;
    if (widths[widest] <= least[widest]) return false;
    --widths[widest];
  }
  return true;
}

}  // namespace

bool fits(const std::vector<Row>& rows, size_t columns) {
  return columns == 0 || total_of(widths_of(rows)) <= columns;
}

std::vector<Row> turned(const std::vector<Row>& rows) {
  std::vector<Row> columns;
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (columns.size() <= i) columns.emplace_back();
      columns[i].push_back(row[i]);
    }
  return columns;
}

std::string text_table(const std::vector<Row>& rows, size_t columns) {
  std::vector<size_t> widths = widths_of(rows);
  if (fits(rows, columns)) return laid_out(rows, widths);
  std::vector<size_t> least;
  for (size_t i = 0; i < widths.size(); ++i) least.push_back(least_of(rows, i));
  if (make_narrower(widths, least, columns)) return laid_out(rows, widths);
  // As many columns as there is room for, and the others below, behind the first one.
  size_t room = least.front(), fitting = 1;
  while (fitting < least.size() && room + kGap + least[fitting] <= columns)
    room += kGap + least[fitting++];
  fitting = std::max(fitting, std::min<size_t>(2, least.size()));
  std::vector<Row> first, others;
  for (const Row& row : rows) {
    const auto end = row.begin() + static_cast<long>(std::min(fitting, row.size()));
    first.emplace_back(row.begin(), end);
    Row& other = others.emplace_back(
        row.begin(), row.begin() + std::min<long>(1, static_cast<long>(row.size())));
    other.insert(other.end(), end, row.end());
  }
  if (fitting >= widths.size()) {  // a single one is wider than all there is
    widths = least;
    return laid_out(rows, widths);
  }
  return text_table(first, columns) + "\n" + text_table(others, columns);
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

std::string csv_field(const std::string& text) {
  const std::string valid = printable(utf8(text), true);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (char c : valid) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
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
