// The script of IREE's own commands: which device a program is run on, and what is not run at all.
#include <gtest/gtest.h>

#include "report/example_run.h"
#include "report/format.h"

namespace assay {
namespace {

// Of one attempt that was compiled with these flags.
ReportInput compiled_with(const std::vector<std::string>& flags) {
  ReportInput input = example_run();
  Attempt attempt = example_attempt("level1", "product", "mine");
  attempt.stages[1].evidence["flags"] = flags;
  input.attempts = {attempt};
  return input;
}

std::string script_of(const ReportInput& input) {
  return rendered(format_named("commands"), input).front().text;
}

TEST(CommandsFormat, EachProgramIsRunOnTheDeviceOfItsTarget) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> kDevices{
      {{"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"},
       "local-sync"},
      {{"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx"},
       "local-sync"},
      {{"--iree-hal-target-backends=llvm-cpu"}, "local-sync"},
      {{"--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"}, "cuda"},
      {{"--iree-hal-target-device=hip"}, "hip"},
      {{"--iree-hal-target-backends=rocm"}, "hip"},
      {{"--iree-hal-target-device=vulkan"}, "vulkan"},
      {{"--iree-hal-target-backends=vulkan-spirv"}, "vulkan"},
      {{"--iree-hal-target-device=metal"}, "metal"}};
  for (const auto& [flags, device] : kDevices) {
    const std::string script = script_of(compiled_with(flags));
    for (const char* tool : {"iree-run-module", "iree-benchmark-module"})
      EXPECT_TRUE(script.contains(std::string("\nrun ") + tool + " --module=runs/tour/") &&
                  script.contains(" --function=main --device=" + device + " --input=4x8xf32=1\n"))
          << script;
  }
  EXPECT_FALSE(script_of(compiled_with({"--iree-opt-level=O3"})).contains("--device"))
      << "they do not say for which device they compile";
  ReportInput threads = compiled_with({"--iree-hal-target-device=local"});
  threads.run.settings.threads = 4;
  EXPECT_TRUE(script_of(threads).contains(" --device=local-task "));
}

TEST(CommandsFormat, WhatThisMachineCannotRunIsACommentThatSaysWhy) {
  ReportInput input = compiled_with({"--iree-hal-target-device=cuda"});
  input.not_here["another"] = "nothing";
  EXPECT_TRUE(script_of(input).contains("\nrun iree-run-module "));
  input.not_here["mine"] = "this machine lacks libcuda.so.1\nrm -r /";
  const std::string script = script_of(input);
  EXPECT_TRUE(script.contains("\nrun iree-compile ")) << "it can be compiled all the same";
  EXPECT_TRUE(script.contains("\n# Not run: this machine lacks libcuda.so.1\\nrm -r /.\n"))
      << script;
  EXPECT_TRUE(script.contains("\n# run iree-run-module ")) << script;
  EXPECT_TRUE(script.contains("\n# run iree-benchmark-module ")) << script;
  EXPECT_FALSE(script.contains("\nrun iree-run-module ")) << script;
  // Whatever the folder is called, its line is one.
  input.folder = "runs/a\nb";
  EXPECT_FALSE(script_of(input).contains("\nb/")) << script_of(input);
}

}  // namespace
}  // namespace assay
