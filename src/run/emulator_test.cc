#include "run/emulator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

TEST(Emulators, AreFoundByTheProgramThatATargetNames) {
  ASSERT_NE(find_emulator("qemu-aarch64-static"), nullptr);
  EXPECT_EQ(find_emulator("qemu-aarch64-static")->architecture, "aarch64");
  EXPECT_EQ(find_emulator("qemu-riscv64-static")->architecture, "riscv64");
  EXPECT_EQ(find_emulator("qemu"), nullptr);
  EXPECT_EQ(find_emulator(""), nullptr);
}

TEST(Emulators, RunTheNativeRunnerOfTheirCpu) {
  Places places;
  places.launcher = "/libexec/assay-launch";
  places.native_runner = "/libexec/assay-native-runner";
  const std::string python = "python3";
  const RunnerSetting setting{places, python, {}, "", {{"qemu-riscv64-static", "/bin/qemu"}}};
  const RunnerImages images = runner_images(setting);
  EXPECT_EQ(
      images.at("riscv64").argv,
      (std::vector<std::string>{"/libexec/assay-launch", "/bin/qemu", "-cpu",
                                "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0", "-L",
                                "/usr/riscv64-linux-gnu", "/libexec/assay-native-runner-riscv64"}));
  const std::vector<std::string> reads = runner_reads(setting);
  for (const char* shown : {"/libexec/assay-native-runner-aarch64", "/usr/aarch64-linux-gnu"})
    EXPECT_NE(std::ranges::find(reads, shown), reads.end()) << shown;
}

TEST(Emulators, SayNothingOfTime) {
  for (const Emulator& emulator : emulators()) {
    EXPECT_TRUE(emulator.runner().is_emulated) << emulator.program;
    EXPECT_FALSE(emulator.runner().has_other_driver) << emulator.program;
  }
}

}  // namespace
}  // namespace assay
