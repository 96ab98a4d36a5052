#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "measure/interval.h"
#include "report/format.h"
#include "report/scores.h"
#include "report/speed.h"
#include "report/svg.h"

namespace assay {
namespace {

using Anchor = Svg::Anchor;
constexpr double kWidth = 760, kLeft = 240, kRight = 740, kTop = 40;
constexpr size_t kMostRows = 60;  // of speed-ups; of more, evenly some

struct Compared {
  const Attempt* attempt = nullptr;
  const Speedup* speedup = nullptr;
};

// The fastest first.
std::vector<Compared> compared(const ReportInput& input) {
  std::vector<Compared> all;
  for (const Attempt& attempt : input.attempts)
    if (attempt.timing && has_interval(*attempt.timing, attempt.timing->speedups.front()))
      all.push_back({&attempt, &attempt.timing->speedups.front()});
  std::ranges::stable_sort(all, std::greater(),
                           [](const Compared& each) { return each.speedup->ratio; });
  return all;
}

std::string times(double value) { return fmt::format("{:g}x", value); }

void draw_ticks(Svg& svg, const LogAxis& axis, double bottom) {
  for (double tick : axis.ticks()) {
    svg.line({axis.place(tick), kTop}, {axis.place(tick), bottom}, "grid");
    svg.text({axis.place(tick), bottom + 18}, Anchor::middle, times(tick), "soft");
  }
}

std::string draw_speedups(const ReportInput& input) {
  const std::vector<Compared> all = compared(input);
  if (all.empty()) return "";
  const size_t rows = std::min(all.size(), kMostRows);
  constexpr double kRow = 18;
  const double bottom = kTop + 10 + kRow * static_cast<double>(rows);
  double least = 0.5, most = 2;
  for (const Compared& each : all) {
    least = std::min(least, each.speedup->low);
    most = std::max(most, each.speedup->high);
  }
  const LogAxis axis(least / 1.1, most * 1.1, kLeft, kRight);
  Svg svg(kWidth, bottom + 44);
  draw_ticks(svg, axis, bottom);
  const double band = 1 + kDeadBand;
  svg.rectangle({axis.place(1 / band), kTop}, axis.place(band) - axis.place(1 / band),
                bottom - kTop, "band");
  svg.line({axis.place(1), kTop}, {axis.place(1), bottom}, "one");
  std::map<std::string_view, size_t> outcomes;
  for (const Compared& each : all) ++outcomes[to_word(kOutcomeWords, each.speedup->outcome)];
  for (size_t row = 0; row < rows; ++row) {
    const Compared& each = all[row * all.size() / rows];
    const double y = kTop + 14 + kRow * static_cast<double>(row);
    const std::string_view style = to_word(kOutcomeWords, each.speedup->outcome);
    svg.text({kLeft - 8, y + 4}, Anchor::end,
             fmt::format("{} {}", each.attempt->workload, each.attempt->author));
    svg.line({axis.place(each.speedup->low), y}, {axis.place(each.speedup->high), y}, style);
    svg.circle({axis.place(each.speedup->ratio), y}, 4, style,
               each.attempt->id + ": " + speed_in_words(*each.attempt));
  }
  double x = kLeft;
  for (const auto& [outcome, count] : outcomes) {
    svg.circle({x, 18}, 5, outcome);
    svg.text({x + 10, 22}, Anchor::start, fmt::format("{} {}", count, outcome));
    x += 110;
  }
  svg.text({(kLeft + kRight) / 2, bottom + 38}, Anchor::middle,
           "times as fast as the baseline, with interval", "soft");
  return svg.finish(rows < all.size() ? fmt::format("Speed-ups, {} of {}", rows, all.size())
                                      : fmt::format("Speed-ups of {} attempts", all.size()));
}

// The thresholds of the report's table, so that the picture says what the table says.
std::string draw_fast_p(const ReportInput& input) {
  std::vector<Score> scores = scores_of(input.attempts);
  std::erase_if(scores, [](const Score& score) { return !score.is_timed(); });
  if (scores.empty()) return "";
  constexpr size_t kMostSeries = 8;
  const size_t shown = std::min(scores.size(), kMostSeries);
  constexpr double kBottom = 300, kFrom = 60;
  Svg svg(kWidth, kBottom + 50 + 18 * static_cast<double>(shown));
  auto x_of = [&](double p) { return kFrom + (kRight - kFrom) * p / kFastThresholds.back(); };
  auto y_of = [&](double share) { return kBottom - (kBottom - kTop) * share; };
  for (double p : kFastThresholds) {
    svg.line({x_of(p), kTop}, {x_of(p), kBottom}, "grid");
    svg.text({x_of(p), kBottom + 18}, Anchor::middle, times(p), "soft");
  }
  for (int percent = 0; percent <= 100; percent += 25)
    svg.text({kFrom - 8, y_of(percent / 100.0) + 4}, Anchor::end, fmt::format("{} %", percent),
             "soft");
  for (size_t i = 0; i < shown; ++i) {
    std::vector<Svg::Point> estimates, lows;
    for (const FastShare& share : scores[i].fast) {
      estimates.push_back({x_of(share.threshold), y_of(share.by_estimate)});
      lows.push_back({x_of(share.threshold), y_of(share.by_low)});
    }
    svg.path(estimates, fmt::format("series{}", i));
    svg.path(lows, fmt::format("series{} low", i));
    const double y = kBottom + 44 + 18 * static_cast<double>(i);
    svg.circle({kFrom, y - 4}, 5, fmt::format("series{}", i));
    svg.text({kFrom + 12, y}, Anchor::start,
             fmt::format("{}, {} on {}, against {}", scores[i].author, scores[i].level,
                         scores[i].target, scores[i].baseline));
  }
  svg.text({kFrom, 22}, Anchor::start,
           "share of problems solved and more than p times as fast; dashed: by the lower end",
           "soft");
  return svg.finish("fast_p by author");
}

std::string draw_roofline(const ReportInput& input) {
  struct Point {
    double intensity, rate, roof;
    const Attempt* attempt;
  };
  std::vector<Point> points;
  for (const Attempt& attempt : input.attempts) {
    if (!attempt.timing || !attempt.timing->flops || !attempt.timing->bound_ns) continue;
    const Timing& timing = *attempt.timing;
    const auto flops = static_cast<double>(*timing.flops);
    if (flops <= 0 || timing.bytes == 0) continue;
    points.push_back({flops / static_cast<double>(timing.bytes),
                      flops / by(timing.metric, timing.cpu, timing.wall).median_ns,
                      flops / *timing.bound_ns, &attempt});
  }
  if (points.empty()) return "";
  std::ranges::sort(points, {}, &Point::intensity);
  double lowest = points.front().rate, highest = 0;
  for (const Point& each : points) {
    lowest = std::min(lowest, each.rate);
    highest = std::max({highest, each.roof, each.rate});
  }
  constexpr double kBottom = 340, kFrom = 80;
  const LogAxis x(points.front().intensity / 1.5, points.back().intensity * 1.5, kFrom, kRight);
  const LogAxis y(lowest / 1.5, highest * 1.5, kBottom, kTop);
  Svg svg(kWidth, kBottom + 50);
  draw_ticks(svg, x, kBottom);
  for (double tick : y.ticks())
    svg.text({kFrom - 8, y.place(tick) + 4}, Anchor::end, fmt::format("{:.3g}", tick), "soft");
  std::vector<Svg::Point> roof;
  for (const Point& each : points) roof.push_back({x.place(each.intensity), y.place(each.roof)});
  svg.path(roof, "one");
  for (const Point& each : points)
    svg.circle(
        {x.place(each.intensity), y.place(each.rate)}, 4, "faster",
        fmt::format("{}: {:.0f} % of the roof", each.attempt->id, 100 * each.rate / each.roof));
  svg.text({kFrom, 22}, Anchor::start,
           "GFLOP/s over FLOPs per byte; the line: this machine's calibration", "soft");
  return svg.finish("Roofline");
}

std::string draw_matrix(const ReportInput& input) {
  const Summary summary = summarise(input.attempts);
  constexpr double kCell = 96, kRow = 26;
  const auto columns = static_cast<double>(summary.by_target.size());
  const auto rows = static_cast<double>(summary.by_level.size());
  Svg svg(kLeft + kCell * columns + 20, kTop + kRow * rows + 20);
  double x = kLeft;
  for (const auto& [target, tally] : summary.by_target) {
    svg.text({x + kCell / 2, kTop - 10}, Anchor::middle, target, "soft");
    double y = kTop;
    for (const auto& [level, of_level] : summary.by_level) {
      auto found = summary.by_level_and_target.find({level, target});
      if (found != summary.by_level_and_target.end()) {
        const Tally& cell = found->second;
        const double share = static_cast<double>(cell.passed()) / static_cast<double>(cell.total);
        svg.rectangle({x + 2, y + kRow - 5}, (kCell - 4) * share, 3, "passed");
        svg.text({x + kCell / 2, y + 16}, Anchor::middle,
                 fmt::format("{} {}", ratio(cell), percentage(cell)));
      }
      y += kRow;
    }
    x += kCell;
  }
  double y = kTop;
  for (const auto& [level, tally] : summary.by_level) {
    svg.text({kLeft - 8, y + 16}, Anchor::end, level);
    y += kRow;
  }
  return svg.finish("What passed: " + in_words(summary.all));
}

}  // namespace

std::span<const Chart> charts() {
  static constexpr Chart kCharts[] = {
      {"speedups", "speed-ups with their intervals", draw_speedups},
      {"fast_p", "shares of problems beyond a speed-up, by author", draw_fast_p},
      {"roofline", "what is reached of what the machine can do", draw_roofline},
      {"matrix", "what passed, levels by targets", draw_matrix},
  };
  return kCharts;
}

void render_svg(const ReportInput& input, ReportSink& sink) {
  for (const Chart& chart : charts()) {
    if (input.chart && input.chart != &chart) continue;
    const std::string picture = chart.draw(input);
    if (!picture.empty()) return sink.write(picture);
  }
  // The last one has something of each run.
  sink.fail(
      {Code::not_found,
       fmt::format("this run has nothing for the chart '{}': {}", input.chart->name,
                   input.chart->title),
       "`assay run --against AUTHOR` times what is accepted; --chart matrix shows what passed",
       {}});
}

}  // namespace assay
