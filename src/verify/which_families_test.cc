#include "verify/which_families.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

TEST(WhichFamilies, AMaskOfOneValueAsksForTies) {
  auto has_ties = [](Dtype dtype, DrawKind kind) {
    ProblemDescription problem;
    Leaf mask;
    mask.tensor = TensorSpec{dtype, {4, 8}, {}};
    mask.draw = Draw{.kind = kind};
    problem.inputs = {Leaf{}, mask};
    auto families = telling_families(problem);
    return std::ranges::find(families, Family::ties) != families.end();
  };
  EXPECT_TRUE(has_ties(Dtype::boolean, DrawKind::ones));
  EXPECT_TRUE(has_ties(Dtype::boolean, DrawKind::zeros));
  EXPECT_FALSE(has_ties(Dtype::boolean, DrawKind::randint));
  EXPECT_FALSE(has_ties(Dtype::f32, DrawKind::ones));
}

TEST(WhichFamilies, TheTellingOnesAreAmongAll) {
  auto all = families_in_order();
  auto telling = telling_families({});
  for (Family family : telling) EXPECT_NE(std::ranges::find(all, family), all.end());
  EXPECT_LT(telling.size(), all.size());
  EXPECT_EQ(in_words({Family::own, Family::ties}), "own, ties");
}

}  // namespace
}  // namespace assay
