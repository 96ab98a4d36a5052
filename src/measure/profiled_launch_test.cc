#include "measure/profiled_launch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "author/form.h"
#include "base/gzip.h"
#include "base/places.h"
#include "fakes/verification.h"

namespace assay {
namespace {

constexpr const char* kTable =
    "==PROF== Disconnected from process 42\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
    "\"\",\"\",\"\",\"nsecond\"\n\"0\",\"42\",\"twice\",\"1,500\"\n";

// Programs that stand for profilers, before all others on the PATH: each starts the command behind
// its options, without the descriptors that it has inherited, as Python's subprocess does.
class ProfiledLaunch : public VerificationTest {
 protected:
  void SetUp() override {
    VerificationTest::SetUp();
    tools_.native_compiler = {"launch", {built::kLaunch, "/nowhere"}, {}};
    folder_ = temporary_.path() + "/bin";
    std::filesystem::create_directory(folder_);
    before_ = environment_variable("PATH");
    ::setenv("PATH", (folder_ + ":" + before_).c_str(), 1);
    // Whoever ends by itself in a jail cannot be looked at by the sanitizer that counts leaks.
    if (tools_.limits.jail)
      tools_.limits.jail->environment.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    job_.problem = "is sound";
    job_.candidate = "on a CPU";
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

  void install(const std::string& name, const std::string& script) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    for (const std::string& each : {folder_, path})
      std::filesystem::permissions(each, std::filesystem::perms(0755));
  }
  void install_ncu(const std::string& behind_the_command) {
    install("ncu",
            "while [ \"$1\" != /bin/sh ]; do\n"
            "  [ \"$1\" = --log-file ] && log=$2\n"
            "  shift\n"
            "done\n"
            "exec 3<&-\n" +
                behind_the_command);
  }

  Result<Json> counted(const Counter& counter) {
    return converse([&](Children& children) {
      return counter.count(CountedCandidate{job_, tools_, children, libraries_});
    });
  }
  std::string complaint_of(const Counter& counter) {
    auto found = counted(counter);
    return found ? dump_json(*found) : found.error().message;
  }

  std::string folder_, before_;
};

TEST_F(ProfiledLaunch, NcuIsReadOfTheCandidateThatItStarts) {
  install_ncu(std::string("\"$@\" || exit 1\ncat >\"$log\" <<'CSV'\n") + kTable + "CSV\n");
  auto found = counted(ncu_counter());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ((*found)["kernels"][0]["name"], "twice");
  EXPECT_EQ((*found)["kernels"][0]["total_ns"], 1500);
}

TEST_F(ProfiledLaunch, WhyNcuDoesNotCountIsOneSentence) {
  install_ncu("echo '==ERROR== ERR_NVGPUCTRPERM - no permission' >\"$log\"; exit 1\n");
  EXPECT_TRUE(complaint_of(ncu_counter()).contains("NVreg_RestrictProfilingToAdminUsers=0"))
      << complaint_of(ncu_counter());
  install_ncu("\"$@\"; echo '==ERROR== Failed to profile' >\"$log\"; exit 1\n");
  EXPECT_EQ(complaint_of(ncu_counter()), "ncu: Failed to profile");
  install_ncu("\"$@\"; echo 'it broke' >&2; exit 1\n");
  EXPECT_EQ(complaint_of(ncu_counter()), "ncu has left no report: it broke");
  install_ncu("\"$@\"; head -c 9000000 /dev/urandom >\"$log\"\n");
  EXPECT_EQ(complaint_of(ncu_counter()), "the report of ncu has more than 8 MiB");
  install_ncu("echo 'cannot start' >&2; exit 1\n");
  EXPECT_TRUE(complaint_of(ncu_counter()).ends_with(": cannot start"))
      << complaint_of(ncu_counter());
}

TEST_F(ProfiledLaunch, RocprofIsAskedForTimesAloneWhereItCountsNothingElse) {
  install("rocprofv3",
          "while [ \"$1\" != -- ]; do\n"
          "  [ \"$1\" = --pmc ] && { echo 'no such counter' >&2; exit 1; }\n"
          "  [ \"$1\" = -d ] && folder=$2\n"
          "  shift\n"
          "done\n"
          "shift\nexec 3<&-\n\"$@\" || exit 1\necho none >\"$folder/counted_results.db\"\n");
  // The second time it runs, and what it leaves is none: that first one failed is what is said.
  EXPECT_TRUE(complaint_of(rocprof_counter()).ends_with(": no such counter"))
      << complaint_of(rocprof_counter());
}

TEST_F(ProfiledLaunch, CountersOfCardsServeWhatIsCalledOnOne) {
  EXPECT_FALSE(ncu_counter().serves(job_));
  job_.form = &python_form();
  EXPECT_FALSE(ncu_counter().serves(job_));
  job_.on_card = true;
  EXPECT_TRUE(ncu_counter().serves(job_));
  EXPECT_FALSE(rocprof_counter().serves(job_));
}

TEST(Profiler, AZygoteInPythonDoesTheOneJobItself) {
  const Profiler profiler{.program = "/opt/ncu",
                          .options = {"--log-file", "@report/x"},
                          .report = "x",
                          .reads = {},
                          .connects = true,
                          .calls = 1,
                          .complaint = nullptr};
  const Image image = image_in_profiler(
      {"cuda", {"/usr/bin/python3", "-s", "/lib/python", "cuda", "transformers"}, {"A=b"}},
      "/libexec/assay-launch", profiler);
  EXPECT_EQ(image.name, "launch");
  EXPECT_EQ(image.argv.front(), "/libexec/assay-launch");
  EXPECT_EQ(image.argv.back(), "cuda_alone");
  EXPECT_EQ(image.environment, std::vector<std::string>{"A=b"});
}

TEST(Profiler, AReportIsWhatStandsBehindAllThatIsPrinted) {
  const Profiler profiler{.program = "/opt/ncu",
                          .options = {},
                          .report = "x",
                          .reads = {},
                          .connects = true,
                          .calls = 1,
                          .complaint = nullptr};
  auto of = [&](const std::string& printed) {
    auto report = report_in(printed, profiler);
    return report ? *report : "error: " + report.error().message;
  };
  EXPECT_EQ(of("hello\n==== report ====\n" + base64("abc")), "abc");
  EXPECT_EQ(of("\n==== report ====\nnone\n\n==== report ====\n" + base64("x")), "x");
  EXPECT_EQ(of("hello\n==== report ====\nYWJ"), "error: the report of ncu is cut short");
  EXPECT_EQ(of("it says why\n"), "error: ncu was ended before it had written: it says why");
}

}  // namespace
}  // namespace assay
