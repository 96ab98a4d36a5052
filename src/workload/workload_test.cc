// Which problems paths and patterns stand for.
#include "workload/workload.h"

#include <gtest/gtest.h>

#include <map>

#include "fakes/memory_disk.h"
#include "workload/source.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

class SelectionTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"/s/level1/gelu.py", "/s/level1/norm.py", "/s/level2/norm_wide.py",
                             "/s/level2/notes.md", "/s/odd[1]/x.py", "/s/.hidden/y.py"})
      disk_.files[path] = "";
  }
  Names expand(const Names& paths) {
    auto expanded = expand_globs(disk_, paths);
    return expanded ? *expanded : Names{expanded.error().message};
  }
  Names select(const Selection& selection) {
    auto selected = select_workloads(*find_workloads(disk_, {"/s"}), selection);
    if (!selected) return {selected.error().message};
    Names names;
    for (const Workload& workload : *selected) names.push_back(workload.name);
    return names;
  }

  MemoryDisk disk_;
};

TEST_F(SelectionTest, ASampleHasSomethingOfEach) {
  Selection selection;
  selection.sample = 6;
  const auto workloads =
      find_workloads(disk_, {"op:matmul[m=1:50]", "op:softmax[rows=1:2]", "op:*norm[rows=1:9]"});
  ASSERT_TRUE(workloads);
  auto chosen = select_workloads(*workloads, selection);
  ASSERT_TRUE(chosen);
  std::map<std::string, int> count;
  for (const Workload& each : *chosen) ++count[each.shared_name];
  EXPECT_EQ(count.size(), 4u);
  EXPECT_EQ(chosen->size(), 6u);
  EXPECT_LE(count["matmul"], 2);
}

TEST_F(SelectionTest, OperationsHaveAnotherName) {
  const auto workloads = find_workloads(disk_, {"op:matmul[m=256|512,n=512,k=128,dtype=f16]"});
  ASSERT_TRUE(workloads);
  auto chosen = select_workloads(*workloads, {.filter = {{"matmul_256x*_f16t_f16t_f16t"}, {}}});
  ASSERT_TRUE(chosen) << chosen.error().describe();
  ASSERT_EQ(chosen->size(), 1u);
  EXPECT_EQ(chosen->front().name, "matmul_m256_n512_k128_f16_nn");
}

// As the profiler's dispatches are called. What leaves a configuration out leaves the operation.
TEST_F(SelectionTest, OperationsAreAlsoMeantByOneOfTheirConfigurations) {
  const auto workloads = find_workloads(disk_, {"op:matmul[m=256|512,n=512,k=128,dtype=f16]"});
  ASSERT_TRUE(workloads);
  const std::vector<std::string> configurations{"tiles_64x64", "tiles_64x128"};
  auto count = [&](PathFilter filter) {
    auto chosen = select_workloads(*workloads,
                                   {.filter = std::move(filter), .configurations = configurations});
    return chosen ? chosen->size() : 0;
  };
  EXPECT_EQ(count({{"matmul_256x512x128_f16t_f16t_f16t_tiles_64x64"}, {}}), 1u);
  EXPECT_EQ(count({{"matmul_*_tiles_64x*"}, {}}), 2u);
  EXPECT_EQ(count({{"*_tiles_32x32"}, {}}), 0u);
  EXPECT_EQ(count({{}, {"*_tiles_64x64"}}), 2u);
  EXPECT_EQ(count({{}, {"matmul_256x*"}}), 1u);
  EXPECT_EQ(count({{}, {"*_tiles_*"}}), 0u);
}

