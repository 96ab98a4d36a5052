// What is started, and what is recorded of it.
#include "session/session.h"

#include <filesystem>

#include "fakes/fake_artifact.h"
#include "fakes/session_fixture.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

TEST_F(SessionTest, EveryCellIsTakenThroughTheStages) {
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.size(), 6u);
  EXPECT_EQ(spawner_.started.size(), 6u) << "one export and one compile per problem";
  const Attempt& attempt = attempts_.at("suite/_/two/b");
  EXPECT_EQ(attempt.verdict, Verdict::compiled);
  ASSERT_EQ(attempt.stages.size(), 2u);
  EXPECT_EQ(attempt.stages[0].cpu_ns, 4'000'000);
  EXPECT_GT(*attempt.stages[1].wall_ns, 0);
  EXPECT_EQ(attempt.stages[1].reuse, "computed: never made before on this machine");
  ASSERT_EQ(attempt.artifacts.size(), 2u);
  EXPECT_EQ(disk_.files.at(folder_ + "/run/suite/_/two/b/kernel.mlir"), "mlir of /suite/b.py");
  EXPECT_TRUE(disk_.files.contains(folder_ + "/run/suite/_/two/b/artifact.vmfb"));
  EXPECT_EQ(events_.finished_ids.size(), 6u);
}

TEST_F(SessionTest, WhatIsAtWorkIsToldWheneverItChanges) {
  ASSERT_TRUE(run());
  ASSERT_FALSE(events_.at_work.empty());
  ASSERT_EQ(events_.at_work.front().size(), 1u);
  EXPECT_EQ(events_.at_work.front()[0].what, "/suite/a.py");
  EXPECT_EQ(events_.at_work.front()[0].stage, Stage::export_);
  const bool compiles = std::ranges::any_of(events_.at_work, [](const auto& all) {
    return !all.empty() && all[0].stage == Stage::compile;
  });
  EXPECT_TRUE(compiles);
}

TEST_F(SessionTest, NoMoreChildrenAtOnceThanAsked) {
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.most_at_once, 1u);
  request_.force = true;
  request_.jobs = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.most_at_once, 2u);
}

TEST_F(SessionTest, ACompileHasThreadsOnlyWhereCoresWouldIdle) {
  std::map<std::string, bool> threads;
  compile_ = [&](const Job& job) {
    threads[program_of(job)] = job.body["threads"];
    return compile_all(job);
  };
  request_.jobs = 1;
  request_.cores = 1;
  ASSERT_TRUE(run());
  std::map<std::string, bool> expected{{"mlir of /suite/a.py", false},
                                       {"mlir of /suite/b.py", false},
                                       {"mlir of /suite/c.py", true}};
  EXPECT_EQ(threads, expected) << "nothing else is left beside the last";
}

TEST_F(SessionTest, ACompileHasThreadsWithFewerJobsThanCores) {
  compile_ = [&](const Job& job) {
    EXPECT_TRUE(job.body["threads"]);
    return compile_all(job);
  };
  request_.jobs = 1;
  request_.cores = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 6u);
}

TEST_F(SessionTest, AFailedExportDecidesForAllTargets) {
  export_ = [](const Job&) {
    return FakeSpawner::Deed{
        {Json{{"final", true}, {"failed", {{"class", "load"}, {"error", "no Model"}}}}}};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 3u);
  for (const auto& [id, attempt] : attempts_) {
    EXPECT_EQ(attempt.verdict, Verdict::failed);
    EXPECT_EQ(attempt.stages.size(), 1u);
    EXPECT_EQ(attempt.stages[0].failure, FailureClass::load);
    EXPECT_TRUE(attempt.artifacts.empty());
  }
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.started.empty()) << "a verdict stands";
}

// A worker that answers well and then crashes has not answered well.
TEST_F(SessionTest, AnExportIsBelievedOnlyWhenItsWorkerEndedWell) {
  auto good = export_;
  export_ = [good](const Job& job) {
    FakeSpawner::Deed deed = good(job);
    deed.end = EndKind::protocol;
    deed.end_message = "answered again after its final answer";
    return deed;
  };
  ASSERT_TRUE(run());
  for (const auto& [id, attempt] : attempts_)
    EXPECT_EQ(attempt.stages[0].failure, FailureClass::protocol);
}

