#include "measure/perf_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace assay {
namespace {

std::string_view take_field(std::string_view& line) {
  const size_t end = std::min(line.find(','), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

// "page-faults:u" is counted in user mode alone.
std::string name_of_event(std::string_view event) {
  std::string name(event.substr(0, event.find(':')));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::optional<double> number_at(const Json& json, const char* name) {
  auto found = json.find(name);
  if (found == json.end() || !found->is_number() || found->get<double>() <= 0) return std::nullopt;
  return found->get<double>();
}

}  // namespace

Json read_perf_output(std::string_view text) {
  Json counted = Json::object();
  bool has_any = false;
  for (std::string_view line : lines_of(text)) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view value = take_field(line);
    take_field(line);  // the unit
    const std::string name = name_of_event(take_field(line));
    if (name.empty()) continue;
    double number = 0;
    auto [last, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_counted = failed == std::errc() && last == value.data() + value.size();
    counted[name] = is_counted ? Json(number) : Json(nullptr);  // "<not supported>"
    has_any |= is_counted && number > 0;
  }
  return has_any ? counted : Json(nullptr);
}

std::string perf_in_words(const Json& counted) {
  std::string text;
  auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  const auto instructions = number_at(counted, "instructions"),
             cycles = number_at(counted, "cycles");
  if (instructions && cycles)
    add(fmt::format("The processor does {:.2f} instructions in a cycle.", *instructions / *cycles));
  const auto misses = number_at(counted, "cache_misses");
  if (instructions && misses)
    add(fmt::format("Of 1000 instructions {:.2g} wait for memory behind the last cache.",
                    1000 * *misses / *instructions));
  const auto branches = number_at(counted, "branches"), wrong = number_at(counted, "branch_misses");
  constexpr double kMany = 0.01;
  if (branches && wrong && *wrong / *branches > kMany)
    add(fmt::format("{:.2g} % of the branches are guessed wrong.", 100 * *wrong / *branches));
  // By the time that calls take, as it is not known how many of them were counted.
  const auto clock_ms = number_at(counted, "task_clock"),
             faults = number_at(counted, "page_faults");
  constexpr double kFaultMs = 0.0005, kPart = 0.1;  // what one takes, at least
  if (clock_ms && faults && *faults * kFaultMs > kPart * *clock_ms)
    add(
        fmt::format("At least {:.0f} % of its time goes into {:.0f} page faults: it takes memory "
                    "anew in each call.",
                    100 * *faults * kFaultMs / *clock_ms, *faults));
  return text;
}

}  // namespace assay