// Who asks for a configuration that is none any more is told which is, and gets nothing else.
TEST_F(SelectionTest, AConfigurationThatIsGoneIsAnsweredWithWhatStandsInForIt) {
  const auto workloads = find_workloads(disk_, {"op:matmul[m=256,n=512,k=128,dtype=f16|f32]"});
  ASSERT_TRUE(workloads);
  auto answer = [&](const std::vector<std::string>& wanted) {
    const auto chosen = select_workloads(
        *workloads, {.filter = {wanted, {}},
                     .configurations = {"tile_mma", "tile_simt"},
                     .gone = {{"tile_tf32", "no tf32 here; tile_simt stands in for tile_tf32"}}});
    return chosen ? std::to_string(chosen->size()) : chosen.error().message;
  };
  EXPECT_EQ(answer({"matmul_256x512x128_f32t_f32t_f32t_tile_tf32"}),
            "--filter 'matmul_256x512x128_f32t_f32t_f32t_tile_tf32' matches nothing: no tf32 here; "
            "tile_simt stands in for tile_tf32");
  EXPECT_TRUE(answer({"*f16t_tile_mma", "*f32t_tile_tf32"}).contains("tile_simt stands in"))
      << "each pattern of a list is looked at";
  EXPECT_EQ(answer({"*f32t_tile_*"}), "1");
  EXPECT_TRUE(answer({"*f32t_tile_wmma"}).contains("matches none of 4 attempts"));
}

TEST_F(SelectionTest, QuotedPatternsAreExpanded) {
  EXPECT_EQ(expand({"/s/level1"}), Names{"/s/level1"});
  EXPECT_EQ(expand({"/s/level?/norm*.py"}), (Names{"/s/level1/norm.py", "/s/level2/norm_wide.py"}));
  EXPECT_EQ(expand({"/s/*/gelu.py", "/s/level2"}), (Names{"/s/level1/gelu.py", "/s/level2"}));
  EXPECT_EQ(expand({"/s/odd[1]"}), Names{"/s/odd[1]"}) << "what exists is no pattern";
  EXPECT_EQ(expand({"/s/*/y.py"}), Names{"'/s/*/y.py' matches no file or folder"});
  EXPECT_EQ(expand({"/nowhere/*"}), Names{"'/nowhere/*' matches no file or folder"});
  EXPECT_EQ(expand({"/s/nowhere"}), Names{"/s/nowhere"}) << "find_workloads() tells";
}

TEST_F(SelectionTest, FilterThenSkipThenLimit) {
  EXPECT_EQ(select({}), (Names{"gelu", "norm", "norm_wide", "x"}));
  EXPECT_EQ(select({{{"norm*"}, {}}, 0}), (Names{"norm", "norm_wide"}));
  EXPECT_EQ(select({{{"level1/*", "x"}, {"gelu"}}, 0}), (Names{"norm", "x"}));
  EXPECT_EQ(select({{{}, {"s/level1/*"}}, 1}), Names{"norm_wide"});
  EXPECT_EQ(select({{}, 2}), (Names{"gelu", "norm"}));
  EXPECT_EQ(select({{}, 99}).size(), 4u);
  EXPECT_EQ(select({{{"nrom"}, {}}, 0}),
            Names{"--filter 'nrom' matches none of 4 workloads (did you mean 'norm'?)"});
}

TEST(Workloads, ShapesOfSuites) {
  MemoryDisk disk;
  for (const char* path : {"/s/level1/a.py", "/s/level1/b.py", "/s/level2/a.py", "/s/top.py",
                           "/s/_private.py", "/s/.hidden/x.py", "/s/notes.md", "/s/level2/_x.py",
                           "/other/s/level1/z.py", "/empty/readme.txt", "/kb/easy/3.py"})
    disk.files[path] = "";
  auto names = [&](const std::vector<std::string>& paths) {
    std::vector<std::string> list;
    auto found = find_workloads(disk, paths);
    if (!found) return std::vector<std::string>{found.error().message};
    for (const Workload& w : *found) list.push_back(w.suite + ":" + w.level + ":" + w.name);
    return list;
  };
  EXPECT_EQ(names({"/s"}), (Names{"s::top", "s:level1:a", "s:level1:b", "s:level2:a"}));
  EXPECT_EQ(names({"/s/level1"}), (Names{"s:level1:a", "s:level1:b"}))
      << "a level, however it is given";
  EXPECT_EQ(names({"/s/level1/b.py", "/s/level1/b.py"}), (Names{"s:level1:b"}));
  EXPECT_EQ(names({"/s/level2", "/other/s", "/s/level1/a.py"}),
            (Names{"s_2:level2:a", "s:level1:z", "s_2:level1:a"}));
  EXPECT_EQ(names({"/other/s", "/s"}).back(), "s_2:level2:a");
  EXPECT_EQ(names({"/s", "/other/s"}).back(), "s:level1:z") << "whichever is named first";
  EXPECT_EQ(names({"/kb/easy"}), (Names{"easy::3"})) << "nothing says that it is a level";
  EXPECT_EQ(names({"/kb/easy/3.py", "/kb"}), (Names{"kb:easy:3"})) << "and here something does";
  EXPECT_EQ(names({"/kb", "/kb/easy/3.py"}), (Names{"kb:easy:3"}));
  EXPECT_EQ(names({"/empty"}), (Names{"'/empty' holds no problem"}));
  EXPECT_EQ(names({"/nowhere"}), (Names{"there is no file or folder '/nowhere'"}));
  EXPECT_EQ(names({"/s/notes.md"}), (Names{"'/s/notes.md' is no Python file"}));
}

