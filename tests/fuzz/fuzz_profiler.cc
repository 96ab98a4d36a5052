// What profilers of cards write of kernels, in a process that a candidate may have taken over:
// ncu's table, and rocprofv3's file. What is believed of either is bounded, and can be said.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "measure/kernel_counts.h"
#include "measure/ncu_output.h"
#include "measure/rocprof_output.h"

namespace {

using namespace assay;

void require_kernels(const Result<Json>& counted) {
  if (!counted) {
    if (counted.error().message.empty()) abort();
    return;
  }
  if (counted->at("kernels").empty()) abort();
  for (const Json& kernel : counted->at("kernels")) {
    if (kernel.at("launches").get<size_t>() == 0) abort();
    for (const auto& [name, fact] : kernel.items()) {
      if (!fact.is_number()) continue;
      if (!std::isfinite(fact.get<double>()) || fact.get<double>() < 0) abort();
    }
  }
  (void)dump_json(*counted);
  (void)dump_json(rocprof_metrics(*counted));
  (void)ncu_in_words(*counted);
  (void)rocprof_in_words(*counted);
}

}  // namespace

extern "C" int fuzz_profiler(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_kernels(read_ncu_output(text));
  require_kernels(read_rocprof_output(std::string(text)));
  if (const auto json = parse_json(text, "counted kernels")) {
    (void)ncu_in_words(*json);
    (void)rocprof_metrics(*json);
  }
  return 0;
}
