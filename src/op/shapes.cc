#include "op/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "op/expand.h"
#include "op/miopen.h"

namespace assay {
namespace {

// The lines with something in them, and their numbers.
std::vector<ShapeLine> filled_lines(std::string_view text) {
  std::vector<ShapeLine> lines;
  for (size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    if (!line.empty() && !line.starts_with('#')) lines.push_back({number, std::string(line)});
    begin = end + 1;
  }
  return lines;
}

std::unexpected<Error> wrong_line(const std::string& name, size_t number, const std::string& what,
                                  const std::string& next) {
  return error(Code::invalid_input, fmt::format("{}, line {}: {}", name, number, what), next);
}

// A row's operation and arguments, one after the other.
class Spelling {
 public:
  void add(std::string_view key, std::string_view value) {
    if (key == "op")
      operation_ = value;
    else if (!value.empty())
      arguments_.push_back(fmt::format("{}={}", key, value));
  }
  std::string text() const {
    return fmt::format("{}{}[{}]", kOpPrefix, operation_, fmt::join(arguments_, ","));
  }

 private:
  std::string operation_;
  std::vector<std::string> arguments_;
};

// What would end a value, and begin something else.
bool holds_grammar(std::string_view value) {
  return value.find_first_of(",[]()=") != std::string_view::npos;
}

// The fields of a line, in quotes or not. None: a quote is not closed.
std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  if (quoted) return std::nullopt;
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

Result<std::vector<ShapeLine>> read_csv(const std::string& name, std::string_view text) {
  std::vector<ShapeLine> rows;
  std::vector<std::string> keys;
  for (const ShapeLine& line : filled_lines(text)) {
    auto fields = csv_fields(line.text);
    if (!fields)
      return wrong_line(name, line.number, "a quote is not closed", "write \"...\", on one line");
    if (keys.empty()) {
      keys = std::move(*fields);
      continue;
    }
    if (fields->size() != keys.size())
      return wrong_line(
          name, line.number,
          fmt::format("it has {} values, and the first line {} keys", fields->size(), keys.size()),
          "leave a value empty where a row has none");
    Spelling row;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (holds_grammar((*fields)[i]))
        return wrong_line(name, line.number, fmt::format("'{}' is no value", (*fields)[i]),
                          "write a size, a word, a list as 1|2, or a range as 1:9:2");
      row.add(keys[i], (*fields)[i]);
    }
    rows.push_back({line.number, row.text()});
  }
  return rows;
}

Result<ShapeLine> json_row(const std::string& name, const Json& object, size_t number) {
  auto refused = [&](const std::string& what) {
    return wrong_line(name, number, what, "a row is an object of sizes and words: {\"m\": 64}");
  };
  if (!object.is_object()) return refused("a row is no object");
  Spelling row;
  for (const auto& [key, value] : object.items()) {
    std::string written;
    if (value.is_number_integer())
      written = value.dump();
    else if (value.is_string())
      written = value.get<std::string>();
    else
      return refused(fmt::format("'{}' is no size and no word", key));
    if (holds_grammar(written) || holds_grammar(key))
      return refused(fmt::format("'{}' is no value", written));
    row.add(key, written);
  }
  return ShapeLine{number, row.text()};
}

// Its rows are counted: in a list lines mean nothing.
Result<std::vector<ShapeLine>> read_json(const std::string& name, std::string_view text) {
  ASSAY_ASSIGN(const Json json, parse_json(text, name));
  if (!json.is_array())
    return error(Code::invalid_input, name + " holds no list",
                 "write a list of objects: [{\"m\": 64, \"n\": 128}]");
  std::vector<ShapeLine> rows;
  for (const Json& each : json) {
    ASSAY_ASSIGN(ShapeLine row, json_row(name, each, rows.size() + 1));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<ShapeLine>> read_json_lines(const std::string& name, std::string_view text) {
  std::vector<ShapeLine> rows;
  for (const ShapeLine& line : filled_lines(text)) {
    ASSAY_ASSIGN(const Json json,
                 parse_json(line.text, fmt::format("{}, line {}", name, line.number)));
    ASSAY_ASSIGN(ShapeLine row, json_row(name, json, line.number));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<ShapeLine>> read_text(const std::string& name, std::string_view text) {
  std::vector<ShapeLine> rows = filled_lines(text);
  for (ShapeLine& line : rows) {
    if (line.text.starts_with(kOpPrefix)) continue;
    auto call = read_miopen_line(line.text);
    if (!call) return wrong_line(name, line.number, call.error().message, call.error().next);
    line.text = std::move(call->operation);
    line.refused = std::move(call->refused);
  }
  return rows;
}

struct ShapeFormat {
  std::string_view ending;
  Result<std::vector<ShapeLine>> (*read)(const std::string& name, std::string_view text);
};

constexpr std::array<ShapeFormat, 4> kShapeFormats{
    {{".csv", read_csv}, {".json", read_json}, {".jsonl", read_json_lines}, {"", read_text}}};

}  // namespace

Result<std::vector<ShapeLine>> read_shape_lines(const std::string& name, std::string_view text) {
  const auto format = std::ranges::find_if(
      kShapeFormats, [&](const ShapeFormat& each) { return name.ends_with(each.ending); });
  ASSAY_ASSIGN(auto rows, format->read(name, without_byte_order_mark(text)));
  if (rows.empty())
    return error(Code::invalid_input, name + " has no row",
                 "write op:NAME[...] on a line, or keys and values as CSV");
  return rows;
}

}  // namespace assay
