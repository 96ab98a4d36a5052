// A search driven by hand: what it asks for, and what it makes of the answers.
#include "tune/tune_feed.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "fakes/session_fixture.h"
#include "tune/searcher.h"

namespace assay {
namespace {

Configuration with_flag(const std::string& name, const std::string& flag) {
  return {.name = name, .flags = {flag}};
}

class HeardEvents final : public TuneEvents {
 public:
  std::vector<std::string> heard;
  void began(const TuneResult& result) override {
    heard.push_back(fmt::format("began {}", result.space));
  }
  void tried(const TuneResult&, const std::string& name, std::optional<double> ns,
             const std::string& why) override {
    heard.push_back(fmt::format("{} {} {}", name, ns.value_or(0), why));
  }
  void judges(const TuneResult&, const std::string& name) override {
    heard.push_back("judges " + name);
  }
};

class TuneFeedTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    request_.workloads.resize(1);
    request_.targets.resize(1);
    request_.targets[0].runner.kind = RunnerKind::native;
    request_.settings.timing.emplace().budget_ns = 1'000'000'000;
    store_.emplace(
        *RunStore::open_to_write(system_disk(), request_.folder, {request_.settings, "", "", {}}));
    configurations_ = {with_flag("slow", "--x=1"), with_flag("same", "--x=2"),
                       with_flag("fast", "--x=3"), with_flag("faster", "--x=4"),
                       with_flag("broken", "--x=5")};
    times_ = {{"iree", 100}, {"iree@slow", 120}, {"iree@fast", 80}, {"iree@faster", 60}};
    codes_ = {{"iree@same", "code of iree"}};
  }

  // As a session would, with attempts that end as the tables say.
  std::vector<TuneResult> search(int64_t spend_ns = 1'000'000'000) {
    TuneRequest request{.run = request_, .searcher = &grid(), .spend_ns = spend_ns, .seed = 1};
    ConfigurationSet set{.name = "space", .path = "space.toml", .title = ""};
    for (const Configuration& each : configurations_) set.entries.push_back({each});
    request.spaces.push_back(std::move(set));
    const TuneTools tools{tools_, machine_, *store_};
    CachedLibraries libraries(disk_, cache_, tools_, CachedLibraries::Use::all);
    World world{disk_, memory_, clock_, spawner_, cache_, libraries, events_};
    TuneFeed feed(request, tools, heard_, world);
    asked_.clear();
    EXPECT_TRUE(feed.begin());
    while (true) {
      auto lane = feed.next();
      EXPECT_TRUE(lane) << lane.error().describe();
      if (!lane || !*lane) break;
      for (const Planned& planned : (*lane)->planned) {
        asked_.push_back(planned.attempt.author);
        EXPECT_TRUE(feed.learn(answered(planned, *(*lane)->terms)));
        if (is_killed_ && is_killed_()) return {};
      }
    }
    EXPECT_TRUE(feed.has_ended());
    std::vector<TuneResult> results;
    for (TunedOperation& each : std::move(feed).results())
      results.push_back(std::move(each.result));
    return results;
  }

  Attempt answered(const Planned& planned, const Terms& terms) {
    Attempt attempt = planned.attempt;
    const std::string author = attempt.author;
    clock_.ns += attempt_ns_;
    StageRecord compile;
    compile.stage = Stage::compile;
    if (author == "iree@broken") {
      compile.status = StageStatus::failed;
      compile.error = "it crashes";
      attempt.verdict = Verdict::failed;
      attempt.stages = {compile};
      return attempt;
    }
    attempt.stages = {compile};
    const auto code = codes_.find(author);
    attempt.artifacts = {
        {std::string(kArtifactName), code == codes_.end() ? "code of " + author : code->second, 1}};
    attempt.verdict = Verdict::compiled;
    if (terms.settings.counters) counted_.insert(author);
    if (terms.settings.until == Stage::compile) return attempt;
    if (not_judged_.contains(author)) {
      attempt.verdict = Verdict::not_judged;
      return attempt;
    }
    attempt.verdict = Verdict::accepted;
    if (terms.settings.counters) attempt.stages.back().evidence = {{"counters", dispatches_}};
    if (terms.settings.timing->profile) {
      attempt.profile.emplace().median_ns = times_.at(author);
      return attempt;
    }
    EXPECT_EQ(planned.baselines.size(), 1u);
    Speedup& speedup = attempt.timing.emplace().speedups.emplace_back();
    speedup.baseline = "iree";
    speedup.outcome = judged_.contains(author) ? judged_.at(author) : Outcome::faster;
    speedup.ratio = speedup.low = speedup.high = 1.5;
    return attempt;
  }

