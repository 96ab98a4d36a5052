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
  // QEMU says nothing of a signal where it has no core files for a CPU.
  StageRecord code = crashed("");
  leave_to_emulator(code);
  EXPECT_EQ(code.status, StageStatus::failed);
  StageRecord emulator = crashed("translate.c:213: Assertion `x' failed.");
  leave_to_emulator(emulator);
  EXPECT_EQ(emulator.status, StageStatus::not_judged);
  EXPECT_EQ(emulator.error, "the emulator crashed with SIGSEGV");
  EXPECT_EQ(emulator.detail, "translate.c:213: Assertion `x' failed.");
  StageRecord slow = failed_stage(Stage::verify, FailureClass::timeout, "one call was running");
  leave_to_emulator(slow);
  EXPECT_EQ(slow.status, StageStatus::not_judged);
  StageRecord wrong = failed_stage(Stage::verify, FailureClass::load, "it does not load");
  leave_to_emulator(wrong);
  EXPECT_EQ(wrong.status, StageStatus::failed);
}

}  // namespace
}  // namespace assay
