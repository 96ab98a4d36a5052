// Tables of things of one kind: report formats, say. The rows of a table live in one folder, which
// lists them; a row is a struct with a `name`, and nothing outside of its folder says that name.
// docs/hacking.md shows how such a table is made.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// A row that a program brings along beside assay's own: an object of namespace scope in a source
// that is linked into the program. tests/extension/ so adds a row to each table, and proves that
// nothing else has to be touched.
template <class Row>
class AddedRow {
 public:
  explicit AddedRow(Row row) { all().push_back(std::move(row)); }

  static std::vector<Row>& all() {
    static std::vector<Row> rows;
    return rows;
  }
};

// What a table's function keeps: the rows that its folder lists, then those that were added.
template <class Row>
std::vector<Row> with_added_rows(std::vector<Row> own) {
  const std::vector<Row>& added = AddedRow<Row>::all();
  own.insert(own.end(), added.begin(), added.end());
  return own;
}

// Null: there is none of that name.
template <class Table>
auto find_row(const Table& table, std::string_view name) -> decltype(&*std::begin(table)) {
  auto found =
      std::ranges::find(table, name, [](const auto& row) -> std::string_view { return row.name; });
  return found == std::end(table) ? nullptr : &*found;
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace assay
