#include "setup/emulators.h"

#include <gtest/gtest.h>

#include "fakes/fake_machine.h"

namespace assay {
namespace {

Target played_by(const std::string& program) {
  Target target;
  target.name = "theirs";
  target.runner = {.kind = RunnerKind::emulator, .program = program, .package = "qemu-user-static"};
  return target;
}

class EmulatorsHere : public testing::Test {
 protected:
  EmulatorsHere() { places_.native_runner = "/libexec/assay-native-runner"; }
  Status check(const std::vector<Target>& targets) const {
    return check_emulators(targets, places_, machine_);
  }
  Places places_;
  FakeMachine machine_;
};

TEST_F(EmulatorsHere, NeedAProgramAndARunner) {
  const std::vector<Target> targets{Target{}, played_by("qemu-aarch64-static")};
  Status missing = check(targets);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "--emulate: theirs needs qemu-aarch64-static, which is not here");
  EXPECT_EQ(missing.error().next, "sudo apt-get install -y qemu-user-static");
  machine_.programs["qemu-aarch64-static"] = "/bin/qemu-aarch64-static";
  missing = check(targets);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "--emulate: there is no C library for aarch64 in /usr/aarch64-linux-gnu");
  ASSERT_TRUE(machine_.files.write("/usr/aarch64-linux-gnu/lib/libc.so.6", ""));
  missing = check(targets);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "--emulate: assay was built without a runner for aarch64");
  ASSERT_TRUE(machine_.files.write("/libexec/assay-native-runner-aarch64", ""));
  EXPECT_TRUE(check(targets));
  EXPECT_EQ(find_emulators(machine_).at("qemu-aarch64-static"), "/bin/qemu-aarch64-static");
  EXPECT_EQ(find_emulators(machine_).size(), 1u);
  const auto before = emulator_identities(machine_.files, places_, find_emulators(machine_));
  ASSERT_TRUE(machine_.files.write("/libexec/assay-native-runner-aarch64", "another"));
  const auto after = emulator_identities(machine_.files, places_, find_emulators(machine_));
  EXPECT_NE(before.at("aarch64"), after.at("aarch64"));
}

TEST_F(EmulatorsHere, PlayVectorsOfOneLength) {
  machine_.programs["qemu-riscv64-static"] = "/bin/qemu-riscv64-static";
  Target wide = played_by("qemu-riscv64-static");
  wide.flags = {"--iree-llvmcpu-target-cpu-features=+m,+v,+zvl512b"};
  const Status refused = check({wide});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "--emulate: theirs has vectors of 512 bits, and those that QEMU plays here have 256");
}

TEST_F(EmulatorsHere, PlayATarget) {
  EXPECT_FALSE(check({})) << "there is none";
  EXPECT_FALSE(check({Target{}}));
  EXPECT_FALSE(check({played_by("another")}));
  machine_.cpu = "aarch64";
  Target native = played_by("qemu-aarch64-static");
  native.runner.architecture = "aarch64";
  EXPECT_FALSE(check({native})) << "it needs none on that CPU";
}

}  // namespace
}  // namespace assay