  static const SearcherType& grid() {
    static const SearcherType type = grid_searcher();
    return type;
  }
  size_t times_asked(const std::string& author) const {
    return static_cast<size_t>(std::ranges::count(asked_, author));
  }
  bool has_heard(const std::string& words) const {
    return std::ranges::find(heard_.heard, words) != heard_.heard.end();
  }

  std::optional<RunStore> store_;
  std::vector<Configuration> configurations_;
  std::map<std::string, double> times_;
  std::map<std::string, std::string> codes_;
  std::map<std::string, Outcome> judged_;
  Json dispatches_ = Json::object();
  std::set<std::string> counted_;  // whose code or dispatches were looked at
  std::set<std::string> not_judged_;
  int64_t attempt_ns_ = 0;           // that each takes
  std::function<bool()> is_killed_;  // after an attempt: nothing more is learned
  std::vector<std::string> asked_;
  HeardEvents heard_;
};

TEST_F(TuneFeedTest, TheFastestIsJudgedAndWins) {
  const auto results = search();
  ASSERT_EQ(results.size(), 1u);
  const TuneResult& result = results.front();
  ASSERT_TRUE(result.winner) << result.why;
  EXPECT_EQ(result.winner->name, "faster");
  EXPECT_EQ(result.winner->tuned_for.workload, "a") << "by its name, and what it holds";
  EXPECT_FALSE(result.winner->tuned_for.content.empty());
  EXPECT_EQ(result.tried, 5u);
  EXPECT_EQ(result.same, 1u);
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(result.default_ns, 100);
  // Compiled, tried, three times in turn with the others, judged.
  EXPECT_EQ(times_asked("iree@faster"), 6u);
  EXPECT_EQ(times_asked("iree@slow"), 5u);
  EXPECT_EQ(times_asked("iree@same"), 1u) << "another one's code is not run again";
  EXPECT_EQ(times_asked("iree@broken"), 1u);
  EXPECT_TRUE(has_heard("same 100 the same code as the compiler's own choice"));
  EXPECT_TRUE(has_heard("broken 0 it crashes"));
  EXPECT_TRUE(has_heard("judges faster"));
  EXPECT_FALSE(has_heard("judges fast"));
  EXPECT_TRUE(counted_.empty());
  // The same command does nothing twice.
  const auto again = search();
  EXPECT_TRUE(asked_.empty());
  ASSERT_TRUE(again.front().winner);
  EXPECT_EQ(again.front().winner->name, "faster");
}

TEST_F(TuneFeedTest, WhatIsNoFasterAfterAllIsNoWinner) {
  judged_ = {{"iree@faster", Outcome::equal}, {"iree@fast", Outcome::slower}};
  const TuneResult result = search().front();
  EXPECT_FALSE(result.winner);
  EXPECT_EQ(result.why, "nothing beats the compiler's own choice by more than 1 %");
  EXPECT_EQ(result.refuted.size(), 2u);
  EXPECT_TRUE(has_heard("judges fast"));
  EXPECT_FALSE(has_heard("judges slow")) << "it looks no faster";
}

TEST_F(TuneFeedTest, WhereAllCodeIsTheSameNothingIsTimedInTurn) {
  for (const char* name : {"slow", "same", "fast", "faster"})
    codes_[std::string("iree@") + name] = "code of iree";
  const TuneResult result = search().front();
  EXPECT_FALSE(result.winner);
  EXPECT_EQ(result.why, "no other code came out right and was timed");
  EXPECT_EQ(result.same, 4u);
}

// Its code is another one's too, which comes first the next time.
TEST_F(TuneFeedTest, WhatWasCompiledAndNotTimedSaysNothingOfItsCode) {
  configurations_ = {with_flag("a", "--x=1")};
  codes_ = {{"iree@a", "code of both"}, {"iree@b", "code of both"}};
  is_killed_ = [this] { return times_asked("iree@a") == 1; };
  EXPECT_TRUE(search().empty());
  is_killed_ = {};
  configurations_ = {with_flag("b", "--x=2")};
  for (int i = 0; i < 7; ++i)
    configurations_.push_back(with_flag(fmt::format("c{}", i), fmt::format("--y={}", i)));
  configurations_.push_back(with_flag("a", "--x=1"));  // of the second batch
  times_ = {{"iree", 100}, {"iree@b", 60}};
  for (int i = 0; i < 7; ++i) times_[fmt::format("iree@c{}", i)] = 90;
  const TuneResult result = search().front();
  EXPECT_EQ(result.failed, 0u);
  EXPECT_TRUE(has_heard("b 60 "));
  EXPECT_TRUE(has_heard("a 60 the same code as b"));
  ASSERT_TRUE(result.winner);
  EXPECT_EQ(result.winner->name, "b");
  search();
  EXPECT_TRUE(asked_.empty());
}

