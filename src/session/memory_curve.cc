#include "session/memory_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace assay {
namespace {

// Looks of one moment in one stage, which are summed up.
using Moment = std::pair<int64_t, Stage>;
Moment moment_of(const MemorySample& sample) { return {sample.at_us, sample.stage}; }

// Of each two moments of a stage the one with more. Peaks of stages stay.
std::vector<MemorySample> thinned(std::span<const MemorySample> samples) {
  std::map<Moment, uint64_t> bytes;
  for (const MemorySample& each : samples)
    bytes[moment_of(each)] += each.pss_bytes.value_or(each.rss_bytes);
  std::map<Stage, Moment> alone;  // whose second comes next
  std::set<Moment> dropped;
  for (const auto& [moment, held] : bytes) {
    const auto [before, is_first] = alone.emplace(moment.second, moment);
    if (is_first) continue;
    dropped.insert(held > bytes[before->second] ? before->second : moment);
    alone.erase(before);
  }
  std::vector<MemorySample> kept;
  std::ranges::copy_if(samples, std::back_inserter(kept), [&](const MemorySample& each) {
    return !dropped.contains(moment_of(each));
  });
  return kept;
}

}  // namespace

void MemoryCurve::add(MemorySample sample) {
  if (samples.size() >= kMostSamples) {
    // That of the new one is not complete yet.
    const auto now = std::ranges::find(samples, sample.at_us, &MemorySample::at_us);
    std::vector<MemorySample> kept = thinned({samples.begin(), now});
    kept.insert(kept.end(), now, samples.end());
    samples = std::move(kept);
    if (samples.size() >= kMostSamples) return;  // it has one moment
  }
  samples.push_back(std::move(sample));
}

std::string memory_csv(std::vector<MemorySample> samples) {
  std::ranges::stable_sort(samples, {}, &MemorySample::at_us);
  std::string text = "time_ms,stage,process,pss_bytes,rss_bytes\n";
  for (const MemorySample& each : samples)
    text += fmt::format("{:.1f},{},{},{},{}\n",
                        static_cast<double>(each.at_us - samples.front().at_us) / 1e3,
                        to_word(kStageWords, each.stage), each.image,
                        each.pss_bytes ? std::to_string(*each.pss_bytes) : "", each.rss_bytes);
  return text;
}

}  // namespace assay
