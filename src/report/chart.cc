#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "measure/interval.h"
#include "report/chart_foot.h"
#include "report/format.h"
#include "report/memory_chart.h"
#include "report/ranking.h"
#include "report/scores.h"
#include "report/speed.h"
#include "report/svg.h"

namespace assay {
namespace {

using Anchor = Svg::Anchor;
constexpr double kWidth = 760, kLeft = 240, kRight = 740, kTop = 40;
constexpr double kFoot = 20;      // the line below each picture
constexpr double kNarrow = 420;   // the least width, for that line
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

// What they were all timed against; "the baseline" where these differ.
std::string baseline_of(const std::vector<Compared>& all) {
  const std::string& first = all.front().speedup->baseline;
  const bool is_one = std::ranges::all_of(
      all, [&](const Compared& each) { return each.speedup->baseline == first; });
  return is_one ? first : "the baseline";
}

std::string draw_speedups(const ReportInput& input) {
  const std::vector<Compared> all = compared(input);
  if (all.empty()) return "";
  const size_t rows = std::min(all.size(), kMostRows);
  constexpr double kRow = 18, kEnd = kRight - 50;  // the estimates stand behind the axis
  const double bottom = kTop + 10 + kRow * static_cast<double>(rows);
  double least = 0.5, most = 2;
  for (const Compared& each : all) {
    least = std::min(least, each.speedup->low);
    most = std::max(most, each.speedup->high);
  }
  const LogAxis axis(least / 1.1, most * 1.1, kLeft, kEnd);
  Svg svg(kWidth, bottom + 48 + kFoot);
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
    svg.text({kEnd + 8, y + 4}, Anchor::start, ratio_in_words(each.speedup->ratio) + "x");
  }
  double x = kLeft;
  for (const auto& [outcome, count] : outcomes) {
    svg.circle({x, 18}, 5, outcome);
    svg.text({x + 10, 22}, Anchor::start, fmt::format("{} {}", count, outcome));
    x += 110;
  }
  svg.text({(kLeft + kEnd) / 2, bottom + 38}, Anchor::middle,
           fmt::format("times as fast as {}, with interval", baseline_of(all)), "soft");
  draw_foot(svg, input.run, bottom + 40 + kFoot);
  return svg.finish(rows < all.size() ? fmt::format("Speed-ups, {} of {}", rows, all.size())
                                      : fmt::format("Speed-ups of {} attempts", all.size()));
}

// Where the curves of these attempts fall: each estimate and each lower end; of more, evenly some.
std::vector<double> falls_of(const std::vector<Attempt>& attempts) {
  constexpr size_t kMostFalls = 400;
  std::set<double> all;
  for (const Attempt& attempt : attempts) {
    if (!attempt.timing) continue;
    for (const Speedup& speedup : attempt.timing->speedups)
      for (double value : {speedup.ratio, speedup.low})
        if (value > 0) all.insert(value);
  }
  const std::vector<double> sorted(all.begin(), all.end());
  std::vector<double> falls{0};
  const size_t shown = std::min(sorted.size(), kMostFalls);
  for (size_t i = 0; i < shown; ++i) falls.push_back(sorted[i * sorted.size() / shown]);
  return falls;
}

// What the curve shows at `p`, by the estimates.
double share_beyond(const Score& score, double p) {
  double share = 0;
  for (const FastShare& each : score.fast)
    if (each.threshold <= p) share = each.by_estimate;
  return share;
}

std::string draw_fast_p(const ReportInput& input) {
  const std::vector<double> falls = falls_of(input.attempts);
  std::vector<Score> scores = scores_of(input.attempts, {}, falls);
  std::erase_if(scores, [](const Score& score) { return !score.is_timed(); });
  if (scores.empty()) return "";
  constexpr size_t kMostSeries = 8;
  const size_t shown = std::min(scores.size(), kMostSeries);
  constexpr double kBottom = 300, kFrom = 60;
  const double end = kBottom + 60 + 18 * static_cast<double>(shown);
  Svg svg(kWidth, end + kFoot);
  const double least = std::min(0.5, falls.size() > 1 ? falls[1] : 1),
               most = std::max(2.0, falls.back());
  const LogAxis x(least / 1.2, most * 1.2, kFrom, kRight);
  auto y_of = [&](double share) { return kBottom - (kBottom - kTop) * share; };
  draw_ticks(svg, x, kBottom);
  svg.line({x.place(1), kTop}, {x.place(1), kBottom}, "one");
  for (int percent = 0; percent <= 100; percent += 25) {
    svg.line({kFrom, y_of(percent / 100.0)}, {kRight, y_of(percent / 100.0)}, "grid");
    svg.text({kFrom - 8, y_of(percent / 100.0) + 4}, Anchor::end, fmt::format("{} %", percent),
             "soft");
  }
  // A share holds until the next fall.
  auto curve = [&](const Score& score, double FastShare::* by) {
    std::vector<Svg::Point> points;
    for (const FastShare& share : score.fast) {
      const double from = share.threshold == 0 ? kFrom : x.place(share.threshold);
      if (!points.empty()) points.push_back({from, points.back().y});
      points.push_back({from, y_of(share.*by)});
    }
    points.push_back({kRight, points.back().y});
    return points;
  };
  for (size_t i = 0; i < shown; ++i) {
    svg.path(curve(scores[i], &FastShare::by_low), fmt::format("series{} low", i));
    svg.path(curve(scores[i], &FastShare::by_estimate), fmt::format("series{}", i));
    const double y = kBottom + 60 + 18 * static_cast<double>(i);
    svg.circle({kFrom, y - 4}, 5, fmt::format("series{}", i));
    svg.text({kFrom + 12, y}, Anchor::start,
             fmt::format("{}: {:.0f} % right, {:.0f} % faster than {}; {} on {}", scores[i].author,
                         100 * scores[i].fast.front().by_estimate, 100 * share_beyond(scores[i], 1),
                         scores[i].baseline, scores[i].level, scores[i].target));
  }
  svg.text(
      {kFrom, 22}, Anchor::start,
      "problems solved by a kernel that is more than p times as fast; dashed: by the lower end",
      "soft");
  svg.text({(kFrom + kRight) / 2, kBottom + 36}, Anchor::middle, "p", "soft");
  draw_foot(svg, input.run, end + 4);
  return svg.finish("fast_p by author");
}

struct RooflinePoint {
  double intensity, rate, roof;
  const Attempt* attempt;
};

// Of `work` FLOPs that took so long, and take so long at least.
std::optional<RooflinePoint> roofline_point(const Attempt& attempt, std::optional<int64_t> work,
                                            uint64_t bytes, double median_ns,
                                            std::optional<double> bound_ns) {
  if (work.value_or(0) <= 0 || bytes == 0 || median_ns <= 0 || !bound_ns) return std::nullopt;
  const auto flops = static_cast<double>(*work);
  return RooflinePoint{flops / static_cast<double>(bytes), flops / median_ns, flops / *bound_ns,
                       &attempt};
}

// Timed, or profiled.
std::optional<RooflinePoint> roofline_point(const Attempt& attempt) {
  if (const auto& timing = attempt.timing)
    return roofline_point(attempt, timing->flops, timing->bytes,
                          by(timing->metric, timing->cpu, timing->wall).median_ns,
                          timing->bound_ns);
  if (const auto& profile = attempt.profile)
    return roofline_point(attempt, profile->flops, profile->bytes, profile->median_ns,
                          profile->bound_ns);
  return std::nullopt;
}

std::string draw_roofline(const ReportInput& input) {
  std::vector<RooflinePoint> points;
  for (const Attempt& attempt : input.attempts)
    if (auto point = roofline_point(attempt)) points.push_back(*point);
  if (points.empty()) return "";
  std::ranges::sort(points, {}, &RooflinePoint::intensity);
  double lowest = points.front().rate, highest = 0;
  for (const RooflinePoint& each : points) {
    lowest = std::min(lowest, each.rate);
    highest = std::max({highest, each.roof, each.rate});
  }
  constexpr double kBottom = 340, kFrom = 80;
  const LogAxis x(points.front().intensity / 1.5, points.back().intensity * 1.5, kFrom, kRight);
  const LogAxis y(lowest / 1.5, highest * 1.5, kBottom, kTop);
  Svg svg(kWidth, kBottom + 30 + kFoot);
  draw_ticks(svg, x, kBottom);
  for (double tick : y.ticks())
    svg.text({kFrom - 8, y.place(tick) + 4}, Anchor::end, fmt::format("{:.3g}", tick), "soft");
  std::vector<Svg::Point> roof;
  for (const RooflinePoint& each : points)
    roof.push_back({x.place(each.intensity), y.place(each.roof)});
  svg.path(roof, "one");
  for (const RooflinePoint& each : points)
    svg.circle(
        {x.place(each.intensity), y.place(each.rate)}, 4, "faster",
        fmt::format("{}: {:.0f} % of the roof", each.attempt->id, 100 * each.rate / each.roof));
  svg.text({kFrom, 22}, Anchor::start,
           "GFLOP/s over FLOPs per byte; the line: this machine's calibration", "soft");
  draw_foot(svg, input.run, kBottom + 22 + kFoot);
  return svg.finish("Roofline");
}

std::string draw_matrix(const ReportInput& input) {
  const Summary summary = summarise(input.attempts);
  constexpr double kCell = 96, kRow = 26;
  const auto columns = static_cast<double>(summary.by_target.size());
  const auto rows = static_cast<double>(summary.by_level.size());
  const double bottom = kTop + kRow * rows + 10;
  Svg svg(std::max(kLeft + kCell * columns + 20, kNarrow), bottom + kFoot + 8);
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
  draw_foot(svg, input.run, bottom + kFoot);
  return svg.finish("What passed: " + in_words(summary.all));
}

// What a cell of a problem and an author says: the verdict, of several candidates how many passed.
struct Cell {
  Tally tally;
  const Attempt* last = nullptr;
};

std::string_view style_of(const Cell& cell) {
  if (cell.tally.passed() > 0) return "passed";
  return cell.tally.count(Verdict::rejected) > 0 ? "rejected" : "failed";
}

std::string words_of(const Cell& cell) {
  if (cell.tally.total > 1) return fmt::format("{} passed", ratio(cell.tally));
  const std::string speed = speed_cell(*cell.last);
  return speed == "-" ? std::string(to_word(kVerdictWords, cell.last->verdict)) : speed;
}

std::string draw_problems(const ReportInput& input) {
  constexpr size_t kMostAuthors = 6;
  const std::vector<OfProblem> problems = by_problem(input.attempts);
  if (problems.empty()) return "";
  std::set<std::string> all_authors;
  for (const Attempt& attempt : input.attempts) all_authors.insert(attempt.author);
  std::vector<std::string> authors(all_authors.begin(), all_authors.end());
  authors.resize(std::min(authors.size(), kMostAuthors));
  const size_t rows = std::min(problems.size(), kMostRows);
  constexpr double kCell = 120, kRow = 20;
  const double bottom = kTop + kRow * static_cast<double>(rows) + 10;
  Svg svg(std::max(kLeft + kCell * static_cast<double>(authors.size()) + 20, kNarrow),
          bottom + kFoot + 8);
  for (size_t i = 0; i < authors.size(); ++i)
    svg.text({kLeft + kCell * static_cast<double>(i) + 16, kTop - 10}, Anchor::start, authors[i],
             "soft");
  double y = kTop;
  for (const OfProblem& problem : problems | std::views::take(rows)) {
    std::map<std::string, Cell> of_authors;
    for (const Attempt* attempt : problem.attempts) {
      Cell& cell = of_authors[attempt->author];
      cell.tally.add(attempt->verdict);
      cell.last = attempt;
    }
    svg.text({kLeft - 8, y + 14}, Anchor::end,
             problem.attempts.front()->workload + problem.on_target);
    for (size_t i = 0; i < authors.size(); ++i) {
      const auto found = of_authors.find(authors[i]);
      if (found == of_authors.end()) continue;
      const double x = kLeft + kCell * static_cast<double>(i);
      svg.circle({x + 6, y + 10}, 5, style_of(found->second), found->second.last->id);
      svg.text({x + 16, y + 14}, Anchor::start, words_of(found->second));
    }
    y += kRow;
  }
  draw_foot(svg, input.run, bottom + kFoot);
  return svg.finish(rows < problems.size()
                        ? fmt::format("Problems by authors, {} of {}", rows, problems.size())
                        : "Problems by authors");
}

}  // namespace

