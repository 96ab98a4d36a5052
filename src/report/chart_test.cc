#include "report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/example_run.h"
#include "report/memory_chart.h"
#include "report/memory_points.h"
#include "report/svg.h"

namespace assay {
namespace {

Attempt with_speed(const std::string& author, const std::string& problem, double ratio) {
  const Outcome outcome = ratio > 1 ? Outcome::faster : Outcome::slower;
  Attempt attempt = example_timed(example_verified(problem, "local"),
                                  {"eager", ratio, ratio * 0.9, ratio * 1.1, outcome, "", {}, {}});
  attempt.author = author;
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, true);
  return attempt;
}

ReportInput timed_run() {
  ReportInput input = example_run();
  input.attempts = {with_speed("mine", "a", 2), with_speed("mine", "b", 0.5),
                    with_speed("<yours> & \x1b", "a", 3)};
  return input;
}

size_t times_in(const std::string& text, const std::string& word) {
  size_t times = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
  return times;
}

// What two attempts held, of which one file is damaged.
struct TrackedRun final : RunReader {
  Result<std::vector<WindowRecord>> windows(const std::string&) override {
    return std::vector<WindowRecord>{};
  }
  std::optional<std::string> text(const std::string& path) override {
    if (!path.ends_with("/memory.csv")) return std::nullopt;
    return "time_ms,stage,process,pss_bytes,rss_bytes\n"
           "0.0,export,export,1000000,9000000\n"
           "20.0,compile,compile,3000000,9000000\n"
           "40.0,verify,oracle,4000000,9000000\n"
           "40.0,verify,candidate,,5000000\n"
           "nan,verify,oracle,1,2\n60.0,<b>,oracle,1,2\n80.0,verify\n";
  }
};

ReportInput tracked_run(TrackedRun& reader) {
  ReportInput input = timed_run();
  for (Attempt& attempt : input.attempts) attempt.artifacts.push_back({"memory.csv", "", 1});
  input.reader = &reader;
  return input;
}

TEST(Chart, EachIsAWholePictureInWhichTextIsText) {
  TrackedRun reader;
  const ReportInput input = tracked_run(reader);
  for (const Chart& chart : charts()) {
    const std::string svg = chart.draw(input);
    EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << chart.name;
    EXPECT_TRUE(svg.ends_with("</svg>\n")) << chart.name;
    EXPECT_FALSE(svg.contains("<yours>")) << chart.name;
    EXPECT_FALSE(svg.contains('\x1b')) << chart.name;
  }
}

TEST(Chart, MemoryIsACurveOfEachStage) {
  TrackedRun reader;
  const ReportInput input = tracked_run(reader);
  const auto points = memory_points(*reader.text("a/memory.csv"));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2].stage, Stage::verify);
  EXPECT_EQ(points[2].bytes, 9'000'000) << "of both processes, in full where that is all there is";
  const std::string svg = draw_memory(input);
  EXPECT_EQ(times_in(svg, "<path"), 9u);
  EXPECT_TRUE(svg.contains("8.6 MiB"));
  EXPECT_EQ(draw_memory(timed_run()), "");
  EXPECT_EQ(thinned(std::vector<MemoryPoint>(1000, {1, Stage::verify, 2}), 100).size(), 100u);
}

TEST(Chart, OfMemoryNoMoreIsBelievedThanAMachineMayHave) {
  struct HugeRun final : RunReader {
    Result<std::vector<WindowRecord>> windows(const std::string&) override {
      return std::vector<WindowRecord>{};
    }
    std::optional<std::string> text(const std::string&) override {
      return "1e300,verify,oracle,1,1\n1,verify,oracle,1e300,1\n2,verify,oracle,1,1e19\n"
             "3,verify,oracle,1e18,1\n3,verify,candidate,1e18,1\n1e12,verify,oracle,1,1\n";
    }
  } reader;
  const auto points = memory_points(*reader.text(""));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].bytes, 1) << "what it holds in full: the other is no number of bytes";
  EXPECT_EQ(points[1].bytes, 1e18);
  EXPECT_EQ(points[2].ms, 1e12);
  ReportInput input = timed_run();
  for (Attempt& attempt : input.attempts) attempt.artifacts.push_back({"memory.csv", "", 1});
  input.reader = &reader;
  EXPECT_TRUE(draw_memory(input).contains("888.2 PiB"));
}

