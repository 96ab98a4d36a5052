#include "report/code_table.h"

#include <gtest/gtest.h>

#include "report/example_run.h"

namespace assay {
namespace {

Attempt compiled_for_gpu(const std::string& name, Json kernels) {
  Attempt attempt = example_attempt("level1", name, "a100");
  StageRecord stage;
  stage.stage = Stage::compile;
  stage.evidence = {{"architecture", "sm_80"}, {"kernels", std::move(kernels)}};
  attempt.stages = {stage};
  return attempt;
}

TEST(CodeTable, OfKernelsInTritonHasWhatTheOneTakesThatTakesMost) {
  const auto rows = code_rows(
      {compiled_for_gpu("a", {{{"name", "f"}, {"registers", 40}, {"spilled_bytes", 8}},
                              {{"name", "g"}, {"registers", 24}, {"shared_bytes", 2048}}}),
       compiled_for_gpu("b", {{{"name", "f"}, {"shared_bytes", 1024}}})});
  ASSERT_EQ(rows.size(), 2u) << "nobody has said what the other one takes";
  EXPECT_EQ(rows[0], (Row{"problem", "author", "registers", "spilled", "shared"}));
  EXPECT_EQ(rows[1][2], "40");
  EXPECT_EQ(rows[1][3], "8 B");
  EXPECT_EQ(rows[1][4], "2.0 KiB");
}

}  // namespace
}  // namespace assay
