// The compiler image with a fake compiler behind it, and the readers of what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/disk.h"
#include "compile/compile_job.h"
#include "compile/diagnostics.h"
#include "compile/flags.h"
#include "compile/iree_api.h"
#include "fakes/temporary_folder.h"
#include "run/outcome.h"
#include "sandbox/process_spawner.h"

namespace assay {
namespace {

class CompilerImageTest : public testing::Test {
 protected:
  void SetUp() override {
    spawner_ = std::move(*ProcessSpawner::create(folder_ + "/scratch"));
    std::string prefix = std::filesystem::path(ASSAY_BINARY).parent_path().parent_path();
    Places places;
    places.compiler = prefix + "/libexec/assay/assay-compiler";
    image_ = compiler_image(places, ASSAY_FAKE_COMPILER);
    // In an instrumented build a crash stays a crash, instead of a report and an exit.
    image_.environment.push_back("ASAN_OPTIONS=handle_segv=0:handle_abort=0");
    image_.environment.push_back("TSAN_OPTIONS=handle_segv=0:handle_abort=0");
    limits_.timeout_ns = 2'000'000'000;
#ifndef ASSAY_SANITIZED
    limits_.memory_bytes = 1 << 30;
#endif
  }
  void TearDown() override { spawner_.reset(); }

