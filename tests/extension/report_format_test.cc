// What is in report_format.cc is as much of assay as its own formats are.
#include <gtest/gtest.h>

#include "base/disk.h"
#include "extension/extended.h"
#include "fakes/temporary_folder.h"
#include "report/example_run.h"
#include "store/run_store.h"

namespace assay {
namespace {

class AddedFormat : public testing::Test {
 protected:
  void SetUp() override {
    auto store = RunStore::open_to_write(system_disk(), run_, input_.run);
    ASSERT_TRUE(store) << store.error().describe();
    for (const Attempt& attempt : input_.attempts) ASSERT_TRUE(store->save(attempt));
  }

  TemporaryFolder folder_;
  std::string run_ = folder_.path() + "/run";
  ReportInput input_ = example_run();
};

TEST_F(AddedFormat, RendersAReport) {
  Said said = extended({"report", run_, "--format", "tally"});
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(said.text.starts_with(std::to_string(input_.attempts.size()) + " in all\n"))
      << said.text;
  for (const Attempt& attempt : input_.attempts) EXPECT_TRUE(said.text.contains(attempt.id));
  EXPECT_EQ(extended({"report", run_, "--format", "tally", "--to", folder_.path()}).status, 0);
  EXPECT_EQ(*system_disk().read(folder_.path() + "/report.tally"), said.text);
}

TEST_F(AddedFormat, RendersAComparison) {
  Said said = extended({"compare", run_, run_, "--format", "tally"});
  EXPECT_EQ(said.text, std::to_string(input_.attempts.size()) + " in both\n");
}

TEST_F(AddedFormat, IsNamedWhereFormatsAre) {
  for (const std::string command : {"report", "compare"}) {
    EXPECT_TRUE(extended({command, "--help"}).text.contains("tally")) << command;
    Said proposed = extended({"completion", "words", "--", command, "A", "--format", "t"});
    EXPECT_TRUE(proposed.text.contains("tally\thow many attempts, and which")) << command;
    Said refused = extended({command, run_, run_, "--format", "xyzzy"});
    if (command == "report") refused = extended({command, run_, "--format", "xyzzy"});
    EXPECT_TRUE(refused.text.contains("tally")) << refused.text;
  }
  EXPECT_TRUE(
      extended({"help", "--vocabulary"})
          .text.contains("| format of report, compare | `tally` | how many attempts, and which |"));
}

}  // namespace
}  // namespace assay
