// Judges candidates as they come, many at once: `assay serve`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "author/author.h"
#include "author/grade_request.h"
#include "session/session.h"
#include "target/target.h"

namespace assay {

// Where requests come from and what is said of them goes.
class GradeStream {
 public:
  virtual ~GradeStream() = default;
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
  // Says something of one of them, in a line. Never blocks.
  virtual void put(const std::string& line) = 0;
  // What was said is not being read: nothing is to be begun until it is.
  virtual bool is_clogged() const = 0;
};

// What holds for those that say nothing else. None may ask for more time, or more memory.
struct GradeSettings {
  Tools tools;
  RunSettings run;
  // What requests may be for; those that do not say are for the first. Each is this machine's CPU,
  // or has a GPU that code is compiled for.
  std::vector<Target> targets{};
  // With run.timing: what is right is timed against these. Each runs the problem's own model.
  std::vector<Author> baselines{};
  size_t jobs = 1;
};

// Until the stream has ended and all is said. A line that is no request is told so, and costs
// nothing else. Ends as run_session() does.
Status grade(const GradeSettings& settings, World world, GradeStream& stream);

}  // namespace assay
