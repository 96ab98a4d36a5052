// Comma-separated values as other programs write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text.h"

namespace assay {

// Row by row. A field in quotes may have commas, ends of lines, and quotes that are doubled.
class CsvReader {
 public:
  // The text outlives it. A row with more fields than that is an error. A line that begins with
  // `remark` is passed over, where that is not "".
  explicit CsvReader(std::string_view text, size_t most_fields = 1000, std::string_view remark = "")
      : text_(without_byte_order_mark(text)), most_fields_(most_fields), remark_(remark) {}

  // Nothing: that was all. Empty lines are no rows. An error, which names the line, for quotes that
  // are not closed, or are followed by something else than a comma.
  Result<std::optional<std::vector<std::string>>> next();

 private:
  Result<std::string> take_field();
  bool pass_over();

  std::string_view text_;
  size_t most_fields_;
  std::string_view remark_;
  size_t at_ = 0;
  size_t line_ = 1;
};

}  // namespace assay
