// How long each dispatch of a compiled program takes, from what IREE's tools print.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

struct DispatchTime {
  double of_call_ns() const { return per_call * median_ns; }
  std::string name;
  double per_call = 1;                            // how often a call has it
  double median_ns = 0, low_ns = 0, high_ns = 0;  // the tenth and the ninetieth percentile
};

struct DispatchTimes {
  double dispatches_ns() const;  // of a call, all that are listed
  size_t count() const { return dispatches.size() + left_out; }
  size_t calls = 0;                        // that were profiled
  double call_ns = 0;                      // of one call, without the profiler
  std::vector<DispatchTime> dispatches{};  // what takes most of a call first
  size_t left_out = 0;                     // of very many, the smallest
};

// `call_ns` is what iree-benchmark-module says, `events` are the lines of
// `iree-profile dispatch --format=jsonl --dispatch_events`. Nothing where no dispatch was seen.
std::optional<DispatchTimes> read_dispatch_times(double call_ns, std::string_view events);

Json to_json(const DispatchTimes& times);
// Nothing where a record has something else.
std::optional<DispatchTimes> dispatch_times_from_json(const Json& json);

// "Of a call's 75 us, 70 us is in 9 dispatches: ..."; "": nothing of it was counted.
std::string dispatches_in_words(const Json& counted);

}  // namespace assay
