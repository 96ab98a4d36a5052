#include "setup/emulators.h"

#include <gtest/gtest.h>

#include <set>

#include "fakes/fake_machine.h"

namespace assay {
namespace {

Target played_by(const std::string& emulator) {
  Target target;
  target.name = "theirs";
  target.runner = {.kind = RunnerKind::native, .architecture = "another", .emulator = emulator};
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
  EXPECT_EQ(missing.error().message, "--emulate: theirs needs qemu-aarch64-static");
  EXPECT_EQ(missing.error().next, "sudo apt-get install -y qemu-user-static");
  machine_.programs["qemu-aarch64-static"] = "/bin/qemu-aarch64-static";
  missing = check(targets);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "--emulate: theirs needs the C library of aarch64 in /usr/aarch64-linux-gnu");
  ASSERT_TRUE(machine_.files.write("/usr/aarch64-linux-gnu/lib/libc.so.6", ""));
  missing = check(targets);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "--emulate: theirs needs a runner for aarch64, without which assay was built");
  EXPECT_EQ(missing.error().next,
            "sudo apt-get install -y g++-aarch64-linux-gnu, and build assay again");
  ASSERT_TRUE(machine_.files.write("/libexec/assay-native-runner-aarch64", ""));
  EXPECT_TRUE(check(targets));
  EXPECT_EQ(find_emulators(machine_).at("qemu-aarch64-static"), "/bin/qemu-aarch64-static");
  EXPECT_EQ(find_emulators(machine_).size(), 1u);
  const auto before = emulator_identities(machine_, places_, find_emulators(machine_));
  ASSERT_TRUE(machine_.files.write("/libexec/assay-native-runner-aarch64", "another"));
  const auto after = emulator_identities(machine_, places_, find_emulators(machine_));
  EXPECT_NE(before.at("aarch64"), after.at("aarch64"));
}

TEST_F(EmulatorsHere, PlayVectorsOfOneLength) {
  machine_.programs["qemu-riscv64-static"] = "/bin/qemu-riscv64-static";
  Target wide = played_by("qemu-riscv64-static");
  wide.flags = {"--iree-llvmcpu-target-cpu-features=+m,+v,+zvl512b"};
  const Status refused = check({wide});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "--emulate: theirs needs vectors of 512 bits, and those that QEMU plays here have 256");
}

TEST_F(EmulatorsHere, OfADeviceAreADriverAndItsLoader) {
  Target vulkan = played_by("lavapipe");
  vulkan.runner = {.kind = RunnerKind::driver, .emulator = "lavapipe"};
  Status missing = check({vulkan});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "--emulate: theirs needs lavapipe");
  EXPECT_EQ(missing.error().next, "sudo apt-get install -y mesa-vulkan-drivers libvulkan1");
  const std::string file = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
  machine_.files.files[file] = R"({"ICD": {"library_path": "libvulkan_lvp.so"}})";
  missing = check({vulkan});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "--emulate: theirs needs libvulkan.so.1");
  machine_.files.files["/usr/lib/libvulkan.so.1"] = "";
  EXPECT_TRUE(check({vulkan}));
  EXPECT_EQ(find_emulators(machine_).at("lavapipe"), file);
  // Another driver is another emulator, and so is another file that names it.
  auto identity = [&] {
    return emulator_identities(machine_, places_, find_emulators(machine_)).at("lavapipe");
  };
  const std::string without = identity();
  machine_.files.files["/usr/lib/libvulkan_lvp.so"] = "one";
  const std::string one = identity();
  machine_.files.files["/usr/lib/libvulkan_lvp.so"] = "two";
  EXPECT_EQ(std::set({without, one, identity()}).size(), 3u);
  // A path in that file is relative to its folder.
  machine_.files.files[file] = R"({"ICD": {"library_path": "drivers/lvp.so"}})";
  const std::string elsewhere = identity();
  machine_.files.files["/usr/share/vulkan/icd.d/drivers/lvp.so"] = "three";
  EXPECT_NE(identity(), elsewhere);
  for (const char* odd : {"", "{", R"({"ICD": 3})", R"({"ICD": {"library_path": 3}})"}) {
    machine_.files.files[file] = odd;
    EXPECT_FALSE(identity().empty()) << odd;
  }
}

TEST_F(EmulatorsHere, PlayATarget) {
  EXPECT_FALSE(check({})) << "there is none";
  EXPECT_FALSE(check({Target{}}));
  EXPECT_FALSE(check({played_by("")}));
  machine_.cpu = "aarch64";
  Target native = played_by("qemu-aarch64-static");
  native.runner.architecture = "aarch64";
  EXPECT_FALSE(check({native})) << "it needs none on that CPU";
}

}  // namespace
}  // namespace assay
