// A runner that says in the control page what it likes, in a real process; and what the judge makes
// of it.
#include "run/candidate_process.h"

#include <cstring>
#include <functional>

#include "built.h"
#include "fakes/conversation.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

class CandidateProcessTest : public ConversationTest {
 protected:
  // y = 2 x + w for two rows of three; what the runner left in y.
  using Started = CandidateProcess::Started;
  using Use = std::function<void(Started&)>;

  void start(const std::string& candidate, const Use& use) {
    TensorSpec matrix{Dtype::f32, {2, 3}, {}}, row{Dtype::f32, {3}, {}};
    using Access = SharedTensors::Access;
    auto inputs = SharedTensors::create("x", {matrix}, Access::read);
    auto inout = SharedTensors::create("none", {}, Access::write);
    auto outputs = SharedTensors::create("y", {matrix}, Access::write);
    auto constants = SharedTensors::create("w", {row}, Access::read);
    auto file = sealed_memory_file("candidate", candidate);
    ASSERT_TRUE(inputs && inout && outputs && constants && file);
    auto* x = reinterpret_cast<float*>(inputs->tensor(0).data());
    for (int i = 0; i < 6; ++i) x[i] = static_cast<float>(i);
    output_ = reinterpret_cast<float*>(outputs->tensor(0).data());
    CandidateJob job;
    job.may_not_start = may_not_start_;
    job.image = {"launch", {built::kLaunch, built::kFakeRunner}, {}};
    job.limits = jailed();
    job.limits.conversation = true;
    job.sheet = {{"inputs", inputs->layout("inputs")},
                 {"outputs", outputs->layout("outputs")},
                 {"constants", constants->layout("constants")}};
    job.inputs = &*inputs;
    job.inout = &*inout;
    job.outputs = &*outputs;
    job.constants = &*constants;
    job.candidate_fd = file->get();
    converse([&](Children& children) {
      auto started = CandidateProcess::start(children, job);
      EXPECT_TRUE(started) << started.error().describe();
      if (started) use(*started);
      return true;
    });
  }

  // Its first window.
  Window window(const std::string& candidate, int64_t timeout_ns = 30 * kSecond) {
    Window first;
    start(candidate, [&](Started& started) {
      auto* runner = std::get_if<std::unique_ptr<CandidateProcess>>(&started);
      ASSERT_TRUE(runner) << std::get<StageRecord>(started).error;
      auto window = (*runner)->window(timeout_ns);
      ASSERT_TRUE(window) << window.error().describe();
      first = std::move(*window);
    });
    return first;
  }

  bool may_not_start_ = false;
  float* output_ = nullptr;  // as long as a runner is used
};

TEST_F(CandidateProcessTest, ARunnerThatCannotStartIsNotTheCandidatesFault) {
  may_not_start_ = true;
  start("is never come to", [](Started& started) {
    auto* record = std::get_if<StageRecord>(&started);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->status, StageStatus::not_judged);
    EXPECT_EQ(record->error,
              "its runner did not come to the candidate: ended by itself with status 1 "
              "before it answered");
  });
  may_not_start_ = false;  // a native runner, whose page the candidate can reach
  start("is never come to", [](Started& started) {
    auto* record = std::get_if<StageRecord>(&started);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->failure, FailureClass::crash);
  });
}

TEST_F(CandidateProcessTest, WindowsFollowEachOther) {
  start("on cpu", [&](Started& started) {
    auto& runner = std::get<std::unique_ptr<CandidateProcess>>(started);
    EXPECT_EQ(runner->facts(), (Json{{"device", to_json(Device{})}}));
    for (int i = 0; i < 3; ++i) {
      output_[5] = -1;
      auto window = runner->window(30 * kSecond);
      ASSERT_TRUE(window) << window.error().describe();
      EXPECT_EQ(window->kind, Window::Kind::finished);
      EXPECT_EQ(output_[5], 10);
      EXPECT_GT(window->wall_ns, 0);
      ASSERT_EQ(window->reported.size(), 1u);
      EXPECT_EQ(window->reported[0].rank, 2);
      EXPECT_FALSE(window->submitted);
    }
  });
}

