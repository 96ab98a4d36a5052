// Lines of text from a client and to it.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "model/attempt.h"

namespace assay {

// Where requests come from and what is said of them goes.
class LineStream {
 public:
  virtual ~LineStream() = default;
  // The next line that is here, and the name that errors have for it. Nothing: none is, yet.
  struct Line {
    std::string text;
    std::string where;  // "line 3"
  };
  virtual std::optional<Line> take() = 0;
  // Fails once nobody reads what is said any more.
  virtual Status check() const = 0;
  // No further one will come, and all that was put has been taken.
  virtual bool has_ended() const = 0;
  // The whole record of the one that is told next.
  virtual void judged(const Attempt&) {}
  // Says something of one of them, in a line. Never blocks.
  virtual void put(const std::string& line) = 0;
  // What was said is not being read: nothing is to be begun until it is.
  virtual bool is_clogged() const = 0;
};

}  // namespace assay
