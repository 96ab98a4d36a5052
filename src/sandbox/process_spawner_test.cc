// The spawner against real processes that hang, crash and lie. tests/fake_image.cc lists what they
// do.
#include "sandbox/process_spawner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/disk.h"
#include "built.h"
#include "fakes/numbers.h"
#include "fakes/temporary_folder.h"

namespace assay {
namespace {

constexpr int64_t kPatienceNs = 60'000'000'000;

// Each test runs with both ways of holding a worker's descendants together (fork_server.h).
class SpawnerTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto spawner = ProcessSpawner::create(folder_ + "/scratch");
    ASSERT_TRUE(spawner);
    spawner_ = std::move(*spawner);
    limits_.timeout_ns = 20 * kSecond;
  }
  void TearDown() override { spawner_.reset(); }

  static Image image(const std::string& how = "") {
    std::string holding = std::string("ASSAY_HOLDING=") + GetParam();
    // In an instrumented build a crash stays a crash, instead of a report and an exit.
    Image result{"fake",
                 {built::kFakeImage},
                 {"PATH=/usr/bin:/bin", holding, "ASAN_OPTIONS=handle_segv=0:handle_abort=0",
                  "TSAN_OPTIONS=handle_segv=0:handle_abort=0"},
                 20 * kSecond};
    if (!how.empty()) result.argv.push_back(how);
    return result;
  }

  // Runs one job to its end; its messages go to messages_.
  Ending run(const Json& job, std::vector<int> descriptors = {}) {
    messages_.clear();
    auto child = spawner_->start(image(), limits_, {job, std::move(descriptors)});
    EXPECT_TRUE(child) << child.error().describe();
    while (true) {
      auto event = spawner_->next(kPatienceNs);
      EXPECT_TRUE(event) << event.error().describe();
      if (!event || event->kind == Event::Kind::interrupted) return {};
      EXPECT_EQ(event->child, *child);
      if (event->kind == Event::Kind::ended) return event->ending;
      messages_.push_back(event->message);
    }
  }
  Ending run(const char* what) { return run(Json{{"do", what}}); }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  Limits limits_;
  std::unique_ptr<ProcessSpawner> spawner_;
  std::vector<Json> messages_;
};

TEST_P(SpawnerTest, AWorkerAnswersAndEnds) {
  Ending ending = run("answer");
  EXPECT_EQ(ending.kind, EndKind::answered) << ending.message;
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_GT(ending.ready_ns, 0);
  EXPECT_GE(ending.wall_ns, ending.ready_ns);
  EXPECT_GT(ending.peak_bytes, 0u);
  EXPECT_EQ(ending.strays, 0u);
}

TEST_P(SpawnerTest, AnImageThatWasStartedBeforeServesTheFirstWorker) {
  spawner_->start_image(image());
  spawner_->start_image(image());
  auto nothing = spawner_->next(kSecond / 2);  // it comes up, and nobody is told
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->kind, Event::Kind::nothing);
  EXPECT_EQ(run("answer").kind, EndKind::answered);
}

TEST_P(SpawnerTest, AWorkerThatIsStoppedBeforeItsImageIsUpNeverBegins) {
  auto unwanted = spawner_->start(image(), limits_, {Json{{"do", "answer"}}, {}});
  ASSERT_TRUE(unwanted);
  spawner_->stop(*unwanted);
  spawner_->stop(*unwanted);
  auto end = spawner_->next(kPatienceNs);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, Event::Kind::ended);
  EXPECT_EQ(end->child, *unwanted);
  EXPECT_EQ(end->ending.kind, EndKind::stopped);
  EXPECT_EQ(run(Json{{"do", "answer"}}).kind, EndKind::answered);
}

TEST_P(SpawnerTest, OneThatCannotBeStartedIsToldOfByItsFirstWorker) {
  Image missing = image();
  missing.argv = {"/no/such/program"};
  spawner_->start_image(missing);
  auto child = spawner_->start(missing, limits_, {{{"do", "answer"}}, {}});
  EXPECT_FALSE(child);
}

