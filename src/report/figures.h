// What an attempt cost and what came of it, in numbers that reports tabulate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/attempt.h"

namespace assay {

// Absent is what is not known: the stage was not reached, or did not say.
struct AttemptFigures {
  std::optional<int64_t> export_ns;
  std::optional<int64_t> compile_ns;
  std::optional<int64_t> verify_ns;
  std::optional<uint64_t> peak_bytes;          // of the largest process in any stage
  std::optional<uint64_t> compile_peak_bytes;  // of the compile's
  std::optional<uint64_t> artifact_bytes;      // of artifact.vmfb
  std::optional<int64_t> dispatches;           // launches of compiled code in one call
  std::optional<double> rms_ratio;             // the error of its results to that of torch's
};

AttemptFigures figures_of(const Attempt& attempt);

// For people; "-" for what is absent.
std::string duration_cell(const std::optional<int64_t>& ns);
std::string bytes_cell(const std::optional<uint64_t>& bytes);
std::string count_cell(const std::optional<int64_t>& count);

}  // namespace assay