TEST(Workloads, OfSuitesWithTestsListsAndOtherTestsAreFoundByPath) {
  MemoryDisk disk;
  for (const char* path : {"/k/data/f/same.py", "/k/data/m/same.py", "/k/data/m/lone.py",
                           "/t/m/same.py", "/none/other.py", "/some/lone.py"})
    disk.files[path] = "";
  disk.files["/k/list.json"] =
      R"([{"file": "f/same.py", "difficulty": 1}, {"file": "m/same.py", "difficulty": 2}])";
  disk.files["/k/data/results.jsonl"] = R"({"file": "f/same.py", "difficulty": 5, "predict": "x"})";
  auto all = find_workloads(disk, {"triton:/k/data"});
  ASSERT_TRUE(all && all->size() == 3) << all.error().describe();
  EXPECT_EQ((*all)[0].about, (Json{{"difficulty", 1}}));
  EXPECT_TRUE((*all)[1].about.is_null());
  EXPECT_EQ((*all)[2].about, (Json{{"difficulty", 2}}));
  auto tested = [&](const std::string& tests) {
    return find_workloads(disk, {*with_tests_of("triton:/k/data", tests)});
  };
  auto by_folder = tested("/t");
  ASSERT_TRUE(by_folder) << by_folder.error().describe();
  EXPECT_EQ((*by_folder)[0].path, "triton:/k/data/f/same.py");
  EXPECT_EQ((*by_folder)[2].path, "triton:/k/data/m/same.py@tests=/t/m/same.py");
  EXPECT_EQ(note_of_own_tests(*by_folder),
            "--tests has no file for 2 of 3 kernels, which keep their own tests");
  EXPECT_FALSE(tested("/none")) << "not one of them would be run with these";
  EXPECT_TRUE(tested("/some"));
  auto again = find_workloads(disk, {(*by_folder)[2].path});
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->front().path, (*by_folder)[2].path) << "as its record names it";
}

// What a repository has beside its suite is no kernel.
TEST(Workloads, ARepositoryOfASuiteIsTakenForThat) {
  MemoryDisk disk;
  for (const char* path :
       {"/Arena/main.py", "/Arena/src/evaluator.py",
        "/Arena/tasks/triton2triton/rocmbench/easy/test_add/config.yaml",
        "/Arena/tasks/triton2triton/rocmbench/easy/test_add/test_add.py", "/Kbx/EVAL/judge.py",
        "/Kbx/data/kernelbenchx/Math/exp.py", "/g/tasks/relu.py", "/g/other/gelu.py"})
    disk.files[path] = "";
  auto names = [&](const std::string& path) {
    auto found = find_workloads(disk, {path});
    Names list;
    if (!found) return Names{found.error().message};
    for (const Workload& w : *found) list.push_back(w.suite + ":" + w.level + ":" + w.name);
    return list;
  };
  EXPECT_EQ(names("triton:/Arena"), (Names{"tasks:triton2triton/rocmbench/easy:test_add"}));
  EXPECT_EQ(names("triton:/Arena"), names("triton:/Arena/tasks"));
  EXPECT_EQ(names("triton:/Kbx"), (Names{"kernelbenchx:Math:exp"}));
  EXPECT_EQ(names("triton:/g"), (Names{"g:other:gelu", "g:tasks:relu"}))
      << "a level may be called so";
}

