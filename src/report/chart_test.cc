#include "report/chart.h"

#include <gtest/gtest.h>

#include <set>

#include "report/example_run.h"
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

TEST(Chart, EachIsAWholePictureInWhichTextIsText) {
  ReportInput input = timed_run();
  for (const Chart& chart : charts()) {
    const std::string svg = chart.draw(input);
    EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << chart.name;
    EXPECT_TRUE(svg.ends_with("</svg>\n")) << chart.name;
    EXPECT_FALSE(svg.contains("<yours>")) << chart.name;
    EXPECT_FALSE(svg.contains('\x1b')) << chart.name;
  }
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
