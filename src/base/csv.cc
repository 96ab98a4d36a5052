#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

Result<std::string> CsvReader::take_field() {
  if (at_ >= text_.size() || text_[at_] != '"') {
    const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }
  const size_t begin = line_;
  std::string field;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      ++at_;
      const std::string_view next = text_.substr(at_, 1);
      if (next.empty() || next == "," || next == "\r" || next == "\n") return field;
      if (next != "\"")
        return error(Code::corrupt,
                     fmt::format("line {}: something follows a closed quote", line_));
    }
    if (text_[at_] == '\n') ++line_;
    field += text_[at_];
  }
  return error(Code::corrupt, fmt::format("line {}: a quote is not closed", begin));
}

// The end of a line, or a remark before it. Whether there was one.
bool CsvReader::pass_over() {
  if (at_ >= text_.size()) return false;
  if (!remark_.empty() && text_.substr(at_).starts_with(remark_))
    at_ = std::min(text_.find('\n', at_), text_.size() - 1);
  else if (text_[at_] != '\n' && text_[at_] != '\r')
    return false;
  line_ += text_[at_++] == '\n' ? 1 : 0;
  return true;
}

Result<std::optional<std::vector<std::string>>> CsvReader::next() {
  while (pass_over()) {
  }
  if (at_ >= text_.size()) return std::nullopt;
  std::vector<std::string> row;
  while (true) {
    if (row.size() == most_fields_)
      return error(Code::corrupt, fmt::format("line {}: more than {} fields", line_, most_fields_));
    ASSAY_ASSIGN(std::string field, take_field());
    row.push_back(std::move(field));
    if (at_ >= text_.size() || text_[at_] != ',') return row;
    ++at_;
  }
}

}  // namespace assay
