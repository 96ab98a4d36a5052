#include "serve/mcp_words.h"

#include <utility>

#include "model/fault.h"
#include "report/format.h"
#include "report/speed.h"

namespace assay {

Json to_json(const ToolAnswer& answer) {
  Json result{{"content", Json::array({{{"type", "text"}, {"text", answer.text}}})},
              {"isError", answer.is_error}};
  if (!answer.is_error) result["structuredContent"] = answer.fields;
  return result;
}

ToolAnswer refused_call(std::string why) { return {.text = std::move(why), .is_error = true}; }

std::string judged_in_words(const Attempt& attempt) {
  const std::string speed = speed_in_words(attempt);
  return verdict_in_words(attempt) + (speed.empty() ? "" : ": " + speed);
}

Json judged_fields(const Attempt& attempt, const NodeVerdict& verdict) {
  const std::optional<Outcome> said = outcome(attempt);
  const std::optional<Fault> fault = fault_of(attempt);
  Json fields{{"verdict", to_word(kVerdictWords, attempt.verdict)},
              {"reason", or_null(attempt.timing ? reason(attempt) : verdict.reason)},
              {"fault", fault ? Json(to_word(kFaultWords, *fault)) : Json(nullptr)},
              {"outcome", said ? Json(to_word(kOutcomeWords, *said)) : Json(nullptr)},
              {"labels", verdict.labels},
              {"provisional", false},
              {"speedups", Json::array()}};
  if (!attempt.timing) return fields;
  fields["provisional"] = attempt.timing->provisional;
  for (const Speedup& speedup : attempt.timing->speedups)
    fields["speedups"].push_back({{"baseline", speedup.baseline},
                                  {"ratio", speedup.ratio},
                                  {"low", speedup.low},
                                  {"high", speedup.high},
                                  {"outcome", to_word(kOutcomeWords, speedup.outcome)},
                                  {"reason", or_null(speedup.reason)}});
  return fields;
}

}  // namespace assay
