#include "compile/configuration.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "built.h"
#include "compile/flags.h"
#include "compile/tuning_spec.h"

namespace assay {
namespace {

constexpr const char* kSet = R"(
title = "of a test"
[[configuration]]
name = "tiles"
backend = "llvm-cpu"
operation = "product"
types = ["f32"]
pipeline = "DoubleTilingExpert"
require = ["vm divides dm", "2*vm <= dm"]
[configuration.lowering]
distribution = ["dm", 64, 0]
vector_common_parallel = ["vm", 16, 0]
vector_reduction = [0, 0, 1]
[configuration.knobs]
dm = [8, 12]
vm = [4, 8]

[[configuration]]
name = "unrolled"
flags = ["--iree-llvmcpu-loop-unrolling={unrolling}"]
[configuration.knobs]
unrolling = ["true", "false"]
)";

constexpr const char* kForGpu = R"(
[[configuration]]
name = "mma"
backend = "cuda"
architectures = ["sm_80"]
operation = "product"
types = ["f16"]
divides = true
pipeline = "TileAndFuse"
workgroup_size = [128, 1, 1]
subgroup_size = 32
stages = 5
[configuration.lowering]
mma_kind = "NV_MMA_SYNC_F32_16x8x16_F16"
promote_operands = [0, 1]
reduction = [0, 0, 2]
subgroup = [4, 8, 0]
workgroup = [128, 128, 0]
)";

ConfigurationSet read(const char* text) {
  auto set = parse_configurations("/sets/test.toml", text);
  EXPECT_TRUE(set) << set.error().describe();
  return set.value_or(ConfigurationSet{});
}

std::string complaint(const std::string& text) {
  auto set = parse_configurations("/sets/test.toml", text);
  return set ? "" : set.error().message;
}

constexpr const char* kConvolutionTiles = R"(
[[configuration]]
name = "conv"
backend = "llvm-cpu"
operation = "convolution"
types = ["f32"]
divides = true
pipeline = "ConvTileAndDecomposeExpert"
[configuration.lowering]
distribution = [1, 2, 28, 64, 0, 0, 0]
vector_common_parallel = [1, 1, 4, 16, 0, 0, 0]
vector_reduction = [0, 0, 0, 0, 1, 1, 8]
)";

Target cpu() {
  Target target;
  target.name = "local";
  target.flags = {"--iree-hal-target-device=local",
                  "--iree-hal-local-target-device-backends=llvm-cpu"};
  return target;
}

Target gpu(uint64_t shared_bytes = 166912) {
  Target target;
  target.name = "a100";
  target.flags = {"--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"};
  target.gpu = {.kind = GpuKind::cuda,
                .architecture = "sm_80",
                .warp_threads = 32,
                .shared_bytes = shared_bytes,
                .processors = 108};
  return target;
}

OperationFacts product(const std::string& m, const std::string& n, const std::string& k,
                       const std::string& dtype) {
  OperationFacts facts;
  facts.kind = "matmul";
  facts.arguments = {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}};
  return facts;
}

OperationFacts convolution(const std::string& layout, const std::string& n = "2",
                           const std::string& kh = "3", const std::string& groups = "1") {
  OperationFacts facts;
  facts.kind = "conv2d";
  facts.arguments = {{"n", n},    {"c", "32"},        {"f", "64"},      {"h", "56"},
                     {"w", "56"}, {"kh", kh},         {"kw", "3"},      {"sh", "2"},
                     {"sw", "2"}, {"ph", "1"},        {"pw", "1"},      {"dh", "1"},
                     {"dw", "1"}, {"groups", groups}, {"dtype", "f32"}, {"layout", layout}};
  return facts;
}

std::vector<std::string> names(const ConfigurationEntry& entry) {
  std::vector<std::string> found;
  for (const Configuration& each : entry.all()) found.push_back(each.name);
  return found;
}

