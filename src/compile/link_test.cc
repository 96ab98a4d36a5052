#include "compile/link.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "compile/flags.h"
#include "fakes/fake_machine.h"
#include "fakes/temporary_folder.h"

namespace assay {
namespace {

TEST(Flags, DependOnTheVersion) {
  Target target;
  target.flags = {"--a"};
  target.versioned_flags = {{{}, parse_version("3.11"), {"--old=1"}},
                            {parse_version("3.11"), {}, {"--new=1", "--a=2"}}};
  auto last = [&](const char* version) { return resolve_flags(target, version).back(); };
  EXPECT_EQ(last("3.10.0"), "--old=1");
  EXPECT_EQ(last("3.11.0rc20260301"), "--new=1");
  EXPECT_EQ(last(""), "--new=1");
  auto flags = resolve_flags(target, "3.13.0");
  EXPECT_EQ(flags[flags.size() - 2], "--a=2");
}

// A cross compiler that is a function; everything else is real.
class LinkTest : public testing::Test {
 protected:
  void SetUp() override {
    target_.name = "small";
    target_.link = Link{"cross-gcc", {"-mabi=x"}, {folder_.path() + "/a b.c"}, "gcc-cross"};
    ASSERT_TRUE(disk_.write(folder_.path() + "/a b.c", "int a;"));
    ASSERT_TRUE(disk_.write(runtime_, "runtime"));
    machine_.programs["cross-gcc"] = "/usr/bin/cross-gcc";
    machine_.programs["/iree/iree-lld"] = "/bin/echo";
    machine_.answer = [this](const std::vector<std::string>& words) -> Result<ProgramResult> {
      if (words.back() == "-print-libgcc-file-name") return ProgramResult{0, runtime_ + "\n", ""};
      if (refuses_) return ProgramResult{1, "", "a.c:1: no such thing\n"};
      EXPECT_EQ(words[words.size() - 2], "-o");
      ASSAY_TRY(disk_.write(words.back(), "object"));
      return ProgramResult{};
    };
  }
  Result<std::vector<std::string>> prepare() {
    return prepare_link(disk_, machine_, target_, "/iree/libIREECompiler.so",
                        folder_.path() + "/cache folder");
  }

  Disk& disk_ = system_disk();
  TemporaryFolder folder_;
  std::string runtime_ = folder_.path() + "/libgcc.a";
  FakeMachine machine_;
  Target target_;
  bool refuses_ = false;
};

TEST_F(LinkTest, ATargetThatLinksNothingNeedsNothing) {
  target_.link.reset();
  EXPECT_EQ(*prepare(), std::vector<std::string>{});
  EXPECT_TRUE(machine_.runs.empty());
}

TEST_F(LinkTest, TheLinkerAddsTheObjectsAndTheRuntime) {
  auto flags = prepare();
  ASSERT_TRUE(flags) << flags.error().describe();
  ASSERT_EQ(flags->size(), 1u);
  const std::string name = "--iree-llvmcpu-embedded-linker-path=";
  ASSERT_TRUE((*flags)[0].starts_with(name));
  // As the compiler runs it: by a shell, with its own arguments.
  auto said = this_machine().run(
      {"/bin/sh", "-c", (*flags)[0].substr(name.size()) + " -flavor gnu 'b c.o'"}, "",
      20'000'000'000);
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_TRUE(said->output.starts_with("-flavor gnu b c.o " + folder_.path())) << said->output;
  EXPECT_TRUE(said->output.ends_with("/0.o " + runtime_ + "\n")) << said->output << said->errors;
}

TEST_F(LinkTest, IsMadeOnceAndAnewForOtherIngredients) {
  auto first = prepare();
  size_t runs = machine_.runs.size();
  EXPECT_EQ(*prepare(), *first);
  EXPECT_EQ(machine_.runs.size(), runs + 1) << "asks where the runtime is, and compiles nothing";
  ASSERT_TRUE(disk_.write(folder_.path() + "/a b.c", "int b;"));
  auto second = prepare();
  EXPECT_NE(*second, *first);
  ASSERT_TRUE(disk_.write(runtime_, "of another version"));
  auto third = prepare();
  EXPECT_NE(*third, *second);
  target_.link->compiler_flags = {"-mabi=y"};
  EXPECT_NE(*prepare(), *third);
}

TEST_F(LinkTest, WhatIsMissingIsSaidWithWhatBringsIt) {
  refuses_ = true;
  auto refused = prepare();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("a.c:1: no such thing")) << refused.error().message;
  machine_.programs.erase("/iree/iree-lld");
  EXPECT_TRUE(prepare().error().message.contains("no iree-lld"));
  machine_.programs.clear();
  auto missing = prepare();
  EXPECT_EQ(missing.error().code, Code::unavailable);
  EXPECT_EQ(missing.error().message, "the target small needs 'cross-gcc', which is not installed");
  EXPECT_EQ(missing.error().next, "sudo apt-get install -y gcc-cross");
}

TEST_F(LinkTest, OneTargetThatCannotBeLinkedLeavesTheOthers) {
  Target plain;
  plain.flags = {"--a"};
  std::vector<Target> targets{plain, target_};
  prepare_links(disk_, machine_, targets, "/iree/libIREECompiler.so", folder_.path() + "/cache");
  EXPECT_EQ(targets[0].flags, plain.flags);
  EXPECT_EQ(targets[1].flags.size(), 1u);
  EXPECT_EQ(targets[0].unavailable + targets[1].unavailable, "");
  machine_.programs.clear();
  targets = {plain, target_};
  prepare_links(disk_, machine_, targets, "/iree/libIREECompiler.so", folder_.path() + "/cache");
  EXPECT_EQ(targets[0].unavailable, "");
  EXPECT_TRUE(targets[1].unavailable.contains("sudo apt-get install -y gcc-cross"));
}

}  // namespace
}  // namespace assay
