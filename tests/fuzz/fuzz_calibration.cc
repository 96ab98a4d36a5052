// A calibration, which whatever runs as this user may have written, and lists of cores: what is
// read gives bandwidths that are numbers, and is written again as it was.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/cores.h"
#include "target/calibration.h"

extern "C" int fuzz_calibration(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int core : parse_core_list(text))
    if (core < 0) abort();
  auto json = parse_json(text, "a calibration");
  if (!json) return 0;
  auto calibration = calibration_from_json(*json);
  if (!calibration) {
    if (calibration.error().message.empty()) abort();
    return 0;
  }
  for (const int threads : {1, 2, calibration->machine.threads})
    for (uint64_t bytes = 0; bytes < UINT64_MAX / 4; bytes = 4 * bytes + 1) {
      const double rate = calibration->bandwidth_at(bytes, threads);
      if (!std::isfinite(rate) || rate < 0) abort();
    }
  auto again = calibration_from_json(to_json(*calibration));
  if (!again || *again != *calibration) abort();
  return 0;
}
