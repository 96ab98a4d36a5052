// Who runs beside whom, and what happens when memory runs short.
#include "session/admission.h"

#include "fakes/session_fixture.h"
#include "session/procedures.h"

namespace assay {
namespace {

TEST_F(SessionTest, TargetsOfOneProblemAreSplitOverIdleCores) {
  std::erase_if(request_.workloads, [](const Workload& w) { return w.name != "a"; });
  request_.jobs = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 3u) << "an export, and a compile for each core";
  EXPECT_EQ(spawner_.most_at_once, 2u);
  EXPECT_EQ(attempts_.size(), 2u);
}

// What is ended for want of memory is done again when nothing else runs; others finish meanwhile.
TEST_F(SessionTest, TheLargestIsEndedWhenMemoryRunsShortAndRunsAgainAlone) {
  request_.jobs = 3;
  bool short_once = false;
  std::vector<size_t> beside;  // how many ran when "b" was started
  export_ = [&](const Job& job) {
    if (job.body["path"] == "/suite/b.py") beside.push_back(spawner_.started.size());
    return exported(job, "mlir of " + job.body["path"].get<std::string>());
  };
  memory_.available = [&]() -> uint64_t {
    if (spawner_.started.size() < 3 || short_once) return 9'000'000'000;
    short_once = true;
    spawner_.resident = {{1, 400'000'000}, {2, 7'000'000'000}, {3, 500'000'000}};
    return 100'000'000;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.ended, std::vector<ChildId>{2});
  ASSERT_EQ(beside.size(), 2u);
  EXPECT_EQ(attempts_.size(), 6u);
  for (const auto& [id, attempt] : attempts_) EXPECT_EQ(attempt.verdict, Verdict::compiled) << id;
  EXPECT_NE(attempts_.at("suite/_/one/b").stages[0].reuse.find("again, alone"), std::string::npos);
  EXPECT_EQ(spawner_.started[beside[1] - 1].second["path"], "/suite/b.py");
  EXPECT_EQ(spawner_.started.size(), beside[1] + 2) << "after all others; its compiles follow";
}

TEST_F(SessionTest, AStageHasTheMostThatItsProcessesWereSeenToHoldTogether) {
  std::erase_if(request_.workloads, [](const Workload& w) { return w.name != "a"; });
  request_.jobs = 1;  // a child compiles for both targets
  clock_.step_ns = kLookEveryNs;
  spawner_.resident = {{1, 40'000'000}, {2, 70'000'000}};
  ASSERT_TRUE(run());
  for (const auto& [id, attempt] : attempts_) {
    EXPECT_EQ(attempt.stages[0].peak_bytes, 40'000'000u) << id;
    EXPECT_EQ(attempt.stages[1].peak_bytes, 70'000'000u) << id;
  }
}

TEST_F(SessionTest, APeakThatNobodySawIsTheOneOfWhichTheCompilerTells) {
  ASSERT_TRUE(run());
  for (const auto& [id, attempt] : attempts_) EXPECT_EQ(attempt.stages[1].peak_bytes, 2u) << id;
}

// The crash comes after an answer for another target, which may have been the one that took much.
TEST_F(SessionTest, OfACompileThatEndedAUsedWorkerIsSaidWhatWasSeenOfIt) {
  std::erase_if(request_.workloads, [](const Workload& w) { return w.name != "a"; });
  request_.jobs = 1;
  clock_.step_ns = kLookEveryNs;
  spawner_.resident = {{2, 70'000'000}};
  compile_ = [&](const Job& job) {
    FakeSpawner::Deed deed{.messages = {compiled(job, 0)}};
    if (job.body["targets"].size() == 1) return deed;
    deed.end = EndKind::timed_out;
    return deed;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/two/a").stages[1].failure, FailureClass::timeout);
  EXPECT_EQ(attempts_.at("suite/_/two/a").stages[1].peak_bytes, 70'000'000u);
}

TEST_F(SessionTest, WhatIsTooLargeForTheMachineAloneIsNotJudged) {
  std::erase_if(request_.workloads, [](const Workload& w) { return w.name != "b"; });
  memory_.available = [&]() -> uint64_t {
    for (ChildId child = 1; child < 9; ++child) spawner_.resident[child] = 9'500'000'000;
    return spawner_.started.empty() ? 9'000'000'000 : 100'000'000;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.ended.size(), 2u) << "once beside others, as far as it knew, and once alone";
  const Attempt& attempt = attempts_.at("suite/_/one/b");
  EXPECT_EQ(attempt.verdict, Verdict::not_judged);
  EXPECT_NE(attempt.stages[0].error.find("memory ran short"), std::string::npos);
}

TEST_F(SessionTest, WhatTheKernelEndedForMemoryRunsAgainAlone) {
  request_.jobs = 3;
  size_t tries = 0;
  export_ = [&](const Job& job) {
    FakeSpawner::Deed deed = exported(job, "mlir of " + job.body["path"].get<std::string>());
    if (job.body["path"] == "/suite/b.py" && ++tries == 1) {
      deed.messages.clear();
      deed.end = EndKind::lost;
      deed.machine_out_of_memory = true;
    }
    return deed;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(tries, 2u);
  EXPECT_EQ(attempts_.at("suite/_/one/b").verdict, Verdict::compiled);
}

TEST_F(SessionTest, ACompileThatWasEndedAfterItsLastAnswerIsDone) {
  compile_ = [this](const Job& job) {
    FakeSpawner::Deed deed = compile_all(job);
    deed.end = EndKind::lost;
    deed.machine_out_of_memory = true;
    return deed;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 6u) << "no compile of nothing";
  for (const auto& [id, attempt] : attempts_) EXPECT_EQ(attempt.verdict, Verdict::compiled) << id;
}

TEST_F(SessionTest, NothingIsStartedBesideOthersWithoutMemoryToSpare) {
  request_.jobs = 3;
  memory_.available = [] { return uint64_t{1'500'000'000}; };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.most_at_once, 1u);
  EXPECT_EQ(attempts_.size(), 6u);
}

TEST_F(SessionTest, MemoryThatOthersHoldIsNotBlamedOnAChild) {
  memory_.available = [] { return uint64_t{1'000'000}; };
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.ended.empty());
  EXPECT_EQ(attempts_.at("suite/_/one/b").verdict, Verdict::compiled);
}

TEST_F(SessionTest, WeightsAreDrawnOnceForAllTargets) {
  request_.settings.weights = true;
  size_t drawings = 0;
  bool fail = false;
  export_ = [&](const Job& job) -> FakeSpawner::Deed {
    if (job.body["job"] == "export") return exported(job, "mlir");
    ++drawings;
    if (fail) return {{Json{{"final", true}, {"failed", {{"class", "setup"}, {"error", "no"}}}}}};
    write_to(job.descriptors[1], "drawn");
    return {
        {Json{{"final", true}, {"ok", {{"parameters", 1}, {"bytes", 4}, {"archive_bytes", 5}}}}}};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(drawings, 3u) << "two targets share an archive";
  EXPECT_EQ(disk_.files.at(folder_ + "/run/suite/_/two/b/weights.irpa"), "drawn");
  EXPECT_EQ(attempts_.at("suite/_/one/a").stages[0].evidence["weights"]["count"], 1);
  request_.force = fail = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").verdict, Verdict::failed);
  EXPECT_EQ(attempts_.at("suite/_/one/a").stages[0].error, "drawing the weights: no");
}

TEST_F(SessionTest, WeightsThatAreLoadedAreNoMatterOfAnExport) {
  request_.settings.weights = true;
  const LoadedWeights weights{"/w", {"model.safetensors"}, "1", {"/w"}};
  for (Workload& each : request_.workloads)
    each.weights = std::make_shared<const LoadedWeights>(weights);
  export_ = [&](const Job& job) -> FakeSpawner::Deed {
    const bool is_export = job.body["job"] == "export";
    EXPECT_EQ(job.body.contains("weights"), !is_export) << job.body["job"];
    if (is_export) return exported(job, "mlir");
    write_to(job.descriptors[1], "drawn");
    return {
        {Json{{"final", true}, {"ok", {{"parameters", 1}, {"bytes", 4}, {"archive_bytes", 5}}}}}};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").verdict, Verdict::compiled);
}

}  // namespace
}  // namespace assay
