#include "judge/part_work.h"

#include <cmath>

#include "measure/call_parts.h"

namespace assay {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 50;

}  // namespace

void add_work(Json& counted, const Json& dispatch_bytes, const std::string& type, int threads,
              const Calibration* calibration) {
  for (auto& [name, said] : counted.items()) {
    auto parts = call_parts_from_json(said);
    if (!parts) continue;  // a counter of something else
    const bool is_dispatch = parts->kind == PartKind::dispatch;
    for (CallPart& part : parts->parts) {
      if (is_dispatch && !part.bytes && dispatch_bytes.is_object()) {
        const auto found = dispatch_bytes.find(part.name);
        if (found != dispatch_bytes.end() && found->is_number_integer() &&
            found->get<int64_t>() > 0)
          part.bytes = found->get<int64_t>();
      }
      const int64_t bytes = part.bytes.value_or(0);
      if (!calibration || bytes <= 0 || bytes > kMostBytes) continue;
      Work work{.type = type, .bytes = static_cast<uint64_t>(bytes)};
      // The compiler calls a pooling a convolution, too, and counts no product there.
      if (!(is_dispatch && part.name.contains("conv"))) work.flops = part.flops;
      const int cores = is_dispatch ? 1 : threads;
      // What was just written is near: a call's parts hand on to each other.
      if (const auto least_ns = bound_ns(work, CacheMode::hot, cores, *calibration))
        part.bound_ns = std::llround(*least_ns);
    }
    said = to_json(*parts);
  }
}

}  // namespace assay
