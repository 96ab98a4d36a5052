// How much memory an attempt's processes hold: at most, and with --track-memory over time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/words.h"

namespace assay {

// One look at one child, with all that it has started.
struct MemorySample {
  int64_t at_us = 0;  // since 1970, UTC
  Stage stage = Stage::export_;
  std::string image;                  // of the child
  uint64_t rss_bytes = 0;             // what it shares with others counted in full
  std::optional<uint64_t> pss_bytes;  // by parts; nothing: the kernel does not let assay see it
};

// What processes of one attempt, or of all that share a child, held.
struct MemoryCurve {
  // At 20 ms, of one process that goes on for an hour. Where there would be more, of two moments of
  // a stage that follow each other the one with less goes.
  static constexpr size_t kMostSamples = 200'000;
  std::vector<MemorySample> samples{};  // in the order of time
  uint64_t peak_bytes = 0;  // the most that they were seen to hold together; 0: nobody looked

  void add(MemorySample sample);
};

// memory.csv, in the order of time, which begins at 0 with the first look.
std::string memory_csv(std::vector<MemorySample> samples);

}  // namespace assay