TEST(Configuration, AnEntryWithKnobsIsAllThatItsConditionsAllow) {
  const ConfigurationSet set = read(kSet);
  ASSERT_EQ(set.entries.size(), 2u);
  EXPECT_EQ(set.name, "test");
  EXPECT_EQ(names(set.entries[0]), (std::vector<std::string>{"tiles_dm8_vm4", "tiles_dm12_vm4"}));
  EXPECT_EQ(
      lowering_config(set.entries[0].all()[1], LoopOrder::as_listed),
      "#iree_cpu.lowering_config<distribution = [12, 64, 0], vector_common_parallel = [4, 16, "
      "0], vector_reduction = [0, 0, 1]>");
  EXPECT_EQ(set.entries[1].all()[1].flags,
            std::vector<std::string>{"--iree-llvmcpu-loop-unrolling=false"});
}

TEST(Configuration, ABatchHasALoopBeforeTheOthers) {
  EXPECT_EQ(
      lowering_config(read(kForGpu).entries[0].all()[0], LoopOrder::behind_batch),
      "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>"
      ", promote_operands = [0, 1], reduction = [0, 0, 0, 2], subgroup = [0, 4, 8, 0], "
      "workgroup = [1, 128, 128, 0]}>");
}

TEST(Configuration, WhatIsWrongWithAFileIsSaid) {
  EXPECT_TRUE(complaint("title = \"x\"\n").contains("holds no configuration"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\n").contains("says nothing"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a b\"\nflags = [\"--x=1\"]\n")
                  .contains("cannot be part of an author's name"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\ntile = 1\n")
                  .contains("there is no key 'tile'"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\n"
                        "[[configuration]]\nname = \"a\"\nflags = [\"--y=1\"]\n")
                  .contains("two configurations are named 'a'"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x={n}\"]\n"
                        "require = [\"n > 1\"]\n[configuration.knobs]\nn = [1, 2]\n")
                  .contains("nothing is left of 'a'"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\noperation = \"product\"\n"
                        "pipeline = \"P\"\n[configuration.lowering]\ndistribution = [1, 1, 0]\n")
                  .contains("tiles need the types"));
}

TEST(Configuration, OneStandsInForWhatAnotherToolHad) {
  const ConfigurationSet set = read(
      "[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\n"
      "instead_of = { name = \"b\", why = \"there is no b\" }\n");
  EXPECT_EQ(stands_in(set.entries.at(0).all().at(0)), "there is no b; a stands in for b");
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\n"
                        "instead_of = { name = \"b\" }\n")
                  .contains("why"));
}

// As the profiler's f16 and f32 tiles were called. Nothing multiplies f32 on these Tensor Cores
// today.
TEST(Configuration, EachTileOfIreesProfilerIsThereOrSaysWhatStandsInForIt) {
  const std::string path = std::string(built::kSourceFolder) + "/configs/seed.toml";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto set = parse_configurations(path, text.str());
  ASSERT_TRUE(set) << set.error().describe();
  std::set<std::string> found, stood_in_for;
  for (const ConfigurationEntry& entry : set->entries) {
    const Configuration& each = entry.made_of;
    found.insert(each.name);
    if (each.instead_of.name.empty()) continue;
    stood_in_for.insert(each.instead_of.name);
    // The same tile, and the profiler's word for ordinary arithmetic.
    const size_t tile = each.instead_of.name.find("tensorcore");
    EXPECT_EQ(each.name, each.instead_of.name.substr(0, tile) + "simt_ffma");
  }
  for (const char* tile : {"256x128_32x3", "128x256_32x3", "128x128_64x4", "128x128_32x5",
                           "128x64_32x5", "64x64_64x5", "64x64_32x10"})
    EXPECT_EQ(found.count(std::string("tile_config_") + tile + "_tensorcore_mmasync"), 1u) << tile;
  for (const char* tile :
       {"128x256_16x3", "256x128_16x3", "128x128_16x5", "128x128_32x3", "128x128_32x4",
        "128x64_32x3", "128x64_16x5", "64x64_32x3", "64x64_16x10"})
    EXPECT_EQ(stood_in_for.count(std::string("tile_config_") + tile + "_tensorcore_mmasync"), 1u)
        << tile;
  EXPECT_EQ(found.size(), 16u);
}

