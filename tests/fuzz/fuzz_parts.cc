// How long the parts of a call took, by tools that an artifact runs beside and by a record that may
// have been changed since; and a file of what was held. What is believed of either is bounded, and
// can be drawn.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "measure/dispatch_times.h"
#include "model/words.h"
#include "report/call_table.h"
#include "report/memory_chart.h"
#include "report/memory_points.h"

namespace {

using namespace assay;

void require_bounded(const CallParts& parts) {
  if (!std::isfinite(parts.whole_ns()) || parts.outside_ns() < 0) abort();
  for (const CallPart& each : parts.parts)
    if (each.name.size() > kMostPartNameBytes || each.low_ns < 0 || each.high_ns > kMostPartNs)
      abort();
  double last_ns = 0;
  for (const PartEvent& each : parts.one_call) {
    if (each.name.size() > kMostPartNameBytes || each.ns < 0 || each.ns > kMostPartNs) abort();
    if (each.begin_ns < last_ns || each.begin_ns > kMostPartNs) abort();
    last_ns = each.begin_ns;
  }
}

void show_parts(const Json& counted) {
  (void)parts_in_words(counted);
  if (const auto found = parts_found({{"counter", counted}})) {
    if (found->parts.parts_ns() <= 0) abort();
    (void)parts_in_lines(found->parts);
    (void)dump_json(parts_in_cells(found->parts));
  }
}

// Has one file, whatever it is asked for.
class OneFile final : public RunReader {
 public:
  explicit OneFile(std::string_view text) : text_(text) {}
  Result<std::vector<WindowRecord>> windows(const std::string&) override {
    return std::vector<WindowRecord>{};
  }
  std::optional<std::string> text(const std::string&) override { return std::string(text_); }

 private:
  std::string_view text_;
};

void draw_held(std::string_view csv) {
  constexpr size_t kMost = 10;
  const auto points = memory_points(csv);
  for (const MemoryPoint& each : points)
    if (!(each.ms >= 0) || !(each.bytes >= 0) || !std::isfinite(each.ms + each.bytes)) abort();
  if (thinned(points, kMost).size() > std::max(kMost, std::size(kStageWords))) abort();
  ReportInput input;
  OneFile file(csv);
  input.reader = &file;
  input.attempts.resize(1);
  input.attempts[0].artifacts.push_back({std::string(kMemoryName), "", 1});
  if (draw_memory(input).empty() != points.empty()) abort();
}

}  // namespace

extern "C" int fuzz_parts(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const double call_ns = read_call_ns(text.substr(0, line));
  if (!(call_ns >= 0) || call_ns > kMostPartNs) abort();
  if (auto parts = read_dispatch_times(call_ns, line % 4, text.substr(line))) {
    require_bounded(*parts);
    parts->allocator = read_allocator_bytes(text.substr(line));
    const Json counted = with_one_call(*parts);
    if (one_call_from_json(counted).size() != parts->one_call.size()) abort();
    const auto kept = call_parts_from_json(counted);
    if (!kept && parts->parts_ns() > 0) abort();
    if (kept && kept->allocator.has_value() != parts->allocator.has_value()) abort();
    show_parts(counted);
  }
  if (const auto json = parse_json(text, "parts of a call")) {
    show_parts(*json);
    for (const PartEvent& each : one_call_from_json(*json))
      if (!std::isfinite(each.begin_ns) || !std::isfinite(each.ns)) abort();
  }
  draw_held(text);
  return 0;
}
