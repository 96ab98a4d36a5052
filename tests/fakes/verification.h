// Whole verifications of fakes in real processes: tests/fake_oracle.cc has the problem,
// tests/fake_runner.cc the candidates.
#pragma once

#include <string>

#include "built.h"
#include "fakes/conversation.h"
#include "verify/verify.h"

namespace assay {

inline const Device kFakeDevice{"fake", 2, StreamOrder::queued, MemoryKind::device};

// Of a machine with more memory than anybody asks for.
class OpenGate final : public MemoryGate {
 public:
  Result<uint64_t> enter(uint64_t bytes) override { return bytes; }
  void leave(uint64_t) override {}
};

// That keep nothing.
class NoLibraries final : public NativeLibraries {
 public:
  std::optional<NativeBuild> find(const NativeJob&, std::string& why_not) override {
    why_not = "computed";
    return std::nullopt;
  }
  Status keep(const NativeJob&, const NativeBuild&) override { return {}; }
  FolderInUse find_header(const NativeJob&) override { return {}; }
  Result<FolderInUse> keep_header(const NativeJob&, const UniqueFd&) override {
    return FolderInUse{};
  }
};

class VerificationTest : public ConversationTest {
 protected:
  void SetUp() override {
    ConversationTest::SetUp();
    tools_.oracle = {"oracle", {built::kFakeOracle}, {}};
    tools_.runners["native"] = {"launch", {built::kLaunch, built::kFakeRunner}, {}};
    tools_.limits = jailed();
    tools_.isolation = isolation().highest;
    job_.problem_path = "/somewhere/problem.py";
    job_.form = form_of_ending(".so");
    job_.mode = "eval";
    job_.timeout_ns = 60 * kSecond;
    job_.memory_bytes = uint64_t{1} << 30;
  }

  // The record of the stage verify.
  StageRecord verified(const std::string& problem, const std::string& candidate) {
    job_.problem = problem;
    job_.candidate = candidate;
    Result<Verified> verified = converse(
        [&](Children& children) { return verify(job_, tools_, children, gate_, libraries_); });
    EXPECT_TRUE(verified) << verified.error().describe();
    if (!verified) return {};
    EXPECT_EQ(verified->stages.size(), 1u);
    EXPECT_TRUE(stage_from_json(to_json(verified->stages.back())));  // it can be stored
    return std::move(verified->stages.back());
  }
  StageRecord verified(const std::string& candidate) { return verified("is sound", candidate); }

  // What came of it, in a line.
  static std::string in_a_line(const StageRecord& record) {
    std::string line(to_word(kStageStatusWords, record.status));
    if (record.failure) line += " " + std::string(to_word(kFailureClassWords, *record.failure));
    if (!record.rule.empty()) line += " " + record.rule;
    return line + (record.error.empty() ? "" : ": " + record.error);
  }

  VerifyTools tools_;
  VerifyJob job_;
  OpenGate gate_;
  NoLibraries libraries_;
};

}  // namespace assay