TEST(Configuration, AValueMayHoldWhatLooksLikeAKnob) {
  const std::string entry = "[[configuration]]\nname = \"a\"\n";
  const std::string text = entry +
                           "flags = [\"--x={x}{y}\", \"--y={{y}{z}\", \"--z={\"]\n"
                           "[configuration.knobs]\nx = [\"a{x}\", \"{y}\"]\ny = [\"{y}\", 2]\n";
  const auto all = read(text.c_str()).entries[0].all();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].flags, (std::vector<std::string>{"--x=a{x}{y}", "--y={{y}{z}", "--z={"}));
  EXPECT_EQ(all[3].flags, (std::vector<std::string>{"--x={y}2", "--y={2{z}", "--z={"}));
}

TEST(Configuration, ThereAreNoMoreCombinationsThanCanBeMade) {
  auto knobs = [](int count, int values) {
    std::string text = "[configuration.knobs]\n";
    for (int knob = 0; knob < count; ++knob) {
      text += "k" + std::to_string(knob) + " = [0";
      for (int value = 1; value < values; ++value) text += ", " + std::to_string(value);
      text += "]\n";
    }
    return text;
  };
  const std::string entry = "[[configuration]]\nname = \"a\"\nflags = [\"--x={k0}\"]\n";
  for (const std::string& much : {knobs(10, 100), knobs(64, 2), knobs(30, 2000), knobs(6, 10)})
    EXPECT_EQ(complaint(entry + much),
              "/sets/test.toml: with those of 'a' its knobs have more than 100000 combinations");
  EXPECT_EQ(complaint(entry + knobs(3, 20)), "");
  const std::string huge = "9223372036854775807";
  EXPECT_TRUE(complaint(entry + "require = [\"k1*" + huge + "*" + huge + " <= 4\"]\n" +
                        knobs(1, 1) + "k1 = [1]\n")
                  .contains("nothing is left of 'a'"))
      << "as 1 would be, were it cut off";
}

TEST(Configuration, ItIsForSomeTargetsAndOperationsAndSaysWhyNotForOthers) {
  const Configuration tiles = read(kSet).entries[0].all()[0];
  EXPECT_EQ(why_not(tiles, cpu(), product("100", "100", "100", "f32")), "");
  EXPECT_EQ(why_not(tiles, gpu(), std::nullopt), "it is for llvm-cpu");
  EXPECT_EQ(why_not(tiles, cpu(), product("100", "100", "100", "f64")),
            "it is for f32, not for f64");
  OperationFacts softmax;
  softmax.kind = "softmax";
  EXPECT_EQ(why_not(tiles, cpu(), softmax), "softmax is no product");
  const Configuration mma = read(kForGpu).entries[0].all()[0];
  const OperationFacts large = product("256", "512", "128", "f16*f16->f32");
  EXPECT_EQ(why_not(mma, gpu(), large), "");
  EXPECT_EQ(why_not(mma, gpu(), product("200", "512", "128", "f16")),
            "m=200 is no multiple of its tile, 128");
  EXPECT_EQ(why_not(mma, gpu(), product("256", "512", "48", "f16")),
            "k=48 is no multiple of its tile, 32");
  // (128 x 32 + 32 x 128) numbers of two bytes, however many stages there are.
  EXPECT_EQ(why_not(mma, gpu(16383), large),
            "its tiles take 16384 bytes of shared memory, and a100 has 16383");
  EXPECT_EQ(why_not(mma, gpu(16384), large), "");
  Target other = gpu();
  other.gpu->architecture = "sm_90";
  EXPECT_EQ(why_not(mma, other, large), "it is for sm_80");
}

