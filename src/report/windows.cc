#include "report/windows.h"

#include <algorithm>

#include "report/evidence.h"
#include "report/table.h"

namespace assay {
namespace {

// What the measurement recorded of its baselines. Nothing, where it was ended early.
std::vector<std::string> baselines_of(const Attempt& attempt) {
  std::vector<std::string> names;
  auto measured = std::ranges::find(attempt.stages, Stage::measure, &StageRecord::stage);
  if (measured == attempt.stages.end() || !measured->evidence.is_object()) return names;
  const auto against = measured->evidence.find("against");
  if (against == measured->evidence.end()) return names;
  for (const Json& each : *against) names.push_back(text_at(each, "baseline"));
  return names;
}

}  // namespace

std::string windows_table(const Attempt& attempt, const std::vector<WindowRecord>& windows) {
  const std::vector<std::string> baselines = baselines_of(attempt);
  auto side = [&](int number) {
    if (number == 0) return std::string("it");
    const auto at = static_cast<size_t>(number) - 1;
    return at < baselines.size() ? terminal_text(baselines[at])
                                 : "baseline " + std::to_string(number);
  };
  std::vector<Row> rows{{"LAUNCH", "ROUND", "PLACE", "SIDE", "USE", "CALLS", "WALL_NS", "CPU_NS",
                         "PROCESS_CPU_NS", "WAITED_NS", "AROUND_CPU_NS", "INPUTS"}};
  for (const WindowRecord& window : windows)
    rows.push_back({std::to_string(window.launch), std::to_string(window.round),
                    std::to_string(window.place), side(window.side),
                    std::string(to_word(kWindowUseWords, window.use)), std::to_string(window.calls),
                    std::to_string(window.wall_ns), std::to_string(window.cpu_ns),
                    window.process_cpu_ns ? std::to_string(*window.process_cpu_ns) : "-",
                    std::to_string(window.waited_ns), std::to_string(window.around_cpu_ns),
                    terminal_text(window.draw)});
  return text_table(rows);
}

}  // namespace assay
