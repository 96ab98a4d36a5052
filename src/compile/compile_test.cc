// The compiler image with a fake compiler behind it, and the readers of what it says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/disk.h"
#include "built.h"
#include "compile/artifact.h"
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
    std::string prefix = std::filesystem::path(built::kAssay).parent_path().parent_path();
    Places places;
    places.compiler = prefix + "/libexec/assay/assay-compiler";
    places_ = places;
    image_ = compiler_image(places, CompilerKind::library, built::kFakeCompiler);
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
  void compile(const std::string& program, const std::vector<std::string>& targets,
               const CompileOptions& options = {}) {
    std::vector<CompileWith> with;
    for (const std::string& flag : targets) with.push_back({.flags = {flag}});
    auto job = make_compile_job(program, with, options);
    ASSERT_TRUE(job);
    limits_.messages = targets.size();
    ASSERT_TRUE(spawner_->start(image_, limits_, job->job));
    answers_.clear();
    peaks_.clear();
    while (true) {
      auto event = spawner_->next(60'000'000'000);
      ASSERT_TRUE(event) << event.error().describe();
      if (event->kind == Event::Kind::ended) {
        ending_ = event->ending;
        return;
      }
      auto answer = read_compile_answer(*job, event->message, event->printed);
      ASSERT_TRUE(answer) << answer.error().describe();
      EXPECT_EQ(answer->index, answers_.size());
      if (event->message.contains("peak_bytes")) peaks_.push_back(event->message["peak_bytes"]);
      answers_.push_back(std::move(*answer));
    }
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  std::unique_ptr<ProcessSpawner> spawner_;
  Places places_;
  Image image_;
  Limits limits_;
  std::vector<CompileAnswer> answers_;
  std::vector<int64_t> peaks_;
  Ending ending_;
};

TEST_F(CompilerImageTest, OneWorkerTakesAProgramThroughAllTargets) {
  compile("program", {"--a", "--b", "--a"});
  EXPECT_EQ(ending_.kind, EndKind::answered) << ending_.message << ending_.output;
  ASSERT_EQ(answers_.size(), 3u);
  ASSERT_EQ(answers_[0].files.size(), 1u);
  EXPECT_EQ(answers_[0].files[0].name, "artifact.vmfb");
  EXPECT_TRUE(is_whole_module(answers_[0].files[0].bytes));
  EXPECT_EQ(answers_[0].files[0].bytes, answers_[2].files[0].bytes);
  EXPECT_NE(answers_[0].files[0].bytes, answers_[1].files[0].bytes);
  EXPECT_EQ(answers_[1].record.evidence["flags"], Json::array({"--b"}));
  EXPECT_TRUE(answers_[1].record.evidence["retried"].is_null());
}

TEST_F(CompilerImageTest, PhasesComeInTheirOrderAfterTheArtifact) {
  compile("program", {"--a", "--b"}, {.phases = true});
  ASSERT_EQ(answers_.size(), 2u) << ending_.message << ending_.output;
  for (const CompileAnswer& answer : answers_) {
    ASSERT_EQ(answer.files.size(), 4u);
    EXPECT_EQ(answer.files[1].name, "compilation_phases/kernel.1.input.mlir");
    EXPECT_EQ(answer.files[2].name, "compilation_phases/kernel.2.abi.mlir");
    EXPECT_EQ(answer.files[3].name, "compilation_phases/kernel.10.hal.mlir");
    EXPECT_EQ(answer.files[3].bytes, "kernel.10.hal.mlir");
    EXPECT_EQ(answer.record.evidence["dispatches"], 3);
  }
}

TEST_F(CompilerImageTest, AStackThatIsTooSmallIsEnlargedOnce) {
  compile("compiler: small stack", {"--a", "--iree-llvmcpu-stack-allocation-limit=1"});
  ASSERT_EQ(answers_.size(), 2u) << ending_.message << ending_.output;
  EXPECT_EQ(answers_[0].record.status, StageStatus::ok);
  EXPECT_EQ(answers_[0].record.evidence["retried"], "stack_allocation_limit");
  EXPECT_EQ(answers_[0].record.evidence["flags"],
            Json::array({"--a", "--iree-llvmcpu-stack-allocation-limit=262144"}));
  EXPECT_EQ(answers_[1].record.status, StageStatus::failed) << "the target's own limit holds";
}

#ifndef ASSAY_SANITIZED  // freed memory is kept back by a sanitizer
TEST_F(CompilerImageTest, ThePeakIsOfOneTarget) {
  compile("compiler: large on cuda", {"--cuda", "--b"});
  ASSERT_EQ(peaks_.size(), 2u) << ending_.message << ending_.output;
  EXPECT_GT(peaks_[0], 200 << 20);
  EXPECT_LT(peaks_[1], 200 << 20);
}
#endif

TEST_F(CompilerImageTest, NotesDoNotHideTheError) {
  compile("compiler: small stack, compiler: chatty", {"--a"});
  ASSERT_EQ(answers_.size(), 1u) << ending_.message << ending_.output;
  EXPECT_EQ(answers_[0].record.status, StageStatus::ok) << answers_[0].record.error;
  compile("compiler: fail, compiler: chatty", {"--a"});
  ASSERT_EQ(answers_.size(), 1u) << ending_.message << ending_.output;
  EXPECT_EQ(answers_[0].record.error, "failed to legalize operation 'fake.op'");
}

TEST_F(CompilerImageTest, AFullDiskIsNoFindingAboutTheProgram) {
  compile("compiler: full disk", {"--a"});
  ASSERT_EQ(answers_.size(), 1u) << ending_.message << ending_.output;
  EXPECT_EQ(answers_[0].record.status, StageStatus::not_judged);
  EXPECT_EQ(answers_[0].record.failure, std::nullopt);
  EXPECT_TRUE(answers_[0].record.error.contains("a disk is full"));
  EXPECT_TRUE(answers_[0].record.detail.contains("No space left on device"));
  compile("compiler: full disk, writing the object", {"--a"});
  EXPECT_TRUE(answers_.empty());
  StageRecord record = read_compile_end(ending_, /*fresh=*/true);
  EXPECT_EQ(record.status, StageStatus::not_judged);
  EXPECT_TRUE(record.error.contains("a disk is full")) << record.error;
}

TEST_F(CompilerImageTest, TheToolIsTheOtherWay) {
  std::string tool = folder_ + "/iree-compile";
  auto write_tool = [&](const std::string& script) {
    ASSERT_TRUE(system_disk().write(tool, "#!/bin/sh\n" + script));
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    image_ = compiler_image(places_, CompilerKind::tool, tool);
    spawner_ = std::move(*ProcessSpawner::create(folder_ + "/scratch"));
  };
  // What it is given: the program as a file, then where to write and the target's flags.
  std::string head("\x18\0\0\0\x18\0\0\0IREE............", 24);
  ASSERT_TRUE(system_disk().write(folder_ + "/head", head));
  write_tool("cat \"$(dirname $0)/head\" $1 > $3");
  compile("the program", {"--a", "--b"});
  ASSERT_EQ(answers_.size(), 2u) << ending_.message << ending_.output;
  EXPECT_TRUE(answers_[0].files.at(0).bytes.ends_with("the program"));
  write_tool("echo \"kernel.mlir:1:1: error: no lowering\" >&2; exit 1");
  compile("program", {"--a"});
  EXPECT_EQ(answers_.at(0).record.error, "no lowering");
  write_tool("exit 0");
  compile("program", {"--a"});
  EXPECT_EQ(answers_.at(0).record.status, StageStatus::failed) << "success without an artifact";
  write_tool("kill -SEGV $$");
  compile("program", {"--a", "--b"});
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(ending_.kind, EndKind::crashed) << ending_.message;
  image_ = compiler_image(places_, CompilerKind::tool, folder_ + "/nothing");
  spawner_ = std::move(*ProcessSpawner::create(folder_ + "/scratch"));
  compile("program", {"--a"});
  EXPECT_NE(answers_.at(0).record.error.find("cannot run"), std::string::npos);
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

TEST_F(CompilerImageTest, ALinkerSpeaksBesideTheCompiler) {
  compile("compiler: cannot link on cuda", {"--a", "--cuda", "--b"});
  ASSERT_EQ(answers_.size(), 3u) << ending_.message;
  EXPECT_EQ(answers_[1].record.failure, FailureClass::link);
  EXPECT_EQ(answers_[1].record.error, "undefined symbol: fmaxf");
  EXPECT_NE(answers_[1].record.detail.find("iree-lld: error"), std::string::npos);
  EXPECT_EQ(answers_[2].record.status, StageStatus::ok);
}

TEST_F(CompilerImageTest, ATruncatedArtifactIsNoArtifact) {
  compile("compiler: truncate", {"--a"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].record.status, StageStatus::failed);
  EXPECT_TRUE(answers_[0].files.empty());
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
  auto job = make_compile_job("p", {{.flags = {"--a"}}}, {});
  Json ok{{"files", Json::array()}};
  EXPECT_FALSE(read_compile_answer(*job, Json{{"index", 1}, {"ok", ok}}));
  EXPECT_FALSE(read_compile_answer(*job, Json{{"index", -1}, {"ok", ok}}));
  EXPECT_FALSE(read_compile_answer(*job, Json{{"ok", ok}}));
}

// The file holds one whole module and four bytes; only an answer that says just that is believed.
TEST_F(CompilerImageTest, FilesThatDoNotFitTheirListAreNoArtifact) {
  auto job = make_compile_job("p", {{.flags = {"--a"}}}, {.phases = true});
  std::string module("\x10\0\0\0\x10\0\0\0IREE........", 20);
  std::string bytes = module + "mlir";
  ASSERT_EQ(::pwrite(job->results[0].get(), bytes.data(), bytes.size(), 0), 24);
  auto read = [&](const std::string& files) {
    auto list = parse_json(files, "files");
    auto answer = read_compile_answer(*job, Json{{"index", 0}, {"ok", {{"files", *list}}}});
    return answer && answer->record.status == StageStatus::ok ? answer->files.size() : 0;
  };
  EXPECT_EQ(read(R"([{"name":"artifact.vmfb","bytes":20},{"name":"a.1.mlir","bytes":4}])"), 2u);
  for (const char* wrong : {"[]", "{}", R"([{"name":"artifact.vmfb","bytes":20}])",
                            R"([{"name":"artifact.vmfb","bytes":24}, {"name":"a","bytes":1}])",
                            R"([{"name":"artifact.vmfb","bytes":16},{"name":"a","bytes":8}])",
                            R"([{"name":"a","bytes":20},{"name":"artifact.vmfb","bytes":4}])",
                            R"([{"name":"artifact.vmfb","bytes":20},{"name":"../a","bytes":4}])",
                            R"([{"name":"artifact.vmfb","bytes":20},{"name":"","bytes":4}])",
                            R"([{"name":"artifact.vmfb","bytes":20},{"name":"a","bytes":-4}])"})
    EXPECT_EQ(read(wrong), 0u) << wrong;
}

TEST(IreeApi, OtherLibrariesAreRefused) {
  auto missing = IreeApi::load("/nowhere/lib.so");
  ASSERT_FALSE(missing);
  auto other = IreeApi::load("libsqlite3.so.0");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("ireeCompilerGetAPIVersion"), std::string::npos);
}

TEST(IreeApi, BuildsHaveIdentities) {
  auto binary = library_identity(built::kFakeCompiler);
  ASSERT_TRUE(binary);
  EXPECT_EQ(*binary, *library_identity(built::kFakeCompiler));
  EXPECT_NE(*binary, *library_identity(built::kAssay));
  EXPECT_TRUE(
      library_identity(std::string(built::kSourceFolder) + "/VERSION")->starts_with("file:"));
  EXPECT_FALSE(library_identity("/nowhere"));
}

TEST(Diagnostics, TheFirstUsefulLineIsFound) {
  EXPECT_EQ(first_error_line("warning: x\nerror: k.mlir:1:2: error: no lowering\nerror: more\n"),
            "no lowering");
  EXPECT_EQ(first_error_line("note: x"), "");
  EXPECT_EQ(first_error_line(""), "");
}

TEST(Diagnostics, OfCAndItsLinkerThePlaceIsSaid) {
  for (const auto& [printed, said] : std::initializer_list<std::pair<const char*, const char*>>{
           {"kernel.c: In function 'f':\nkernel.c:5:10: error: expected ';' before '}' token\n",
            "expected ';' before '}' token (kernel.c:5:10)"},
           {"/tmp/x/kernel.cc:1:10: fatal error: no.h: No such file or directory\n",
            "no.h: No such file or directory (kernel.cc:1:10)"},
           {"kernel.cu(5): error: identifier \"x\" is undefined\n",
            "identifier \"x\" is undefined (kernel.cu:5)"},
           {"/usr/bin/ld: /tmp/a.o: in function `f':\nx.c:(.text+0x5): undefined reference to `g'\n"
            "collect2: error: ld returned 1 exit status\n",
            "undefined reference to `g'"},
           {"cc: error: unrecognized argument\n", "unrecognized argument"},
           {"note: x", ""}})
    EXPECT_EQ(first_error_with_place(printed), said);
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

TEST(Flags, AProgramWithDoublesKeepsThem) {
  auto added = [](const char* mlir, std::vector<std::string> flags) {
    keep_doubles(mlir, flags);
    return flags;
  };
  const std::vector<std::string> none, keeps{"--iree-input-demote-f64-to-f32=false"},
      demotes{"--iree-input-demote-f64-to-f32=true"};
  EXPECT_EQ(added("%arg0: !torch.vtensor<[4,5],f64>", none), keeps);
  EXPECT_EQ(added("%arg0: !torch.vtensor<[4,5],f64>", demotes), demotes) << "the user's word";
  EXPECT_EQ(added("!torch.vtensor<[4,5],f32> !torch.vtensor<[],f64>", none), none);
  EXPECT_EQ(added("!torch.vtensor<[],f64> !torch.vtensor<[2],f64>", none), keeps);
}

}  // namespace
}  // namespace assay
