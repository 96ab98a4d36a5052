#include "target/target.h"

#include <gtest/gtest.h>

#include "base/places.h"
#include "fakes/memory_disk.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

constexpr const char* kGood = "title = \"T\"\nflags = [\"--iree-hal-target-device=local\"]\n";

TEST(Target, AFileIsRead) {
  auto target = parse_target("x/mine.toml", std::string(kGood) + "precision = \"f16\"\n");
  ASSERT_TRUE(target) << target.error().describe();
  EXPECT_EQ(target->name, "mine");
  EXPECT_EQ(target->title, "T");
  EXPECT_EQ(target->precision, Precision::f16);
  EXPECT_EQ(target->runner, Runner::none);
  EXPECT_EQ(target->flags.size(), 1u);
}

// The message says file, line and column, and what to write instead.
TEST(Target, MistakesAreNamedWithTheirPlace) {
  struct Case {
    const char* text;
    const char* message;
  };
  std::string long_flags = "title = \"T\"\nflags = [\"--" + std::string(4000, 'x') + "\"]\n";
  for (const Case& c : {
           Case{"title = \"T\"\nflgas = []\n",
                "t.toml:2:9: there is no key 'flgas' in a target "
                "(did you mean 'flags'?)"},
           Case{"title = 3\nflags = [\"--a-b\"]\n", "t.toml:1:9: 'title' must be a string"},
           Case{"title = \"T\"\nflags = \"--x\"\n", "t.toml:2:9: 'flags' must be a list"},
           Case{"title = \"T\"\nflags = []\n",
                "t.toml:2:9: 'flags' must be a list of at least one"},
           Case{"title = \"T\"\nflags = [\"-O3\"]\n", "t.toml:2:10: a flag must be"},
           Case{"title = \"T\"\nflags = [\"--abc\", 3]\n", "t.toml:2:19: a flag must be"},
           Case{"title = \"T\"\nflags = [\"--compile-to=flow\"]\n", "is set by assay itself"},
           Case{"title = \"T\"\nflags = [\"--abc\"]\nprecision = \"f23\"\n",
                "t.toml:3:13: 'f23' is no precision"},
           Case{long_flags.c_str(), "t.toml:2:9: the flags are 4002 bytes long"},
           Case{"title = \"T\nflags = []\n", "t.toml:1:"},
           Case{"flags = [\"--abc\"]\n", "the key 'title' is missing"},
           Case{"", "the key 'title' is missing"},
       }) {
    auto target = parse_target("t.toml", c.text);
    ASSERT_FALSE(target) << c.text;
    EXPECT_NE(target.error().message.find(c.message), std::string::npos)
        << c.text << target.error().message;
  }
}

TEST(TargetCatalog, TheUsersOwnWinOverTheShipped) {
  MemoryDisk disk;
  disk.files["/shipped/a.toml"] = kGood;
  disk.files["/shipped/b.toml"] = kGood;
  disk.files["/mine/b.toml"] = "title = \"Mine\"\nflags = [\"--abc\"]\n";
  disk.files["/mine/notes.txt"] = "";
  TargetCatalog catalog(disk, {"/mine", "", "/missing", "/shipped"});
  EXPECT_EQ(catalog.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(catalog.load("b")->title, "Mine");
  EXPECT_EQ(catalog.load("/shipped/b.toml")->title, "T");
  auto missing = catalog.load("bb");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("did you mean"), std::string::npos);
}

TEST(TargetCatalog, EveryShippedTargetIsSound) {
  std::string folder = std::string(ASSAY_SOURCE_FOLDER) + "/targets";
  TargetCatalog catalog(system_disk(), {folder});
  ASSERT_GE(catalog.names().size(), 2u);
  for (const std::string& name : catalog.names()) {
    auto target = catalog.load(name);
    EXPECT_TRUE(target) << target.error().describe();
  }
}

TEST(HostCpu, TargetsThatLeaveItToThisMachine) {
  Target target;
  target.flags = {"--iree-llvmcpu-target-cpu=znver4"};
  EXPECT_FALSE(compiles_for_host(target));
  target.flags.push_back("--iree-llvmcpu-target-cpu-features=host");
  EXPECT_TRUE(compiles_for_host(target));
}

TEST(HostCpu, IsTheSameEachTimeAndIgnoresWhatChanges) {
  MemoryDisk disk;
  disk.files["/proc/cpuinfo"] =
      "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 1\nflags\t\t: a b\n\nprocessor\t: 1\nflags\t: "
      "c\n";
  EXPECT_EQ(host_cpu_identity(disk), "model name=X;flags=a b;");
  disk.files.clear();
  EXPECT_EQ(host_cpu_identity(disk), "unknown");
}

}  // namespace
}  // namespace assay
