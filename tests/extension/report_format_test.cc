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

TEST_F(AddedFormat, IsWritten) {
  Said said = extended({"report", run_, "--format", "tally"});
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(said.text.starts_with(std::to_string(input_.attempts.size()) + " in all\n"))
      << said.text;
  for (const Attempt& attempt : input_.attempts) EXPECT_TRUE(said.text.contains(attempt.id));
}

TEST_F(AddedFormat, IsNamedWhereFormatsAre) {
  EXPECT_TRUE(extended({"report", run_, "--format", "xyzzy"}).text.contains("tally"));
  EXPECT_TRUE(extended({"completion", "words", "--", "report", run_, "--format", "t"})
                  .text.contains("how many attempts, and which"));
}

}  // namespace
}  // namespace assay
