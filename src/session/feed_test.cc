// A session is driven by whoever reads verdicts and proposes more: the loop that searches are made
// of.
#include "session/feed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "fakes/session_fixture.h"
#include "run/outcome.h"
#include "session/store_sink.h"

namespace assay {
namespace {

constexpr int kProposals = 250;

// What the n-th proposal is called follows from the verdict on the one before.
std::string name_after(int number, std::optional<Verdict> before) {
  const std::string_view word =
      before ? std::string_view(to_word(kVerdictWords, *before)) : std::string_view("nothing");
  return fmt::format("n{:04}_after_{}", number, word);
}

// Every seventh cannot be exported.
bool fails(std::string_view name) { return std::stoi(std::string(name.substr(1, 4))) % 7 == 3; }

// Proposes one at a time: the next when it has learned what became of the last.
class Chain final : public Feed {
 public:
  Chain(const Target& target, int next, std::optional<Verdict> before)
      : target_(target), next_(next), before_(before) {}

  Result<std::optional<Lane>> next() override {
    if (is_waiting_ || next_ == kProposals) return std::optional<Lane>{};
    is_waiting_ = true;
    const std::string name = name_after(next_, before_);
    Lane lane{.workload = {"/chain/" + name + ".py", "chain", "", name},
              .terms = terms_,
              .loaded = LoadedWorkload{"source of " + name}};
    Planned planned{.target = &target_, .candidate = {.form = &artifact_form()}};
    planned.attempt.workload = name;
    planned.attempt.path = lane.workload.path;
    planned.attempt.suite = "chain";
    planned.attempt.author = "iree";
    planned.attempt.target = target_.name;
    planned.attempt.mode = "eval";
    planned.attempt.id = attempt_id(planned.attempt, false);
    lane.planned.push_back(std::move(planned));
    return std::optional(std::move(lane));
  }
  bool has_ended() const override { return next_ == kProposals; }
  Status learn(const Attempt& attempt) override {
    EXPECT_EQ(attempt.workload, name_after(next_, before_));
    before_ = attempt.verdict;
    ++next_;
    is_waiting_ = false;
    return {};
  }

 private:
  static std::shared_ptr<const Terms> terms() {
    Terms terms;
    terms.settings.timeout_ns = 1'000'000'000;
    return std::make_shared<const Terms>(std::move(terms));
  }

  const Target& target_;
  int next_;
  std::optional<Verdict> before_;
  bool is_waiting_ = false;
  std::shared_ptr<const Terms> terms_ = terms();
};

class FeedTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    export_ = [](const Job& job) {
      const auto path = job.body["path"].get<std::string>();
      if (!fails(path.substr(path.rfind('/') + 1))) return exported(job, "mlir of " + path);
      return FakeSpawner::Deed{{Json{
          {"final", true}, {"failed", {{"class", "exception"}, {"error", "it is a seventh"}}}}}};
    };
  }

  // Goes on where the store is, up to the last proposal.
  Status go_on() {
    auto store =
        RunStore::open_to_write(system_disk(), request_.folder, {request_.settings, "", "", {}});
    EXPECT_TRUE(store) << store.error().describe();
    auto known = store->known();
    EXPECT_TRUE(known);
    std::optional<Verdict> before;
    if (!known->empty()) before = known->rbegin()->second.verdict;
    Chain chain(request_.targets.front(), static_cast<int>(known->size()), before);
    StoreSink sink(disk_, cache_, *store, events_);
    CachedLibraries libraries(disk_, cache_, tools_, CachedLibraries::Use::all);
    return run_session(chain, sink, {.jobs = 2, .cores = 2}, tools_,
                       {disk_, memory_, clock_, spawner_, cache_, libraries, events_});
  }

  std::map<std::string, RunStore::Known> known() {
    auto store =
        RunStore::open_to_write(system_disk(), request_.folder, {request_.settings, "", "", {}});
    EXPECT_TRUE(store) << store.error().describe();
    return *store->known();
  }
};

TEST_F(FeedTest, ManyProposalsEachFollowFromTheVerdictBefore) {
  // Killed at random moments, and continued, until one comes to the end.
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  int kills = 0;
  while (known().size() < kProposals) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(go_on() && !HasFailure() ? 0 : 1);
    const bool is_killed = kills < 20;
    ::usleep(is_killed ? 1000 + random() % 60'000 : 0);
    if (is_killed) ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
    }
    kills += is_killed;
  }
  int number = 0;
  std::optional<Verdict> before;
  for (const auto& [id, each] : known()) {
    const std::string name = name_after(number++, before);
    EXPECT_TRUE(id.ends_with(name)) << id << " in the place of " << name;
    before = each.verdict;
    EXPECT_EQ(each.verdict, fails(name) ? Verdict::failed : Verdict::compiled) << id;
  }
  EXPECT_EQ(number, kProposals);
}

TEST_F(FeedTest, WhatIsFinishedIsLearnedAfterItIsKept) {
  class Watching final : public Sink {
   public:
    Status take(Finished& finished) override {
      taken.push_back(finished.attempt.workload);
      return taken.size() < 3 ? Status{} : Status(error(Code::unavailable, "it is full"));
    }
    bool keeps() const override { return true; }
    std::vector<std::string> taken;
  } sink;
  Chain chain(request_.targets.front(), 0, std::nullopt);
  CachedLibraries libraries(disk_, cache_, tools_, CachedLibraries::Use::all);
  Status ran = run_session(chain, sink, {.jobs = 2, .cores = 2}, tools_,
                           {disk_, memory_, clock_, spawner_, cache_, libraries, events_});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "it is full");
  EXPECT_EQ(sink.taken,
            (std::vector<std::string>{name_after(0, std::nullopt), name_after(1, Verdict::compiled),
                                      name_after(2, Verdict::compiled)}));
}

}  // namespace
}  // namespace assay
