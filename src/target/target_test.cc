#include "target/target.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/places.h"
#include "built.h"
#include "fakes/memory_disk.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

constexpr const char* kGood = "title = \"T\"\nflags = [\"--iree-hal-target-device=local\"]\n";

TEST(Target, ItsDeviceIsRead) {
  const std::string good = std::string(kGood) +
                           "[gpu]\nkind = \"cuda\"\narchitecture = \"sm_90\"\n"
                           "warp_threads = 32\nshared_bytes = 232448\nprocessors = 132\n"
                           "card = \"H100\"\n";
  auto target = parse_target_file("x/mine.toml", good);
  ASSERT_TRUE(target) << target.error().describe();
  EXPECT_EQ(*target->gpu, (Gpu{GpuKind::cuda, "sm_90", 32, 232448, 132, "H100"}));
  for (auto [part, other, says] :
       {std::tuple{"\"cuda\"", "\"vulkan\"", "write one of: cuda, hip"},
        std::tuple{"\"sm_90\"", "\"gfx942\"", "for example \"sm_80\""},
        std::tuple{"\"sm_90\"", "\"sm_\"", "no architecture"},
        std::tuple{"= 32", "= 48", "neither 32 nor 64"}, std::tuple{"232448", "0", "shared_bytes"},
        std::tuple{"shared_bytes", "shared", "shared"}}) {
    std::string bad = good;
    bad.replace(bad.find(part), std::string(part).size(), other);
    auto refused = parse_target_file("x/mine.toml", bad);
    ASSERT_FALSE(refused) << other;
    EXPECT_TRUE(refused.error().describe().contains(says)) << refused.error().describe();
  }
}

TEST(Target, AFileIsRead) {
  auto target = parse_target_file("x/mine.toml", std::string(kGood) + R"(precision = "f16"
[[flags_by_version]]
since = "3.11"
flags = ["--new=1"]
[peaks]
source = "data sheet"
f16 = 3.5e12
bytes_per_second = 1000000000
[runner]
kind = "native"
architecture = "aarch64"
emulator = "qemu-aarch64-static"
[link]
compiler = "gcc"
compiler_flags = ["-march=x"]
sources = ["a.c", "/b.c"]
)");
  ASSERT_TRUE(target) << target.error().describe();
  EXPECT_EQ(target->title, "T");
  EXPECT_EQ(target->precision, Precision::f16);
  EXPECT_EQ(target->flags.size(), 1u);
  ASSERT_EQ(target->versioned_flags.size(), 1u);
  EXPECT_EQ(target->versioned_flags[0].since, parse_version("3.11"));
  EXPECT_EQ(target->peaks->operations_per_second.at("f16"), 3.5e12);
  EXPECT_EQ(target->peaks->bytes_per_second, 1e9);
  EXPECT_EQ(target->runner->kind, RunnerKind::native);
  EXPECT_EQ(target->runner->emulator, "qemu-aarch64-static");
  EXPECT_EQ(target->link->sources, (std::vector<std::string>{"x/a.c", "/b.c"}));
}

