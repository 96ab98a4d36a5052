#include "session/memory_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fakes/fake_clock.h"
#include "fakes/fake_spawner.h"

namespace assay {
namespace {

constexpr uint64_t kMb = 1'000'000;

class MemoryWatchTest : public testing::Test {
 protected:
  MemoryWatchTest() { clock_.step_ns = 0; }  // time goes on where a test says so

  // Looks at these, all of one attempt, and returns the samples that came of it.
  std::vector<MemorySample> look(const std::vector<ChildId>& children) {
    const size_t before = curve_.samples.size();
    watch_.look([&](const MemoryWatch::Take& take) {
      for (const ChildId child : children) take(child, Stage::verify, "launch", curve_);
    });
    return {curve_.samples.begin() + static_cast<long>(before), curve_.samples.end()};
  }

  FakeClock clock_;
  FakeSpawner spawner_;
  MemoryWatch watch_{spawner_, clock_};
  MemoryCurve curve_;
};

TEST_F(MemoryWatchTest, ALookIsASampleOfEachChildOfWhichSomethingIsKnown) {
  spawner_.resident = {{1, 10 * kMb}, {3, 4 * kMb}};
  const auto samples = look({1, 2, 3});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].rss_bytes, 10 * kMb);
  EXPECT_EQ(samples[0].pss_bytes, 5 * kMb);
  EXPECT_EQ(samples[0].stage, Stage::verify);
  EXPECT_EQ(samples[0].image, "launch");
  EXPECT_EQ(samples[1].rss_bytes, 4 * kMb);
  EXPECT_EQ(samples[0].at_us, samples[1].at_us) << "of one moment, so that they can be summed up";
}

TEST_F(MemoryWatchTest, TheNextLookIsDueWhenItsTimeHasCome) {
  EXPECT_TRUE(watch_.is_due());
  EXPECT_EQ(watch_.patience_ns(), 1) << "of none a spawner would wait for ever";
  look({});
  EXPECT_FALSE(watch_.is_due());
  EXPECT_EQ(watch_.patience_ns(), MemoryWatch::kEveryNs);
  clock_.ns += MemoryWatch::kEveryNs - 5;
  EXPECT_FALSE(watch_.is_due());
  EXPECT_EQ(watch_.patience_ns(), 5);
  clock_.ns += 5;
  EXPECT_TRUE(watch_.is_due());
  clock_.ns += 3 * MemoryWatch::kEveryNs;
  EXPECT_EQ(watch_.patience_ns(), 1);
}

// The first look costs some time of a core, and the clock does not move: no other walks before it
// does.
TEST_F(MemoryWatchTest, BetweenWalksWhatIsAddedIsItsOwn) {
  spawner_.resident[1] = 10 * kMb;
  look({1});
  spawner_.resident[1] = 16 * kMb;
  EXPECT_EQ(look({1})[0].pss_bytes, 11 * kMb);
  spawner_.resident[1] = 7 * kMb;
  EXPECT_EQ(look({1})[0].pss_bytes, 2 * kMb) << "behind the walk, and not behind the last look";
  spawner_.resident[1] = 1 * kMb;
  EXPECT_EQ(look({1})[0].pss_bytes, 0u);
  EXPECT_EQ(curve_.samples.back().rss_bytes, 1 * kMb);
  clock_.ns += int64_t{3'600'000'000'000};
  EXPECT_EQ(look({1})[0].pss_bytes, kMb / 2) << "a walk knows it again";
}

TEST_F(MemoryWatchTest, WhereNothingIsKnownOfSharingNothingIsGuessed) {
  spawner_.knows_sharing = false;
  spawner_.resident[1] = 10 * kMb;
  EXPECT_FALSE(look({1})[0].pss_bytes);
  spawner_.resident[1] = 16 * kMb;
  const auto samples = look({1});
  EXPECT_EQ(samples[0].rss_bytes, 16 * kMb);
  EXPECT_FALSE(samples[0].pss_bytes);
}

TEST_F(MemoryWatchTest, AChildThatCameBetweenWalksIsWalkedOnce) {
  spawner_.resident[1] = 10 * kMb;
  look({1});
  spawner_.resident[2] = 8 * kMb;
  EXPECT_EQ(look({1, 2})[1].pss_bytes, 4 * kMb);
  spawner_.resident[2] = 9 * kMb;
  EXPECT_EQ(look({1, 2})[1].pss_bytes, 5 * kMb);
}

