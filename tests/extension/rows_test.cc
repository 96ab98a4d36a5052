// What source.cc, author.cc and rule.cc add is listed, planned and named where assay's own is. That
// it is judged, too, is shown by tests/cases/extension.
#include <gtest/gtest.h>

#include "extension/extended.h"

namespace assay {
namespace {

TEST(AddedSource, IsPlannedUnderItsOwnSuite) {
  Said said = extended({"run", "scaled:3", "--by", "tripler", "--dry-run"});
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_TRUE(said.text.contains("scaled/_/local/by_3/tripler")) << said.text;
  EXPECT_TRUE(said.text.contains("runs/scaled")) << said.text;
}

TEST(AddedSource, SaysWhatIsWrongWithAName) {
  Said said = extended({"run", "scaled:much", "--dry-run"});
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(said.text.contains("'scaled:much' names no number")) << said.text;
}

TEST(AddedSource, IsNamedWherePathsAre) {
  EXPECT_TRUE(extended({"run", "--help"}).text.contains("scaled:N,"));
  EXPECT_TRUE(extended({"completion", "words", "--", "run", "sca"}).text.contains("scaled:"));
  EXPECT_TRUE(extended({"completion", "words", "--", "run", "op"}).text.contains("op:matmul"));
}

TEST(AddedOperation, IsListedPlannedAndSuggested) {
  EXPECT_TRUE(extended({"list", "ops", "axpy"}).text.contains("elements of x and y"));
  Said said = extended({"run", "op:axpy[n=3|5]", "--on", "local", "--dry-run"});
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_TRUE(said.text.contains("op/elementwise/local/axpy_n5_f32")) << said.text;
  EXPECT_TRUE(extended({"run", "op:axpi", "--dry-run"}).text.contains("did you mean 'axpy'?"));
}

TEST(AddedAuthor, IsListedAndSuggested) {
  EXPECT_TRUE(extended({"list", "authors"}).text.contains("takes everything three times"));
  Said said = extended({"run", "scaled:3", "--by", "triplr", "--dry-run"});
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(said.text.contains("did you mean 'tripler'?")) << said.text;
}

TEST(AddedAuthor, IsNotPlannedWhereItServesNothing) {
  Said said =
      extended({"run", "scaled:3", "--by", "tripler", "--on", "local,arm_cortex_a72", "--dry-run"});
  EXPECT_TRUE(said.text.contains("not applicable: tripler on arm_cortex_a72")) << said.text;
}

TEST(AddedRule, IsListed) {
  EXPECT_TRUE(extended({"list", "rules"}).text.contains("it is timed against what triples"));
}

TEST(AddedProvider, IsListedSuggestedAndChecked) {
  Said said = extended({"list", "providers", "mirror", "--check"});
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_TRUE(said.text.contains("mirror:WALL")) << said.text;
  EXPECT_TRUE(said.text.contains("a wall to hang it on")) << said.text;
  EXPECT_TRUE(said.text.contains("polished")) << said.text;
  EXPECT_TRUE(extended({"list", "providers", "miror"}).text.contains("did you mean 'mirror'?"));
}

}  // namespace
}  // namespace assay
