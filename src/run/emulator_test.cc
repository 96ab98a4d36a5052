#include "run/emulator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

TEST(Emulators, AreKnownByTheirRunners) {
  EXPECT_EQ(emulator_of(emulated_aarch64_runner())->cpu->architecture, "aarch64");
  EXPECT_EQ(emulator_of(emulated_riscv64_runner())->cpu->architecture, "riscv64");
  EXPECT_FALSE(emulator_of(lavapipe_runner())->cpu);
  EXPECT_EQ(emulator_of(iree_runner()), nullptr);
}

TEST(Emulators, RunTheNativeRunnerOfTheirCpu) {
  Places places;
  places.launcher = "/libexec/assay-launch";
  const std::string python = "python3";
  const FoundEmulators here{{"qemu-riscv64-static", {"/bin/qemu", "/cache/riscv64-1"}}};
  const RunnerSetting setting{places, python, {}, "", here};
  const RunnerImages images = runner_images(setting);
  EXPECT_EQ(images.at("riscv64").argv,
            (std::vector<std::string>{"/libexec/assay-launch", "/bin/qemu", "-cpu",
                                      "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0", "-L",
                                      "/usr/riscv64-linux-gnu", "/cache/riscv64-1"}));
  const std::vector<std::string> reads = runner_reads(setting);
  for (const char* shown : {"/bin/qemu", "/cache/riscv64-1", "/usr/riscv64-linux-gnu"})
    EXPECT_NE(std::ranges::find(reads, shown), reads.end()) << shown;
  EXPECT_EQ(std::ranges::find(reads, "/usr/aarch64-linux-gnu"), reads.end()) << "it is not here";
}

TEST(Emulators, OfADeviceRunIreesRuntimeWithTheirDriverAlone) {
  Places places;
  places.launcher = "/libexec/assay-launch";
  places.python = "/share/python";
  const std::string python = "python3";
  const RunnerSetting setting{places, python, {}, "", {{"lavapipe", {"/icd/lvp.json", ""}}}};
  const std::vector<std::string> argv = runner_images(setting).at("lavapipe").argv;
  ASSERT_GT(argv.size(), 6u);
  EXPECT_EQ(argv[1], "/usr/bin/env");
  EXPECT_EQ(argv[2], "VK_DRIVER_FILES=/icd/lvp.json");
  EXPECT_NE(std::ranges::find(argv, "python3"), argv.end());
  EXPECT_EQ(argv.back(), "iree_vulkan");
  const std::vector<std::string> reads = runner_reads(setting);
  EXPECT_NE(std::ranges::find(reads, "/icd/lvp.json"), reads.end());
}

TEST(Emulators, SayNothingOfTime) {
  for (const Emulator& emulator : emulators()) {
    EXPECT_TRUE(emulator.runner().is_emulated) << emulator.name;
    EXPECT_FALSE(emulator.runner().has_other_driver) << emulator.name;
    EXPECT_EQ(emulator.runner().calls_function, emulator.cpu.has_value()) << emulator.name;
  }
}

}  // namespace
}  // namespace assay