// The message says file, line and column, and what to write instead.
TEST(Target, MistakesAreNamedWithTheirPlace) {
  struct Case {
    std::string text;
    const char* message;
  };
  std::string good = kGood;
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
           Case{good + "precision = \"f23\"\n", "t.toml:3:13: 'f23' is no precision"},
           Case{long_flags, "t.toml:2:9: the flags are 4002 bytes long"},
           Case{"title = \"T\nflags = []\n", "t.toml:1:"},
           Case{"flags = [\"--abc\"]\n", "the key 'title' is missing in a target"},
           Case{"title = \"T\"\n", "the key 'flags' is missing in a target"},
           Case{"", "the key 'title' is missing"},
           Case{good + "runner = \"native\"\n", "t.toml:3:10: 'runner' must be a table"},
           Case{good + "[runner]\nkind = \"nativ\"\n",
                "t.toml:4:8: 'nativ' is no kind (did you mean 'native'?)"},
           Case{good + "[runner]\n", "the key 'kind' is missing in [runner]"},
           Case{good + "[runner]\nkind = \"native\"\nemulator = \"qemu\"\n",
                "t.toml:5:12: 'qemu' is no emulator that assay knows"},
           Case{good + "[runner]\nkind = \"driver\"\ndevices = [\"dev/x\"]\n",
                "'dev/x' is no absolute path"},
           Case{good + "[peaks]\nf32 = 1e12\n", "the key 'source' is missing in [peaks]"},
           Case{good + "[peaks]\nsource = \"s\"\nf32 = \"1\"\n",
                "t.toml:5:7: 'f32' must be a number"},
           Case{good + "[peaks]\nsource = \"s\"\nf32 = -1\n",
                "'f32' must be a number greater than"},
           Case{good + "[peaks]\nsource = \"s\"\nf32 = inf\n",
                "'f32' must be a number greater than"},
           Case{good + "[peaks]\nsource = \"s\"\nf33 = 1\n",
                "there is no key 'f33' in [peaks] (did you mean 'f32'?)"},
           Case{good + "[[flags_by_version]]\nflags = [\"--abc\"]\n",
                "these flags are for every version"},
           Case{good + "[[flags_by_version]]\nsince = \"new\"\nflags = [\"--abc\"]\n",
                "t.toml:4:9: 'new' is no version"},
           Case{good + "[flags_by_version]\nsince = \"3\"\n", "must be a list of tables"},
           Case{good + "[link]\ncompiler = \"c\"\nreplace = [\"a;b\"]\n",
                "'a;b' is no function's name"},
           Case{good + "[link]\nsources = [3]\ncompiler = \"c\"\n", "'sources' must hold strings"},
       }) {
    auto target = parse_target_file("t.toml", c.text);
    ASSERT_FALSE(target) << c.text;
    EXPECT_NE(target.error().message.find(c.message), std::string::npos)
        << c.text << target.error().message;
  }
}

TEST(Version, IsReadAsFarAsFlagsDependOnIt) {
  EXPECT_EQ(to_text(*parse_version("3.13.0rc20261016")), "3.13.0");
  EXPECT_EQ(to_text(*parse_version("3.9")), "3.9.0");
  EXPECT_LT(*parse_version("3.9"), *parse_version("3.10"));
  EXPECT_FALSE(parse_version(""));
  EXPECT_FALSE(parse_version("v3"));
  EXPECT_FALSE(parse_version("99999999999"));
}

TEST(Flags, OneOfTheSameNameTakesThePlaceOfTheOther) {
  std::vector<std::string> flags{"--a=1", "--b=1", "--b=2", "--c"};
  overlay_flags(flags, {"--d", "--b=3", "--b=4"});
  EXPECT_EQ(flags, (std::vector<std::string>{"--a=1", "--b=3", "--b=4", "--c", "--d"}));
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

TEST(TargetCatalog, AFileExtendsAnother) {
  MemoryDisk disk;
  disk.files["/shipped/base.toml"] = R"(title = "Base"
flags = ["--x=1", "--y=1"]
precision = "f16"
[[flags_by_version]]
since = "3.11"
flags = ["--z=1", "--w=1"]
[runner]
kind = "native"
[link]
compiler = "gcc"
sources = ["link/a.c"]
)";
  disk.files["/shipped/middle.toml"] =
      "title = \"Middle\"\nextends = \"base\"\nflags = [\"--y=2\", \"--z=2\", \"--new\"]\n";
  disk.files["/mine/own.toml"] =
      "title = \"Own\"\nextends = \"../shipped/middle.toml\"\nprecision = \"f32\"\n";
  auto own = TargetCatalog(disk, {"/mine", "/shipped"}).load("own");
  ASSERT_TRUE(own) << own.error().describe();
  EXPECT_EQ(own->name, "own");
  EXPECT_EQ(own->title, "Own");
  EXPECT_EQ(own->precision, Precision::f32);
  EXPECT_EQ(own->runner.kind, RunnerKind::native);
  EXPECT_EQ(own->flags, (std::vector<std::string>{"--x=1", "--y=2", "--z=2", "--new"}));
  ASSERT_EQ(own->versioned_flags.size(), 1u);
  EXPECT_EQ(own->versioned_flags[0].flags, std::vector<std::string>{"--w=1"})
      << "a flag of the file beats the base's of the same name, also where that has a version";
  EXPECT_EQ(own->link->sources, std::vector<std::string>{"/shipped/link/a.c"})
      << "beside the file that says so";
  ASSERT_EQ(own->bases.size(), 2u);
  EXPECT_TRUE(own->bases[0].ends_with("middle.toml"));
  EXPECT_TRUE(own->bases[1].ends_with("base.toml"));
}

