// The assay binary itself, with a fake interpreter and a fake compiler behind it: fast enough to
// kill it many times. The same with the real ones: tests/cases/killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "base/disk.h"
#include "base/json.h"
#include "built.h"
#include "fakes/temporary_folder.h"
#include "store/run_store.h"

namespace assay {
namespace {

class EndToEndTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ + "/suite"); }

  void problem(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/suite/" + name + ".py") << text;
  }

  pid_t start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        built::kAssay, "run", folder_ + "/suite", "--on", "local,a100", "--out",  folder_ + "/run",
        "--timeout",   "2s",  "--jobs",           "2",    "--until",    "compile"};
    words.insert(words.end(), more.begin(), more.end());
    pid_t pid = fork();
    if (pid != 0) return pid;
    setenv("ASSAY_PYTHON", built::kFakePython, 1);
    setenv("ASSAY_CACHE", (folder_ + "/cache").c_str(), 1);
    if (chdir(folder_.c_str()) != 0) _exit(99);
    std::freopen((folder_ + "/out").c_str(), "w", stdout);
    std::freopen((folder_ + "/err").c_str(), "w", stderr);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(99);
  }
  static int wait_for(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int run(const std::vector<std::string>& more = {}) { return wait_for(start(more)); }

  std::string text(const std::string& name) { return *system_disk().read(folder_ + "/" + name); }

  // id -> verdict and the hashes of its files: what a run amounts to.
  std::map<std::string, std::string> results() {
    std::map<std::string, std::string> results;
    auto store = RunStore::open_to_read(system_disk(), folder_ + "/run");
    EXPECT_TRUE(store) << store.error().describe();
    auto attempts = store->attempts(false);
    for (const Attempt& attempt : *attempts) {
      std::string line(to_word(kVerdictWords, attempt.verdict));
      for (const ArtifactRecord& artifact : attempt.artifacts)
        line += " " + artifact.name + "=" + artifact.sha256;
      results[attempt.id] = line;
    }
    return results;
  }

  // True while any process works below the test's folder.
  bool anybody_left() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code gone;
      auto works_in = std::filesystem::read_symlink(entry.path() / "cwd", gone);
      if (!gone && works_in.string().starts_with(folder_)) return true;
    }
    return false;
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
};

TEST_F(EndToEndTest, AGridWithFindings) {
  problem("good", "fine");
  problem("crash", "compiler: crash on cuda");
  problem("fail", "export: fail");
  problem("hang", "export: hang");
  problem("truncate", "compiler: truncate");
  EXPECT_EQ(run({"--timeout", "300ms"}), 2) << "--timeout twice is refused";
  EXPECT_EQ(run(), 1) << text("err");
  auto report = *parse_json(text("run/report.json"), "the report");
  std::map<std::string, std::string> seen;
  for (const Json& attempt : report["attempts"])
    seen[attempt["id"]] = attempt["verdict"].get<std::string>() + " " + dump_json(attempt["class"]);
  EXPECT_EQ(seen["suite/_/local/good"], "compiled null");
  EXPECT_EQ(seen["suite/_/a100/crash"], "failed \"crash\"");
  EXPECT_EQ(seen["suite/_/local/crash"], "compiled null");
  EXPECT_EQ(seen["suite/_/local/fail"], "failed \"load\"");
  EXPECT_EQ(seen["suite/_/a100/hang"], "failed \"timeout\"");
  EXPECT_EQ(seen["suite/_/local/truncate"], "failed \"codegen\"");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/run/suite/_/local/truncate/artifact.vmfb"));
  EXPECT_FALSE(anybody_left());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/run/.scratch"));
}

TEST_F(EndToEndTest, CtrlCStopsWithinASecondAndTheSameCommandGoesOn) {
  problem("a", "fine");
  for (const char* name : {"b", "c", "d"}) problem(name, std::string("export: sleep ") + name);
  pid_t assay = start();
  usleep(450'000);
  kill(assay, SIGINT);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(wait_for(assay), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_FALSE(anybody_left());
  EXPECT_NE(text("err").find("interrupted"), std::string::npos);
  EXPECT_EQ(run(), 0) << text("err");
  EXPECT_EQ(results().size(), 8u);
}

TEST_F(EndToEndTest, KilledAtRandomMomentsItLosesNothing) {
  for (int i = 0; i < 12; ++i)
    problem("p" + std::to_string(i), i % 3 == 0 ? "compiler: fail on cuda " + std::to_string(i)
                                                : "fine " + std::to_string(i));
  EXPECT_EQ(run(), 1) << text("err");
  auto expected = results();
  ASSERT_EQ(expected.size(), 24u);
  std::mt19937 random(20);
  int killed_at_work = 0;
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove_all(folder_ + "/run");
    if (round % 2 == 0) std::filesystem::remove_all(folder_ + "/cache");
    pid_t assay = start();
    usleep(static_cast<useconds_t>(5'000 + random() % 120'000));
    kill(assay, SIGKILL);
    if (wait_for(assay) == 128 + SIGKILL) ++killed_at_work;
    for (int i = 0; i < 200 && anybody_left(); ++i) usleep(5'000);
    ASSERT_FALSE(anybody_left());
    // What is stored already is right, and its files are there.
    if (std::filesystem::exists(folder_ + "/run/assay.sqlite")) {
      auto store = RunStore::open_to_read(system_disk(), folder_ + "/run");
      if (store) {
        for (const auto& [id, result] : results()) EXPECT_EQ(result, expected.at(id));
        auto attempts = store->attempts(false);
        for (const Attempt& attempt : *attempts)
          for (const ArtifactRecord& artifact : attempt.artifacts)
            EXPECT_EQ(
                std::filesystem::file_size(store->result_folder(attempt.id) + "/" + artifact.name),
                artifact.bytes);
      }
    }
    EXPECT_EQ(run(), 1) << text("err");
    EXPECT_EQ(results(), expected) << "round " << round;
  }
  EXPECT_GT(killed_at_work, 5) << "the machine was too fast for this test to mean anything";
}

TEST_F(EndToEndTest, AnInterpreterThatDoesNotComeUpIsOneClearError) {
  problem("a", "fine");
  std::ofstream(folder_ + "/python3") << "#!/bin/sh\necho no torch here >&2\nexit 1\n";
  std::filesystem::permissions(folder_ + "/python3", std::filesystem::perms::owner_all);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("ASSAY_PYTHON", (folder_ + "/python3").c_str(), 1);
    std::freopen((folder_ + "/err").c_str(), "w", stderr);
    execl(built::kAssay, "assay", "run", (folder_ + "/suite").c_str(), "--out",
          (folder_ + "/run").c_str(), nullptr);
    _exit(99);
  }
  EXPECT_EQ(wait_for(pid), 2);
  EXPECT_NE(text("err").find("no torch here"), std::string::npos);
  EXPECT_NE(text("err").find("assay doctor"), std::string::npos);
}

}  // namespace
}  // namespace assay
