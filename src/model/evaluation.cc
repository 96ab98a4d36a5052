#include "model/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// JSON has no number for what is not finite; evidence then has a text.
std::optional<double> number_at(const Json& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// The round that says how large errors are; null: none does.
Json telling_round(const Json& evidence) {
  if (evidence.contains("decided_by") && evidence["decided_by"].is_object() &&
      evidence["decided_by"].contains("outputs"))
    return evidence["decided_by"];
  if (!evidence.contains("rounds") || !evidence["rounds"].is_array()) return nullptr;
  for (const Json& round : evidence["rounds"])
    if (round.is_object() && round.value("family", Json()) == "own" && round.contains("outputs"))
      return round;
  return nullptr;
}

void add_differences(const Json& outputs, Evaluation& evaluation) {
  double sum = 0, elements = 0;
  bool has_mean = true;
  for (const Json& output : outputs) {
    if (!output.is_object()) continue;
    if (auto most = number_at(output, "error_max"))
      evaluation.max_diff = std::max(evaluation.max_diff.value_or(0), *most);
    const auto mean = number_at(output, "error_mean");
    const double compared = number_at(output, "compared").value_or(0);
    has_mean &= mean.has_value();
    sum += mean.value_or(0) * compared;
    elements += compared;
    if (auto count = number_at(output, "nan"))
      evaluation.has_nan = evaluation.has_nan.value_or(false) || *count > 0;
    if (auto count = number_at(output, "infinite"))
      evaluation.has_inf = evaluation.has_inf.value_or(false) || *count > 0;
  }
  if (has_mean && elements > 0) evaluation.mean_diff = sum / elements;
}

// In the words that users of eval.py look for.
std::string error_of(const Attempt& attempt) {
  const StageRecord* stage = attempt.deciding_stage();
  if (!stage) return "";
  if (stage->status == StageStatus::rejected) return "Accuracy check failed: " + stage->error;
  if (stage->status != StageStatus::failed) return stage->error;
  return (is_built(attempt) ? "Runtime error: " : "Compile error: ") + stage->error;
}

}  // namespace

bool is_built(const Attempt& attempt) {
  const StageRecord* stage = attempt.deciding_stage();
  if (!stage || stage->status != StageStatus::failed) return true;
  return stage->stage != Stage::compile && stage->failure != FailureClass::load &&
         stage->failure != FailureClass::build;
}

Evaluation evaluation_of(const Attempt& attempt) {
  Evaluation evaluation;
  evaluation.is_built = is_built(attempt);
  evaluation.is_right = attempt.verdict == Verdict::accepted;
  evaluation.error = error_of(attempt);
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::verify) continue;
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object()) continue;
    const Json round = telling_round(evidence);
    if (!round.is_null() && round["outputs"].is_array())
      add_differences(round["outputs"], evaluation);
  }
  if (!attempt.timing || attempt.timing->speedups.empty()) return evaluation;
  const Timing& timing = *attempt.timing;
  const Speedup& first = timing.speedups.front();
  evaluation.reference_ms = by(timing.metric, first.cpu, first.wall).median_ns / 1e6;
  evaluation.candidate_ms = by(timing.metric, timing.cpu, timing.wall).median_ns / 1e6;
  evaluation.speedup = first.ratio;
  return evaluation;
}

Json to_json(const Evaluation& evaluation) {
  return {{"compile_success", evaluation.is_built},
          {"accuracy_pass", evaluation.is_right},
          {"max_diff", or_null(evaluation.max_diff)},
          {"mean_diff", or_null(evaluation.mean_diff)},
          {"has_nan", or_null(evaluation.has_nan)},
          {"has_inf", or_null(evaluation.has_inf)},
          {"ref_time_ms", or_null(evaluation.reference_ms)},
          {"new_time_ms", or_null(evaluation.candidate_ms)},
          {"speedup", or_null(evaluation.speedup)},
          {"error", or_null(evaluation.error)}};
}

}  // namespace assay