TEST(Configuration, ATargetHasItsLibraryWhereItsBackendReadsThat) {
  const Target on_cpu =
      configured(cpu(), read(kSet).entries[0].all()[0], product("100", "100", "100", "f32"));
  ASSERT_TRUE(on_cpu.tuning);
  EXPECT_TRUE(on_cpu.tuning->library.contains("lhs_type = f32"));
  EXPECT_EQ(resolve_flags(on_cpu, "3.13.0").back(),
            "--iree-codegen-tuning-spec-path=tuning_spec.mlir");
  const Target on_gpu = configured(gpu(), read(kForGpu).entries[0].all()[0], std::nullopt);
  EXPECT_EQ(resolve_flags(on_gpu, "3.13.0").back(),
            "--iree-preprocessing-transform-spec-filename=tuning_spec.mlir");
  // With a batch, or without.
  ASSERT_EQ(on_gpu.tuning->lowerings.size(), 1u);
  EXPECT_EQ(on_gpu.tuning->lowerings.front().size(), 2u);
  const Target by_flags = configured(cpu(), read(kSet).entries[1].all()[0], std::nullopt);
  EXPECT_EQ(by_flags.tuning->library, "");
  EXPECT_EQ(resolve_flags(by_flags, "3.13.0").back(), "--iree-llvmcpu-loop-unrolling=true");
}

TEST(Configuration, TargetsWithOtherFlagsOrForAnotherCompilerAreOthers) {
  Configuration fast{.name = "fast", .flags = {"--x=1"}};
  const Target one = configured(cpu(), fast, std::nullopt);
  EXPECT_EQ(one.tuning, configured(cpu(), fast, std::nullopt).tuning);
  fast.tuned_for.compiler = "3.13.0";
  EXPECT_NE(one.tuning, configured(cpu(), fast, std::nullopt).tuning);
  fast = {.name = "fast", .flags = {"--x=2"}};
  EXPECT_NE(one.tuning, configured(cpu(), fast, std::nullopt).tuning);
}

TEST(Configuration, ALibraryForOneOperationMatchesItsSizes) {
  const Configuration tiles = read(kSet).entries[0].all()[0];
  const std::string any = tuning_spec("any", {{.configuration = tiles, .types = {"f32"}}});
  EXPECT_TRUE(any.contains("dims_equal %m, [-1]"));
  EXPECT_TRUE(any.contains("@match_1 -> @apply"));  // with a batch
  OperationFacts slices = product("8", "16", "32", "f32");
  slices.arguments.emplace_back("slices", "4");
  const std::string one = tuning_spec(
      "one", {{.configuration = tiles, .types = {"f32"}, .product = product_sizes(slices)}});
  EXPECT_TRUE(one.contains("dims_equal %batch, [4]"));
  EXPECT_TRUE(one.contains("dims_equal %k, [8]"));
  EXPECT_FALSE(one.contains("@match_1"));
}

TEST(Configuration, EachProductOfAProgramMayHaveItsOwn) {
  const auto all = read(kSet).entries[0].all();
  const Configuration one = for_sizes(all[0], "64x32x16"), other = for_sizes(all[1], "4x8x8x8");
  EXPECT_EQ(one.name, "64x32x16_" + all[0].name);
  EXPECT_EQ(one.family(), "64x32x16_" + all[0].family());
  const Configuration both = together({one, other});
  EXPECT_EQ(both.name, one.name + "+" + other.name);
  const Target target = configured(cpu(), both, std::nullopt);
  EXPECT_TRUE(target.tuning->library.contains("dims_equal %m, [64]"));
  EXPECT_TRUE(target.tuning->library.contains("dims_equal %batch, [4]"));
  ASSERT_EQ(target.tuning->lowerings.size(), 2u) << "both have to be taken up";
  EXPECT_EQ(target.tuning->lowerings[0].size(), 1u);
  // As a file has it, each is an entry.
  const std::string text = to_toml(both);
  const ConfigurationSet again = read(text.c_str());
  ASSERT_EQ(again.entries.size(), 2u);
  EXPECT_EQ(again.entries[1].made_of.sizes, "4x8x8x8");
  EXPECT_EQ(why_not(one, cpu(), product("64", "32", "8", "f32")),
            "it is for a product of 64x32x16");
  for (const char* odd : {"64x32", "64x32x0", "axbxc", "1x2x3x4x5", "64x32x16x"})
    EXPECT_EQ(operation_of_sizes(odd), "") << odd;
}

