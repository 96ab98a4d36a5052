// Jails with real processes, at every level that this machine gives; what attacks come to is in
// tests/escapes.
#include "sandbox/jail.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "built.h"
#include "fakes/numbers.h"
#include "fakes/temporary_folder.h"
#include "sandbox/isolation.h"
#include "sandbox/jail_group.h"
#include "sandbox/process_spawner.h"
#include "sandbox/system_calls.h"

namespace assay {
namespace {

class JailTest : public testing::TestWithParam<Isolation> {
 protected:
  void SetUp() override {
    for (const IsolationTrial& trial : isolation().trials)
      if (trial.level == GetParam() && !trial.works) GTEST_SKIP() << trial.missing;
    auto spawner = ProcessSpawner::create(temporary_.path() + "/scratch");
    ASSERT_TRUE(spawner);
    spawner_ = std::move(*spawner);
    limits_.timeout_ns = 20 * kSecond;
    JailSpec jail;
    jail.level = GetParam();
    jail.read_only = {"/usr", "/bin", "/lib", "/lib64", "/nowhere"};
    jail.environment = {"PATH=/usr/bin:/bin", "GIVEN=yes"};
    jail.may_exec = true;
    limits_.jail = jail;
    // Everybody must be able to enter the scratch folder's parents: the jail's user is another.
    std::filesystem::permissions(temporary_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
  }

  // Runs a shell command in the jail, to its end.
  Ending run(const std::string& command) {
    Image image{"launch", {built::kLaunch, "/bin/sh", "-c", command}, {"SECRET=x"}, 20 * kSecond};
    auto child = spawner_->start(image, limits_, {Json::object(), {}});
    EXPECT_TRUE(child) << child.error().describe();
    while (true) {
      auto event = spawner_->next(30 * kSecond);
      EXPECT_TRUE(event) << event.error().describe();
      if (!event || event->kind == Event::Kind::ended) return event ? event->ending : Ending{};
    }
  }

  TemporaryFolder temporary_;
  Limits limits_;
  std::unique_ptr<ProcessSpawner> spawner_;
};

TEST_P(JailTest, AProgramSeesItsEnvironmentItsFolderAndNothingElse) {
  Ending ending = run("env | sort; pwd; echo x > here && echo writable; cat /etc/passwd");
  EXPECT_EQ(ending.kind, EndKind::exited) << ending.message << ending.output;
  EXPECT_EQ(ending.isolation, GetParam());
  EXPECT_NE(ending.output.find("GIVEN=yes\n"), std::string::npos) << ending.output;
  EXPECT_EQ(ending.output.find("SECRET"), std::string::npos) << ending.output;
  EXPECT_NE(ending.output.find("writable"), std::string::npos) << ending.output;
  EXPECT_EQ(ending.output.find("root:"), std::string::npos) << ending.output;
}

// What a profiler does: two processes of one jail talk to each other, and to nobody else.
TEST_P(JailTest, ANetworkOfItsOwnConnectsItsProcessesAndNoOthers) {
  const std::string connect =
      "python3 -c 'import socket\n"
      "served = socket.create_server((\"127.0.0.1\", 0))\n"
      "socket.create_connection(served.getsockname())\n"
      "print(\"connected to \" + served.accept()[1][0])\n"
      "for family in (socket.AF_INET6, socket.AF_NETLINK, socket.AF_VSOCK):\n"
      "  try: socket.socket(family, socket.SOCK_DGRAM)\n"
      "  except PermissionError: print(\"refused\")\n"
      "try: socket.create_connection((\"192.0.2.1\", 80), 1)\n"
      "except OSError as error: print(\"beyond it:\", error.strerror)'";
  EXPECT_FALSE(run(connect).output.contains("connected")) << run(connect).output;
  limits_.jail->has_loopback = true;
  const std::string output = run(connect).output;
  if (output.contains("have a network of its own")) GTEST_SKIP() << output;  // no CAP_NET_ADMIN
  if (GetParam() == Isolation::L1) {
    EXPECT_FALSE(output.contains("connected")) << output;  // the network there is everybody's
  } else {
    EXPECT_EQ(
        output,
        "connected to 127.0.0.1\nrefused\nrefused\nrefused\nbeyond it: Network is unreachable\n");
  }
}

TEST_P(JailTest, WhereItMayNotStartProgramsNothingStarts) {
  limits_.jail->may_exec = false;
  Ending ending = run("echo started");
  EXPECT_NE(ending.output.find("assay-launch: cannot run '/bin/sh'"), std::string::npos)
      << ending.output;
}

TEST_P(JailTest, AJailThatCannotBeEnteredIsLostAndSaysWhy) {
  // Nobody has this CPU.
  limits_.jail->cpus = {1023};
  Ending ending = run("echo started");
  EXPECT_EQ(ending.kind, EndKind::lost);
  EXPECT_NE(ending.message.find("cannot keep to its CPUs"), std::string::npos) << ending.message;
  EXPECT_EQ(ending.output, "");
}

TEST_P(JailTest, AFreezerFailsAtOnceWhenItsChildHasEnded) {
  Image image{"launch", {built::kLaunch, "/bin/sh", "-c", "exec sleep 60"}, {}, 20 * kSecond};
  auto child = spawner_->start(image, limits_, {Json::object(), {}});
  ASSERT_TRUE(child);
  while (spawner_->resident_bytes(*child) == 0) (void)spawner_->next(kSecond / 100);
  auto freezer = spawner_->freezer(*child);
  ASSERT_TRUE(freezer);
  ASSERT_TRUE(freezer->freeze());
  EXPECT_TRUE(freezer->cpu_ns());
  // Frozen, it hears no signal: stop() must thaw it first.
  spawner_->stop(*child);
  auto end = spawner_->next(10 * kSecond);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->ending.kind, EndKind::stopped);
  EXPECT_FALSE(freezer->freeze());
  EXPECT_FALSE(freezer->thaw());
  EXPECT_EQ(spawner_->freezer(*child), nullptr);
}

TEST_P(JailTest, TheNextWorkerOfAnImageHasAJailOfItsOwn) {
  EXPECT_NE(run("echo x > kept; ls").output.find("kept"), std::string::npos);
  EXPECT_EQ(run("ls").output, "");
}

// As a card's driver does; it gives up where it cannot.
TEST_P(JailTest, WhoHasADeviceNamesItsThreads) {
  const std::string name =
      "echo named > /proc/self/comm && read name < /proc/self/comm && echo $name";
  limits_.jail->devices = {"/dev/zero"};
  Ending ending = run(name);
  EXPECT_EQ(ending.output, "named\n") << ending.message;
}

INSTANTIATE_TEST_SUITE_P(Levels, JailTest,
                         testing::Values(Isolation::L1, Isolation::L2, Isolation::L3),
                         [](const auto& level) {
                           return std::string(to_word(kIsolationWords, level.param));
                         });

TEST(IsolationProbe, ABoundLowersTheLevelAndNothingElse) {
  IsolationReport free = probe_isolation("");
  EXPECT_FALSE(free.bound);
  IsolationReport bound = probe_isolation("L0");
  EXPECT_EQ(bound.highest, Isolation::L0);
  ASSERT_EQ(bound.trials.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bound.trials[i].works, free.trials[i].works);
    EXPECT_EQ(bound.trials[i].missing.empty(), bound.trials[i].works);
    EXPECT_EQ(bound.trials[i].mend.empty(), bound.trials[i].works);
  }
  EXPECT_FALSE(probe_isolation("L9").bound);
}

// Where there is no version 2 jails fall back to this; most machines with it have both.
TEST(Freezer, ControlGroupsOfVersionOneFreeze) {
  const std::string name = "/assay-test-" + std::to_string(getpid());
  const std::string folder = "/sys/fs/cgroup/freezer" + name, cpu = "/sys/fs/cgroup/cpuacct" + name;
  std::error_code refused;
  if (!std::filesystem::create_directory(folder, refused) ||
      !std::filesystem::create_directory(cpu, refused))
    GTEST_SKIP() << "no freezer and cpuacct of version 1 that may be written: "
                 << refused.message();
  auto* count = static_cast<volatile uint64_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pid_t child = fork();
  if (child == 0)
    while (true) *count = *count + 1;
  for (const std::string& group : {folder, cpu})
    std::ofstream(group + "/cgroup.procs") << child << std::flush;
  auto freezer = group_freezer(folder, cpu + "/cpuacct.usage");
  EXPECT_TRUE(freezer) << freezer.error().describe();
  if (freezer) {
    usleep(50'000);
    EXPECT_TRUE((*freezer)->freeze());
    uint64_t frozen_at = *count;
    auto cpu_before = (*freezer)->cpu_ns();
    usleep(50'000);
    EXPECT_EQ(*count, frozen_at);
    EXPECT_GT(frozen_at, 0u);
    EXPECT_TRUE((*freezer)->thaw());
    usleep(50'000);
    EXPECT_GT(*count, frozen_at);
    EXPECT_GT((*freezer)->cpu_ns().value_or(0), cpu_before.value_or(0));
    (*freezer)->close();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::filesystem::remove(folder);
  std::filesystem::remove(cpu);
}

// Each sweeps what killed ones have left, also while the others have made theirs and not held it.
TEST(JailGroups, SeveralAtOnceDoNotSweepEachOthersAway) {
  if (auto groups = JailGroups::find(); !groups) GTEST_SKIP() << groups.error().message;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    int failed = 0;
    for (int times = 0; times < 100; ++times) failed += !JailGroups::find();
    _exit(failed);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(SystemCalls, AFilterFitsTheKernelAndDiffersByWhatItRefuses) {
  auto open = system_call_filter(Isolation::L2, true, false);
  auto closed = system_call_filter(Isolation::L2, false, false);
  auto weak = system_call_filter(Isolation::L1, true, false);
  auto connecting = system_call_filter(Isolation::L2, true, true, true);
  ASSERT_TRUE(open && closed && weak && connecting);
  EXPECT_LT(connecting->size(), open->size());
  EXPECT_GT(closed->size(), open->size());
  EXPECT_GT(weak->size(), open->size());
  EXPECT_LT(weak->size(), 4096u);
  EXPECT_EQ(*system_call_filter(Isolation::L3, true, false), *open);
}

}  // namespace
}  // namespace assay
