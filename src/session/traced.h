// What went on in an attempt, beside what its record says: for its trace.json and memory.csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/call_parts.h"
#include "session/memory_curve.h"

namespace assay {

// A process that assay had started, by the name of its image.
struct TracedProcess {
  std::string image;
  int64_t began_us = 0;              // since 1970, UTC: asked for then, and gone at the end
  std::optional<int64_t> wall_ns{};  // nothing: nobody waited for its end
};

// One call, looked into by a counter.
struct TracedCall {
  std::string counter;
  PartKind kind = PartKind::dispatch;
  std::string by;
  std::vector<PartEvent> parts;
};

struct Traced {
  std::vector<TracedProcess> processes{};
  std::vector<TracedCall> calls{};
  std::vector<MemorySample> memory{};  // with --track-memory
};

}  // namespace assay