TEST(Configuration, AConvolutionHasItsLoopsInTheOrderOfItsLayout) {
  const Configuration tiles = read(kConvolutionTiles).entries[0].all()[0];
  const Target last = configured(cpu(), tiles, convolution("nhwc_hwcf"));
  ASSERT_TRUE(last.tuning);
  for (const char* line :
       {"dims_equal %batch, [2]", "dims_equal %image, [28, 28]", "dims_equal %f, [64]",
        "dims_equal %filter, [3, 3]", "dims_equal %c, [32]", "dims_equal %depth, []",
        "dims_equal %loops, [2, 28, 28, 64, 3, 3, 32]", "insert-batch-dim-for-batchless-conv",
        "foreach_match in %given_back\n"})
    EXPECT_TRUE(last.tuning->library.contains(line)) << line << "\n" << last.tuning->library;
  EXPECT_EQ(last.tuning->lowerings,
            (std::vector<std::vector<std::string>>{
                {"#iree_cpu.lowering_config<distribution = [1, 2, 28, 64, 0, 0, 0], "
                 "vector_common_parallel = [1, 1, 4, 16, 0, 0, 0], vector_reduction = [0, 0, 0, 0, "
                 "1, 1, 8]>"}}));
  EXPECT_EQ(configured(cpu(), tiles, convolution("nchw_fchw")).tuning->lowerings,
            (std::vector<std::vector<std::string>>{
                {"#iree_cpu.lowering_config<distribution = [1, 64, 2, 28, 0, 0, 0], "
                 "vector_common_parallel = [1, 16, 1, 4, 0, 0, 0], vector_reduction = [0, 0, 0, 0, "
                 "8, 1, 1]>"}}));
  const Target product_alone =
      configured(cpu(), read(kSet).entries[0].all()[0], product("100", "100", "100", "f32"));
  EXPECT_FALSE(product_alone.tuning->library.contains("apply_registered_pass"));
}

