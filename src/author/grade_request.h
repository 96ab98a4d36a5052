// A candidate that is sent to be judged: one line of JSON (`assay serve`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "author/candidate.h"
#include "base/json.h"
#include "base/status.h"
#include "model/words.h"

namespace assay {

// An object:
//   "id"            what the verdict is to be told by: a text or a whole number
//   "problem"       what names a single problem, as for `assay run`; or "problem_code", its source
//   "code"          the candidate's source, in "language": "python" (or absent), "c", "cpp",
//                   "cuda", "hip"
//   "text"          in the place of "code": an answer with fenced code
//   "target"        one of those that the server was started for; absent: the first of them
//   "precision", "mode"            as of a run
//   "timeout_s", "memory_bytes"    limits of this one
//   "seed"          of a verdict before: the inputs are those of that one
//   "time"          false: it is only verified, also where others are timed
//   "cancel"        true, beside "id" alone: what was sent with this id is wanted no more
// All but the candidate and the problem may be absent or null. An unknown field is refused: it
// would be a limit that does not hold.
struct GradeRequest {
  Json id;
  std::string problem;  // as it is given; "" with problem_code
  std::optional<std::string> problem_code;
  Candidate candidate;
  std::optional<std::string> target;
  std::optional<Precision> precision;
  std::optional<std::string> mode;
  std::optional<int64_t> timeout_ns;
  std::optional<uint64_t> memory_bytes;
  std::string seed;  // "": a new one
  std::optional<bool> time;
  bool cancels = false;  // then it is the id alone
};

// `where` names the line in errors. `id` is set as soon as it is known, so that an error can be
// told by it, too.
Result<GradeRequest> read_grade_request(std::string_view line, const std::string& where, Json& id);

}  // namespace assay