TEST_F(TuneFeedTest, WhatNobodyCouldJudgeSaysNothingOfItsCode) {
  configurations_ = {with_flag("a", "--x=1"), with_flag("b", "--x=2")};
  for (int i = 0; i < 6; ++i) {
    configurations_.push_back(with_flag(fmt::format("c{}", i), fmt::format("--y={}", i)));
    times_[fmt::format("iree@c{}", i)] = 90;
  }
  configurations_.push_back(with_flag("d", "--x=3"));  // of the second batch
  for (const char* name : {"a", "b", "d"})
    codes_[std::string("iree@") + name] = "code of all three";
  times_["iree@d"] = 60;
  not_judged_ = {"iree@a"};
  const TuneResult result = search().front();
  EXPECT_TRUE(has_heard("b 0 the same code as a"));
  EXPECT_TRUE(has_heard("d 60 "));
  ASSERT_TRUE(result.winner);
  EXPECT_EQ(result.winner->name, "d");
  // Where nothing won, the next command judges it.
  times_["iree@d"] = 100;
  not_judged_ = {"iree@a", "iree@d"};
  store_.emplace(
      *RunStore::open_to_write(system_disk(), folder_ + "/other", {request_.settings, "", "", {}}));
  judged_["iree@c0"] = judged_["iree@c1"] = judged_["iree@c2"] = Outcome::equal;
  EXPECT_FALSE(search().front().winner);
  not_judged_.clear();
  times_["iree@a"] = 50;
  EXPECT_EQ(search().front().winner.value_or(Configuration{}).name, "a");
  EXPECT_EQ(times_asked("iree@b"), 0u) << "its code is known";
}

TEST_F(TuneFeedTest, WhereTheCompilersOwnChoiceIsNotJudgedItsCodeHasNotFailed) {
  configurations_ = {with_flag("same", "--x=2")};
  not_judged_ = {"iree"};
  search();
  not_judged_.clear();
  EXPECT_EQ(search().front().failed, 0u);
  EXPECT_TRUE(has_heard("same 100 the same code as the compiler's own choice"));
}

TEST_F(TuneFeedTest, FinalsThatWereInterruptedGoOn) {
  for (int i = 0; i < 12; ++i) {
    configurations_.push_back(with_flag(fmt::format("c{}", i), fmt::format("--y={}", i)));
    times_[fmt::format("iree@c{}", i)] = 90 + i;
  }
  judged_ = {{"iree@faster", Outcome::equal}};
  // Nine are compiled and seven run; then the search has had its part, and a round is of seven.
  attempt_ns_ = 100'000'000;
  constexpr int64_t kSpendNs = 2'000'000'000;
  is_killed_ = [this] { return asked_.size() == 25; };
  search(kSpendNs);
  is_killed_ = [this] { return times_asked("iree@faster") == 3; };
  search(kSpendNs);
  EXPECT_EQ(asked_.size(), 15u) << "two rounds of seven, and one that is judged";
  EXPECT_EQ(times_asked("iree@c3"), 0u) << "the search is over";
  is_killed_ = {};
  const TuneResult result = search(kSpendNs).front();
  EXPECT_EQ(asked_, std::vector<std::string>{"iree@fast"}) << "the next one is judged";
  ASSERT_TRUE(result.winner);
  EXPECT_EQ(result.best, "faster");
  EXPECT_EQ(result.best_ns, 60);
  // With more to spend it goes on searching.
  EXPECT_FALSE(search(8 * kSpendNs).empty());
  EXPECT_GE(times_asked("iree@c3"), 2u);
}

