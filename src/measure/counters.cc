#include <fmt/format.h>

#include "base/rows.h"
#include "measure/counter.h"

namespace assay {

std::span<const Counter> counters() {
  static const std::vector<Counter> all = with_added_rows<Counter>(
      {objdump_counter(), perf_counter(), dispatch_counter(), ncu_counter(), rocprof_counter()});
  return all;
}

Result<Json> count(const CountedCandidate& candidate, const Machine& machine) {
  Json counted = Json::object();
  for (const Counter& counter : counters()) {
    if (!counter.serves(candidate.job) || !counter.missing(machine).empty()) continue;
    auto found = counter.count(candidate);
    if (!found && found.error().code == Code::interrupted)
      return std::unexpected(std::move(found).error());
    // The verdict does not wait for it: the record says why there are no counts.
    if (!found) found = Json{{"failed", found.error().message}};
    if (!found->is_null()) counted[std::string(counter.name)] = *std::move(found);
  }
  return counted;
}

std::vector<std::string> missing_counters(const Machine& machine) {
  std::vector<std::string> missing;
  for (const Counter& counter : counters())
    if (std::string why = counter.missing(machine); !why.empty())
      missing.push_back(fmt::format("{}: {}", counter.name, why));
  return missing;
}

std::vector<std::string> counted_of(const Attempt& attempt) {
  std::vector<std::string> sentences;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::verify) continue;
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object() || !evidence.contains("counters")) continue;
    const Json& counted = evidence["counters"];
    for (const Counter& counter : counters()) {
      const std::string name(counter.name);
      if (!counted.is_object() || !counted.contains(name) || !counted[name].is_object() ||
          counted[name].contains("failed"))
        continue;
      if (std::string words = counter.words(counted[name]); !words.empty())
        sentences.push_back(std::move(words));
    }
  }
  return sentences;
}

std::string not_found(const Machine& machine, const char* program) {
  return machine.find_program(program).empty() ? "not found" : "";
}

}  // namespace assay
