#include "report/memory_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>
#include <vector>

#include "base/units.h"
#include "report/chart_foot.h"
#include "report/memory_points.h"
#include "report/svg.h"

namespace assay {
namespace {

constexpr double kChartWidth = 760, kPlotLeft = 80, kPlotRight = 740;
constexpr double kPlotHeight = 110, kPanelHeight = 180;
constexpr size_t kMostPanels = 12, kMostPoints = 600;

struct Curve {
  const Attempt* attempt;
  std::vector<MemoryPoint> points;
};

std::string style_of_stage(Stage stage) {
  if (stage == Stage::export_) return "series0";
  if (stage == Stage::compile) return "series1";
  return "series2";
}

void draw_curve(Svg& svg, const Curve& curve, double top) {
  const double bottom = top + kPlotHeight;
  double most_bytes = 1, most_ms = 1;
  for (const MemoryPoint& each : curve.points) {
    most_bytes = std::max(most_bytes, each.bytes);
    most_ms = std::max(most_ms, each.ms);
  }
  svg.text({kPlotLeft, top - 10}, Svg::Anchor::start, curve.attempt->id);
  for (double part : {0.0, 0.5, 1.0}) {
    const double y = bottom - part * kPlotHeight;
    svg.line({kPlotLeft, y}, {kPlotRight, y}, "grid");
    svg.text({kPlotLeft - 8, y + 4}, Svg::Anchor::end,
             format_bytes(static_cast<uint64_t>(part * most_bytes)), "soft");
    svg.text({kPlotLeft + part * (kPlotRight - kPlotLeft), bottom + 18},
             part == 0   ? Svg::Anchor::start
             : part == 1 ? Svg::Anchor::end
                         : Svg::Anchor::middle,
             part == 0 ? "0" : format_duration(std::llround(part * most_ms * 1e6)), "soft");
  }
  // A stage is a line of its own: what lies between two is nobody's.
  std::vector<std::pair<Stage, std::vector<Svg::Point>>> lines;
  for (const MemoryPoint& each : curve.points) {
    auto line = std::ranges::find(lines, each.stage, [](const auto& one) { return one.first; });
    if (line == lines.end()) line = lines.insert(line, {each.stage, {}});
    line->second.push_back({kPlotLeft + (kPlotRight - kPlotLeft) * each.ms / most_ms,
                            bottom - kPlotHeight * each.bytes / most_bytes});
  }
  double x = kPlotRight;
  for (const auto& [stage, line] : lines | std::views::reverse) {
    svg.path(line, style_of_stage(stage));
    const std::string name(to_word(kStageWords, stage));
    svg.text({x, top - 10}, Svg::Anchor::end, name, "soft");
    svg.circle({x - 8 - 7 * static_cast<double>(name.size()), top - 14}, 4, style_of_stage(stage));
    x -= 90;
  }
}

}  // namespace

std::string draw_memory(const ReportInput& input) {
  std::vector<Curve> curves;
  size_t tracked = 0;
  for (const Attempt& attempt : input.attempts) {
    if (!is_tracked(attempt)) continue;
    if (curves.size() < kMostPanels) {  // of the others nothing is read: they are counted
      const auto points = memory_points_of(attempt, input.folder, input.reader);
      if (points.empty()) continue;
      curves.push_back({&attempt, thinned(points, kMostPoints)});
    }
    ++tracked;
  }
  if (curves.empty()) return "";
  const double bottom = 40 + kPanelHeight * static_cast<double>(curves.size());
  Svg svg(kChartWidth, bottom + 20);
  double top = 40;
  for (const Curve& curve : curves) {
    draw_curve(svg, curve, top);
    top += kPanelHeight;
  }
  draw_foot(svg, input.run, bottom + 8);
  return svg.finish(tracked > curves.size()
                        ? fmt::format("Memory over time, {} of {}", curves.size(), tracked)
                        : fmt::format("Memory over time of {}", format_count(tracked, "attempt")));
}

}  // namespace assay
