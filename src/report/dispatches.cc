#include "report/dispatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "report/table.h"

namespace assay {
namespace {

double number_in(const Json& json, const char* name) {
  if (!json.is_object()) return 0;
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::string time(double ns) { return format_duration(std::llround(ns)); }

}  // namespace

std::string dispatches_in_lines(const Json& counters) {
  constexpr size_t kMost = 12;
  if (!counters.is_object()) return "";
  const auto counted = counters.find("iree-profile");
  if (counted == counters.end() || !counted->is_object()) return "";
  const auto dispatches = counted->find("dispatches");
  if (dispatches == counted->end() || !dispatches->is_array() || dispatches->empty()) return "";
  auto of_call = [](const Json& each) {
    return number_in(each, "per_call") * number_in(each, "median_ns");
  };
  double all_ns = 0;
  for (const Json& each : *dispatches) all_ns += of_call(each);
  const double call_ns = number_in(*counted, "call_ns");
  std::vector<Row> rows{{"", "of a call", "each", "10 to 90 %", "dispatch"}};
  const size_t shown = std::min(dispatches->size(), kMost);
  for (size_t i = 0; i < shown; ++i) {
    const Json& each = (*dispatches)[i];
    const double per_call = number_in(each, "per_call");
    const auto name = each.is_object() ? each.find("name") : each.end();
    rows.push_back(
        {fmt::format("      {:.0f} %", 100 * of_call(each) / all_ns), time(of_call(each)),
         per_call == 1 ? time(number_in(each, "median_ns"))
                       : fmt::format("{} x {:.3g}", time(number_in(each, "median_ns")), per_call),
         fmt::format("{} to {}", time(number_in(each, "low_ns")), time(number_in(each, "high_ns"))),
         terminal_text(name != each.end() && name->is_string() ? name->get<std::string>() : "-")});
  }
  std::string text = fmt::format("    dispatches      {} of a call's {}, alone and on one core\n",
                                 time(all_ns), time(call_ns));
  text += text_table(rows);
  const size_t left =
      dispatches->size() - shown + static_cast<size_t>(number_in(*counted, "left_out"));
  if (left > 0) text += fmt::format("      and {} more\n", left);
  return text;
}

}  // namespace assay