// A search that ended is continued where there is more to spend.
TEST_F(TuneFeedTest, ALargerSpaceIsSearchedAndWhatIsKnownIsKept) {
  configurations_.resize(1);
  EXPECT_FALSE(search().front().winner);
  configurations_.push_back(with_flag("faster", "--x=4"));
  const TuneResult result = search().front();
  ASSERT_TRUE(result.winner);
  EXPECT_EQ(result.winner->name, "faster");
  EXPECT_EQ(times_asked("iree@slow"), 3u) << "it is compiled and tried already: in turn alone";
}

TEST_F(TuneFeedTest, CodeThatDoesNotRunHereIsCompiledAndLookedAt) {
  request_.targets[0].runner.kind = RunnerKind::none;
  const TuneResult result = search().front();
  EXPECT_FALSE(result.winner);
  EXPECT_EQ(result.why,
            "its code does not run here, so nothing is timed: the report compares the code of what "
            "compiled");
  EXPECT_EQ(result.tried, 5u);
  EXPECT_EQ(result.failed, 1u) << "what compiled has not failed";
  EXPECT_EQ(asked_.size(), 6u) << "each once, and the compiler's own choice";
  EXPECT_EQ(counted_.size(), 5u);
  EXPECT_TRUE(has_heard("fast 0 ")) << "compiled";
  EXPECT_TRUE(search().front().why.starts_with("its code does not run here"));
  EXPECT_TRUE(asked_.empty());
}

TEST_F(TuneFeedTest, EachHotProductOfAProgramHasAConfigurationOfItsOwn) {
  Configuration tiles{.name = "tiles",
                      .operation = "product",
                      .types = {"f32"},
                      .pipeline = "DoubleTilingExpert",
                      .lowering = {{.key = "distribution", .values = {"8", "8", "0"}}}};
  configurations_ = {tiles};
  CallParts parts{.by = "iree-profile", .calls = 1, .call_ns = 100};
  for (const char* sizes : {"64x32x16", "8x8x8"})
    parts.parts.push_back({.name = fmt::format("main_dispatch_0_matmul_{}_f32", sizes),
                           .median_ns = 40,
                           .low_ns = 40,
                           .high_ns = 40});
  dispatches_ = {{"iree-profile", to_json(parts)}};
  const std::string one = "iree@64x32x16_tiles", other = "iree@8x8x8_tiles";
  times_ = {{"iree", 100}, {one, 90}, {other, 80}, {one + "+8x8x8_tiles", 70}};
  const TuneResult result = search().front();
  EXPECT_EQ(counted_, std::set<std::string>{"iree"});
  ASSERT_TRUE(result.winner) << result.why;
  EXPECT_EQ(result.winner->name, "64x32x16_tiles+8x8x8_tiles");
  ASSERT_EQ(result.winner->parts.size(), 2u);
  EXPECT_EQ(result.winner->parts[1].sizes, "8x8x8");
  EXPECT_EQ(result.winner->parts[1].tuned_for.workload, "a");
  EXPECT_TRUE(has_heard("began 2")) << "one space for each product";
  EXPECT_TRUE(has_heard("judges 64x32x16_tiles+8x8x8_tiles"));
  const auto again = search();
  EXPECT_TRUE(asked_.empty());
  ASSERT_TRUE(again.front().winner);
  EXPECT_EQ(again.front().winner->parts.size(), 2u);
  // As tuned.toml has it: an entry for each, and one library.
  MemoryDisk disk;
  TunedOperation tuned{again.front(), {}};
  ASSERT_TRUE(write_tuned(disk, "/run", {tuned}));
  const auto entries = read_tuned(disk, "/run");
  ASSERT_TRUE(entries) << entries.error().describe();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].configuration.sizes, "64x32x16");
  size_t libraries = 0;
  for (const auto& [path, text] : disk.files)
    if (path.starts_with("/run/tuned/")) {
      ++libraries;
      EXPECT_TRUE(text.contains("dims_equal %m, [64]") && text.contains("dims_equal %m, [8]"));
    }
  EXPECT_EQ(libraries, 1u);
  // The author of all of these takes both.
  std::list<Target> kept;
  std::vector<Configuration> all;
  for (const TunedEntry& each : *entries) all.push_back(each.configuration);
  const auto target = target_of(author_of_tuned(all, "/run/tuned.toml"),
                                {"/other/a.py", "a", again.front().winner->tuned_for.content, {}},
                                request_.targets[0], kept);
  ASSERT_TRUE(target) << target.error();
  EXPECT_EQ((*target)->tuning->lowerings.size(), 2u);
}

}  // namespace
}  // namespace assay
