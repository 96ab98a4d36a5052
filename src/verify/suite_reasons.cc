#include "verify/suite_reasons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "verify/decide.h"

namespace assay {

bool has_kernel(std::string_view code) {
  return code.contains("triton") && (code.contains("triton.jit") || code.contains("@jit"));
}

std::string_view rule_of(Differs how) {
  switch (how) {
    case Differs::parts:
    case Differs::shape:
      return to_word(kRuleWords, Rule::shape);
    case Differs::type:
      return to_word(kRuleWords, Rule::dtype);
    case Differs::non_finite:
      return to_word(kRuleWords, Rule::non_finite);
    case Differs::value:
      break;
  }
  return to_word(kRuleWords, Rule::wrong);
}

std::string in_words(const std::string& variable, const ResultDifference& difference) {
  return fmt::format("{}{}: {}", variable, difference.where, difference.why);
}

std::string stops_in_words(const StageRecord& record) {
  return "the suite's own code does not run to its end: " + record.error;
}

std::string why_unusable(const SuiteRun& reference) {
  if (reference.record.status != StageStatus::ok) return stops_in_words(reference.record);
  const ResultCount count = count_of(reference.result->root);
  if (count.values + count.flags == 0)
    return reference.told.found.empty() ? "its tests leave no result"
                                        : "its tests leave nothing in " + reference.told.found;
  return "";
}

bool writes_outside(const SuiteRun& run) {
  return std::ranges::find(run.told.outside, "written") != run.told.outside.end();
}

std::string why_not_computed(const SuiteRun& run, const SuiteRun& reference) {
  std::vector<std::string> types = run.told.narrow;
  for (const std::string& each : reference.told.narrow)
    if (std::ranges::find(types, each) == types.end()) types.push_back(each);
  if (types.empty() && ((run.result && count_of(run.result->root).narrow) ||
                        (reference.result && count_of(reference.result->root).narrow)))
    types.emplace_back("bf16 or fp8");
  if (types.empty()) return "";
  return fmt::format("Triton's interpreter computes {} otherwise than GPUs do",
                     fmt::join(types, " and "));
}

}  // namespace assay