TEST(Configuration, ItSaysWhyItIsForNoSuchConvolution) {
  const Configuration tiles = read(kConvolutionTiles).entries[0].all()[0];
  EXPECT_EQ(why_not(tiles, cpu(), convolution("nhwc_hwcf")), "");
  EXPECT_EQ(why_not(tiles, cpu(), convolution("nhwc_hwcf", "1")), "") << "of one image";
  EXPECT_EQ(why_not(tiles, cpu(), convolution("nhwc_hwcf", "2", "1")),
            "kh=1, and IREE drops such a loop");
  EXPECT_EQ(why_not(tiles, cpu(), convolution("nhwc_hwcf", "2", "3", "2")),
            "conv2d is no convolution over two dimensions in one group");
  EXPECT_EQ(why_not(tiles, cpu(), product("8", "8", "8", "f32")),
            "matmul is no convolution over two dimensions in one group");
  Configuration wide = tiles;
  wide.lowering.front().values[2] = "32";
  EXPECT_EQ(why_not(wide, cpu(), convolution("nhwc_hwcf")),
            "columns=28 is no multiple of its tile, 32");
  wide = tiles;
  wide.lowering[1].values[2] = "5";
  EXPECT_EQ(why_not(wide, cpu(), convolution("nhwc_hwcf")),
            "columns=28 is no multiple of its tile, 5")
      << "of what is kept in registers";
  // Of a whole program it is for one whose sizes are said.
  EXPECT_TRUE(why_not(tiles, cpu(), std::nullopt).contains("one of a program by its sizes"));
  const Configuration one = for_sizes(tiles, "2x28x28x64x3x3x32");
  EXPECT_EQ(why_not(one, cpu(), std::nullopt), "");
  EXPECT_EQ(why_not(one, cpu(), convolution("nchw_fchw", "4")),
            "it is for a convolution of 2x28x28x64x3x3x32");
  // Whose order is not known before it is compiled.
  const Target program = configured(cpu(), one, std::nullopt);
  EXPECT_TRUE(program.tuning->library.contains("dims_equal %image, [28, 28]"));
  for (const char* order : {"[2, 64, 28, 28, 32, 3, 3]", "[2, 28, 28, 64, 3, 3, 32]"})
    EXPECT_TRUE(program.tuning->library.contains(std::string("dims_equal %loops, ") + order));
  EXPECT_EQ(program.tuning->lowerings.front().size(), 2u);
  EXPECT_TRUE(complaint(std::string(kConvolutionTiles) + "reduction = [0, 1]\n")
                  .contains("'reduction' has 2 of a convolution's 7 loops"));
  EXPECT_TRUE(complaint(std::string(kConvolutionTiles) + "cache_parallel = 64\n")
                  .contains("'cache_parallel' has 1 of a convolution's 7 loops"));
  std::string anywhere = kConvolutionTiles;
  anywhere.erase(anywhere.find("backend"), anywhere.find("operation") - anywhere.find("backend"));
  EXPECT_TRUE(complaint(anywhere).contains("on CPUs alone"));
  EXPECT_TRUE(complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\nsizes = \"2x2x2\"\n")
                  .contains("are no sizes of an operation"));
  std::string odd = kConvolutionTiles;
  odd.insert(odd.find("types"), "sizes = \"64x32x16\"\n");
  EXPECT_TRUE(complaint(odd).contains("'64x32x16' are no sizes of a convolution"));
  EXPECT_TRUE(
      complaint("[[configuration]]\nname = \"a\"\nflags = [\"--x=1\"]\nproduct = \"2x2x2\"\n")
          .contains("is called 'sizes' now"));
}

TEST(Configuration, WhatTheCompilerChoseIsReadOffItsDump) {
  const auto found = lowerings_in(
      "#config = #iree_cpu.lowering_config<distribution = [32, 0]>\n"
      "#other = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<A>, workgroup = [1]}>\n"
      "x {lowering_config = #iree_cpu.lowering_config<distribution = [32, 0]>}\n"
      "cut off: #iree_cpu.lowering_config<distribution = [1\n");
  EXPECT_EQ(found, (std::vector<std::string>{
                       "#iree_cpu.lowering_config<distribution = [32, 0]>",
                       "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<A>, workgroup = "
                       "[1]}>"}));
  EXPECT_EQ(shared_bytes_in("a {workgroup_local_memory = 512 : index} workgroup_local_memory = 96"),
            512);
  EXPECT_FALSE(shared_bytes_in(""));
}

TEST(Configuration, WhatIsWrittenIsReadAgain) {
  Configuration odd{
      .name = "a", .flags = {"--x=1"}, .tuned_for = {.workload = "/a \"b\"\\c\t\n\x7f.py"}};
  const ConfigurationSet read_again = read(to_toml(odd).c_str());
  ASSERT_EQ(read_again.entries.size(), 1u);
  EXPECT_EQ(read_again.entries[0].made_of.tuned_for.workload, odd.tuned_for.workload);
  for (const char* text : {kSet, kForGpu, kConvolutionTiles}) {
    for (const ConfigurationEntry& entry : read(text).entries) {
      const Configuration before = entry.all()[0];
      const std::string written = to_toml(before);
      const ConfigurationSet again = read(written.c_str());
      ASSERT_EQ(again.entries.size(), 1u) << written;
      EXPECT_EQ(to_toml(again.entries[0].all()[0]), written);
      EXPECT_EQ(again.entries[0].all()[0].name, before.name);
    }
  }
}

}  // namespace
}  // namespace assay
