#include "judge/rule.h"

namespace assay {
namespace {

std::optional<std::string> input_independent_complaint(const SpeedComparison& comparison) {
  if (comparison.measured.results_differ) return std::nullopt;
  return "all inputs that it was given have the same result: it may as well keep that";
}

}  // namespace

const SpeedRule kInputIndependent{"input-independent",
                                  "the problem has one result for all inputs that it draws",
                                  Effect::undecided, input_independent_complaint};

}  // namespace assay
