#include "setup/emulators.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "fakes/fake_machine.h"
#include "fakes/temporary_folder.h"
#include "setup/emulated_runner.h"

namespace assay {
namespace {

Target played_by(const std::string& emulator) {
  Target target;
  target.name = "theirs";
  target.runner = {.kind = RunnerKind::native, .architecture = "another", .emulator = emulator};
  return target;
}

// This machine, with other cross compilers: a script of a shell, in which $last is the file that it
// is to write.
class OtherCompiler final : public Machine {
 public:
  explicit OtherCompiler(const std::string& folder) : path_(folder + "/g++") {}
  void has(const std::string& script) {
    ASSERT_TRUE(system_disk().write(path_,
                                    "#!/bin/sh\nfor last; do :; done\n"
                                    "[ \"$last\" != --version ] || exec echo 12.2\n" +
                                        script + "\n"));
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  std::string system() const override { return "Linux"; }
  std::string architecture() const override { return "x86_64"; }
  std::string find_program(const std::string& name) const override {
    return name.ends_with("-g++") ? path_ : "";
  }
  std::vector<std::string> library_folders() const override { return {}; }
  Result<ProgramResult> run(const std::vector<std::string>& arguments, std::string_view input,
                            int64_t timeout_ns) const override {
    return this_machine().run(arguments, input, timeout_ns);
  }
  const Disk& disk() const override { return system_disk(); }

 private:
  std::string path_;
};

class EmulatorsHere : public testing::Test {
 protected:
  EmulatorsHere() {
    places_.emulated = "/share";
    machine_.files.files["/share/native_runner.cc"] = "int main() {}";
  }
  Status check(const std::vector<Target>& targets) const {
    return check_emulators(targets, machine_);
  }
  FoundEmulators find() const { return find_emulators(machine_, places_, "/cache"); }
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
            "--emulate: theirs needs the cross compiler aarch64-linux-gnu-g++");
  EXPECT_EQ(missing.error().next, "sudo apt-get install -y g++-aarch64-linux-gnu");
  machine_.programs["aarch64-linux-gnu-g++"] = "/bin/aarch64-linux-gnu-g++";
  machine_.answer = [](const auto&) { return ProgramResult{0, "12.2", ""}; };
  EXPECT_TRUE(check(targets));
  EXPECT_EQ(find().at("qemu-aarch64-static").path, "/bin/qemu-aarch64-static");
  EXPECT_EQ(find().size(), 1u);
}

TEST_F(EmulatorsHere, AreOthersWithAnotherCompilerOrSource) {
  machine_.programs["qemu-aarch64-static"] = "/bin/qemu-aarch64-static";
  machine_.programs["aarch64-linux-gnu-g++"] = "/bin/g++";
  std::string version = "12.2";
  machine_.answer = [&](const std::vector<std::string>& words) -> Result<ProgramResult> {
    EXPECT_EQ(words, (std::vector<std::string>{"/bin/g++", "--version"}));
    return ProgramResult{0, version, ""};
  };
  std::set<std::string> runners, identities;
  auto take = [&] {
    const FoundEmulators found = find();
    runners.insert(found.at("qemu-aarch64-static").runner);
    identities.insert(emulator_identities(machine_, found).at("aarch64"));
  };
  take();
  take();
  EXPECT_EQ(runners.size(), 1u);
  version = "13.1";
  take();
  machine_.files.files["/share/native_runner.cc"] += "more";
  take();
  EXPECT_EQ(runners.size(), 3u);
  EXPECT_EQ(identities.size(), 3u);
  machine_.files.files.erase("/share/native_runner.cc");
  const auto torn = emulated_runner_path(machine_, places_, *emulators()[0].cpu, "/cache");
  ASSERT_FALSE(torn);
  EXPECT_TRUE(torn.error().next.starts_with("install assay again")) << torn.error().describe();
}

// A compiler that is a shell's; the disk is real.
class EmulatedRunner : public testing::Test {
 protected:
  EmulatedRunner() {
    places_.emulated = folder_.path();
    EXPECT_TRUE(disk_.write(folder_.path() + "/native_runner.cc", "int main() {}"));
  }
  Status prepare(const std::vector<Target>& targets) {
    return prepare_emulators(disk_, machine_, places_, targets, folder_.path() + "/cache",
                             [this](const std::string& line) { told_.push_back(line); });
  }
  Disk& disk_ = system_disk();
  TemporaryFolder folder_;
  Places places_;
  OtherCompiler machine_{folder_.path()};
  std::vector<std::string> told_;
};

TEST_F(EmulatedRunner, IsMadeOnceForEachCpu) {
  const std::vector<Target> targets{played_by("qemu-aarch64-static"), Target{},
                                    played_by("qemu-aarch64-static")};
  machine_.has("echo made >> \"$last\"");
  ASSERT_TRUE(prepare(targets));
  ASSERT_TRUE(prepare(targets));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_[0].starts_with("making what runs code of aarch64 within QEMU")) << told_[0];
  auto path =
      emulated_runner_path(machine_, places_, *emulators()[0].cpu, folder_.path() + "/cache");
  ASSERT_TRUE(path) << path.error().describe();
  EXPECT_EQ(disk_.read(*path).value_or(""), "made\n");
  EXPECT_EQ(disk_.list(folder_.path() + "/cache")->size(), 3u) << "with its digest, and a lock";
}

TEST_F(EmulatedRunner, IsMadeAgainWhereItIsNotWhole) {
  const std::vector<Target> targets{played_by("qemu-aarch64-static")};
  machine_.has("echo made > \"$last\"");
  ASSERT_TRUE(prepare(targets));
  auto path =
      emulated_runner_path(machine_, places_, *emulators()[0].cpu, folder_.path() + "/cache");
  ASSERT_TRUE(path);
  using std::filesystem::perms;
  const std::vector<std::function<void()>> damages{
      [&] { std::filesystem::remove(*path); }, [&] { std::filesystem::resize_file(*path, 2); },
      [&] { std::filesystem::permissions(*path, perms(0600)); },
      [&] { std::filesystem::remove(*path + ".sha256"); },
      [&] {
        std::filesystem::remove(*path);
        std::filesystem::create_directory(*path);
      }};
  for (size_t i = 0; i < damages.size(); ++i) {
    ASSERT_TRUE(disk_.write(*path + ".4711", "half")) << "of one that was killed";
    damages[i]();
    const Status made = prepare(targets);
    ASSERT_TRUE(made) << made.error().describe();
    EXPECT_EQ(told_.size(), i + 2);
    EXPECT_EQ(disk_.read(*path).value_or(""), "made\n");
    EXPECT_EQ(std::filesystem::status(*path).permissions(), perms(0555));
    EXPECT_FALSE(disk_.exists(*path + ".4711"));
  }
}

TEST_F(EmulatedRunner, OfACompilerThatFailsNothingStays) {
  machine_.has("echo half > \"$last\"; echo 'no member named expected' >&2; exit 1");
  const Status refused = prepare({played_by("qemu-riscv64-static")});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("no member named expected"))
      << refused.error().describe();
  EXPECT_TRUE(refused.error().describe().contains("making the native runner for riscv64"));
  EXPECT_EQ(refused.error().next,
            "it takes GCC 12 or newer: sudo apt-get install -y g++-riscv64-linux-gnu");
  EXPECT_EQ(disk_.list(folder_.path() + "/cache")->size(), 1u) << "the lock";
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
  EXPECT_EQ(find().at("lavapipe").path, file);
  // Another driver is another emulator, and so is another file that names it.
  auto identity = [&] { return emulator_identities(machine_, find()).at("lavapipe"); };
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
