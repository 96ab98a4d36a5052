#include "search/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

bool has_any(const Json& object, const char* list) {
  return object.is_object() && object.contains(list) && object[list].is_array() &&
         !object[list].empty();
}

// What a candidate was seen to have torch do. Where it was timed, the timing's labels say it.
void add_watched(const Attempt& attempt, std::vector<std::string>& labels) {
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::verify || !stage.evidence.is_object() ||
        !stage.evidence.contains("watched"))
      continue;
    const Json& watched = stage.evidence["watched"];
    if (!has_any(watched, "operations")) continue;
    for (const char* label : {"library", "fallback"})
      if ((label == std::string("library") || has_any(watched, "hidden")) &&
          std::ranges::find(labels, label) == labels.end())
        labels.emplace_back(label);
  }
}

// In a word: of what failed, the class of its failure.
std::string why(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  if (deciding && deciding->failure)
    return std::string(to_word(kFailureClassWords, *deciding->failure));
  return reason(attempt);
}

}  // namespace

NodeVerdict verdict_for(const Attempt& attempt, Feedback feedback) {
  NodeVerdict verdict{.attempt = attempt.id,
                      .verdict = attempt.verdict,
                      .reason = why(attempt),
                      .feedback_kind = std::move(feedback.kind),
                      .feedback = std::move(feedback.text),
                      .for_hints = std::move(feedback.for_hints)};
  if (attempt.timing) {
    const Timing& timing = *attempt.timing;
    verdict.labels = timing.labels;
    verdict.time_ns = by(timing.metric, timing.cpu, timing.wall).median_ns;
    if (timing.bound_ns && verdict.time_ns > 0)
      verdict.of_bound = *timing.bound_ns / verdict.time_ns;
    if (!timing.speedups.empty()) {
      const Speedup& first = timing.speedups.front();
      verdict.outcome = first.outcome;
      verdict.ratio = first.ratio;
      verdict.low = first.low;
      verdict.high = first.high;
    }
  }
  add_watched(attempt, verdict.labels);
  verdict.fault = fault_of(attempt);
  // The machine lacks what it needs, and another answer may do without.
  if (is_for_another_device(attempt)) verdict.fault = Fault::candidate;
  verdict.reached = reached(attempt);
  verdict.is_final = attempt.verdict == Verdict::compiled &&
                     std::ranges::all_of(attempt.stages, [](const StageRecord& stage) {
                       return stage.status == StageStatus::ok;
                     });
  return verdict;
}

NodeVerdict verdict_without_code(const NodeAnswer& answer, const std::string& why) {
  NodeVerdict verdict{.verdict = Verdict::failed, .reason = why, .feedback_kind = "no code"};
  switch (answer.end) {
    case AnswerEnd::complete:
      verdict.feedback = fmt::format(
          "Your answer could not be judged: {}. Answer with one fenced block that holds "
          "the complete code, and nothing that has to be put together.",
          why);
      break;
    case AnswerEnd::truncated:
      verdict.feedback =
          "Your answer was cut off at the limit of its length, before the code was complete. "
          "Answer "
          "with the code alone, and make it shorter.";
      break;
    case AnswerEnd::refused:
      verdict.feedback = "You gave no code. The task is to write a kernel, and nothing else.";
      break;
    case AnswerEnd::too_long:
    case AnswerEnd::failed:
    case AnswerEnd::stopped:
      verdict.verdict = Verdict::not_judged;
      break;
  }
  return verdict;
}

}  // namespace assay
