// How long one call of an accepted attempt takes, held against nothing: by one launch, provisional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "model/timing.h"

namespace assay {

struct Profile {
  Metric metric = Metric::cpu;
  CacheMode cache = CacheMode::hot;
  int threads = 1;
  std::string runner;        // what called it: "iree", "direct", "native"
  std::string not_direct{};  // of what IREE compiled: why not without its runtime; "": it was
  // What another runner has found, of a sample. Times that differ by more than what its calls cost
  // besides are flagged.
  struct Check {
    std::string runner;
    double median_ns = 0;
    bool agrees = true;

    bool operator==(const Check&) const = default;
  };
  std::optional<Check> check{};
  int windows = 0;  // that count
  int calls = 1;    // in each of them
  // One call, less its part of what a window costs by itself. The interval is that of the median
  // over this launch's windows: another launch may lie outside.
  double median_ns = 0, low_ns = 0, high_ns = 0, min_ns = 0;
  double window_ns = 0;  // what a window costs by itself, all of it
  ProcessCosts process;
  uint64_t bytes = 0;            // of inputs, parameters and results, each once
  std::optional<int64_t> flops;  // of the definition's products, of one call; nothing: not known
  // What the machine takes at least; nothing: it is not calibrated, or has no peak of that type.
  std::optional<double> bound_ns;
  std::string type_without_peak{};  // of its operations, where that is why there is no bound
  // Of what IREE compiled: of its machine code. Nothing: it was compiled by somebody else, or a
  // driver makes the code.
  std::optional<uint64_t> code_bytes{};

  bool operator==(const Profile&) const = default;
};

Json to_json(const Profile& profile);
Result<Profile> profile_from_json(const Json& json);

}  // namespace assay
