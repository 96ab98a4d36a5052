#include "run/outcome.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Outcome, AnswersBecomeRecords) {
  StageRecord ok = stage_from_answer(Stage::export_, Json{{"ok", {{"a", 1}}}});
  EXPECT_EQ(ok.status, StageStatus::ok);
  EXPECT_EQ(ok.evidence["a"], 1);
  StageRecord failed = stage_from_answer(
      Stage::export_, Json{{"failed", {{"class", "load"}, {"error", "no Model\nmore"}}}});
  EXPECT_EQ(failed.failure, FailureClass::load);
  EXPECT_EQ(failed.error, "no Model");
  StageRecord declined =
      stage_from_answer(Stage::export_, Json{{"unsupported", {{"reason", "packed"}}}});
  EXPECT_EQ(declined.status, StageStatus::unsupported);
}

// What a worker says of itself is not believed where only assay can know.
TEST(Outcome, HostileAnswersAreProtocolFailures) {
  for (const char* text :
       {R"({})", R"({"ok": 1})", R"({"failed": "x"})", R"({"failed": {"class": "load"}})",
        R"({"failed": {"class": "timeout", "error": "x"}})",
        R"({"failed": {"class": "crash", "error": "x"}})",
        R"({"failed": {"class": "protocol", "error": "x"}})",
        R"({"failed": {"class": "nonsense", "error": "x"}})"}) {
    StageRecord record = stage_from_answer(Stage::export_, *parse_json(text, "it"));
    EXPECT_EQ(record.failure, FailureClass::protocol) << text;
  }
}

TEST(Outcome, EndsBecomeClasses) {
  auto record = [](EndKind kind) {
    Ending ending;
    ending.kind = kind;
    ending.message = "m";
    return stage_from_ending(Stage::compile, ending);
  };
  EXPECT_EQ(record(EndKind::exited).failure, FailureClass::crash);
  EXPECT_EQ(record(EndKind::crashed).failure, FailureClass::crash);
  EXPECT_EQ(record(EndKind::out_of_memory).failure, FailureClass::out_of_memory);
  EXPECT_EQ(record(EndKind::timed_out).failure, FailureClass::timeout);
  EXPECT_EQ(record(EndKind::output_limit).failure, FailureClass::output_limit);
  EXPECT_EQ(record(EndKind::protocol).failure, FailureClass::protocol);
  EXPECT_EQ(record(EndKind::answered).failure, FailureClass::protocol);
  EXPECT_EQ(record(EndKind::lost).status, StageStatus::not_judged);
  EXPECT_EQ(record(EndKind::stopped).status, StageStatus::not_judged);
}

TEST(Outcome, EscapesInErrorsBecomeVisible) {
  StageRecord record = stage_from_answer(
      Stage::export_,
      Json{{"failed", {{"class", "load"}, {"error", "\x1b[2J" + std::string(9999, 'x')}}}});
  EXPECT_TRUE(record.error.starts_with("\\x1b[2J"));
  EXPECT_LT(record.error.size(), 600u);
}

}  // namespace
}  // namespace assay
