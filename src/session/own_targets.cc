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

ConfiguredWorkload configured_workload(const Workload& workload, const LoadedWorkload& loaded) {
  const bool is_file = source_of(workload.path).is_on_disk;
  return {.path = workload.path,
          .name = is_file ? workload.name : workload.path,
          .content = is_file ? hash_of(loaded) : "",
          .operation = loaded.operation};
}

bool is_for_workload(const TunedFor& tuned_for, const ConfiguredWorkload& workload) {
  if (tuned_for.workload.empty()) return true;
  // What an older assay wrote has a path alone.
  if (tuned_for.content.empty()) return tuned_for.workload == workload.path;
  return tuned_for.workload == workload.name && tuned_for.content == workload.content;
}

std::expected<const Target*, std::string> target_of(const Author& author,
                                                    const ConfiguredWorkload& workload,
                                                    const Target& target, std::list<Target>& kept) {
  if (!author.compiler.empty()) {
    Target made = target;
    made.compiler = author.compiler;
    return &kept_once(std::move(made), kept);
  }
  if (!author.configurations) return &target;
  std::string why = "nothing was tuned for it";
  std::vector<Configuration> parts;  // each is for an operation of the workload's
  for (const Configuration& each : *author.configurations) {
    if (!is_for_workload(each.tuned_for, workload)) continue;
    const std::string& precision = each.tuned_for.precision;
    if (!precision.empty() && precision != to_word(kPrecisionWords, target.precision)) continue;
    why = why_not(each, target, workload.operation);
    if (!why.empty()) continue;
    if (!each.sizes.empty() && !workload.operation) {
      parts.push_back(each);
      continue;
    }
    return &kept_once(configured(target, each, workload.operation), kept);
  }
  if (!parts.empty()) {
    Configuration all = together(std::move(parts));
    all.name = author.configuration();
    return &kept_once(configured(target, all, std::nullopt), kept);
  }
  return std::unexpected(std::move(why));
}

}  // namespace assay
