// Images that have forked often are replaced, and those that do not come up as they should, against
// real processes (tests/fake_image.cc).
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>

#include "base/disk.h"
#include "built.h"
#include "fakes/numbers.h"
#include "fakes/temporary_folder.h"
#include "sandbox/process_spawner.h"

namespace assay {
namespace {

// With both ways of holding a worker's descendants together (fork_server.h).
class RenewalTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto spawner = ProcessSpawner::create(temporary_.path() + "/scratch");
    ASSERT_TRUE(spawner);
    spawner_ = std::move(*spawner);
    limits_.timeout_ns = 20 * kSecond;
    image_ = {"fake",
              {built::kFakeImage},
              {"PATH=/usr/bin:/bin", std::string("ASSAY_HOLDING=") + GetParam()},
              20 * kSecond,
              2};
  }

  // The process that a new worker is forked from, as the worker has it.
  pid_t whose() {
    auto child = spawner_->start(image_, limits_, {Json{{"do", "whose"}}, {}});
    EXPECT_TRUE(child) << child.error().describe();
    pid_t pid = 0;
    while (child) {
      auto event = spawner_->next(20 * kSecond);
      EXPECT_TRUE(event) << event.error().describe();
      if (!event) break;
      if (event->child != *child) continue;
      if (event->kind == Event::Kind::ended) break;
      pid = event->message["ok"]["pid"];
    }
    return pid;
  }

  void wait_until_nothing_comes_up() {
    for (int i = 0; i < 2000 && spawner_->coming_up() > 0; ++i)
      ASSERT_TRUE(spawner_->next(kSecond / 100));
    EXPECT_EQ(spawner_->coming_up(), 0u);
  }

  TemporaryFolder temporary_;
  std::unique_ptr<ProcessSpawner> spawner_;
  Limits limits_;
  Image image_;
};

TEST_P(RenewalTest, OneThatHasForkedOftenServesUntilItsSuccessorIsReady) {
  limits_.conversation = true;
  limits_.messages = 8;
  auto first = spawner_->start(image_, limits_, {Json{{"do", "converse"}}, {}});
  ASSERT_TRUE(first);
  EXPECT_EQ(spawner_->fork_of(*first).process, 0u) << "its image is still coming up";
  EXPECT_EQ(spawner_->coming_up(), 1u);
  wait_until_nothing_comes_up();
  EXPECT_EQ(spawner_->fork_of(*first).process, 1u);
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 0u) << "it has forked once";

  const pid_t old = whose();
  EXPECT_EQ(spawner_->coming_up(), 0u) << "nobody has asked for a successor";
  spawner_->renew();
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 1u);
  EXPECT_EQ(whose(), old);
  wait_until_nothing_comes_up();
  EXPECT_EQ(::kill(old, 0), -1);

  // What it has forked goes on.
  ASSERT_TRUE(spawner_->send(*first, Json{{"number", 7}}, {}));
  ASSERT_TRUE(spawner_->send(*first, Json{{"end", true}}, {}));
  bool heard = false;
  while (true) {
    auto event = spawner_->next(20 * kSecond);
    ASSERT_TRUE(event);
    if (event->child != *first) continue;
    if (event->kind == Event::Kind::ended) {
      EXPECT_EQ(event->ending.kind, EndKind::answered) << event->ending.message;
      break;
    }
    heard |= event->message.contains("heard");
  }
  EXPECT_TRUE(heard);

  // The successor's forks are counted anew.
  const pid_t young = whose();
  EXPECT_NE(young, old);
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 0u);
  EXPECT_EQ(whose(), young);
  auto last = spawner_->start(image_, limits_, {Json{{"do", "hang"}}, {}});
  ASSERT_TRUE(last);
  EXPECT_EQ(spawner_->fork_of(*last).process, 2u);
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 1u);
}

TEST_P(RenewalTest, ASuccessorTakesThePlaceOfOneThatDied) {
  const pid_t old = whose();
  EXPECT_EQ(whose(), old);
  spawner_->renew();
  ::kill(old, SIGKILL);
  const pid_t young = whose();
  EXPECT_NE(young, old);
  EXPECT_EQ(spawner_->coming_up(), 0u);
  EXPECT_EQ(whose(), young);
}

