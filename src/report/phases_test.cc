#include "report/phases.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Phases, AFileNamesItsPhase) {
  Phase phase;
  EXPECT_TRUE(read_phase_name("module.10.executable-targets.mlir", phase));
  EXPECT_EQ(phase.number, 10);
  EXPECT_EQ(phase.name, "executable-targets");
  EXPECT_TRUE(read_phase_name("a.b.2.flow.mlir", phase));
  EXPECT_EQ(phase.number, 2);
  for (const char* other : {"artifact.vmfb", "module.mlir", ".mlir", "module.x.flow.mlir", "1.mlir",
                            "module.0.flow.mlir", "module.1x.flow.mlir", "module.1..mlir", ""})
    EXPECT_FALSE(read_phase_name(other, phase)) << other;
}

TEST(Phases, OperationsAreCountedWhereverALineBeginsWithOne) {
  const auto counts = operation_counts(
      "#map = affine_map<(d0) -> (d0)>\n"
      "module @m {\n"
      "  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "    %0 = tensor.empty() : tensor<4xf32>\n"
      "    %1:2 = linalg.generic {x = 1.0 : f32} ins(%a : tensor<4xf32>) {\n"
      "    ^bb0(%in: f32):\n"
      "      %2 = \"arith.addf\"(%in, %in) : (f32, f32) -> f32\n"
      "      linalg.yield %2 : f32\n"
      "    } -> tensor<4xf32>\n"
      "    %3 = tensor.empty() : tensor<4xf32>\n"
      "  }\n"
      "}\n");
  const std::map<std::string, size_t> wanted{{"arith.addf", 1},
                                             {"func.func", 1},
                                             {"linalg.generic", 1},
                                             {"linalg.yield", 1},
                                             {"tensor.empty", 2}};
  EXPECT_EQ(counts, wanted);
}

TEST(Phases, ARowHasTheMostFrequentFirst) {
  const auto rows =
      phase_rows({{.number = 6, .name = "flow", .text = "a.b\nc.d\nc.d\n", .wall_ns = 2'000'000}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1], (Row{"6", "flow", "2 ms", "12 B", "3", "c.d 2, a.b 1"}));
}

constexpr const char* kDump =
    "noise of a pass\n"
    "// -----// IR Dump After First: first-pass ('func.func' operation: @main) //----- //\n"
    "module {\n  a.b\n}\n\n\n"
    "// -----// IR Dump After Second: second //----- //\n"
    "module {\n  a.b\n}\n"
    "// -----// IR Dump After Third: third ('builtin.module' operation: @m) //----- //\n"
    "module {\n  c.d\n}\n";

TEST(Phases, ADumpIsReadPassByPass) {
  const auto passes = read_pass_dumps(kDump);
  ASSERT_EQ(passes.size(), 3u);
  EXPECT_EQ(passes[0].name, "First: first-pass");
  EXPECT_EQ(passes[0].where, "'func.func' operation: @main");
  EXPECT_EQ(passes[0].text, "module {\n  a.b\n}\n");
  EXPECT_EQ(passes[1].where, "");
  EXPECT_TRUE(read_pass_dumps("nothing of it").empty());
}

TEST(Phases, APassThatChangesNothingIsNotShown) {
  const std::string text = passes_in_diffs("module {\n  a.b\n}\n\n", read_pass_dumps(kDump));
  EXPECT_FALSE(text.contains("First"));
  EXPECT_FALSE(text.contains("Second"));
  EXPECT_TRUE(text.contains("=== Third: third, 'builtin.module' operation: @m\n")) << text;
  EXPECT_TRUE(text.contains("-  a.b\n+  c.d\n")) << text;
}

}  // namespace
}  // namespace assay
