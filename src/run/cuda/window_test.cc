// Windows of candidates on a card: real processes in real jails, of the judge's code all, and a
// card that is simulated (tests/simulated_cuda/). Candidates are those of
// tests/fake_card_runner.cc.
//
// Each attack has its control: a judge that takes the time until `done`, and verifies what is there
// when everything has ended, would find it right, and fast.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/clock.h"
#include "fakes/conversation.h"
#include "fakes/simulated_card.h"
#include "run/candidate_process.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr int64_t kCount = 64;
constexpr size_t kSlots = 2;
constexpr std::byte kUnwritten{0xab};
const Device kCard{std::string(kCudaDevice), 0, StreamOrder::queued, MemoryKind::device};

class CardWindow : public ConversationTest {
 protected:
  using Runner = CandidateProcess;
  using Started = CandidateProcess::Started;

  void SetUp() override {
    ConversationTest::SetUp();
    const TensorSpec tensor{Dtype::f32, {kCount}, {}};
    using Access = SharedTensors::Access;
    inputs_.emplace(*SharedTensors::create("x", {tensor}, Access::read, 0, kSlots));
    inout_.emplace(*SharedTensors::create("none", {}, Access::write, 0, kSlots));
    outputs_.emplace(*SharedTensors::create("y", {tensor}, Access::write, 0, kSlots));
    constants_.emplace(*SharedTensors::create("w", {}, Access::read));
  }

  void start(const std::string& candidate, const std::function<void(Started&)>& use) {
    auto file = sealed_memory_file("candidate", candidate);
    ASSERT_TRUE(file);
    start(built::kFakeCardRunner, file->get(), use);
  }
  void start(const char* runner, int candidate, const std::function<void(Started&)>& use) {
    const std::string driver = std::string("ASSAY_CUDA_DRIVER=") + built::kSimulatedCuda;
    CandidateJob job;
    job.image = {"launch", {built::kLaunch, runner}, {driver}};
    job.limits = jailed();
    job.limits.conversation = true;
    if (job.limits.jail) {
      for (const char* shown : {runner, built::kSimulatedCuda})
        job.limits.jail->read_only.emplace_back(shown);
      job.limits.jail->environment.push_back(driver);
    }
    job.device = kCard;
    job.sheet = {{"inputs", inputs_->layout("inputs")},
                 {"outputs", outputs_->layout("outputs")},
                 {"constants", Json::array()},
                 {"scalars", Json::array()},
                 {"threads", 1}};
    job.inputs = &*inputs_;
    job.inout = &*inout_;
    job.outputs = &*outputs_;
    job.constants = &*constants_;
    job.candidate_fd = candidate;
    job.is_timed = is_timed_;
    const auto use_it = [&](Children& children) {
      children_ = &children;
      auto started = CandidateProcess::start(children, job);
      EXPECT_TRUE(started) << started.error().describe();
      if (started) use(*started);
      return true;
    };
    if (children_ != nullptr) {  // beside another one
      use_it(*children_);
    } else {
      converse(use_it);
      children_ = nullptr;
    }
  }
  // With one that has started.
  void with(const std::string& candidate, bool is_gated, const std::function<void(Runner&)>& use) {
    start(candidate, [&](Started& started) {
      auto* runner = std::get_if<std::unique_ptr<Runner>>(&started);
      ASSERT_TRUE(runner) << std::get<StageRecord>(started).error;
      const Json layout = layout_of_card();
      y_on_card_ = card_.memory() + layout["outputs"].get<uint64_t>();
      words_ = card_.memory() + layout["words"].get<uint64_t>();
      (*runner)->set_gated(is_gated);
      use(**runner);
    });
  }