TEST(Workloads, GraphsInFilesHaveSizesBetweenBrackets) {
  MemoryDisk disk;
  disk.files["/s/level1/net.onnx"] = "graph";
  disk.files["/s/level1/a.py"] = "";
  auto named = [&](const std::string& path) {
    auto found = find_workloads(disk, {path});
    Names list;
    if (!found) return Names{found.error().message};
    for (const Workload& w : *found)
      list.push_back(w.suite + ":" + w.level + ":" + w.name + ":" + w.shared_name + " " + w.path);
    return list;
  };
  EXPECT_EQ(named("/s/level1/net.onnx"), Names{"s:level1:net: /s/level1/net.onnx"});
  EXPECT_EQ(named("/s/level1/net.onnx[batch=2|4,seq=8]"),
            (Names{"s:level1:net_batch2_seq8:net /s/level1/net.onnx[batch=2,seq=8]",
                   "s:level1:net_batch4_seq8:net /s/level1/net.onnx[batch=4,seq=8]"}));
  EXPECT_EQ(*expand_globs(disk, {"/s/level1/net.onnx[batch=2]"}),
            Names{"/s/level1/net.onnx[batch=2]"});
  EXPECT_EQ(*expand_globs(disk, {"/s/*/net.onnx"}), Names{"/s/level1/net.onnx"});
  EXPECT_EQ(named("/s/level1"), Names{"s:level1:a: /s/level1/a.py"}) << "where it is named itself";
  EXPECT_EQ(named("/s/level1/net.onnx[batch=0]"),
            Names{"'/s/level1/net.onnx[batch=0]', character 26: '0' is no size for batch; write a "
                  "number from 1 to 2147483648, a power as 2^10, or a range as 64:128:16 or "
                  "2^6:2^10"});
  EXPECT_EQ(named("/s/level1/no.onnx[batch=1]"),
            Names{"there is no file or folder '/s/level1/no.onnx[batch=1]'"});
  const auto found = find_workloads(disk, {"/s/level1/net.onnx[batch=2]"});
  const auto loaded = load_workload(disk, found->front());
  EXPECT_EQ(loaded->python, "# assay: an ONNX file, {\"batch\":2}\ngraph");
  EXPECT_EQ(loaded->text(), "# net.onnx: a graph in ONNX, of 5 B.\n");
  disk.files["/s/level1/net.onnx.data"] = "weights";
  const auto both = load_workload(disk, found->front());
  EXPECT_EQ(both->python,
            "# assay: an ONNX file and its data, {\"batch\":2}\n"
            "{\"graph_bytes\":5,\"data\":\"net.onnx.data\"}\ngraphweights");
  EXPECT_EQ(both->text(), "# net.onnx: a graph in ONNX, of 12 B.\n");
  EXPECT_NE(hash_of(*both), hash_of(*loaded)) << "the weights are part of what it is";
  disk.files["/s/level1/net.onnx.data"] = "Weights";
  EXPECT_NE(hash_of(*load_workload(disk, found->front())), hash_of(*both));
  EXPECT_EQ(found->front().precision, Precision::f32) << "its types are its own";
  EXPECT_TRUE(found->front().exports_in_jail);
  disk.files["/s/level1/net.pt2"] = "program";
  EXPECT_EQ(named("/s/level1/net.pt2[batch=2|4]"),
            (Names{"s:level1:net_batch2:net /s/level1/net.pt2[batch=2]",
                   "s:level1:net_batch4:net /s/level1/net.pt2[batch=4]"}));
  const auto program = load_workload(disk, find_workloads(disk, {"/s/level1/net.pt2"})->front());
  EXPECT_EQ(program->python, "# assay: an exported program, {}\nprogram");
  EXPECT_EQ(program->text(), "# net.pt2: a program of torch.export, of 7 B.\n");
}

}  // namespace
}  // namespace assay
