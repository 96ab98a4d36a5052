#include "session/memory_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace assay {
namespace {

// Looks of one moment, which are summed up.
struct Moment {
  std::span<const MemorySample> samples;
  uint64_t bytes = 0;

  bool is_of_stages_of(const Moment& other) const {
    return std::ranges::equal(samples, other.samples, {}, &MemorySample::stage,
                              &MemorySample::stage);
  }
};

// The first of what is left; nothing left: an empty one.
Moment first_moment(std::span<const MemorySample> left) {
  Moment moment;
  while (moment.samples.size() < left.size()) {
    const MemorySample& next = left[moment.samples.size()];
    if (next.at_us != left.front().at_us) break;
    moment.bytes += next.pss_bytes.value_or(next.rss_bytes);
    moment.samples = left.first(moment.samples.size() + 1);
  }
  return moment;
}

// Of each two moments of the same stages the one with more. Peaks stay.
std::vector<MemorySample> thinned(std::span<const MemorySample> samples) {
  std::vector<MemorySample> kept;
  auto keep = [&](const Moment& moment) {
    kept.insert(kept.end(), moment.samples.begin(), moment.samples.end());
  };
  while (!samples.empty()) {
    const Moment one = first_moment(samples);
    samples = samples.subspan(one.samples.size());
    const Moment next = first_moment(samples);
    if (next.samples.empty() || !one.is_of_stages_of(next)) {
      keep(one);
      continue;
    }
    keep(one.bytes >= next.bytes ? one : next);
    samples = samples.subspan(next.samples.size());
  }
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
    if (samples.size() >= kMostSamples) return;  // no two moments are alike
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
