#include "report/dispatches.h"

#include <fmt/format.h>

#include <cmath>
#include <ranges>

#include "base/units.h"
#include "measure/dispatch_times.h"
#include "report/table.h"

namespace assay {
namespace {

std::string time(double ns) { return format_duration(std::llround(ns)); }

}  // namespace

std::string dispatches_in_lines(const Json& counters) {
  constexpr size_t kMost = 12;
  if (!counters.is_object() || !counters.contains("iree-profile")) return "";
  const auto times = dispatch_times_from_json(counters["iree-profile"]);
  if (!times) return "";
  const double all_ns = times->dispatches_ns();
  std::vector<Row> rows{{"", "of a call", "each", "10 to 90 %", "dispatch"}};
  for (const DispatchTime& each : times->dispatches | std::views::take(kMost))
    rows.push_back(
        {fmt::format("      {:.0f} %", 100 * each.of_call_ns() / all_ns), time(each.of_call_ns()),
         each.per_call == 1 ? time(each.median_ns)
                            : fmt::format("{} x {:.3g}", time(each.median_ns), each.per_call),
         fmt::format("{} to {}", time(each.low_ns), time(each.high_ns)), terminal_text(each.name)});
  std::string text = fmt::format("    dispatches      {} of a call's {}, alone and on one core\n",
                                 time(all_ns), time(times->call_ns));
  text += text_table(rows);
  if (const size_t shown = rows.size() - 1; shown < times->count())
    text += fmt::format("      and {} more\n", times->count() - shown);
  return text;
}

}  // namespace assay