// As in a lane with several targets: one is compiled while another is verified.
TEST(Chart, OfStagesThatAlternateThereAreNoMorePointsThanOfOne) {
  std::vector<MemoryPoint> points;
  for (int i = 0; i < 1000; ++i) {
    const double bytes = i == 501 ? 7e9 : i == 600 ? 5e9 : 1e9;
    points.push_back({i * 1.0, i % 2 == 0 ? Stage::compile : Stage::verify, bytes});
  }
  for (size_t most : {10, 99, 100, 999}) {
    const std::vector<MemoryPoint> few = thinned(points, most);
    EXPECT_LE(few.size(), most);
    EXPECT_GE(few.size(), most / 2);
    std::map<Stage, double> largest, last_ms;
    for (const MemoryPoint& each : few) {
      largest[each.stage] = std::max(largest[each.stage], each.bytes);
      EXPECT_GE(each.ms, last_ms[each.stage]);
      last_ms[each.stage] = each.ms;
    }
    EXPECT_EQ(largest[Stage::verify], 7e9);
    EXPECT_EQ(largest[Stage::compile], 5e9);
  }
  EXPECT_EQ(thinned(points, 1).size(), 2u) << "one of each stage";
}

TEST(Chart, SpeedupsHaveAPointAndAnIntervalEach) {
  const std::string svg = charts().front().draw(timed_run());
  EXPECT_EQ(times_in(svg, "<circle"), 3u + 2u) << "and one for each outcome in the legend";
  EXPECT_EQ(
      times_in(svg, "<line x1") - times_in(svg, "class=\"grid\"") - times_in(svg, "class=\"one\""),
      3u);
  EXPECT_LT(svg.find("a/mine"), svg.size());
  EXPECT_TRUE(svg.contains("2 faster"));
}

// The points of the first path of that style.
std::string path_of(const std::string& svg, const std::string& style) {
  const size_t end = svg.find("class=\"" + style + "\"/>");
  const size_t begin = svg.rfind("<path d=\"", end);
  return end == std::string::npos ? ""
                                  : svg.substr(begin + 9, svg.find('"', begin + 9) - begin - 9);
}

TEST(Chart, SharesFallWhereASpeedUpIs) {
  ReportInput input = example_run();
  input.attempts = {with_speed("mine", "a", 2), with_speed("mine", "b", 0.5)};
  const std::string svg = find_row(charts(), "fast_p")->draw(input);
  // Both are right, one is faster than 1x, none than 2x: 100 %, 50 %, 0 %, and straight down each
  // time.
  const std::string path = path_of(svg, "series0");
  std::set<std::string> heights;
  for (size_t at = path.find_first_of("ML"); at != std::string::npos;) {
    const size_t next = path.find_first_of("ML", at + 1);
    const std::string point = path.substr(at, next - at);
    heights.insert(point.substr(point.find(' ') + 1));
    at = next;
  }
  EXPECT_EQ(heights, (std::set<std::string>{"40.0", "170.0", "300.0"})) << path;
  EXPECT_TRUE(svg.contains("mine: 100 % right, 50 % faster than eager"));
}

TEST(Chart, ProblemsHaveAWordForEachAuthor) {
  const std::string svg = find_row(charts(), "problems")->draw(timed_run());
  EXPECT_EQ(times_in(svg, "<circle"), 3u) << "one problem has nothing of one author";
  EXPECT_TRUE(svg.contains("faster 2.00x")) << svg;
  EXPECT_TRUE(svg.contains("slower 0.500x")) << svg;
}

TEST(Chart, WhatWasProfiledLiesBelowTheRoofToo) {
  ReportInput input = example_run();
  input.attempts = {example_profiled(example_verified("a", "local"))};
  const std::string svg = find_row(charts(), "roofline")->draw(input);
  EXPECT_TRUE(svg.contains(": 50 % of the roof")) << svg;
}

TEST(Chart, WhereNothingWasTimedOneSaysWhatToDo) {
  ReportInput input = example_run();
  input.chart = find_row(charts(), "roofline");
  std::erase_if(input.attempts, [](const Attempt& each) { return each.timing.has_value(); });
  MemorySink sink;
  render_report(format_named("svg"), input, sink);
  const Status status = sink.finish();
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().message.contains("nothing for the chart 'roofline'"));
  EXPECT_TRUE(status.error().next.contains("assay doctor --calibrate"));
  input.chart = nullptr;
  EXPECT_TRUE(rendered(format_named("svg"), input).front().text.contains("level1"));
}

TEST(LogAxis, HasItsEndsWhereTheyBelongAndFewTicks) {
  const LogAxis axis(0.5, 8, 100, 500);
  EXPECT_DOUBLE_EQ(axis.place(0.5), 100);
  EXPECT_DOUBLE_EQ(axis.place(8), 500);
  EXPECT_DOUBLE_EQ(axis.place(2), 300);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0.5, 1, 2, 4, 8}));
  const std::vector<double> wide = LogAxis(1e-6, 1e6, 0, 1).ticks();
  EXPECT_EQ(wide.size(), 13u);
  EXPECT_NEAR(wide.front(), 1e-6, 1e-12);
}

}  // namespace
}  // namespace assay
