#include "session/trace.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace assay {
namespace {

StageRecord stage_at(Stage stage, int64_t began_us, int64_t wall_ns) {
  StageRecord record;
  record.stage = stage;
  record.began_us = began_us;
  record.wall_ns = wall_ns;
  return record;
}

Attempt attempt_of(std::vector<StageRecord> stages) {
  Attempt attempt;
  attempt.id = "work/_/local/twice";
  attempt.stages = std::move(stages);
  return attempt;
}

// Events of that phase, of the trace event format.
std::vector<Json> of_phase(const Json& trace, const char* phase) {
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == phase) found.push_back(event);
  return found;
}

TEST(Trace, StagesAndProcessesStandWhereTheyWere) {
  StageRecord exported = stage_at(Stage::export_, 1'000'000, 5'000'000);
  exported.reused = true;
  const Attempt attempt = attempt_of({exported, stage_at(Stage::compile, 2'000'000, 300'000'000),
                                      stage_at(Stage::verify, 2'400'000, 1'500'000)});
  Traced traced;
  traced.processes = {{"oracle", 2'400'100, 1'000'000}, {"launch", 2'400'200}};
  const Json trace = trace_of(attempt, traced);
  EXPECT_EQ(trace["otherData"]["reused"], Json{"export"});  // it ran in another attempt
  const auto events = of_phase(trace, "X");
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0]["name"], "compile");
  EXPECT_EQ(events[0]["ts"], 0);
  EXPECT_EQ(events[0]["dur"], 300'000);
  EXPECT_EQ(events[1]["name"], "verify");
  EXPECT_EQ(events[1]["ts"], 400'000);
  EXPECT_EQ(events[3]["name"], "oracle");
  EXPECT_EQ(events[3]["ts"], 400'100);
  EXPECT_EQ(events[3]["dur"], 1000);
  EXPECT_EQ(events[4]["args"]["end_seen"], false);
  // Each group of rows has a name.
  std::set<int> named, used;
  for (const Json& each : of_phase(trace, "M")) named.insert(each["pid"].get<int>());
  for (const Json& each : events) used.insert(each["pid"].get<int>());
  EXPECT_EQ(named, used);
}

TEST(Trace, ACallThatWasLookedIntoBeginsBehindTheVerdict) {
  Json counters{{"objdump", {{"instructions", 4}}},
                {"torch",
                 {{"part", "operator"},
                  {"by", "torch's profiler"},
                  {"calls", 3},
                  {"call_ns", 3000},
                  {"parts", Json::array({{{"name", "mm"},
                                          {"per_call", 2},
                                          {"median_ns", 1000},
                                          {"low_ns", 1000},
                                          {"high_ns", 1000}}})},
                  {"left_out", 0},
                  {"left_out_ns", 0},
                  {"one_call", {{"mm", 0, 1000}, {"mm", 1500, 1000}}}}}};
  Traced traced;
  traced.calls = take_calls(counters);
  EXPECT_FALSE(counters["torch"].contains("one_call"));  // the record has no part of it
  ASSERT_EQ(traced.calls.size(), 1u);
  const auto events =
      of_phase(trace_of(attempt_of({stage_at(Stage::verify, 7, 2'000'000)}), traced), "X");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[1]["name"], "call");
  EXPECT_EQ(events[1]["ts"], 2000);
  EXPECT_EQ(events[1]["dur"], 2.5);
  EXPECT_EQ(events[3]["cat"], "operator");
  EXPECT_EQ(events[3]["ts"], 2001.5);
  EXPECT_EQ(events[3]["dur"], 1);
}

TEST(Trace, ACallBeginsBehindWhatWasBuiltWhileItWasVerified) {
  Traced traced;
  traced.calls.push_back({"torch", PartKind::operator_, "torch's profiler", {{"mm", 0, 1000}}});
  const auto events = of_phase(trace_of(attempt_of({stage_at(Stage::compile, 10, 5'000'000),
                                                    stage_at(Stage::verify, 7, 2'000'000)}),
                                        traced),
                               "X");
  EXPECT_EQ(events.back()["name"], "mm");
  EXPECT_EQ(events.back()["ts"], 5003);
}

// A shared child may be looked at before the first stage of an attempt that is told of begins.
TEST(Trace, WhatWasHeldBeforeTheFirstStageStandsBeforeIt) {
  Traced traced;
  for (int64_t at_us : {1'000'000, 1'020'000, 1'500'000})
    traced.memory.push_back({at_us, Stage::export_, "export", 5000, 4000});
  const Json trace = trace_of(attempt_of({stage_at(Stage::verify, 1'400'000, 1'000'000)}), traced);
  EXPECT_EQ(trace["otherData"]["begin_us"], 1'000'000);
  const auto held = of_phase(trace, "C");
  ASSERT_EQ(held.size(), 3u);
  EXPECT_EQ(held[0]["ts"], 0);
  EXPECT_EQ(held[1]["ts"], 20'000);
  EXPECT_EQ(held[2]["ts"], 500'000);
  EXPECT_EQ(of_phase(trace, "X").front()["ts"], 400'000);
}

TEST(Trace, OfAnAttemptThatRanNothingThereIsOne) {
  EXPECT_TRUE(of_phase(trace_of(attempt_of({}), {}), "X").empty());
}

}  // namespace
}  // namespace assay