TEST(TargetCatalog, WhatExtendsItselfOrNothingIsSaidSo) {
  MemoryDisk disk;
  auto extending = [](const std::string& name) {
    return "title = \"T\"\nextends = \"" + name + "\"\n";
  };
  disk.files["/t/a.toml"] = extending("b");
  disk.files["/t/b.toml"] = extending("a");
  disk.files["/t/self.toml"] = extending("self");
  disk.files["/t/orphan.toml"] = extending("selv");
  disk.files["/t/d10.toml"] = kGood;
  for (int i = 0; i < 10; ++i)
    disk.files["/t/d" + std::to_string(i) + ".toml"] = extending("d" + std::to_string(i + 1));
  TargetCatalog catalog(disk, {"/t"});
  EXPECT_NE(catalog.load("a").error().message.find("circle: /t/a.toml -> /t/b.toml -> /t/a.toml"),
            std::string::npos);
  EXPECT_NE(catalog.load("self").error().message.find("circle"), std::string::npos);
  EXPECT_NE(catalog.load("d0").error().message.find("8 deep"), std::string::npos);
  EXPECT_TRUE(catalog.load("d2"));
  std::string orphan = catalog.load("orphan").error().describe();
  EXPECT_NE(orphan.find("while reading what '/t/orphan.toml' extends: "), std::string::npos)
      << orphan;
  EXPECT_NE(orphan.find("did you mean 'self'?"), std::string::npos) << orphan;
}

// Every shipped target holds what a report needs of it.
TEST(TargetCatalog, EveryShippedTargetIsSound) {
  std::string folder = std::string(built::kSourceFolder) + "/targets";
  TargetCatalog catalog(system_disk(), {folder});
  std::vector<std::string> names = catalog.names();
  for (const char* name : {"local", "a100", "a6000", "cascadelake", "arm_cortex_a72",
                           "riscv_sifive_e", "rvv", "mi300x", "vulkan", "vulkan_baseline", "vmvx",
                           "h100", "rtx4090", "rdna3", "metal", "wasm32"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  for (const std::string& name : names) {
    auto target = catalog.load(name);
    ASSERT_TRUE(target) << target.error().describe();
    EXPECT_FALSE(target->flags.empty()) << name;
    if (target->peaks) {
      EXPECT_FALSE(target->peaks->operations_per_second.empty()) << name;
      EXPECT_TRUE(target->peaks->bytes_per_second) << name;
    }
    for (const std::string& source : target->link.value_or(Link{}).sources)
      EXPECT_TRUE(system_disk().exists(source)) << source;
  }
  EXPECT_EQ(catalog.load("a6000")->precision, Precision::f16);
}

TEST(Target, ACardOfOneKindIsNoOtherOfItsArchitecture) {
  auto meets = [](const char* kind, const char* name) {
    Target target;
    target.gpu = Gpu{.architecture = "sm_90", .card = kind};
    cuda::Card card;
    card.name = name;
    card.gpu.architecture = "sm_90";
    EXPECT_TRUE(meet_card(target, card));
    return target.card.has_value();
  };
  EXPECT_TRUE(meets("H100", "NVIDIA H100 80GB HBM3"));
  EXPECT_FALSE(meets("H100", "NVIDIA H200"));
  EXPECT_TRUE(meets("", "NVIDIA H200"));
}

TEST(HostCpu, TargetsThatLeaveItToThisMachine) {
  Target target;
  target.flags = {"--iree-llvmcpu-target-cpu=znver4"};
  EXPECT_FALSE(compiles_for_host(target));
  target.versioned_flags = {{parse_version("3.1"), {}, {"--iree-llvmcpu-target-cpu=host"}}};
  EXPECT_TRUE(compiles_for_host(target));
  target.versioned_flags.clear();
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
