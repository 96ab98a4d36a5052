#include <fmt/format.h>

#include "base/rows.h"
#include "measure/counter.h"

namespace assay {

std::span<const Counter> counters() {
  static const std::vector<Counter> all =
      with_added_rows<Counter>({objdump_counter(), perf_counter(), dispatch_counter(),
                                operator_counter(), ncu_counter(), rocprof_counter()});
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

namespace {

// Of one record's counters. Null: it has none of this one, or why there are none.
Json counts_of(const Json& counters, std::string_view name) {
  const auto found = counters.is_object() ? counters.find(name) : counters.end();
  if (!counters.is_object() || found == counters.end() || !found->is_object() ||
      found->contains("failed"))
    return nullptr;
  return *found;
}

// Of each verification that has some.
std::vector<Json> counters_of(const Attempt& attempt) {
  std::vector<Json> all;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::verify) continue;
    const Json evidence = evidence_of(stage);
    if (evidence.is_object() && evidence.contains("counters")) all.push_back(evidence["counters"]);
  }
  return all;
}

}  // namespace

std::vector<std::string> counted_of(const Attempt& attempt) {
  std::vector<std::string> sentences;
  for (const Json& counted : counters_of(attempt))
    for (const Counter& counter : counters()) {
      const Json counts = counts_of(counted, counter.name);
      if (counts.is_null()) continue;
      if (std::string words = counter.words(counts); !words.empty())
        sentences.push_back(std::move(words));
    }
  return sentences;
}

Json counted_by(std::string_view counter, const Attempt& attempt) {
  for (const Json& counted : counters_of(attempt))
    if (Json counts = counts_of(counted, counter); !counts.is_null()) return counts;
  return nullptr;
}

bool is_called_on(const VerifyJob& job, std::string_view device) {
  return job.on_card && job.runner().device.kind == device;
}

std::string not_found(const Machine& machine, const char* program) {
  return machine.find_program(program).empty() ? "not found" : "";
}

}  // namespace assay