// The problem's code runs in the worker: it may answer for it.
TEST_F(SessionTest, AnAnswerThatDoesNotFitTheProgramIsNotBelieved) {
  for (const char* forged :
       {R"({"final": true, "ok": {}})",
        R"({"final": true, "ok": {"inputs": [], "outputs": [], "mlir_bytes": 0}})",
        R"({"final": true, "ok": {"inputs": [], "outputs": [], "mlir_bytes": 9}})"}) {
    export_ = [forged](const Job&) { return FakeSpawner::Deed{{*parse_json(forged, "it")}}; };
    request_.force = true;
    ASSERT_TRUE(run());
    EXPECT_EQ(attempts_.at("suite/_/one/a").stages.at(0).failure, FailureClass::protocol);
  }
}

TEST_F(SessionTest, AnotherSuiteOfTheSameNameIsRefused) {
  ASSERT_TRUE(run());
  for (Workload& workload : request_.workloads) workload.path = "/elsewhere" + workload.path;
  for (const char* name : {"a", "b", "c"})
    disk_.files[std::string("/elsewhere/suite/") + name + ".py"] = "x";
  Status refused = run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  request_.force = true;
  EXPECT_TRUE(run());
}

TEST_F(SessionTest, ACrashOnOneTargetLeavesTheOthersAlone) {
  compile_ = [](const Job& job) {
    FakeSpawner::Deed deed;
    for (size_t i = 0; i < job.body["targets"].size(); ++i) {
      if (job.body["targets"][i]["flags"].back() == "--one") {
        deed.end = EndKind::crashed;
        deed.end_message = "crashed with SIGSEGV";
        return deed;
      }
      deed.messages.push_back(compiled(job, i));
    }
    return deed;
  };
  ASSERT_TRUE(run());
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(attempts_.at(std::string("suite/_/one/") + name).stages[1].failure,
              FailureClass::crash);
    EXPECT_EQ(attempts_.at(std::string("suite/_/two/") + name).verdict, Verdict::compiled);
  }
}

TEST_F(SessionTest, WhatEndsAUsedCompilerIsConfirmedByAFreshOne) {
  bool in_the_fresh_one_too = true;
  compile_ = [&](const Job& job) {
    FakeSpawner::Deed deed;
    for (size_t i = 0; i < job.body["targets"].size(); ++i) {
      bool two = job.body["targets"][i]["flags"].back() == "--two";
      if (two && i > 0 && program_of(job) == "mlir of /suite/b.py") {
        deed.messages.push_back(Json{{"index", i},
                                     {"final", true},
                                     {"failed", {{"class", "out_of_memory"}, {"error", "limit"}}}});
        return deed;
      }
      if (two && (i > 0 || in_the_fresh_one_too)) {
        deed.end = EndKind::crashed;
        return deed;
      }
      deed.messages.push_back(compiled(job, i));
    }
    return deed;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 9u);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(attempts_.at(std::string("suite/_/two/") + name).stages[1].failure,
              FailureClass::crash);
    EXPECT_EQ(attempts_.at(std::string("suite/_/one/") + name).verdict, Verdict::compiled);
  }
  in_the_fresh_one_too = false;
  request_.force = true;
  ASSERT_TRUE(run());
  for (const auto& [id, attempt] : attempts_) EXPECT_EQ(attempt.verdict, Verdict::compiled) << id;
}

// It must end, whatever a compiler that answers nothing does.
TEST_F(SessionTest, ACompilerWithoutAnswersFailsEachTargetOnce) {
  compile_ = [](const Job&) { return FakeSpawner::Deed{}; };
  ASSERT_TRUE(run());
  for (const auto& [id, attempt] : attempts_)
    EXPECT_EQ(attempt.stages[1].failure, FailureClass::protocol);
}