TEST_F(CandidateProcessTest, WhatItSaysOfItsOutputsIsBounded) {
  EXPECT_EQ(window("counts too many outputs").reported.size(), ControlPage::kMaxOutputs);
  EXPECT_EQ(window("counts no outputs").reported.size(), 0u);
  EXPECT_EQ(window("has a rank of a million").reported[0].rank, 1'000'000);
}

TEST_F(CandidateProcessTest, ATextIsBoundedAndHasNothingThatATerminalObeys) {
  Window raised = window("has a text without end");
  EXPECT_EQ(raised.kind, Window::Kind::raised);
  EXPECT_EQ(raised.text, std::string(ControlPage::kMaxTextBytes, 'x'));
  raised = window("has a text that is none");
  EXPECT_EQ(raised.kind, Window::Kind::raised);
  EXPECT_EQ(raised.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(raised.text.find('\0'), std::string::npos);
  EXPECT_FALSE(window("raises in silence").text.empty());
}

TEST_F(CandidateProcessTest, AnOutcomeThatIsNoneIsNoGoodNews) {
  EXPECT_EQ(window("has an outcome that is none").kind, Window::Kind::raised);
}

TEST_F(CandidateProcessTest, ADeclinedCallHasItsStatus) {
  Window declined = window("declines");
  EXPECT_EQ(declined.kind, Window::Kind::declined);
  EXPECT_EQ(declined.status, 7);
}

TEST_F(CandidateProcessTest, AnEndInAWindowIsItsEnd) {
  Window ended = window("dies");
  EXPECT_EQ(ended.kind, Window::Kind::ended);
  EXPECT_EQ(ended.ending.kind, EndKind::exited) << ended.ending.message;
}

TEST_F(CandidateProcessTest, WhatDoesNotEndItsWindowTimesOut) {
  EXPECT_EQ(window("hangs", kSecond).kind, Window::Kind::timed_out);
  EXPECT_EQ(window("ends another window", kSecond).kind, Window::Kind::timed_out);
}

// The next window has its number all the same, and the judge's word counts.
TEST_F(CandidateProcessTest, OpeningAWindowItselfGainsNothing) {
  start("opens the next window", [&](Started& started) {
    auto& runner = std::get<std::unique_ptr<CandidateProcess>>(started);
    for (int i = 0; i < 2; ++i) {
      auto window = runner->window(2 * kSecond);
      ASSERT_TRUE(window) << window.error().describe();
      if (window->kind != Window::Kind::finished) return;
    }
  });
}

TEST_F(CandidateProcessTest, TalkingOutOfTurnEndsIt) {
  start("is ready twice", [&](Started& started) {
    auto* runner = std::get_if<std::unique_ptr<CandidateProcess>>(&started);
    if (!runner) return;  // it was ended before it was used
    Window::Kind kind = Window::Kind::finished;
    for (int i = 0; i < 200 && kind == Window::Kind::finished; ++i) {
      auto window = (*runner)->window(30 * kSecond);
      ASSERT_TRUE(window) << window.error().describe();
      kind = window->kind;
      if (kind == Window::Kind::ended) {
        EXPECT_EQ(window->ending.kind, EndKind::protocol);
      }
    }
    EXPECT_EQ(kind, Window::Kind::ended);
  });
}

TEST_F(CandidateProcessTest, WhoIsNotReadyIsAFinding) {
  const std::pair<const char*, const char*> expected[] = {
      {"is through at once", "through before the candidate was called"},
      {"is ready in words", "none of the agreed ones"},
      {"is on another device", "was asked for cpu:0"},
      {"counts its parameters", "'parameters'"},
  };
  for (const auto& expectation : expected)
    start(expectation.first, [&](Started& started) {
      auto* record = std::get_if<StageRecord>(&started);
      ASSERT_TRUE(record) << expectation.first;
      EXPECT_EQ(record->failure, FailureClass::protocol);
      EXPECT_NE(record->error.find(expectation.second), std::string::npos) << record->error;
    });
}

}  // namespace
}  // namespace assay