  // That no window had before.
  void write_inputs(float first) {
    first_ = first;
    for (size_t slot = 0; slot < kSlots; ++slot) {
      auto* x = reinterpret_cast<float*>(inputs_->tensor(0, slot).data());
      for (int64_t i = 0; i < kCount; ++i) x[i] = input(slot, i);
    }
  }
  Window window(Runner& runner, int64_t timeout_ns = 60 * kSecond, uint32_t calls = 1) {
    write_inputs(first_ + 1000);
    return window_of_same(runner, timeout_ns, calls);
  }
  Window window_of_same(Runner& runner, int64_t timeout_ns = 60 * kSecond, uint32_t calls = 1) {
    for (size_t slot = 0; slot < kSlots; ++slot) std::ranges::fill(outputs_->all(slot), kUnwritten);
    auto window = runner.window(timeout_ns, WindowKind::call, calls);
    EXPECT_TRUE(window) << window.error().describe();
    return window ? std::move(*window) : Window{};
  }

  // What the judge has read.
  bool is_right(size_t slot = 0) const { return is_right(outputs_->tensor(0, slot).data(), slot); }
  bool is_unwritten(size_t slot = 0) const {
    return std::ranges::all_of(outputs_->tensor(0, slot),
                               [](std::byte each) { return each == kUnwritten; });
  }
  // What somebody finds who reads the card now.
  bool is_right_on_card() const { return is_right(y_on_card_ + offset(), 0); }

  // An attack that says done with its work undone: what the judge reads has not been written. Then
  // it may go on, and what is there in the end is right.
  void expect_too_late(const std::string& candidate, bool is_gated) {
    with(candidate, is_gated, [&](Runner& runner) {
      const Window attack = window(runner);
      EXPECT_EQ(attack.kind, Window::Kind::finished);
      EXPECT_FALSE(attack.waits);
      EXPECT_TRUE(is_unwritten());
      EXPECT_FALSE(is_right_on_card());
      // The control. That window was finished, and its work not begun: a clock that believes `done`
      // has measured none of it.
      EXPECT_GT(attack.wall_ns, 0);
      reinterpret_cast<std::atomic<uint32_t>*>(words_)[simulated::kAllowed] = 1;
      const int64_t end_ns = now_ns() + 60 * kSecond;
      while (!is_right_on_card() && now_ns() < end_ns) {
        auto nothing = runner.window(60 * kSecond, WindowKind::null);  // its threads run
        ASSERT_TRUE(nothing) << nothing.error().describe();
        ASSERT_EQ(nothing->kind, Window::Kind::finished);
      }
      EXPECT_TRUE(is_right_on_card());
    });
  }

  SimulatedCard card_;
  std::optional<SharedTensors> inputs_, inout_, outputs_, constants_;
  bool is_timed_ = false;

 private:
  float input(size_t slot, int64_t i) const {
    return first_ + static_cast<float>(slot) * 100 + static_cast<float>(i);
  }
  bool is_right(const std::byte* data, size_t slot) const {
    const auto* y = reinterpret_cast<const float*>(data);
    for (int64_t i = 0; i < kCount; ++i)
      if (y[i] != 2 * input(slot, i) + 1) return false;
    return true;
  }
  uint64_t offset() const {
    return static_cast<uint64_t>(outputs_->tensor(0).data() - outputs_->all().data());
  }
  // As the judge's mirror lays it out (mirror_test.cc).
  Json layout_of_card() const {
    const uint64_t outputs = kSlots * (inputs_->slot_bytes() + inout_->slot_bytes());
    return {{"outputs", outputs}, {"words", outputs + kSlots * outputs_->slot_bytes()}};
  }

  Children* children_ = nullptr;  // of whoever has started
  float first_ = 0;
  std::byte *y_on_card_ = nullptr, *words_ = nullptr;
};

TEST_F(CardWindow, AnHonestCandidateIsRightWithAGateAndWithout) {
  for (bool is_gated : {false, true})
    with("is honest", is_gated, [&](Runner& runner) {
      for (int n = 0; n < 3; ++n) {
        const Window honest = window(runner);
        EXPECT_EQ(honest.kind, Window::Kind::finished) << honest.text;
        EXPECT_TRUE(is_right());
        EXPECT_TRUE(is_unwritten(1));  // one call has one slot
        EXPECT_FALSE(honest.waits);
        EXPECT_FALSE(honest.wrote_inputs);
        EXPECT_GT(honest.wall_ns, 0);
      }
      EXPECT_EQ(window(runner, 60 * kSecond, 2).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right(0));
      EXPECT_TRUE(is_right(1));
    });
}

