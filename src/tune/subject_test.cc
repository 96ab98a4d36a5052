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
  same.take(*read);
  EXPECT_EQ(same.spent_ns, 60);
  EXPECT_EQ(same.tried.at(0).ns, 5);
  EXPECT_FALSE(line_from_json(line, subject(other_, same.points)));
  TuneSubject elsewhere = subject();
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
  const TuneSubject changed = subject(workload_, {by_flag("a", "--x=1"), by_flag("b", "--x=3")});
  EXPECT_FALSE(line_from_json(of_b, changed));
  EXPECT_FALSE(line_from_json(end, changed)) << "another space was searched";
  const auto same = line_from_json(of_a, changed), own = line_from_json(of_default, changed);
  ASSERT_TRUE(same && own);
  EXPECT_EQ(same->point, 0u);
  EXPECT_EQ(same->spent_ns, 0) << "of another space";
  EXPECT_EQ(own->ns, 7);
  ASSERT_TRUE(line_from_json(end, subject()));
  EXPECT_EQ(line_from_json(end, subject())->spend_ns, 90);
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
  made.take(line);
  EXPECT_TRUE(made.seems_faster());
  EXPECT_FALSE(made.winner());
  EXPECT_TRUE(made.nothing_beats().contains("seems to be faster"));
  line.judged->low = 0.9;
  made.take(line);
  EXPECT_FALSE(made.seems_faster());
  EXPECT_TRUE(made.nothing_beats().contains("undecided (one-of-many)"));
  EXPECT_TRUE(made.result().refuted.empty());
  line.judged->outcome = Outcome::equal;
  made.take(line);
  EXPECT_EQ(made.result().refuted.size(), 1u);
  line.judged->outcome = Outcome::faster;
  made.take(line);
  EXPECT_TRUE(made.result().refuted.empty());
  EXPECT_TRUE(made.result().is_judged);
  made.take({.step = "judge", .point = 0, .why_none = "it ends with 1", .is_broken = true});
  EXPECT_EQ(made.result().refuted.size(), 1u);
  EXPECT_TRUE(made.result().is_judged);
  made.take({.step = "judge", .point = 0, .why_none = "it took longer than 10 s"});
  EXPECT_FALSE(made.result().is_judged);
  EXPECT_TRUE(made.nothing_beats().ends_with("could not be judged: it took longer than 10 s"));
}

}  // namespace
}  // namespace assay