TEST_P(SpawnerTest, MessagesComeInOrderBeforeTheEnd) {
  limits_.messages = 4;
  EXPECT_EQ(run("messages").kind, EndKind::answered);
  ASSERT_EQ(messages_.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(messages_[i]["index"], i);
}

TEST_P(SpawnerTest, AConversationHasItsTimeLimitOnlyWhileAnAnswerIsAwaited) {
  limits_.conversation = true;
  limits_.messages = SIZE_MAX;
  limits_.timeout_ns = kSecond / 2;
  auto child = spawner_->start(image(), limits_, {Json{{"do", "converse"}}, {}});
  ASSERT_TRUE(child);
  auto heard = [&]() -> Event {
    auto event = spawner_->next(kPatienceNs);
    return event ? std::move(*event) : Event{};
  };
  ASSERT_TRUE(heard().message.contains("ready"));
  auto silence = spawner_->next(kSecond);
  ASSERT_TRUE(silence);
  EXPECT_EQ(silence->kind, Event::Kind::nothing) << "it was our turn";
  int memory = memfd_create("told", MFD_CLOEXEC);
  ASSERT_TRUE(spawner_->send(*child, Json{{"number", 1}, {"descriptor", true}}, {memory}));
  EXPECT_EQ(heard().message["heard"]["number"], 1);
  char text[8] = {};
  EXPECT_EQ(pread(memory, text, sizeof text, 0), 4);
  close(memory);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(spawner_->send(*child, Json{{"number", i}}, {}));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(heard().message["heard"]["number"], i);
  ASSERT_TRUE(spawner_->send(*child, Json{{"hang", true}}, {}));
  Event end = heard();
  EXPECT_EQ(end.kind, Event::Kind::ended);
  EXPECT_EQ(end.ending.kind, EndKind::timed_out) << end.ending.message;
  EXPECT_TRUE(spawner_->send(*child, Json::object(), {})) << "it has ended, that is all";
  EXPECT_FALSE(spawner_->send(*child, Json(std::string(70'000, 'x')), {}));
}

TEST_P(SpawnerTest, WhatIsSentBeforeTheHelloFollowsTheJob) {
  limits_.conversation = true;
  limits_.messages = 3;
  auto child = spawner_->start(image(), limits_, {Json{{"do", "converse"}}, {}});
  ASSERT_TRUE(child);
  ASSERT_TRUE(spawner_->send(*child, Json{{"number", 7}}, {}));
  ASSERT_TRUE(spawner_->send(*child, Json{{"end", true}}, {}));
  std::vector<Json> messages;
  while (true) {
    auto event = spawner_->next(kPatienceNs);
    ASSERT_TRUE(event);
    if (event->kind == Event::Kind::ended) {
      EXPECT_EQ(event->ending.kind, EndKind::answered) << event->ending.message;
      break;
    }
    messages.push_back(event->message);
  }
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1]["heard"]["number"], 7);
}

TEST_P(SpawnerTest, AChildThatDoesNotReadIsEnded) {
  limits_.conversation = true;
  limits_.messages = 3;
  auto child = spawner_->start(image(), limits_, {Json{{"do", "never read"}}, {}});
  ASSERT_TRUE(child);
  ASSERT_TRUE(spawner_->next(kPatienceNs));
  for (int i = 0; i < 64; ++i)
    ASSERT_TRUE(spawner_->send(*child, Json{{"text", std::string(60'000, 'x')}}, {}));
  auto end = spawner_->next(kPatienceNs);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->ending.kind, EndKind::protocol);
  EXPECT_EQ(end->ending.message, "does not read what it is sent");
}

TEST_P(SpawnerTest, AnotherThreadWakesIt) {
  spawner_->wake();
  spawner_->wake();
  auto event = spawner_->next(kPatienceNs);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Event::Kind::nothing);
  event = spawner_->next(0);
  ASSERT_TRUE(event);
  std::thread other([&] {
    usleep(50'000);
    spawner_->wake();
  });
  int64_t begin = system_clock().now_ns();
  event = spawner_->next(kPatienceNs);
  other.join();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Event::Kind::nothing);
  EXPECT_GT(system_clock().now_ns() - begin, kSecond / 100);
  EXPECT_LT(system_clock().now_ns() - begin, 10 * kSecond);
}

TEST_P(SpawnerTest, DescriptorsAndJobArriveWhole) {
  int memory = memfd_create("result", MFD_CLOEXEC);
  EXPECT_EQ(run(Json{{"do", "echo"}, {"text", std::string(60'000, 'a')}}, {memory}).kind,
            EndKind::answered);
  EXPECT_EQ(messages_.at(0)["ok"]["descriptors"], 1);
  EXPECT_EQ(messages_[0]["ok"]["job"]["text"].get<std::string>().size(), 60'000u);
  char text[64] = {};
  EXPECT_EQ(pread(memory, text, sizeof text, 0), 21);
  EXPECT_STREQ(text, "written by the worker");
  close(memory);
}

TEST_P(SpawnerTest, AWorkerHasItsOwnFolderOneThreadAndNoSecrets) {
  setenv("ASSAY_TEST_SECRET", "hunter2", 1);
  EXPECT_EQ(run("environment").kind, EndKind::answered);
  const Json& seen = messages_.at(0)["ok"];
  EXPECT_EQ(seen["folder"], seen["tmpdir"]);
  EXPECT_TRUE(seen["folder"].get<std::string>().starts_with(folder_ + "/scratch/"));
  EXPECT_FALSE(std::filesystem::exists(seen["folder"].get<std::string>())) << "scratch stays";
#ifndef __SANITIZE_THREAD__  // whose runtime has a thread of its own
  EXPECT_EQ(seen["threads"], 1);
#endif
  EXPECT_EQ(seen["secret"], "hidden");
}

TEST_P(SpawnerTest, EndsAreClassified) {
  limits_.timeout_ns = kSecond / 4;
  limits_.output_bytes = 1 << 20;
  struct Case {
    const char* what;
    EndKind kind;
    const char* message;
  };
  for (const Case& c : {
           Case{"hang", EndKind::timed_out, "time limit"},
           Case{"hang deaf", EndKind::timed_out, "time limit"},
           Case{"spin", EndKind::timed_out, "time limit"},
           Case{"abort", EndKind::crashed, "SIGABRT"},
           Case{"segfault", EndKind::crashed, "SIGSEGV"},
           Case{"exit", EndKind::exited, "status 0 before it answered"},
           Case{"answer then exit", EndKind::exited, "status 3 after it answered"},
           Case{"answer then hang", EndKind::timed_out, "time limit"},
           Case{"flood", EndKind::output_limit, "printed more"},
           Case{"huge length", EndKind::protocol, "impossible length"},
           Case{"zero length", EndKind::protocol, "impossible length"},
           Case{"half frame", EndKind::protocol, "middle of a frame"},
           Case{"not json", EndKind::protocol, "not a JSON object"},
           Case{"not an object", EndKind::protocol, "not a JSON object"},
           Case{"deep json", EndKind::protocol, "not a JSON object"},
           Case{"answer twice", EndKind::protocol, "answered again"},
           Case{"messages", EndKind::protocol, "more often than it was asked"},
           Case{"close early", EndKind::timed_out, "time limit"},
       }) {
    Ending ending = run(c.what);
    EXPECT_EQ(ending.kind, c.kind) << c.what << ": " << ending.message;
    EXPECT_NE(ending.message.find(c.message), std::string::npos)
        << c.what << ": " << ending.message;
    EXPECT_LT(ending.wall_ns, 4 * kSecond) << c.what;
  }
}

TEST_P(SpawnerTest, AnEndedSpinnerStillReportsItsCpuTime) {
  limits_.timeout_ns = kSecond / 2;
  EXPECT_GT(run("spin").cpu_ns, kSecond / 200);
}

TEST_P(SpawnerTest, OutputIsKeptAtBothEndsAndCounted) {
  EXPECT_EQ(run(Json{{"do", "print"}, {"bytes", 1 << 20}}).kind, EndKind::answered);
  Ending ending = run(Json{{"do", "print"}, {"bytes", 1 << 20}});
  EXPECT_EQ(ending.output_bytes, 1u << 20);
  EXPECT_LT(ending.output.size(), 70'000u);
  EXPECT_NE(ending.output.find("bytes left out"), std::string::npos);
}

// True while any process works below `folder`: workers and all they start live in scratch folders.
bool anybody_below(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code gone;
    auto works_in = std::filesystem::read_symlink(entry.path() / "cwd", gone);
    if (!gone && works_in.string().starts_with(folder)) return true;
  }
  return false;
}

TEST_P(SpawnerTest, ADaemonEndsWithItsWorker) {
  std::string path = folder_ + "/daemon.pid";
  Ending ending = run(Json{{"do", "daemon"}, {"path", path}});
  EXPECT_EQ(ending.kind, EndKind::answered) << ending.message;
  EXPECT_GE(ending.strays, 1u);
  EXPECT_FALSE(anybody_below(folder_));
}

TEST_P(SpawnerTest, MemoryBeyondTheLimitIsRefused) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "AddressSanitizer reserves more address space than any limit";
#endif
  limits_.memory_bytes = 256 << 20;
  run(Json{{"do", "allocate"}, {"bytes", 100ull << 30}});
  EXPECT_EQ(messages_.at(0)["failed"]["class"], "out_of_memory");
  run(Json{{"do", "allocate"}, {"bytes", 64 << 20}});
  EXPECT_EQ(messages_.at(0)["ok"]["touched"], 64 << 20);
  run(Json{{"do", "allocate by mapping"}, {"bytes", 300 << 20}});
  EXPECT_EQ(messages_.at(0)["ok"]["mapped"], false);
}

TEST_P(SpawnerTest, ResultsLargerThanTheLimitAreRefused) {
  limits_.file_bytes = 4;
  int memory = memfd_create("result", MFD_CLOEXEC);
  run(Json{{"do", "echo"}}, {memory});
  EXPECT_EQ(messages_.at(0)["ok"]["written"], 4);
  close(memory);
}

TEST_P(SpawnerTest, ManyWorkersAtOnce) {
  std::map<ChildId, int> ends;
  for (int i = 0; i < 32; ++i) {
    auto child = spawner_->start(image(), limits_, {Json{{"do", i % 2 ? "answer" : "abort"}}, {}});
    ASSERT_TRUE(child);
  }
  int answered = 0, crashed = 0;
  while (answered + crashed < 32) {
    auto event = spawner_->next(kPatienceNs);
    ASSERT_TRUE(event);
    if (event->kind != Event::Kind::ended) continue;
    ++(event->ending.kind == EndKind::answered ? answered : crashed);
    EXPECT_EQ(++ends[event->child], 1) << "one end for each";
  }
  EXPECT_EQ(answered, 16);
  EXPECT_EQ(crashed, 16);
}

TEST_P(SpawnerTest, ADeadZygoteIsStartedAgain) {
  EXPECT_EQ(run("answer").kind, EndKind::answered);
  // The zygote is our only child now.
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "stat");
    std::string pid, name, state;
    int parent = 0;
    if (status >> pid >> name >> state >> parent && parent == getpid() && name == "(fake_image)")
      kill(std::stoi(pid), SIGKILL);
  }
  EXPECT_EQ(run("answer").kind, EndKind::answered);
}

TEST_P(SpawnerTest, StopAllLeavesNobody) {
  for (const char* what : {"hang", "hang deaf", "spin"})
    ASSERT_TRUE(spawner_->start(image(), limits_, {Json{{"do", what}}, {}}));
  std::string path = folder_ + "/daemon.pid";
  ASSERT_TRUE(
      spawner_->start(image(), limits_, {Json{{"do", "daemon then hang"}, {"path", path}}, {}}));
  std::thread interrupt([] {
    usleep(400'000);
    kill(getpid(), SIGINT);
  });
  auto event = spawner_->next(kPatienceNs);
  interrupt.join();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Event::Kind::interrupted);
  int64_t begin = system_clock().now_ns();
  spawner_->stop_all();
  EXPECT_LT(system_clock().now_ns() - begin, kSecond);
  EXPECT_FALSE(anybody_below(folder_));
}

TEST_P(SpawnerTest, ImagesThatDoNotComeUpAreErrors) {
  struct Case {
    const char* how;
    const char* message;
  };
  for (const Case& c : {Case{"another version", "speaks protocol version 9"},
                        Case{"dies", "cannot find its compiler"},
                        Case{"two threads", "threads where a fork"}, Case{"silent", "did not"}}) {
    SetUp();
    Image wrong = image(c.how);
    wrong.start_timeout_ns = std::string(c.how) == "silent" ? kSecond / 4 : 10 * kSecond;
    ASSERT_TRUE(spawner_->start(wrong, limits_, {Json{{"do", "answer"}}, {}}));
    auto event = spawner_->next(kPatienceNs);
    ASSERT_FALSE(event) << c.how;
    EXPECT_NE(event.error().message.find(c.message), std::string::npos) << event.error().message;
    TearDown();
  }
  Image missing = image();
  missing.argv[0] = "/nowhere/fake_image";
  SetUp();
  EXPECT_FALSE(spawner_->start(missing, limits_, {Json::object(), {}}));
}

TEST_P(SpawnerTest, AWorkerOfAnotherVersionIsRefused) {
  ASSERT_TRUE(
      spawner_->start(image("worker of another version"), limits_, {Json{{"do", "answer"}}, {}}));
  auto event = spawner_->next(kPatienceNs);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Event::Kind::ended);
  EXPECT_EQ(event->ending.kind, EndKind::protocol);
  EXPECT_NE(event->ending.message.find("version 9"), std::string::npos);
}

TEST_P(SpawnerTest, AProgramCanBeAskedOnce) {
  auto answer = ask_once(image("once"));
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ((*answer)["ok"]["asked"], "once");
}

// kill -9 of assay: a copy of this process stands in for it.
TEST_P(SpawnerTest, NothingOutlivesAKilledAssay) {
  std::string path = folder_ + "/daemon.pid";
  spawner_.reset();
  pid_t assay = fork();
  if (assay == 0) {
    auto spawner = ProcessSpawner::create(folder_ + "/scratch2");
    (void)(*spawner)->start(image(), limits_,
                            {Json{{"do", "daemon then hang"}, {"path", path}}, {}});
    while (true) (void)(*spawner)->next(kPatienceNs);
  }
  while (!std::filesystem::exists(path)) usleep(1000);
  kill(assay, SIGKILL);
  waitpid(assay, nullptr, 0);
  for (int i = 0; i < 200 && anybody_below(folder_); ++i) usleep(10'000);
  EXPECT_FALSE(anybody_below(folder_));
}

INSTANTIATE_TEST_SUITE_P(Holding, SpawnerTest, testing::Values("namespace", "subreaper"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace assay
