#include "tune/subject.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

Configuration by_flag(const std::string& name, const std::string& flag) {
  return {.name = name, .flags = {flag}};
}

class TuneSubjectTest : public testing::Test {
 protected:
  void SetUp() override {
    workload_.path = "op:one";
    other_.path = "op:two";
    target_.name = "local";
  }
  TuneSubject subject(const Workload& workload, std::vector<Configuration> points) const {
    TuneSubject made;
    made.workload = &workload;
    made.target = &target_;
    made.identity = "of this machine";
    EXPECT_TRUE(made.set_points(std::move(points)));
    return made;
  }
  TuneSubject subject() const {
    return subject(workload_, {by_flag("a", "--x=1"), by_flag("b", "--x=2")});
  }

  Workload workload_, other_;
  Target target_;
};

TEST_F(TuneSubjectTest, ItsTimeIsThatOfItsOwnLines) {
  const Json line =
      to_json({.step = "try", .point = 0, .code = "c", .ns = 5, .spent_ns = 60}, subject());
  TuneSubject same = subject();
  const auto read = line_from_json(line, same);
  ASSERT_TRUE(read);
  EXPECT_TRUE(same.take(*read));
  EXPECT_EQ(same.spent_ns, 60);
  EXPECT_EQ(same.tried.at(0).ns, 5);
  TuneSubject elsewhere = subject(), another = subject(other_, same.points);
  EXPECT_FALSE(line_from_json(line, another));
  elsewhere.identity = "of another machine";
  EXPECT_FALSE(line_from_json(line, elsewhere));
}

TEST_F(TuneSubjectTest, WhatSaysSomethingElseUnderTheSameNameIsNotKnown) {
  const TuneSubject before = subject();
  const Json of_a =
                 to_json({.step = "try", .point = 0, .code = "c", .ns = 5, .spent_ns = 60}, before),
             of_b =
                 to_json({.step = "try", .point = 1, .code = "d", .ns = 6, .spent_ns = 70}, before),
             of_default = to_json({.step = "try", .code = "e", .ns = 7, .spent_ns = 80}, before),
             end = to_json({.step = "end", .spend_ns = 90, .spent_ns = 90}, before);
  TuneSubject changed = subject(workload_, {by_flag("a", "--x=1"), by_flag("b", "--x=3")});
  EXPECT_FALSE(line_from_json(of_b, changed));
  EXPECT_FALSE(line_from_json(end, changed)) << "another space was searched";
  const auto same = line_from_json(of_a, changed), own = line_from_json(of_default, changed);
  ASSERT_TRUE(same && own);
  EXPECT_EQ(same->point, 0u);
  EXPECT_EQ(same->spent_ns, 0) << "of another space";
  EXPECT_EQ(own->ns, 7);
  TuneSubject again = subject();
  ASSERT_TRUE(line_from_json(end, again));
  EXPECT_EQ(line_from_json(end, again)->spend_ns, 90);
}

TEST_F(TuneSubjectTest, OfTwoThatDifferOneHasToBeRenamed) {
  TuneSubject made = subject(workload_, {by_flag("a", "--x=1"), by_flag("a", "--x=1")});
  EXPECT_EQ(made.points.size(), 1u);
  TuneSubject clashing;
  const Status refused = clashing.set_points({by_flag("a", "--x=1"), by_flag("a", "--x=2")});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("named 'a'")) << refused.error().describe();
}

TEST_F(TuneSubjectTest, WhyNothingBeatsTheCompilersOwnChoice) {
  TuneSubject made = subject();
  EXPECT_TRUE(made.nothing_beats().contains("by more than 1 %"));
  TuneLine line{.step = "judge", .point = 0};
  line.judged.emplace().outcome = Outcome::undecided;
  line.judged->low = 1.2;
  line.judged->reason = "one-of-many";
  EXPECT_TRUE(made.take(line));
  EXPECT_TRUE(made.seems_faster());
  EXPECT_FALSE(made.winner());
  EXPECT_TRUE(made.nothing_beats().contains("seems to be faster"));
  line.judged->low = 0.9;
  EXPECT_TRUE(made.take(line));
  EXPECT_FALSE(made.seems_faster());
  EXPECT_TRUE(made.nothing_beats().contains("undecided (one-of-many)"));
  EXPECT_TRUE(made.result().refuted.empty());
  line.judged->outcome = Outcome::equal;
  EXPECT_TRUE(made.take(line));
  EXPECT_EQ(made.result().refuted.size(), 1u);
  line.judged->outcome = Outcome::faster;
  EXPECT_TRUE(made.take(line));
  EXPECT_TRUE(made.result().refuted.empty());
  EXPECT_TRUE(made.result().is_judged);
  EXPECT_TRUE(
      made.take({.step = "judge", .point = 0, .why_none = "it ends with 1", .is_broken = true}));
  EXPECT_EQ(made.result().refuted.size(), 1u);
  EXPECT_TRUE(made.result().is_judged);
  EXPECT_TRUE(made.take({.step = "judge", .point = 0, .why_none = "it took longer than 10 s"}));
  EXPECT_FALSE(made.result().is_judged);
  EXPECT_TRUE(made.nothing_beats().ends_with("could not be judged: it took longer than 10 s"));
}