TEST_P(RenewalTest, OnesThatAreNeverToBeRenewedServeForEver) {
  image_.forks_until_renewed = 0;
  const pid_t only = whose();
  for (int i = 0; i < 4; ++i) {
    spawner_->renew();
    EXPECT_EQ(spawner_->coming_up(), 0u);
    EXPECT_EQ(whose(), only);
  }
}

TEST_P(RenewalTest, WhereASuccessorDoesNotComeUpTheOldOneStays) {
  const std::string program = temporary_.path() + "/image";
  std::filesystem::copy_file(built::kFakeImage, program);
  image_.argv = {program};
  const pid_t old = whose();
  EXPECT_EQ(whose(), old);
  std::filesystem::remove(program);
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 0u) << "it could not even be started";
  EXPECT_EQ(whose(), old);
  EXPECT_EQ(whose(), old);
  std::filesystem::copy_file("/bin/true", program);
  spawner_->renew();
  EXPECT_EQ(spawner_->coming_up(), 1u);
  wait_until_nothing_comes_up();
  EXPECT_EQ(whose(), old);
}

TEST_P(RenewalTest, OneThatServedAndDoesNotComeUpAgainCostsItsWorkersAlone) {
  const std::string program = temporary_.path() + "/image";
  std::filesystem::copy_file(built::kFakeImage, program);
  Image other = image_;
  image_.argv = {program};
  const pid_t old = whose();
  std::filesystem::remove(program);
  std::filesystem::copy_file("/bin/true", program);
  ::kill(old, SIGKILL);
  auto served = spawner_->start(other, limits_, {Json{{"do", "answer"}}, {}});
  auto lost = spawner_->start(image_, limits_, {Json{{"do", "answer"}}, {}});
  ASSERT_TRUE(served);
  ASSERT_TRUE(lost);
  std::map<ChildId, Ending> endings;
  while (endings.size() < 2) {
    auto event = spawner_->next(20 * kSecond);
    ASSERT_TRUE(event) << event.error().describe();
    ASSERT_NE(event->kind, Event::Kind::nothing);
    if (event->kind == Event::Kind::ended) endings[event->child] = event->ending;
  }
  EXPECT_EQ(endings.at(*served).kind, EndKind::answered) << endings.at(*served).message;
  EXPECT_EQ(endings.at(*lost).kind, EndKind::lost);
  EXPECT_NE(endings.at(*lost).message, "");
}

TEST_P(RenewalTest, EverythingEndsWhileASuccessorComesUp) {
  whose();
  whose();
  spawner_->renew();
  spawner_->stop_all();
  spawner_.reset();
}

TEST_P(RenewalTest, AnImageMayComeUpByOtherMeans) {
  const std::vector<std::string> sound = image_.argv;
  image_.argv = {sound[0], "dies"};
  image_.argv_otherwise = sound;
  const pid_t served_by = whose();
  EXPECT_GT(served_by, 0);
  EXPECT_EQ(whose(), served_by);
  // Where it does not so, either, that is the error.
  spawner_.reset();
  SetUp();
  image_.argv = {sound[0], "dies"};
  image_.argv_otherwise = {sound[0], "two threads"};
  ASSERT_TRUE(spawner_->start(image_, limits_, {Json{{"do", "whose"}}, {}}));
  const auto event = spawner_->next(20 * kSecond);
  ASSERT_FALSE(event);
  EXPECT_TRUE(event.error().message.contains("threads where a fork")) << event.error().message;
}

TEST_P(RenewalTest, OfImagesThatMayComeUpByOtherMeansTheLastIsKept) {
  const std::vector<std::string> sound = image_.argv;
  auto served_by = [&](const char* package) {
    image_.argv = sound;
    image_.argv_otherwise.clear();
    if (package != nullptr) {
      image_.argv.emplace_back(package);
      image_.argv_otherwise = sound;
    }
    return whose();
  };
  const pid_t plain = served_by(nullptr), first = served_by("one");
  EXPECT_EQ(served_by("one"), first);
  const pid_t second = served_by("another");
  EXPECT_NE(second, first);
  EXPECT_EQ(::kill(first, 0), -1);
  EXPECT_EQ(served_by(nullptr), plain);
  EXPECT_EQ(served_by("another"), second);
  EXPECT_NE(served_by("one"), second);
}

INSTANTIATE_TEST_SUITE_P(Holding, RenewalTest, testing::Values("namespace", "subreaper"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace assay
