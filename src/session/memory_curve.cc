#include "session/memory_curve.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

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