// A whole program's points are for its operations, until the best for each are one.
TEST_F(TuneSubjectTest, TheBestForEachOperationOfAProgramAreOnePoint) {
  Configuration tiles{.name = "tiles",
                      .operation = "product",
                      .types = {"f32", "f16"},
                      .pipeline = "DoubleTilingExpert",
                      .lowering = {{.key = "distribution", .values = {"8", "8", "0"}}}};
  TuneSubject made = subject(workload_, {tiles, by_flag("b", "--x=2")});
  made.of_any_sizes = {tiles};
  EXPECT_TRUE(made.is_to_be_looked_at());
  const std::string space = made.space;
  TuneLine look{.step = "look"};
  look.hot = {{"64x32x16", "f32"}, {"8x8x8", "f16"}, {"4x4x4", "i8"}};
  ASSERT_TRUE(made.take(look));
  EXPECT_FALSE(made.is_to_be_looked_at());
  ASSERT_EQ(made.points.size(), 3u) << "nothing is for i8, and flags are for all";
  EXPECT_EQ(made.points[0].name, "64x32x16_tiles");
  EXPECT_EQ(made.points[1].types, std::vector<std::string>{"f16"});
  EXPECT_NE(made.space, space);
  auto timed = [&](std::optional<size_t> point, const std::string& code, double ns) {
    EXPECT_TRUE(made.take({.step = "try", .point = point, .code = code, .ns = ns}));
  };
  timed(std::nullopt, "a", 100);
  timed(0, "b", 90);
  timed(1, "c", 99.5);
  EXPECT_FALSE(made.best_together()) << "the second is no faster";
  timed(1, "c", 80);
  ASSERT_EQ(made.best_together(), 3u);
  EXPECT_EQ(made.points[3].name, "64x32x16_tiles+8x8x8_tiles");
  EXPECT_EQ(made.author_of(3).configurations->size(), 2u);
  // As the log has them.
  const Json line = to_json({.step = "try", .point = 3, .code = "d", .ns = 70}, made),
             looked = to_json(look, made);
  timed(3, "d", 70);
  EXPECT_FALSE(made.best_together()) << "it was tried";
  TuneSubject again = subject(workload_, {tiles, by_flag("b", "--x=2")});
  again.of_any_sizes = {tiles};
  ASSERT_TRUE(again.take(*line_from_json(looked, again)));
  const auto read = line_from_json(line, again);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->point, 3u);
}

TEST_F(TuneSubjectTest, AnOperationOfAProgramHasThePointsOfItsKind) {
  const Configuration product{.name = "tiles",
                              .operation = "product",
                              .types = {"f32"},
                              .pipeline = "DoubleTilingExpert",
                              .lowering = {{.key = "distribution", .values = {"8", "8", "0"}}}};
  const Configuration convolution{
      .name = "conv",
      .operation = "convolution",
      .types = {"f32"},
      .divides = true,
      .pipeline = "ConvTileAndDecomposeExpert",
      .lowering = {{.key = "distribution", .values = {"1", "1", "28", "64", "0", "0", "0"}}}};
  TuneSubject made = subject(workload_, {});
  made.of_any_sizes = {product, convolution};
  TuneLine look{.step = "look"};
  look.hot = {{"2x28x28x64x3x3x32", "f32"},
              {"2x14x14x64x3x3x32", "f32"},
              {"64x32x16", "f32"},
              {"64x32x32", "f32"},
              {"64x32x64", "f32"}};
  ASSERT_TRUE(made.take(look));
  ASSERT_EQ(made.points.size(), 3u) << "28 divides no 14, so the next ones are searched";
  EXPECT_EQ(made.points[0].name, "2x28x28x64x3x3x32_conv");
  EXPECT_EQ(made.points[1].name, "64x32x16_tiles");
  EXPECT_EQ(made.points[2].name, "64x32x32_tiles");
}

}  // namespace
}  // namespace assay
