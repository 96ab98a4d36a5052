#include "workload/plain_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

constexpr int kMostNesting = 32;

struct YamlLine {
  size_t indent = 0;
  std::string_view text;  // without blanks at either end
  size_t number = 0;
};

bool is_yaml_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

// "name: value" or "name:"; the name's length. A command may have a colon as well, behind blanks.
std::optional<size_t> yaml_name_length(std::string_view text) {
  const size_t end = text.find_first_of(": \t\"'[]{},");
  if (end == 0 || end == std::string_view::npos || text[end] != ':') return std::nullopt;
  if (end + 1 < text.size() && text[end + 1] != ' ') return std::nullopt;
  return end;
}

// Of a value that stands in a line, or goes on in the next ones.
class YamlValue {
 public:
  explicit YamlValue(std::string_view text) : text_(text) {}

  // `ends`: what a text that is not quoted ends at.
  Result<Json> read(std::string_view ends = "", int nesting = 0) {
    if (nesting > kMostNesting) return error(Code::invalid_input, "it is nested too deeply");
    skip_blanks();
    if (text_.starts_with('[')) return list(nesting);
    if (text_.starts_with('{')) return mapping(nesting);
    return scalar(ends);
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
  }

  bool take(char mark) {
    skip_blanks();
    if (!text_.starts_with(mark)) return false;
    text_.remove_prefix(1);
    return true;
  }

  Result<Json> list(int nesting) {
    take('[');
    Json all = Json::array();
    while (!take(']')) {
      ASSAY_ASSIGN(Json each, read(",]", nesting + 1));
      all.push_back(std::move(each));
      if (!take(',') && !text_.starts_with(']'))
        return error(Code::invalid_input, "a list in [] does not end");
    }
    return all;
  }

  Result<Json> mapping(int nesting) {
    take('{');
    Json all = Json::object();
    while (!take('}')) {
      ASSAY_ASSIGN(const Json name, read(":,}", nesting + 1));
      Json value;
      if (take(':')) {
        ASSAY_ASSIGN(value, read(",}", nesting + 1));
      }
      all[name.is_string() ? name.get<std::string>() : ""] = std::move(value);
      if (!take(',') && !text_.starts_with('}'))
        return error(Code::invalid_input, "a mapping in {} does not end");
    }
    return all;
  }

  Result<Json> scalar(std::string_view ends) {
    if (text_.starts_with('"') || text_.starts_with('\'')) return quoted();
    const size_t end = std::min(text_.find(" #"), text_.find_first_of(ends));
    const std::string_view word = trimmed(text_.substr(0, end));
    text_.remove_prefix(std::min(end, text_.size()));
    if (word.empty() || word == "null" || word == "~" || word.starts_with('#')) return Json();
    return Json(word);
  }

  Result<Json> quoted() {
    const char mark = text_.front();
    std::string word;
    for (size_t at = 1; at < text_.size(); ++at) {
      const bool doubled = mark == '\'' && text_.substr(at, 2) == "''";
      if (text_[at] == mark && !doubled) {
        text_.remove_prefix(at + 1);
        return Json(word);
      }
      if (doubled || (mark == '"' && text_[at] == '\\' && at + 1 < text_.size())) ++at;
      word += text_[at];
    }
    return error(Code::invalid_input, "a quoted text does not end");
  }

  std::string_view text_;
};

class PlainYaml {
 public:
  explicit PlainYaml(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
      ++number_;
      const std::string_view plain = trimmed(line);
      if (plain.empty() || plain.starts_with('#') || plain == "---") continue;
      lines_.push_back({line.find(plain), plain, number_});
    }
  }

  Result<Json> read() {
    if (lines_.empty()) return Json();
    ASSAY_ASSIGN(Json all, block(lines_.front().indent, 0));
    if (at_ < lines_.size()) return error(Code::invalid_input, "it is indented less than before");
    return all;
  }

  size_t number() const { return at_ < lines_.size() ? lines_[at_].number : number_; }

 private:
  bool goes_on(size_t indent) const { return at_ < lines_.size() && lines_[at_].indent == indent; }
  bool is_deeper(size_t indent) const { return at_ < lines_.size() && lines_[at_].indent > indent; }

  Result<Json> block(size_t indent, int nesting) {
    if (nesting > kMostNesting) return error(Code::invalid_input, "it is nested too deeply");
    return is_yaml_item(lines_[at_].text) ? list(indent, nesting) : mapping(indent, nesting);
  }

  Result<Json> list(size_t indent, int nesting) {
    Json all = Json::array();
    while (goes_on(indent) && is_yaml_item(lines_[at_].text)) {
      YamlLine& line = lines_[at_];
      const std::string_view rest = trimmed(line.text.substr(1));
      if (yaml_name_length(rest) || is_yaml_item(rest)) {  // it goes on below, as deep as this
        line.indent += line.text.size() - rest.size();
        line.text = rest;
        ASSAY_ASSIGN(Json each, block(line.indent, nesting + 1));
        all.push_back(std::move(each));
        continue;
      }
      ++at_;
      ASSAY_ASSIGN(Json each, value(rest, indent, nesting));
      all.push_back(std::move(each));
    }
    return all;
  }

  Result<Json> mapping(size_t indent, int nesting) {
    Json all = Json::object();
    while (goes_on(indent) && !is_yaml_item(lines_[at_].text)) {
      const std::string_view text = lines_[at_].text;
      const auto length = yaml_name_length(text);
      if (!length) return error(Code::invalid_input, "it is no 'name: value'");
      ++at_;
      const std::string_view rest = trimmed(text.substr(*length + 1));
      // A list may stand as far left as its name.
      const bool is_list_below = rest.empty() && goes_on(indent) && is_yaml_item(lines_[at_].text);
      ASSAY_ASSIGN(Json each,
                   is_list_below ? list(indent, nesting + 1) : value(rest, indent, nesting));
      all[std::string(text.substr(0, *length))] = std::move(each);
    }
    return all;
  }

  // What stands behind a name or a '-', and on the deeper lines below.
  Result<Json> value(std::string_view rest, size_t indent, int nesting) {
    if (rest.empty() || rest.starts_with('#')) {
      if (is_deeper(indent)) return block(lines_[at_].indent, nesting + 1);
      return Json();
    }
    const bool is_text = rest.starts_with('|') || rest.starts_with('>');
    std::string whole(is_text ? "" : rest);
    for (; is_deeper(indent); ++at_) {
      whole += is_text ? "\n" : " ";
      whole += lines_[at_].text;
    }
    if (is_text) return Json(std::string(trimmed(whole)));
    return YamlValue(whole).read();
  }

  std::vector<YamlLine> lines_;
  size_t at_ = 0, number_ = 0;
};

}  // namespace

Result<Json> read_plain_yaml(std::string_view text, const std::string& where) {
  PlainYaml yaml(text);
  auto read = yaml.read();
  if (read) return read;
  return error(Code::invalid_input,
               fmt::format("{}: line {}: {}", where, yaml.number(), read.error().message));
}

}  // namespace assay
