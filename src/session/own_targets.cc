#include "session/own_targets.h"

#include <algorithm>
#include <utility>

#include "compile/configuration.h"

namespace assay {
namespace {

const Target& kept_once(Target made, std::list<Target>& kept) {
  const auto same = std::ranges::find_if(kept, [&](const Target& other) {
    return other.name == made.name && other.precision == made.precision &&
           other.tuning == made.tuning && other.compiler == made.compiler;
  });
  return same != kept.end() ? *same : kept.emplace_back(std::move(made));
}

}  // namespace

const Target& retyped(const Target& target, std::optional<Precision> precision,
                      std::list<Target>& kept) {
  if (!precision || target.precision == *precision) return target;
  Target made = target;
  made.precision = *precision;
  return kept_once(std::move(made), kept);
}

std::expected<const Target*, std::string> target_of(const Author& author, const Workload& workload,
                                                    const std::optional<OperationFacts>& operation,
                                                    const Target& target, std::list<Target>& kept) {
  if (!author.compiler.empty()) {
    Target made = target;
    made.compiler = author.compiler;
    return &kept_once(std::move(made), kept);
  }
  if (!author.configurations) return &target;
  std::string why = "nothing was tuned for it";
  for (const Configuration& each : *author.configurations) {
    if (!each.workload.empty() && each.workload != workload.path) continue;
    if (!each.precision.empty() && each.precision != to_word(kPrecisionWords, target.precision))
      continue;
    why = why_not(each, target, operation);
    if (!why.empty()) continue;
    return &kept_once(configured(target, each, operation), kept);
  }
  return std::unexpected(std::move(why));
}

}  // namespace assay
