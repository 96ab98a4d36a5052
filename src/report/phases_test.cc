#include "report/phases.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/example_run.h"
#include "report/html.h"

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

// Three phases, of which the second is too large to be read, and the problem's file.
struct KeptPhases final : RunReader {
  size_t reads = 0;
  Result<std::vector<WindowRecord>> windows(const std::string&) override {
    return std::vector<WindowRecord>{};
  }
  std::optional<std::string> text(const std::string& path) override {
    if (path.ends_with(".py")) return "a problem\n";
    ++reads;
    return path.ends_with(".flow.mlir") ? "a.b\nc.d\n" : "a.b\nc.d\nc.d\n";
  }
};

Attempt with_phases(uint64_t second_bytes) {
  Attempt attempt = example_attempt("level1", "sum", "local");
  attempt.artifacts = {{"compilation_phases/m.3.vm.mlir", "", 12},
                       {"compilation_phases/m.1.input.mlir", "", 12},
                       {"compilation_phases/m.2.flow.mlir", "", second_bytes},
                       {"artifact.vmfb", "", 5}};
  return attempt;
}

TEST(Phases, WhatIsTooLargeForThePageHasItsSizeAndNoOperations) {
  KeptPhases reader;
  size_t bytes_left = 1000;
  const PagePhases page = page_phases(with_phases(2 << 20), "run/a", reader, bytes_left);
  ASSERT_EQ(page.all.size(), 3u);
  EXPECT_EQ(page.all[0]["name"], "input");
  EXPECT_EQ(page.all[0]["operations"], "3");
  EXPECT_EQ(page.all[1]["bytes"], 2 << 20);
  EXPECT_EQ(page.all[1]["operations"], "");
  EXPECT_TRUE(page.all[1]["diff"].is_null());
  EXPECT_TRUE(page.all[2]["diff"].is_null());
  EXPECT_FALSE(page.lacks_room);
  EXPECT_EQ(bytes_left, 1000u);
}

TEST(Phases, WithoutRoomOnThePageNoneIsRead) {
  KeptPhases reader;
  size_t bytes_left = 10;
  PagePhases page = page_phases(with_phases(8), "run/a", reader, bytes_left);
  ASSERT_EQ(page.all.size(), 3u);
  EXPECT_EQ(page.all[1]["diff"].get<std::string>().size(), 10u);
  EXPECT_GT(page.all[1]["cut"], 0);
  EXPECT_TRUE(page.all[2]["diff"].is_null());
  EXPECT_EQ(page.all[2]["bytes"], 12);
  EXPECT_TRUE(page.lacks_room);
  EXPECT_EQ(bytes_left, 0u);
  EXPECT_EQ(reader.reads, 2u);
  page = page_phases(with_phases(8), "run/a", reader, bytes_left);
  EXPECT_EQ(page.all.size(), 3u);
  EXPECT_EQ(reader.reads, 2u);
  EXPECT_TRUE(page_phases(example_attempt("level1", "sum", "local"), "run/a", reader, bytes_left)
                  .all.empty());
}

TEST(Phases, TakeWhatSourcesLeave) {
  KeptPhases reader;
  ReportInput input;
  input.folder = "run";
  input.reader = &reader;
  input.embed = Embed::all;
  PageDetails details(input, 10);
  std::string text;
  ASSERT_TRUE(details.append(text, with_phases(8)));
  EXPECT_TRUE(text.contains("a problem")) << text;
  EXPECT_EQ(details.without_source(), 0u);
  EXPECT_EQ(details.without_phases(), 1u);
  EXPECT_EQ(reader.reads, 0u);
}

constexpr const char* kDump =
    "noise of a pass\n"
    "// -----// IR Dump After First: first-pass ('func.func' operation: @main) //----- //\n"
    "module {\n  a.b\n}\n\n\n"
    "// -----// IR Dump After Second: second //----- //\n"
    "module {\n  a.b\n}\n"
    "// -----// IR Dump After Third: third ('builtin.module' operation: @m) //----- //\n"
    "module {\n  c.d\n}\n";

std::vector<std::string> diffs_of(std::string_view before, std::string_view printed) {
  std::vector<std::string> found;
  PassDiffs diffs(before, [&](const std::string& diff) -> Status {
    found.push_back(diff);
    return {};
  });
  for (const std::string_view line : lines_of(printed)) EXPECT_TRUE(diffs.line(line));
  EXPECT_TRUE(diffs.end());
  EXPECT_EQ(diffs.found_any(), !found.empty());
  return found;
}

TEST(Phases, EachPassThatChangesSomethingHasItsDiff) {
  const auto found = diffs_of("module {\n  z.z\n}\n", kDump);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].starts_with("=== First: first-pass, 'func.func' operation: @main\n"))
      << found[0];
  EXPECT_TRUE(found[0].contains("-  z.z\n+  a.b\n")) << found[0];
  EXPECT_TRUE(found[1].starts_with("=== Third: third, 'builtin.module' operation: @m\n"))
      << found[1];
  EXPECT_TRUE(found[1].contains("-  a.b\n+  c.d\n")) << found[1];
}

TEST(Phases, APassThatChangesNothingIsNotShown) {
  const auto found = diffs_of("module {\n  a.b\n}\n\n", kDump);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("=== Third")) << found[0];
  EXPECT_TRUE(diffs_of("a.b\n", "nothing of it").empty());
}

TEST(Phases, WhoTakesThemMayStopThem) {
  int taken = 0;
  PassDiffs diffs("", [&](const std::string&) -> Status {
    ++taken;
    return error(Code::interrupted, "interrupted");
  });
  Status status;
  for (const std::string_view line : lines_of(kDump))
    if (status = diffs.line(line); !status) break;
  EXPECT_EQ(status.error().code, Code::interrupted);
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace assay
