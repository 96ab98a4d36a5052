#include "verify/runner.h"

#include <gtest/gtest.h>

#include "run/outcome.h"

namespace assay {
namespace {

StageRecord crashed(const std::string& printed) {
  StageRecord record = failed_stage(Stage::verify, FailureClass::crash, "crashed with SIGSEGV");
  record.detail = printed;
  return record;
}

TEST(Emulated, WhatCrashesIsTheCodeOrTheEmulator) {
  const Emulator& qemu = *emulator_of(emulated_aarch64_runner());
  // QEMU says nothing of a signal where it has no core files for a CPU.
  StageRecord code = crashed("");
  leave_to_emulator(code, qemu);
  EXPECT_EQ(code.status, StageStatus::failed);
  StageRecord emulator = crashed("translate.c:213: Assertion `x' failed.");
  leave_to_emulator(emulator, qemu);
  EXPECT_EQ(emulator.status, StageStatus::not_judged);
  EXPECT_EQ(emulator.error, "QEMU broke: crashed with SIGSEGV");
  EXPECT_EQ(emulator.detail, "translate.c:213: Assertion `x' failed.");
  StageRecord slow = failed_stage(Stage::verify, FailureClass::timeout, "one call was running");
  leave_to_emulator(slow, qemu);
  EXPECT_EQ(slow.status, StageStatus::not_judged);
  EXPECT_EQ(slow.error, "QEMU took too long: one call was running");
  StageRecord wrong = failed_stage(Stage::verify, FailureClass::load, "it does not load");
  leave_to_emulator(wrong, qemu);
  EXPECT_EQ(wrong.status, StageStatus::failed);
}

// No emulator runs the problem's own code, whose end may read the same.
TEST(Emulated, WhatTheProblemBreaksIsTheProblems) {
  const Emulator& qemu = *emulator_of(emulated_aarch64_runner());
  for (StageRecord record :
       {crashed("Assertion `x' failed."),
        failed_stage(Stage::verify, FailureClass::timeout, "it was still running"),
        unsupported_stage(Stage::verify, "it has no result")}) {
    const StageStatus status = record.status;
    const std::string error = record.error;
    record.blamed = Fault::problem;
    leave_to_emulator(record, qemu);
    EXPECT_EQ(record.status, status);
    EXPECT_EQ(record.error, error);
    // The candidate's own process declines.
    record.blamed = Fault::candidate;
    leave_to_emulator(record, qemu);
    EXPECT_EQ(record.status, StageStatus::not_judged) << error;
  }
}

TEST(Emulated, WhatADriverAnswersIsTheDevices) {
  const Emulator& lavapipe = *emulator_of(lavapipe_runner());
  StageRecord lost = failed_stage(Stage::verify, FailureClass::exception,
                                  "RuntimeError: INTERNAL; VK_ERROR_DEVICE_LOST");
  leave_to_emulator(lost, lavapipe);
  EXPECT_EQ(lost.status, StageStatus::not_judged);
  EXPECT_EQ(lost.error, "lavapipe broke: RuntimeError: INTERNAL; VK_ERROR_DEVICE_LOST");
  StageRecord ended = crashed("LLVM ERROR: out of memory");
  leave_to_emulator(ended, lavapipe);
  EXPECT_EQ(ended.status, StageStatus::not_judged);
  StageRecord lacking = unsupported_stage(Stage::verify, "the code asks for Int64, ...");
  leave_to_emulator(lacking, lavapipe);
  EXPECT_EQ(lacking.status, StageStatus::not_judged);
  EXPECT_EQ(lacking.error, "lavapipe cannot call it: the code asks for Int64, ...");
  // What code does that stores where nothing is.
  StageRecord code = crashed("");
  leave_to_emulator(code, lavapipe);
  EXPECT_EQ(code.status, StageStatus::failed);
  StageRecord raised =
      failed_stage(Stage::verify, FailureClass::exception, "ValueError: INVALID_ARGUMENT; input0");
  leave_to_emulator(raised, lavapipe);
  EXPECT_EQ(raised.status, StageStatus::failed);
}

}  // namespace
}  // namespace assay