  // Compiles one program for targets given by a flag each. Fills answers_ and ending_.
  void compile(const std::string& program, const std::vector<std::string>& targets) {
    std::vector<std::vector<std::string>> flags;
    for (const std::string& flag : targets) flags.push_back({flag});
    auto job = make_compile_job(program, flags);
    ASSERT_TRUE(job);
    limits_.messages = targets.size();
    ASSERT_TRUE(spawner_->start(image_, limits_, job->job));
    answers_.clear();
    while (true) {
      auto event = spawner_->next();
      ASSERT_TRUE(event) << event.error().describe();
      if (event->kind == Event::Kind::ended) {
        ending_ = event->ending;
        return;
      }
      auto answer = read_compile_answer(*job, event->message);
      ASSERT_TRUE(answer) << answer.error().describe();
      EXPECT_EQ(answer->index, answers_.size());
      answers_.push_back(std::move(*answer));
    }
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  std::unique_ptr<ProcessSpawner> spawner_;
  Image image_;
  Limits limits_;
  std::vector<CompileAnswer> answers_;
  Ending ending_;
};

TEST_F(CompilerImageTest, OneWorkerTakesAProgramThroughAllTargets) {
  compile("program", {"--a", "--b", "--a"});
  EXPECT_EQ(ending_.kind, EndKind::answered) << ending_.message << ending_.output;
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_TRUE(is_whole_module(answers_[0].artifact));
  EXPECT_EQ(answers_[0].artifact, answers_[2].artifact);
  EXPECT_NE(answers_[0].artifact, answers_[1].artifact);
}

TEST_F(CompilerImageTest, ACrashKeepsWhatWasAnsweredBefore) {
  compile("compiler: crash on cuda", {"--a", "--cuda", "--b"});
  EXPECT_EQ(ending_.kind, EndKind::crashed);
  EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(CompilerImageTest, FailuresAreClassified) {
  compile("compiler: fail", {"--a"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].record.failure, FailureClass::codegen);
  EXPECT_EQ(answers_[0].record.error, "failed to legalize operation 'fake.op'");
  compile("compiler: cannot parse", {"--a"});
  EXPECT_EQ(answers_.at(0).record.failure, FailureClass::import);
  compile("program", {"--no-such-flag"});
  EXPECT_EQ(answers_.at(0).record.status, StageStatus::not_judged);
  EXPECT_NE(answers_[0].record.error.find("no-such-flag"), std::string::npos);
}

TEST_F(CompilerImageTest, ATruncatedArtifactIsNoArtifact) {
  compile("compiler: truncate", {"--a"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].record.status, StageStatus::failed);
  EXPECT_TRUE(answers_[0].artifact.empty());
}

TEST_F(CompilerImageTest, OutOfMemoryIsSaid) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "AddressSanitizer reserves more address space than any limit";
#endif
  compile("compiler: allocate", {"--a"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].record.failure, FailureClass::out_of_memory);
}

TEST_F(CompilerImageTest, AHangRunsIntoItsLimit) {
  limits_.timeout_ns = 300'000'000;
  compile("compiler: hang", {"--a"});
  EXPECT_EQ(ending_.kind, EndKind::timed_out);
}

TEST_F(CompilerImageTest, AnAnswerForAnUnknownTargetIsAnError) {
  auto job = make_compile_job("p", {{"--a"}});
  EXPECT_FALSE(read_compile_answer(*job, Json{{"index", 1}, {"ok", {{"bytes", 0}}}}));
  EXPECT_FALSE(read_compile_answer(*job, Json{{"index", -1}, {"ok", {{"bytes", 0}}}}));
  EXPECT_FALSE(read_compile_answer(*job, Json{{"ok", {{"bytes", 0}}}}));
  auto empty = read_compile_answer(*job, Json{{"index", 0}, {"ok", {{"bytes", 0}}}});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->record.status, StageStatus::failed);
}

TEST(IreeApi, OtherLibrariesAreRefused) {
  auto missing = IreeApi::load("/nowhere/lib.so");
  ASSERT_FALSE(missing);
  auto other = IreeApi::load("libsqlite3.so.0");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("ireeCompilerGetAPIVersion"), std::string::npos);
}

TEST(IreeApi, BuildsHaveIdentities) {
  auto binary = library_identity(ASSAY_FAKE_COMPILER);
  ASSERT_TRUE(binary);
  EXPECT_EQ(*binary, *library_identity(ASSAY_FAKE_COMPILER));
  EXPECT_NE(*binary, *library_identity(ASSAY_BINARY));
  EXPECT_TRUE(library_identity(ASSAY_SOURCE_FOLDER "/VERSION")->starts_with("file:"));
  EXPECT_FALSE(library_identity("/nowhere"));
}

TEST(Diagnostics, TheFirstUsefulLineIsFound) {
  EXPECT_EQ(first_error_line("warning: x\nerror: k.mlir:1:2: error: no lowering\nerror: more\n"),
            "no lowering");
  EXPECT_EQ(first_error_line("note: x"), "");
  EXPECT_EQ(first_error_line(""), "");
}

TEST(Diagnostics, ThePartThatGaveUpIsNamed) {
  EXPECT_EQ(classify_diagnostics("error: failed to legalize operation 'torch.aten.x'"),
            FailureClass::import);
  EXPECT_EQ(classify_diagnostics("error: iree-lld: undefined symbol: __mulsf3"),
            FailureClass::link);
  EXPECT_EQ(classify_diagnostics("error: 'func.func' op exceeded stack allocation limit"),
            FailureClass::codegen);
}

TEST(Flags, TheTargetsOwnReplaceTheDefaults) {
  Target target;
  target.flags = {"--iree-opt-level=O1", "--other"};
  auto flags = resolve_flags(target, "3.13.0");
  EXPECT_EQ(std::ranges::count(flags, "--iree-opt-level=O3"), 0);
  EXPECT_EQ(std::ranges::count(flags, "--iree-opt-level=O1"), 1);
  EXPECT_EQ(std::ranges::count(flags, "--iree-llvmcpu-debug-symbols=false"), 1);
}

TEST(Module, WholeModulesAreToldFromCutOnes) {
  EXPECT_FALSE(is_whole_module(""));
  EXPECT_FALSE(is_whole_module("garbage that is long enough"));
  EXPECT_FALSE(is_whole_module(std::string("PK\x03\x04", 4) + std::string(100, 'x')));
  EXPECT_TRUE(is_whole_module(std::string("PK\x03\x04", 4) + std::string(100, 'x') +
                              std::string("PK\x05\x06", 4) + std::string(18, '\0')));
}

}  // namespace
}  // namespace assay
