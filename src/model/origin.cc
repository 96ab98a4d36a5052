#include "model/origin.h"

#include "base/escape.h"

namespace assay {
Json to_json(const Origin& origin) {
  return {{"author", origin.author},
          {"target", origin.target},
          {"iree", or_null(origin.iree)},
          {"problem_sha256", or_null(origin.problem_sha256)},
          {"candidate_sha256", or_null(origin.candidate_sha256)}};
}

Result<Origin> origin_from_json(const Json& json) {
  JsonReader fields(json, "an attempt's origin");
  Origin origin;
  origin.author = fields.text("author");
  origin.target = fields.text("target");
  origin.iree = fields.optional_text("iree").value_or("");
  origin.problem_sha256 = fields.optional_text("problem_sha256").value_or("");
  origin.candidate_sha256 = fields.optional_text("candidate_sha256").value_or("");
  ASSAY_TRY(fields.status());
  return origin;
}

Json to_json(const Replay& replay) {
  return {{"run", replay.run}, {"attempt", replay.attempt}, {"differs", replay.differs}};
}

Result<Replay> replay_from_json(const Json& json) {
  JsonReader fields(json, "what an attempt replays");
  Replay replay{fields.text("run"), fields.text("attempt"), fields.texts("differs")};
  ASSAY_TRY(fields.status());
  return replay;
}

std::string replay_command(const std::string& run, const std::string& attempt) {
  return "assay run --again " + shell_quote(run) + " " + shell_quote(attempt);
}

}  // namespace assay
