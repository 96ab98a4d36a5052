#include <algorithm>

#include "judge/rule.h"

namespace assay {
namespace {

std::optional<std::string> if_labelled(const SpeedComparison& comparison, std::string_view label,
                                       const char* why) {
  if (std::ranges::find(comparison.labels, label) == comparison.labels.end()) return std::nullopt;
  return why;
}

}  // namespace

const SpeedRule kLibrary{"library", "it has torch compute something of its result", Effect::label,
                         [](const SpeedComparison& comparison) {
                           return if_labelled(comparison, "library",
                                              "torch computes something of its result");
                         }};
const SpeedRule kFallback{"fallback", "it has torch compute, and something else failed before",
                          Effect::label, [](const SpeedComparison& comparison) {
                            return if_labelled(
                                comparison, "fallback",
                                "torch computes something of its result, and it hides an error");
                          }};

}  // namespace assay
