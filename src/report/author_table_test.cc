#include "report/author_table.h"

#include <gtest/gtest.h>

#include "report/example_run.h"

namespace assay {
namespace {

Attempt profiled(const std::string& workload, const std::string& author, double median_ns,
                 double apart = 0.01) {
  Attempt attempt = example_profiled(example_verified(workload, "local"));
  attempt.author = author;
  attempt.id += author;
  attempt.profile->median_ns = median_ns;
  attempt.profile->low_ns = median_ns * (1 - apart);
  attempt.profile->high_ns = median_ns * (1 + apart);
  return attempt;
}

Attempt wrong(const std::string& workload, const std::string& author) {
  Attempt attempt = profiled(workload, author, 1);
  attempt.profile.reset();
  attempt.stages.resize(3);
  attempt.stages[2].status = StageStatus::rejected;
  attempt.stages[2].rule = "wrong";
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

TEST(AuthorTable, HasEagerFirstAndMarksWhoIsNotSlower) {
  const AuthorTable table = author_table(
      {profiled("bert", "xla", 1000), profiled("bert", "iree", 1010),
       profiled("bert", "eager", 2000), profiled("vit", "xla", 4000), profiled("vit", "iree", 8000),
       profiled("vit", "eager", 4000), profiled("gat", "eager", 500), profiled("gat", "xla", 100),
       wrong("gat", "iree")});
  EXPECT_EQ(table.authors, (std::vector<std::string>{"eager", "iree", "xla"}));
  ASSERT_EQ(table.lines.size(), 3u);
  const auto& bert = table.lines[0].cells;
  EXPECT_FALSE(bert[0].is_fastest);
  EXPECT_TRUE(bert[1].is_fastest) << "its interval reaches into the other's";
  EXPECT_TRUE(bert[2].is_fastest);
  const std::vector<Row> rows = author_rows(table);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][1], "2 us");
  EXPECT_EQ(rows[1][3], "1 us *");
  EXPECT_EQ(rows[2][2], "rejected (verify: wrong)");
  // Over bert and vit: iree is sqrt(2000 / 1010 * 4000 / 8000) times as fast.
  EXPECT_EQ(rows[4], (Row{"mean of 2", "1.00x", "0.995x", "1.41x"}));
  const Json json = to_json(table);
  EXPECT_EQ(json["in_mean"], 2);
  EXPECT_TRUE(json["problems"][1]["cells"][1]["median_ns"].is_null());
  EXPECT_EQ(json["problems"][1]["cells"][2]["fastest"], true);
}

Attempt timed(const std::string& author) {
  const Speedup speedup{"eager", 2, 1.9, 2.1, Outcome::faster, "", {}, {}};
  Attempt attempt = example_timed(example_verified("bert", "local"), speedup);
  attempt.author = author;
  return attempt;
}

TEST(AuthorTable, TimesThatARuleDoubtsAreNone) {
  Attempt doubted = timed("xla");
  doubted.timing->speedups[0].outcome = Outcome::undecided;
  doubted.timing->speedups[0].reason = "input-independent";
  const AuthorTable table = author_table({timed("iree"), doubted});
  ASSERT_EQ(table.lines.size(), 1u);
  for (const AuthorCell& cell : table.lines[0].cells)
    EXPECT_EQ(cell.said == "undecided (input-independent)", cell.median_ns == 0) << cell.said;
  const Json json = to_json(table);
  EXPECT_FALSE(dump_json(json).contains("\"fastest\":true,\"high_ns\":null")) << dump_json(json);
}

TEST(AuthorTable, HasTheBaselineBesideWhatWasHeldAgainstIt) {
  const AuthorTable table = author_table({timed("iree"), timed("xla")});
  EXPECT_EQ(table.authors, (std::vector<std::string>{"eager", "iree", "xla"}));
  ASSERT_EQ(table.lines.size(), 1u);
  ASSERT_EQ(table.lines[0].cells.size(), 3u);
  EXPECT_EQ(table.lines[0].cells[0].median_ns, 3e6);
  EXPECT_LE(table.lines[0].cells[1].low_ns, table.lines[0].cells[1].median_ns);
  EXPECT_GE(table.lines[0].cells[1].high_ns, table.lines[0].cells[1].median_ns);
  EXPECT_EQ(table.in_mean, 1u);
}

TEST(AuthorTable, MeansAreOfPairedTimesAndOfWhoHasAny) {
  Attempt slow = timed("iree");  // beside a baseline that took twice as long as elsewhere
  slow.timing->speedups.front().ratio = 4;
  const AuthorTable table = author_table({slow, timed("xla"), wrong("bert", "iree-torch-mlir")});
  EXPECT_EQ(table.authors, (std::vector<std::string>{"eager", "iree", "iree-torch-mlir", "xla"}));
  EXPECT_EQ(table.in_mean, 1u);
  EXPECT_DOUBLE_EQ(table.means[1], 4);
  EXPECT_DOUBLE_EQ(table.means[3], 2);
  EXPECT_EQ(author_rows(table).back(), (Row{"mean of 1", "1.00x", "4.00x", "-", "2.00x"}));
}

TEST(AuthorTable, IsOfSeveralCompilersAlone) {
  EXPECT_FALSE(author_table({}).is_there());
  EXPECT_FALSE(author_table({profiled("bert", "eager", 1)}).is_there());
  EXPECT_FALSE(author_table({profiled("bert", "eager", 1), wrong("bert", "iree")}).is_there())
      << "one time is held against nothing";
  EXPECT_FALSE(author_table({timed("iree")}).is_there()) << "the ranking says as much";
  Attempt handed_in = profiled("bert", "mine", 1);
  handed_in.origin.candidate_sha256 = "00";
  EXPECT_FALSE(author_table({profiled("bert", "eager", 1), handed_in}).is_there());
  // Two of one name.
  EXPECT_FALSE(author_table({profiled("bert", "eager", 1), profiled("bert", "eager", 1),
                             profiled("bert", "xla", 1)})
                   .is_there());
}

}  // namespace
}  // namespace assay
