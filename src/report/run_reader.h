// What a report may ask for beyond the rows of attempts, while it is rendered: formats that show
// all of an attempt do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/window_record.h"

namespace assay {

class RunReader {
 public:
  virtual ~RunReader() = default;
  // That an attempt was timed in, in order.
  virtual Result<std::vector<WindowRecord>> windows(const std::string& attempt_id) = 0;
  // A file as it is now: a problem, a candidate. Nothing where it can't be read.
  virtual std::optional<std::string> text(const std::string& path) = 0;
};

}  // namespace assay
