#include "cli/doctor_calibrate.h"

#include <fmt/format.h>

#include <vector>

#include "base/places.h"
#include "base/units.h"
#include "measure/calibrate.h"
#include "target/calibration.h"

namespace assay {
namespace {

std::string in_words(const PeakRate& rate, double unit, std::string_view name) {
  return fmt::format("{:.4g} {} (median {:.1f} % below; {})", rate.best / unit, name,
                     rate.scatter() * 100, rate.kernel);
}

std::string level_in_words(const Calibration& calibration, const MemoryPeak& peak) {
  if (!peak.level) return "memory";
  for (const CacheLevel& cache : calibration.machine.caches)
    if (cache.level == *peak.level)
      return fmt::format("L{} {}", cache.level, exact_bytes(cache.bytes));
  return fmt::format("L{}", *peak.level);
}

std::string threads_in_words(int threads) {
  return threads == 1 ? "1 thread" : fmt::format("{} threads", threads);
}

void say(const Calibration& calibration, Output& output) {
  for (const ComputePeak& peak : calibration.compute)
    output.write(fmt::format(
        "  {:<10} {:<6} {:<10} {}\n", "compute", peak.dtype, threads_in_words(peak.threads),
        in_words(peak.operations, 1e9, peak.dtype.starts_with('i') ? "GOP/s" : "GFLOP/s")));
  for (const MemoryPeak& peak : calibration.memory)
    output.write(fmt::format("  {:<10} {:<6} {:<10} {}\n", level_in_words(calibration, peak),
                             to_word(kAccessWords, peak.access), threads_in_words(peak.threads),
                             in_words(peak.bytes, 1e9, "GB/s")));
}

}  // namespace

Status calibrate_machine(Output& output) {
  ASSAY_ASSIGN(std::string folder, find_cache_folder());
  bool is_said = false;
  auto wait = [&]() -> Status {
    if (!is_said) output.write("another assay is timing on this machine: waiting for it\n");
    is_said = true;
    return {};
  };
  ASSAY_ASSIGN(Calibration calibration, calibrate(wait));
  ASSAY_TRY(keep_calibration(system_disk(), folder, calibration));
  say(calibration, output);
  output.write(fmt::format("kept in {}\n", calibration_path(folder)));
  return {};
}

}  // namespace assay
