// What a machine takes at least for some work, by what was measured of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "measure/work.h"
#include "model/timing.h"
#include "target/calibration.h"

namespace assay {

// To read or write so many bytes, which lie where the mode of caches has them.
double ns_for_bytes(uint64_t bytes, CacheMode cache, int threads, const Calibration& calibration);

// For the definition's operations. Nothing: they are not known, there are none, or the CPU has no
// instructions for the type.
std::optional<double> ns_for_flops(const Work& work, int threads, const Calibration& calibration);

// The larger of both: bytes of inputs, parameters and results, each once, and operations. Nothing:
// there are operations, and nobody knows how many of their type the machine does.
std::optional<double> bound_ns(const Work& work, CacheMode cache, int threads,
                               const Calibration& calibration);

// The type of operations of which the machine has no peak, so that there is no bound; "": it has
// one, or there are none to count.
std::string type_without_peak(const Work& work, const Calibration& calibration);

// How near a time is to the bound, seen from a baseline's: 1 at the bound, 1/2 at the baseline.
// Below 1/2 it is slower than that. Nothing where the baseline is at the bound itself.
std::optional<double> sol_score(double call_ns, double baseline_ns, double bound_ns);

}  // namespace assay