TEST_F(SessionTest, OutOfMemoryOnOneTargetLeavesTheNextItsTurn) {
  compile_ = [this](const Job& job) {
    if (job.body["targets"][0]["flags"].back() != "--one") return compile_all(job);
    return FakeSpawner::Deed{{Json{{"index", 0},
                                   {"final", true},
                                   {"failed", {{"class", "out_of_memory"}, {"error", "limit"}}}}}};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").stages[1].failure, FailureClass::out_of_memory);
  EXPECT_EQ(attempts_.at("suite/_/two/a").verdict, Verdict::compiled);
}

TEST_F(SessionTest, PhasesAreKeptAndComeFromTheCache) {
  request_.settings.phases = true;
  compile_ = [](const Job& job) {
    FakeSpawner::Deed deed;
    for (size_t i = 0; i < job.body["targets"].size(); ++i) {
      Json message = compiled(job, i);
      Json& files = message["ok"]["files"];
      EXPECT_EQ(pwrite(job.descriptors[i + 1], "mlir", 4, files[0]["bytes"].get<off_t>()), 4);
      files.push_back({{"name", "module.1.input.mlir"}, {"bytes", 4}});
      deed.messages.push_back(std::move(message));
    }
    return deed;
  };
  ASSERT_TRUE(run());
  std::string phase = "/suite/_/one/a/compilation_phases/module.1.input.mlir";
  EXPECT_EQ(disk_.files.at(folder_ + "/run" + phase), "mlir");
  request_.folder = folder_ + "/other";
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.started.empty()) << "all of it was made before";
  EXPECT_EQ(disk_.files.at(folder_ + "/other" + phase), "mlir");
}