std::span<const Chart> charts() {
  static constexpr std::string_view kTimed = "`assay run --against AUTHOR` times what is accepted";
  static constexpr Chart kCharts[] = {
      {"speedups", "speed-ups with their intervals", draw_speedups, kTimed},
      {"fast_p", "shares of problems beyond a speed-up, by author", draw_fast_p, kTimed},
      {"roofline", "what is reached of what the machine can do", draw_roofline,
       "`assay doctor --calibrate`, and then `assay run` with --against or --profile"},
      {"problems", "the verdict on each problem, by author", draw_problems},
      {"matrix", "what passed, levels by targets", draw_matrix},
      {"memory", "what processes of each attempt held, over time", draw_memory,
       "`assay run --track-memory` keeps that"},
  };
  return kCharts;
}

void render_svg(const ReportInput& input, ReportSink& sink) {
  for (const Chart& chart : charts()) {
    if (input.chart && input.chart != &chart) continue;
    const std::string picture = chart.draw(input);
    if (!picture.empty()) return sink.write(picture);
  }
  // The matrix has something of each run.
  sink.fail({Code::not_found,
             fmt::format("this run has nothing for the chart '{}': {}", input.chart->name,
                         input.chart->title),
             fmt::format("{}; --chart matrix shows what passed", input.chart->needs),
             {}});
}

}  // namespace assay
