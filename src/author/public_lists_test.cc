// What the repositories of public suites have beside their kernels, under their names and with
// their fields: what is said of a kernel, and which one an answer is for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "author/author.h"
#include "author/offers.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "fakes/memory_disk.h"
#include "workload/source.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

const std::string kLine = std::string(146, '#') + "\n";

std::string kernel_of(const std::string& name) {
  return "import torch\n\ndef " + name + "(x):\n    return x\n";
}

// A suite's folder, and a file of answers.
struct Published {
  MemoryDisk disk;

  void add_kernel(const std::string& path, const std::string& name, const std::string& result) {
    disk.files[path] = kernel_of(name) + kLine + fmt::format("{} = {{'a': {}(1)}}\n", result, name);
  }

  // "difficulty 3, category x: 2" of a kernel: what is said of it, and how many answers are for it.
  std::string said_of(const std::string& suite, const std::string& name) {
    auto found = find_workloads(disk, {"triton:" + suite});
    if (!found) return found.error().message;
    const auto workload = std::ranges::find(*found, name, &Workload::name);
    if (workload == found->end()) return "there is none";
    auto loaded = load_workload(disk, *workload);
    if (!loaded) return loaded.error().message;
    auto author = find_author(disk, "file:/answers.json");
    if (!author) return author.error().message;
    Offers offers(disk, *author);
    auto answers = offers.for_problem({.suite = workload->suite,
                                       .level = workload->level,
                                       .name = workload->name,
                                       .path = workload->path,
                                       .own_code = sha256(trimmed(loaded->tests->kernel)),
                                       .asked = asked_of(*workload),
                                       .has_tests = true},
                                      false);
    if (!answers) return answers.error().message;
    return fmt::format("{} difficulty {}, category {}: {}", loaded->tests->format,
                       loaded->tests->difficulty, loaded->tests->category, answers->size());
  }
};

// Its list is an array, whatever its ending says; answers name their kernel by what was asked.
TEST(PublicLists, OfTritonBenchT) {
  Published t;
  t.add_kernel("/t/TritonBench_T_v1/tanh.py", "tanh", "test_results");
  t.add_kernel("/t/TritonBench_T_v1/sub_gelu.py", "sub_gelu", "test_results");
  const auto entry = [](const std::string& file, const std::string& description, int difficulty) {
    return Json{{"name", file},
                {"func_inputs", file + "(input)"},
                {"description", description},
                {"math", "y = f(x)"},
                {"example", "f(x)"},
                {"torch_code", "import torch"},
                {"torch_cnt", 2},
                {"other", "None."},
                {"difficulty", difficulty},
                {"params_cnt", 1},
                {"file", file}};
  };
  t.disk.files["/t/TritonBench_T_v1.jsonl"] =
      dump_json(Json::array({entry("tanh.py", "The tangent of all.", 1),
                             entry("sub_gelu.py", "Subtracts, and\ntakes GELU.", 4)}),
                4);
  const auto answer = [](const std::string& description) {
    return Json{{"instruction",
                 "You are an expert in Triton.\nFunctional Description: " + description +
                     "\nWrapper Entry Information: f(input)\nMath: y = f(x)\nother: None.\n"},
                {"label", ""},
                {"predict", "```python\nimport triton\n```"}};
  };
  t.disk.files["/answers.json"] =
      dump_json(Json::array({answer("The tangent of all."), answer("Subtracts, and takes GELU."),
                             answer("The tangent of all.")}));
  EXPECT_EQ(t.said_of("/t/TritonBench_T_v1", "tanh"), "t difficulty 1, category : 2");
  EXPECT_EQ(t.said_of("/t/TritonBench_T_v1", "sub_gelu"), "t difficulty 4, category : 1");
}

// Alpaca's lists name no file: they say nothing of kernels, and stand in nobody's way.
TEST(PublicLists, OfTritonBenchG) {
  Published g;
  g.add_kernel("/g/TritonBench_G_v1/add.py", "add", "result_gold");
  g.add_kernel("/g/TritonBench_G_v1/mul.py", "mul", "result_gold");
  const std::string asked = "Write a Triton operator that adds.";
  g.disk.files["/g/TritonBench_G_v1.json"] =
      dump_json(Json::array({{{"file", "add.py"},
                              {"repo", "https://example.org/kernels"},
                              {"simp_instru", "Add."},
                              {"simp_instru_len", 1},
                              {"comp_instru", asked},
                              {"comp_instru_len", 6},
                              {"output", kernel_of("add")},
                              {"output_triton_len", 20},
                              {"star", 12},
                              {"difficulty", "2"}}}));
  for (const char* kind : {"simp", "comp"})
    g.disk.files[fmt::format("/g/TritonBench_G_{}_alpac_v1.json", kind)] =
        dump_json(Json::array({{{"instruction", asked}, {"input", ""}, {"output", "code"}},
                               {{"instruction", "Multiply."}, {"input", ""}, {"output", "code"}}}));
  g.disk.files["/answers.json"] = dump_json(Json::array(
      {{{"instruction", asked}, {"label", kernel_of("add")}, {"predict", "import triton"}},
       {{"instruction", asked}, {"predict", "import triton"}},
       {{"instruction", "?"}, {"label", kernel_of("mul")}, {"predict", "import triton"}}}));
  EXPECT_EQ(g.said_of("/g/TritonBench_G_v1", "add"), "g difficulty 2, category : 2");
  EXPECT_EQ(g.said_of("/g/TritonBench_G_v1", "mul"), "g difficulty , category : 1");
}

// Its list has the kernels themselves, as labels, and no difficulty.
TEST(PublicLists, OfRocm) {
  Published rocm;
  rocm.disk.files["/rocm/ROCm_v1/test_add.py"] =
      kernel_of("add") + kLine + "import pytest\n\nresult_gold = {}\n";
  rocm.disk.files["/rocm/ROCm_v1.json"] =
      dump_json(Json::array({{{"file", "test_add.py"},
                              {"target_kernel_name", "add"},
                              {"instruction", "You write kernels. Write add."},
                              {"label", kernel_of("add")}}}));
  rocm.disk.files["/answers.json"] = dump_json(Json::array(
      {{{"file", "test_add.py"}, {"test_code", "def test_add(): pass"}, {"predict", "1"}},
       {{"label", kernel_of("add")}, {"instruction", "?"}, {"predict", "2"}},
       {{"instruction", "You write kernels. Write add."}, {"predict", "3"}}}));
  EXPECT_EQ(rocm.said_of("/rocm/ROCm_v1", "test_add"), "rocm difficulty , category : 3");
}

}  // namespace
}  // namespace assay