// Of what a compiler says about its time no more is believed than there was.
TEST_F(SessionTest, WhatItSaysOfCountingIsNoLongerThanTheStage) {
  for (const int64_t counting_ns : {int64_t{1'000'000'000'000'000'000}, int64_t{-5'000'000'000}}) {
    compile_ = [counting_ns](const Job& job) {
      FakeSpawner::Deed deed;
      for (size_t i = 0; i < job.body["targets"].size(); ++i) {
        deed.messages.push_back(compiled(job, i));
        deed.messages.back()["counting_ns"] = counting_ns;
      }
      return deed;
    };
    request_.force = true;
    const int64_t before_us = utc_now_us();
    ASSERT_TRUE(run());
    EXPECT_EQ(attempts_.size(), 6u);
    for (const auto& [id, attempt] : attempts_) {
      ASSERT_EQ(attempt.stages.size(), 2u) << id;
      const StageRecord& stage = attempt.stages[1];
      if (counting_ns > 0)
        EXPECT_EQ(stage.wall_ns, 0) << id;
      else
        EXPECT_GT(*stage.wall_ns, 0) << id;
      EXPECT_LT(*stage.wall_ns, 1'000'000'000) << id;
      EXPECT_GT(*stage.began_us, before_us - 1'000'000) << id;
      EXPECT_LE(*stage.began_us, utc_now_us()) << id;
    }
  }
}

TEST_F(SessionTest, MoreTargetsThanOneJobHolds) {
  request_.targets.clear();
  for (int i = 0; i < 20; ++i) {
    Target target;
    target.name = "t" + std::to_string(i);
    target.flags = {"--" + target.name};
    request_.targets.push_back(target);
  }
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.size(), 60u);
  for (const auto& [id, attempt] : attempts_) EXPECT_EQ(attempt.verdict, Verdict::compiled) << id;
}

TEST_F(SessionTest, ATargetThatIsUnavailableLeavesTheOthers) {
  request_.targets[0].unavailable = "a cross compiler is missing: apt-get install it";
  ASSERT_TRUE(run());
  const Attempt& attempt = attempts_.at("suite/_/one/a");
  EXPECT_EQ(attempt.verdict, Verdict::not_judged);
  EXPECT_EQ(attempt.stages.at(1).error, request_.targets[0].unavailable);
  EXPECT_EQ(attempts_.at("suite/_/two/a").verdict, Verdict::compiled);
  request_.targets[0].unavailable = "";
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").verdict, Verdict::compiled);
}

TEST_F(SessionTest, WhatWasTunedForAnotherCompilerIsNotCompiled) {
  tools_.compiler.version = "3.13.0";
  request_.targets[0].tuning = {.configuration = "fast", .compiler = "3.12.0"};
  ASSERT_TRUE(run());
  const Attempt& attempt = attempts_.at("suite/_/one/a");
  EXPECT_EQ(attempt.verdict, Verdict::not_judged);
  EXPECT_TRUE(attempt.stages.at(1).error.contains("tuned with IREE 3.12.0, and this is 3.13.0"));
  EXPECT_EQ(attempts_.at("suite/_/two/a").verdict, Verdict::compiled);
  request_.targets[0].tuning->compiler = "3.13.0";
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").verdict, Verdict::compiled);
}

TEST_F(SessionTest, WhatLeavesSymbolsUndefinedIsNotLinked) {
  compile_ = [](const Job& job) {
    FakeSpawner::Deed deed;
    for (size_t i = 0; i < job.body["targets"].size(); ++i) {
      std::vector<std::string> undefined;
      if (i == 0) undefined.emplace_back("expf");
      std::string artifact =
          archive_of({{"m_embedded_elf_x.so", elf32_with_symbols({"query"}, undefined)}});
      write_to(job.descriptors[i + 1], artifact);
      deed.messages.push_back(
          {{"index", i},
           {"ok", {{"files", {{{"name", "artifact.vmfb"}, {"bytes", artifact.size()}}}}}}});
    }
    return deed;
  };
  ASSERT_TRUE(run());
  const StageRecord& compile = attempts_.at("suite/_/one/a").stages.at(1);
  EXPECT_EQ(compile.failure, FailureClass::link);
  EXPECT_EQ(compile.error, "m_embedded_elf_x.so leaves a symbol undefined: expf");
  EXPECT_EQ(attempts_.at("suite/_/two/a").verdict, Verdict::compiled);
}

TEST_F(SessionTest, AnInterruptKeepsWhatIsFinished) {
  spawner_.interrupt_after = 7;
  Status status = run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::interrupted);
  EXPECT_TRUE(spawner_.stopped);
  size_t finished = attempts_.size();
  EXPECT_GT(finished, 0u);
  EXPECT_LT(finished, 6u);
  spawner_.interrupt_after = SIZE_MAX;
  ASSERT_TRUE(run());
  EXPECT_EQ(events_.reused, finished);
  EXPECT_EQ(attempts_.size(), 6u);
}

TEST_F(SessionTest, AFullDiskStopsTheRunWithOneError) {
  disk_.writes_until_full = 8;
  Status status = run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
  for (const auto& [id, attempt] : attempts_)
    for (const ArtifactRecord& artifact : attempt.artifacts)
      EXPECT_TRUE(disk_.files.contains(folder_ + "/run/" + id + "/" + artifact.name));
}

TEST_F(SessionTest, ALaneHasTheProgramOfOneRoute) {
  request_.targets.resize(1);
  request_.targets[0].runner.kind = RunnerKind::native;
  request_.targets[0].flags = {"--cpu=host"};
  request_.authors = {*find_author(disk_, "eager"), *find_author(disk_, "iree"),
                      *find_author(disk_, "iree-stablehlo")};
  request_.baselines = {*find_author(disk_, "iree"), *find_author(disk_, "iree-stablehlo")};
  request_.settings.timing.emplace();
  const Plan plan = *make_plan(request_, machine_);
  ASSERT_EQ(plan.attempts, 9u);
  for (const Lane& lane : plan.lanes)
    for (const Planned& planned : lane.planned) {
      EXPECT_EQ(planned.route(), lane.route) << planned.attempt.id;
      ASSERT_EQ(planned.baselines.size(), 2u);
      const bool is_first = lane.route == Route::torch;
      EXPECT_EQ(planned.baselines[0].candidate.why_none.empty(), is_first) << planned.attempt.id;
      EXPECT_NE(planned.baselines[1].candidate.why_none.empty(), is_first) << planned.attempt.id;
    }
}

TEST_F(SessionTest, AnUnreadableFileIsNoFinding) {
  Plan plan = *make_plan(request_, machine_);
  disk_.files.erase("/suite/b.py");
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/b").verdict, Verdict::not_judged);
  EXPECT_EQ(attempts_.at("suite/_/one/a").verdict, Verdict::compiled);
}

}  // namespace
}  // namespace assay