TEST_F(MemoryWatchTest, OfAChildThatHasEndedThereIsNoSample) {
  spawner_.resident[1] = 10 * kMb;
  look({1});
  spawner_.resident.clear();
  EXPECT_TRUE(look({1}).empty());
}

TEST_F(MemoryWatchTest, AChildThatNobodyGaveIsForgotten) {
  spawner_.resident[1] = 10 * kMb;
  look({1});
  look({});
  spawner_.resident[1] = 16 * kMb;
  EXPECT_EQ(look({1})[0].pss_bytes, 8 * kMb) << "walked anew";
}

TEST(MemoryCurve, AFullOneKeepsOfTwoMomentsTheOneWithMore) {
  MemoryCurve curve;
  // Two children at each moment, of which the second is the larger at every third.
  auto at = [&](int64_t moment, uint64_t bytes) {
    curve.add({moment, Stage::verify, "oracle", 1, 1});
    curve.add({moment, Stage::verify, "launch", bytes, bytes});
  };
  constexpr auto kMoments = static_cast<int64_t>(MemoryCurve::kMostSamples) / 2;
  for (int64_t moment = 0; moment < kMoments; ++moment) at(moment, moment % 3 == 0 ? 9 : 2);
  ASSERT_EQ(curve.samples.size(), MemoryCurve::kMostSamples);
  at(kMoments, 5);
  EXPECT_EQ(curve.samples.size(), MemoryCurve::kMostSamples / 2 + 2);
  std::map<int64_t, uint64_t> sums;
  for (const MemorySample& each : curve.samples) sums[each.at_us] += each.rss_bytes;
  EXPECT_TRUE(std::ranges::is_sorted(curve.samples, {}, &MemorySample::at_us));
  for (int64_t moment = 0; moment < kMoments; moment += 3)
    ASSERT_EQ(sums[moment], 10u) << moment << " is a peak";
  EXPECT_EQ(sums[kMoments], 6u);
  EXPECT_FALSE(sums.contains(5)) << "of 4 and 5, which are alike, the first is kept";
}

TEST(MemoryCurve, EachStageKeepsItsPeak) {
  MemoryCurve curve;
  // Two at once, of which each has its peak where the other has little.
  for (size_t i = 0; i < MemoryCurve::kMostSamples / 2; ++i) {
    const auto at = static_cast<int64_t>(i);
    curve.add({at, Stage::export_, "export", 1, at == 10 ? uint64_t{90} : 2});
    curve.add({at, Stage::compile, "compile", 1, at == 11 ? uint64_t{80} : 1});
  }
  curve.add({int64_t{1} << 40, Stage::compile, "compile", 1, 1});
  EXPECT_EQ(curve.samples.size(), MemoryCurve::kMostSamples / 2 + 1);
  std::map<Stage, uint64_t> most;
  for (const MemorySample& each : curve.samples)
    most[each.stage] = std::max(most[each.stage], *each.pss_bytes);
  EXPECT_EQ(most[Stage::export_], 90u);
  EXPECT_EQ(most[Stage::compile], 80u);
}

TEST(MemoryCurve, OneMomentIsNotCut) {
  MemoryCurve curve;
  for (size_t i = 0; i < MemoryCurve::kMostSamples; ++i)
    curve.add({int64_t{7}, Stage::verify, "", 1, 1});
  curve.add({int64_t{8}, Stage::verify, "", 1, 1});
  EXPECT_EQ(curve.samples.size(), MemoryCurve::kMostSamples);
}

TEST(MemoryCsv, IsInTheOrderOfTimeFromTheFirstLookOn) {
  EXPECT_EQ(memory_csv({}), "time_ms,stage,process,pss_bytes,rss_bytes\n");
  const int64_t begin_us = 1'790'000'000'000'000;
  EXPECT_EQ(memory_csv({{begin_us + 20'060, Stage::verify, "oracle", 9, 4},
                        {begin_us, Stage::export_, "export", 700, {}},
                        {begin_us + 20'060, Stage::verify, "launch", 8, 0}}),
            "time_ms,stage,process,pss_bytes,rss_bytes\n"
            "0.0,export,export,,700\n"
            "20.1,verify,oracle,4,9\n"
            "20.1,verify,launch,0,8\n");
}

}  // namespace
}  // namespace assay
