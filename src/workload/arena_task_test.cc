#include "workload/arena_task.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ArenaTask, OfTheFirstSchemaCommandsSayWhatIsRun) {
  auto task = read_arena_task(
      "# a task\nsource_file_path:\n- kernel.py  # the source\n- 'other.py'\n"
      "target_kernel_functions:\n  - add_kernel\ncompile_command:\n  - python -c 'x: y'\n"
      "correctness_command:\n- pytest -vv kernel.py -k \"not test_performance\"\n"
      "prompt:\n  source_code: null\n  instructions: |\n    - not: an item\n"
      "task_type: triton2triton\nplatform_support:\n  status: skip\n  skip_reason: old\n",
      "config.yaml");
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->schema, 1);
  EXPECT_EQ(task->sources, (std::vector<std::string>{"kernel.py", "other.py"}));
  EXPECT_EQ(task->kernels, std::vector<std::string>{"add_kernel"});
  ASSERT_EQ(task->checks.size(), 1u);
  EXPECT_TRUE(task->checks[0].starts_with("pytest"));
  EXPECT_EQ(task->type, "triton2triton");
  EXPECT_TRUE(task->is_triton);
  EXPECT_EQ(task->skipped, "its platform_support says skip: old");
  EXPECT_EQ(read_arena_task("task_type: x\n", "config.yaml").error().message,
            "config.yaml: it names no source_file_path");
}

TEST(ArenaTask, OfTheSecondSchemaACandidateIsDeclared) {
  auto task = read_arena_task(
      "schema_version: 2\ndescription: Makes the kernel faster,\n  and keeps what it computes.\n"
      "candidate:\n  language: triton\n  editable:\n  - path: a.py\n    scope: symbols\n"
      "    symbols: [add_kernel]\n  - b.py\n  entrypoints:\n"
      "    - {file: a.py, kind: function, symbol: add_kernel}\n"
      "evaluation:\n  runner: [python3, check.py]\n  workloads: cases.json\n",
      "config.yaml");
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->schema, 2);
  EXPECT_EQ(task->sources, (std::vector<std::string>{"a.py", "b.py"}));
  EXPECT_EQ(task->kernels, std::vector<std::string>{"add_kernel"});
  EXPECT_EQ(task->checks, std::vector<std::string>{"python3 check.py"});
  EXPECT_EQ(task->type, "triton2triton");
  EXPECT_TRUE(task->is_triton);
  EXPECT_EQ(task->skipped, "");
}

TEST(ArenaTask, WhatCannotBeHeldToAnythingIsSkipped) {
  auto task = read_arena_task(
      "schema_version: 2\ncandidate:\n  language: hip\n  initial_language: triton\n"
      "  initial_state: unimplemented\n  editable: [a.hip]\n",
      "config.yaml");
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->type, "triton2hip");
  EXPECT_FALSE(task->is_triton);
  EXPECT_TRUE(task->skipped.contains("unimplemented"));
}

TEST(ArenaTask, ASchemaThatNobodyKnowsIsSaid) {
  EXPECT_EQ(read_arena_task("schema_version: 3\n", "config.yaml").error().message,
            "config.yaml: schema_version is 3");
  EXPECT_EQ(read_arena_task("schema_version: 2\n", "config.yaml").error().message,
            "config.yaml: it names no candidate.editable");
}

}  // namespace
}  // namespace assay
