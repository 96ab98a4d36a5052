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
  StageRecord code = crashed("qemu: uncaught target signal 11 (Segmentation fault) - core dumped");
  leave_to_emulator(code);
  EXPECT_EQ(code.status, StageStatus::failed);
  StageRecord emulator = crashed("translate.c:213: Assertion failed");
  leave_to_emulator(emulator);
  EXPECT_EQ(emulator.status, StageStatus::not_judged);
  EXPECT_EQ(emulator.error, "the emulator crashed with SIGSEGV");
  EXPECT_EQ(emulator.detail, "translate.c:213: Assertion failed");
  StageRecord slow = failed_stage(Stage::verify, FailureClass::timeout, "one call was running");
  leave_to_emulator(slow);
  EXPECT_EQ(slow.status, StageStatus::failed);
}

}  // namespace
}  // namespace assay
