#include "model/fault.h"

#include <gtest/gtest.h>

#include "model/attempt.h"

namespace assay {
namespace {

StageRecord stage(Stage stage, StageStatus status, std::optional<FailureClass> failure = {}) {
  StageRecord record;
  record.stage = stage;
  record.status = status;
  record.failure = failure;
  return record;
}

TEST(Fault, FollowsFromStageAndClass) {
  EXPECT_EQ(fault_of(stage(Stage::verify, StageStatus::ok)), std::nullopt);
  EXPECT_EQ(fault_of(stage(Stage::verify, StageStatus::rejected)), Fault::candidate);
  EXPECT_EQ(fault_of(stage(Stage::verify, StageStatus::not_judged)), Fault::machine);
  EXPECT_EQ(fault_of(stage(Stage::export_, StageStatus::unsupported)), Fault::assay);
  EXPECT_EQ(fault_of(stage(Stage::verify, StageStatus::unsupported)), Fault::problem);
  const auto failed = [](Stage where, FailureClass failure) {
    return fault_of(stage(where, StageStatus::failed, failure));
  };
  EXPECT_EQ(failed(Stage::export_, FailureClass::load), Fault::problem);
  EXPECT_EQ(failed(Stage::export_, FailureClass::export_), Fault::candidate);
  EXPECT_EQ(failed(Stage::compile, FailureClass::codegen), Fault::candidate);
  EXPECT_EQ(failed(Stage::verify, FailureClass::load), Fault::candidate);
}

TEST(Fault, EveryFailureHasOne) {
  for (const auto& where : kStageWords)
    for (const auto& status : kStageStatusWords)
      for (const auto& failure : kFailureClassWords)
        EXPECT_EQ(fault_of(stage(where.value, status.value, failure.value)).has_value(),
                  status.value != StageStatus::ok)
            << where.word << " " << status.word << " " << failure.word;
}

TEST(Fault, WhoKnowsBetterIsBelieved) {
  StageRecord record = stage(Stage::verify, StageStatus::failed, FailureClass::load);
  record.blamed = Fault::problem;
  record.error = "the problem: SyntaxError";
  EXPECT_EQ(fault_of(record), Fault::problem);
  const auto read = stage_from_json(to_json(record));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, record);
  // What the table says is not written down a second time.
  record.blamed.reset();
  EXPECT_EQ(*stage_from_json(to_json(record)), record);
}

TEST(Fault, OfAnAttemptIsThatOfTheStageThatDecided) {
  Attempt attempt;
  attempt.stages = {stage(Stage::compile, StageStatus::ok),
                    stage(Stage::verify, StageStatus::rejected)};
  EXPECT_EQ(fault_of(attempt), Fault::candidate);
  attempt.stages.back().status = StageStatus::ok;
  EXPECT_EQ(fault_of(attempt), std::nullopt);
  // That it could not be timed takes nothing away.
  attempt.stages.push_back(stage(Stage::measure, StageStatus::not_judged));
  EXPECT_EQ(fault_of(attempt), std::nullopt);
}

}  // namespace
}  // namespace assay
