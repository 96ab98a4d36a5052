// memory.csv of an attempt (docs/formats.md), as pictures show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/attempt.h"
#include "report/run_reader.h"

namespace assay {

// What all processes of an attempt's stage held at one moment.
struct MemoryPoint {
  double ms = 0;
  Stage stage = Stage::export_;
  double bytes = 0;  // what they share by parts; where that is not known, in full
};

// In the order of time. Lines that are none of such a file are left out.
std::vector<MemoryPoint> memory_points(std::string_view csv);
// Whether an attempt has kept such a file.
bool is_tracked(const Attempt& attempt);
// Of an attempt in a run's folder; none: it was not tracked.
std::vector<MemoryPoint> memory_points_of(const Attempt& attempt, const std::string& folder,
                                          RunReader* reader);
// So many at most, and one of each stage at least: of those of a stage that come together, the
// largest. Each stage is in the order of time.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, size_t most);

}  // namespace assay