TEST_F(CardWindow, TheNativeRunnerQueuesCallsOfAKernel) {
  std::ifstream file(built::kFakeCardKernel, std::ios::binary);
  const std::string library(std::istreambuf_iterator<char>(file), {});
  auto kernel = sealed_memory_file("kernel", library);
  ASSERT_TRUE(kernel);
  start(built::kNativeRunner, kernel->get(), [&](Started& started) {
    auto* runner = std::get_if<std::unique_ptr<Runner>>(&started);
    ASSERT_TRUE(runner) << std::get<StageRecord>(started).error;
    for (bool is_gated : {false, true, true}) {
      (*runner)->set_gated(is_gated);
      const Window one = window(**runner, 60 * kSecond, 2);
      EXPECT_EQ(one.kind, Window::Kind::finished) << one.text << one.status;
      EXPECT_FALSE(one.waits);
      EXPECT_TRUE(is_right(0));
      EXPECT_TRUE(is_right(1));
    }
  });
}

TEST_F(CardWindow, MayHaveAGateAndThenNone) {
  with("is honest", true, [&](Runner& runner) {
    for (bool is_gated : {true, false, true}) {
      runner.set_gated(is_gated);
      EXPECT_EQ(window(runner).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right());
    }
  });
}

TEST_F(CardWindow, TakesAsLongAsTheCardDoes) {
  for (bool is_gated : {false, true})
    for (bool is_timed : {false, true}) {
      is_timed_ = is_timed;
      // Less what the judge's own part was seen to take, which may be long on a busy machine.
      const bool is_less = is_gated && is_timed;
      with("takes 20 ms", is_gated, [&](Runner& runner) {
        EXPECT_GE(window(runner).wall_ns, is_less ? 1 : 19'900'000);
        EXPECT_TRUE(is_right());
        EXPECT_GE(window(runner, 60 * kSecond, 2).wall_ns, is_less ? 1 : 39'900'000);
      });
    }
}

TEST_F(CardWindow, WorkOnAnotherStreamIsTooLate) {
  expect_too_late("works on in another stream", false);
  expect_too_late("works on in another stream", true);
}

TEST_F(CardWindow, WorkOfAThreadIsTooLate) {
  expect_too_late("works on in a thread", false);
  expect_too_late("works on in a thread", true);
}

TEST_F(CardWindow, WhoWritesTheSecondWordIsMeasuredThere) {
  expect_too_late("writes the second word itself", true);
}

TEST_F(CardWindow, ReplayedResultsAreThoseOfOtherInputs) {
  for (bool is_gated : {false, true})
    with("replays old results", is_gated, [&](Runner& runner) {
      EXPECT_EQ(window(runner).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right());
      // The control: the same inputs once more.
      EXPECT_EQ(window_of_same(runner).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right());
      EXPECT_EQ(window(runner).kind, Window::Kind::finished);
      EXPECT_FALSE(is_right());
    });
}

TEST_F(CardWindow, WhatDoesNotWaitForTheGateHasOldInputs) {
  for (const char* candidate : {"computes before the gate", "opens the gate itself"})
    with(candidate, true, [&](Runner& runner) {
      const Window attack = window(runner);
      EXPECT_EQ(attack.kind, Window::Kind::finished) << candidate;
      EXPECT_FALSE(attack.waits) << candidate;
      EXPECT_FALSE(is_right()) << candidate;
      EXPECT_FALSE(is_unwritten()) << candidate;
      // The control: the same inputs once more.
      EXPECT_EQ(window_of_same(runner).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right()) << candidate;
    });
}

TEST_F(CardWindow, WhoWritesItsInputsIsTold) {
  for (bool is_gated : {false, true})
    with("writes its inputs", is_gated, [&](Runner& runner) {
      const Window attack = window(runner);
      EXPECT_EQ(attack.kind, Window::Kind::finished);
      EXPECT_TRUE(attack.wrote_inputs);
      EXPECT_TRUE(is_right());  // which is all that a judge sees who looks at results alone
    });
}

TEST_F(CardWindow, WhoWaitsForTheCardIsToldAndIsRight) {
  for (const char* candidate : {"waits for the card", "waits and goes on", "queues too much"})
    with(candidate, true, [&](Runner& runner) {
      for (int n = 0; n < 2; ++n) {
        const Window waiting = window(runner);
        EXPECT_EQ(waiting.kind, Window::Kind::finished) << candidate;
        EXPECT_TRUE(waiting.waits);
        EXPECT_TRUE(is_right());
      }
      runner.set_gated(false);
      const Window other = window(runner);
      EXPECT_FALSE(other.waits);
      EXPECT_TRUE(is_right());
    });
}

TEST_F(CardWindow, WhatHangsOnTheCardTimesOutAndCostsNobodyElse) {
  for (bool is_gated : {false, true}) {
    with("hangs on the card", is_gated, [&](Runner& runner) {
      const Window hanging = window(runner, kSecond / 2);
      EXPECT_EQ(hanging.kind, Window::Kind::timed_out);
      EXPECT_EQ(hanging.submitted, is_gated);  // its call had returned
    });
    with("is honest", is_gated, [&](Runner& runner) {
      EXPECT_EQ(window(runner).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right());
    });
  }
}

TEST_F(CardWindow, AFaultOnTheCardIsTheCandidatesAlone) {
  with("breaks the card", false, [&](Runner& runner) {
    for (int n = 0; n < 2; ++n) {  // it stays
      const Window broken = window(runner);
      EXPECT_EQ(broken.kind, Window::Kind::raised);
      EXPECT_TRUE(broken.text.ends_with("CUDA_ERROR_ILLEGAL_ADDRESS")) << broken.text;
    }
    with("is honest", false, [&](Runner& other) {
      EXPECT_EQ(window(other).kind, Window::Kind::finished);
      EXPECT_TRUE(is_right());
    });
  });
  with("breaks the card", true, [&](Runner& runner) {
    EXPECT_EQ(window(runner, kSecond / 2).kind, Window::Kind::timed_out);
    EXPECT_TRUE(is_unwritten());
  });
}

TEST_F(CardWindow, WhatRaisesInACallIsToldAndItsGateOpened) {
  for (bool is_gated : {false, true})
    with("takes all memory", is_gated, [&](Runner& runner) {
      for (int n = 0; n < 2; ++n) {
        const Window raised = window(runner);
        EXPECT_EQ(raised.kind, Window::Kind::raised);
        EXPECT_EQ(raised.text, "CUDA_ERROR_OUT_OF_MEMORY");
        EXPECT_FALSE(raised.waits);
      }
    });
}

TEST_F(CardWindow, AnEndInACallIsOne) {
  for (bool is_gated : {false, true}) {
    with("dies", is_gated, [&](Runner& runner) {
      const Window ended = window(runner);
      EXPECT_EQ(ended.kind, Window::Kind::ended);
      EXPECT_EQ(ended.ending.kind, EndKind::exited) << ended.ending.message;
    });
    with("does not return", is_gated, [&](Runner& runner) {
      const Window standing = window(runner, kSecond / 2);
      EXPECT_EQ(standing.kind, Window::Kind::timed_out);
      EXPECT_EQ(standing.waits, is_gated);
      EXPECT_FALSE(standing.submitted);
    });
  }
}

TEST_F(CardWindow, WithoutACardNothingIsJudged) {
  card_.set("memory_bytes", 1 << 20);
  start("is honest", [](Started& started) {
    auto* record = std::get_if<StageRecord>(&started);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->status, StageStatus::not_judged);
    EXPECT_EQ(record->error, "the GPU: cannot make memory for tensors: CUDA_ERROR_OUT_OF_MEMORY");
  });
}

TEST_F(CardWindow, ACardThatIsLostIsNoFindingAboutTheCandidate) {
  with("is honest", true, [&](Runner& runner) {
    EXPECT_EQ(window(runner).kind, Window::Kind::finished);
    card_.set("lost", 1);
    auto lost = runner.window(60 * kSecond);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().message,
              "the GPU: cannot enter the context: CUDA_ERROR_DEVICE_UNAVAILABLE");
    card_.set("lost", 0);
  });
}

}  // namespace
}  // namespace assay
