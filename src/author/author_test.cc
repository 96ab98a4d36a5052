#include "author/author.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "author/offers.h"
#include "base/escape.h"
#include "base/hash.h"
#include "fakes/memory_disk.h"

namespace assay {
namespace {

Author author_of(const MemoryDisk& disk, const std::string& written) {
  auto author = find_author(disk, written);
  EXPECT_TRUE(author) << author.error().describe();
  return author.value_or(Author{});
}

std::vector<Candidate> offered(const MemoryDisk& disk, const Author& author,
                               const ProblemName& problem, bool lone = false) {
  Offers offers(disk, author);
  auto found = offers.for_problem(problem, lone);
  EXPECT_TRUE(found) << found.error().describe();
  return found.value_or(std::vector<Candidate>{});
}

TEST(Author, ANameHoldsOnlyWhatAnIdKeeps) {
  for (const AuthorType& type : author_types()) {
    const std::string name(type.name.substr(0, type.name.find_first_of(":@")));
    EXPECT_EQ(escape_component(name), name);
    EXPECT_FALSE(type.title.empty()) << name;
  }
}

TEST(Author, OneIsTakenWhereNoneIsNamedAndOneIsTheBaseline) {
  EXPECT_EQ(std::ranges::count_if(author_types(), &AuthorType::is_default), 1);
  EXPECT_EQ(std::ranges::count_if(author_types(), &AuthorType::is_default_baseline), 1);
}

TEST(Author, ItsCandidatesAreKnownByTheirReferences) {
  MemoryDisk disk;
  for (const char* folder : {"/mine", "/mine__s2"}) ASSERT_TRUE(disk.make_directories(folder));
  disk.files["/mine/shift.c"] = disk.files["/mine__s2/shift.c"] = disk.files["/all.jsonl"] = "";
  const Author mine = author_of(disk, "file:/mine"), lines = author_of(disk, "file:/all.jsonl#3");
  const Author iree = author_of(disk, "iree");
  EXPECT_EQ(lasting_reference(mine), "file:/mine");
  EXPECT_EQ(lasting_reference(lines), "file:/all.jsonl#3");
  EXPECT_EQ(lasting_reference(iree), "iree");
  const Candidate line{.number = 4, .path = "/all.jsonl", .line = 9};
  EXPECT_EQ(lasting_reference(lines, line), "file:/all.jsonl#4");
  EXPECT_TRUE(is_of(lines, "file:/all.jsonl#4"));
  EXPECT_TRUE(is_of(mine, "file:/mine/shift.c"));
  EXPECT_FALSE(is_of(mine, "file:/mine__s2/shift.c"));
  EXPECT_FALSE(is_of(mine, "iree"));
  EXPECT_TRUE(is_of(iree, "iree"));
  EXPECT_FALSE(is_of(iree, "file:/mine/shift.c"));
}

TEST(Author, AFileByItselfIsOneCandidateWhateverElseIsRun) {
  MemoryDisk disk;
  disk.files["/mine/shift__s2.py"] = "";
  Author author = author_of(disk, "file:/mine/shift__s2.py");
  EXPECT_EQ(author.name, "shift__s2.py");
  for (bool lone : {true, false}) {
    auto found = offered(disk, author, {"", "", "shift"}, lone);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().number, 1);
    EXPECT_EQ(found.front().path, "/mine/shift__s2.py");
  }
  EXPECT_EQ(offered(disk, author, {"", "", "other"}, true).size(), 1u);
  EXPECT_TRUE(offered(disk, author, {"", "", "other"}).empty());
}

TEST(Author, OneFileIsForAllSizesOfAnOperationThatHaveNoneOfTheirOwn) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/mine"));
  disk.files["/mine/matmul.c"] = disk.files["/mine/matmul_m8_n8_k8_f32_nn.c"] = "";
  Author author = author_of(disk, "file:/mine");
  auto path_for = [&](const std::string& name) {
    auto found = offered(disk, author, {"op", "matmul", name, "matmul"});
    return found.size() == 1 ? found.front().path : "not one";
  };
  EXPECT_EQ(path_for("matmul_m8_n8_k8_f32_nn"), "/mine/matmul_m8_n8_k8_f32_nn.c");
  EXPECT_EQ(path_for("matmul_m9_n8_k8_f32_nn"), "/mine/matmul.c");
  EXPECT_TRUE(offered(disk, author, {"op", "softmax", "softmax_m9_n8", "softmax"}).empty());
  EXPECT_TRUE(offered(disk, author, {"", "", "shift"}).empty());
}

TEST(Author, ALoneProblemHasAllOfAFolderButWhatIsAnothersOrNoCandidate) {
  MemoryDisk disk;
  for (const char* name : {"double", "shift"})
    disk.files[std::string("/s/level1/") + name + ".py"] = "class Model: get_inputs";
  disk.files["/s/level2/halve.py"] = "class Model: get_inputs";
  const std::string kernel = "class ModelNew";
  for (const char* name : {"fast.py", "shift.py", "halve.py", "v10.py", "v2.py", "sample_3.py",
                           "level_1_problem_7_sample_0_kernel.py", "fine.md"})
    disk.files[std::string("/mine/") + name] = kernel;
  disk.files["/mine/common.py"] = "def helper(): pass";
  const ProblemName problem{"s", "level1", "double", "", "/s/level1/double.py"};
  auto numbered = [&](const std::string& written, bool lone, bool is_baseline = false) {
    Author author = author_of(disk, written);
    Offers offers(disk, author);
    auto found = offers.for_problem(problem, lone,
                                    is_baseline ? Offers::Named::only : Offers::Named::or_not);
    EXPECT_TRUE(found) << found.error().describe();
    std::vector<std::string> all;
    for (const Candidate& each : *found)
      all.push_back(fmt::format("{} {}", each.number, each.path.substr(each.path.rfind('/') + 1)));
    return all;
  };
  using All = std::vector<std::string>;
  EXPECT_EQ(numbered("file:/mine", true),
            (All{"1 fast.py", "2 v2.py", "3 fine.md", "4 sample_3.py", "10 v10.py"}));
  EXPECT_EQ(numbered("file:/mine", false), All{});
  EXPECT_EQ(numbered("file:/mine", true, true), All{}) << "a baseline is one by its name";
  EXPECT_EQ(numbered("file:/mine/[shl]*.py", true),
            (All{"1 halve.py", "2 shift.py", "4 sample_3.py"}));
  // One that is named for it does not keep others away, but text.
  disk.files["/mine/double.py"] = kernel;
  EXPECT_EQ(numbered("file:/mine", true),
            (All{"1 double.py", "2 v2.py", "3 fast.py", "4 sample_3.py", "10 v10.py"}));
}

// Of `assay write`, and of HipKittens' runner before it.
TEST(Author, ResultsOfASearchAreTheBestKernelsOfTheirProblems) {
  MemoryDisk disk;
  disk.files["/results/summary.json"] = "{}";
  disk.files["/results/detailed_report.txt"] = "ModelNew";
  for (const char* name : {"19_ReLU/best_code.py", "19_ReLU/code_1.py", "19_ReLU/best_prompt.txt",
                           "7_Gemm/best_code.cpp", "8_Sum/code_1.py"})
    disk.files[std::string("/results/") + name] = "ModelNew assay_kernel";
  Author author = author_of(disk, "file:/results");
  auto paths_for = [&](const ProblemName& problem, bool lone) {
    std::vector<std::string> paths;
    for (const Candidate& each : offered(disk, author, problem, lone)) paths.push_back(each.path);
    return paths;
  };
  using All = std::vector<std::string>;
  EXPECT_EQ(paths_for({"s", "level1", "19_ReLU"}, false), All{"/results/19_ReLU/best_code.py"});
  EXPECT_EQ(paths_for({"s", "level1", "7_Gemm"}, true), All{"/results/7_Gemm/best_code.cpp"});
  EXPECT_EQ(paths_for({"s", "level1", "8_Sum", "", "/s/8_Sum.py"}, true), All{});
  // Of several levels and models.
  disk.files["/both/summary.json"] = "{}";
  for (const char* id :
       {"s/level1/local/shift/a", "s/level1/local/shift/b", "s/level2/local/shift/a"})
    disk.files[std::string("/both/") + id + "/best_code.c"] = "assay_kernel";
  author = author_of(disk, "file:/both");
  EXPECT_EQ(paths_for({"s", "level1", "shift"}, false),
            (All{"/both/s/level1/local/shift/a/best_code.c",
                 "/both/s/level1/local/shift/b/best_code.c"}));
  EXPECT_EQ(paths_for({"s", "level2", "shift"}, false),
            All{"/both/s/level2/local/shift/a/best_code.c"});
}

TEST(Author, WhatIsReplayedKeepsItsNumber) {
  MemoryDisk disk;
  disk.files["/mine/shift__s7.c"] = "";
  Author author = author_of(disk, "file:/mine/shift__s7.c");
  author.number = 7;
  EXPECT_EQ(offered(disk, author, {"", "", "shift"}, true).front().number, 7);
}

TEST(Author, FilesOfAFolderAreCandidatesByTheirNumbers) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/mine"));
  for (const char* name : {"shift.py", "shift__s3.c", "other.py", "_shift.py", "shift.bin"})
    disk.files[std::string("/mine/") + name] = "";
  Author author = author_of(disk, "file:/mine");
  EXPECT_EQ(author.name, "mine");
  Offers offers(disk, author);
  auto found = offers.for_problem({"", "", "shift"}, true);
  ASSERT_TRUE(found && found->size() == 2);
  EXPECT_EQ((*found)[0].path, "/mine/shift.py");
  EXPECT_EQ((*found)[1].number, 3);
  EXPECT_EQ((*found)[1].form, &c_form());
  EXPECT_EQ(offers.left(), std::vector<std::string>{"other.py"});
}

TEST(Author, ASourceThatACandidateHandsInIsNoneItself) {
  MemoryDisk disk;
  disk.files["/mine/shift.py"] =
      "from torch.utils.cpp_extension import load\n"
      "fused = load('fused', ['shift.cpp', 'more.cu', 'shift__s3.c'])\n";
  disk.files["/mine/shift.cpp"] = disk.files["/mine/more.cu"] = "// of an extension";
  disk.files["/mine/shift__s3.c"] = "int assay_kernel(const assay_call* call)";
  disk.files["/mine/shift__s4.c"] = "// not named";
  Author author = author_of(disk, "file:/mine");
  Offers offers(disk, author);
  auto found = offers.for_problem({"", "", "shift"}, true);
  ASSERT_TRUE(found) << found.error().describe();
  std::vector<std::string> paths;
  for (const Candidate& each : *found) paths.push_back(each.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"/mine/shift.py", "/mine/shift__s3.c", "/mine/shift__s4.c"}));
  EXPECT_TRUE(offers.left().empty()) << offers.left().front();
}

TEST(Author, ALevelsFolderComesBeforeTheAuthorsOwn) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/mine/level1"));
  disk.files["/mine/level1/shift.py"] = "";
  disk.files["/mine/shift.cc"] = "";
  Author author = author_of(disk, "file:/mine");
  EXPECT_EQ(offered(disk, author, {"suite", "level1", "shift"}).front().path,
            "/mine/level1/shift.py");
  EXPECT_EQ(offered(disk, author, {"suite", "level2", "shift"}).front().path, "/mine/shift.cc");
}

TEST(Author, FilesOfAKernelBenchRunAreMatchedByTheirNumbers) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/run"));
  for (const char* name :
       {"level_1_problem_19_sample_0_kernel.py", "level_1_problem_19_sample_4_kernel.py",
        "level_2_problem_19_sample_0_kernel.py", "level_1_problem_9_sample_0_kernel.py"})
    disk.files[std::string("/run/") + name] = "";
  Author author = author_of(disk, "file:/run");
  auto found = offered(disk, author, {"KernelBench", "level1", "19_ReLU"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].number, 1) << "samples are counted from 0, candidates from 1";
  EXPECT_EQ(found[1].number, 5);
  EXPECT_EQ(offered(disk, author, {"level2", "", "19_GELU"}).size(), 1u)
      << "the suite is the level";
  EXPECT_TRUE(offered(disk, author, {"KernelBench", "level3", "19_MLP"}).empty());
  EXPECT_TRUE(offered(disk, author, {"KernelBench", "level1", "119_Odd"}).empty());
}

TEST(Author, AnAnswerIsACandidateByItsCode) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/mine"));
  disk.files["/mine/shift.md"] = "Here:\n```python\nclass ModelNew: pass\n```\n";
  disk.files["/mine/shift__s2.txt"] = "I cannot do that.";
  disk.files["/mine/README.md"] = "Which are these?";
  Author author = author_of(disk, "file:/mine");
  Offers offers(disk, author);
  auto found = offers.for_problem({"", "", "shift"}, true);
  ASSERT_TRUE(found && found->size() == 2);
  ASSERT_TRUE((*found)[0].code);
  EXPECT_EQ(*(*found)[0].code, "class ModelNew: pass\n");
  EXPECT_FALSE((*found)[1].code);
  EXPECT_EQ((*found)[1].why_none, "there is no fenced code in it");
  EXPECT_EQ(offers.left(), std::vector<std::string>{"README.md"});
}

TEST(Author, EachLineIsACandidateAndAnyCanBeNamed) {
  MemoryDisk disk;
  disk.files["/answers.jsonl"] =
      R"({"problem": "shift", "code": "one"})"
      "\n\n"
      R"({"problem": "level1/shift.py", "code": "two", "candidate": 7, "language": "c"})"
      "\n"
      R"({"problem": "other", "code": "three"})"
      "\n"
      R"({"problem": "shift", "code": "four"})";
  Author author = author_of(disk, "file:/answers.jsonl");
  Offers offers(disk, author);
  auto found = offers.for_problem({"suite", "level1", "shift"}, true);
  ASSERT_TRUE(found && found->size() == 3) << found.error().describe();
  EXPECT_EQ((*found)[0].shown_path(), "/answers.jsonl:1");
  EXPECT_EQ((*found)[1].number, 7);
  EXPECT_EQ((*found)[1].form, &c_form());
  EXPECT_EQ((*found)[2].number, 8) << "behind the one that has a number";
  EXPECT_EQ(*(*found)[2].code, "four");
  EXPECT_EQ(offers.left(), std::vector<std::string>{"answers.jsonl line 4"});

  Author second = author_of(disk, "file:/answers.jsonl#8");
  EXPECT_EQ(second.name, "answers.jsonl");
  auto only = offered(disk, second, {"suite", "level1", "shift"});
  ASSERT_EQ(only.size(), 1u);
  EXPECT_EQ(*only.front().code, "four");
}

TEST(Author, LinesAreCountedByTheProblemThatTheyMean) {
  MemoryDisk disk;
  disk.files["/a.jsonl"] = R"({"problem": "19_shift", "code": "1"}
{"problem": "level1/19_shift", "code": "2"}
{"level": 1, "problem_id": 19, "code": "3"}
{"problem": "level2/19_shift", "code": "of another"}
{"problem": "19_shift", "code": "7", "candidate": 7}
{"problem_id": 19, "text": null}
)";
  Author author = author_of(disk, "file:/a.jsonl");
  Offers offers(disk, author);
  auto found = offers.for_problem({"s", "level1", "19_shift"}, true);
  ASSERT_TRUE(found) << found.error().describe();
  std::vector<int> numbers;
  for (const Candidate& each : *found) numbers.push_back(each.number);
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 7, 8}));
  EXPECT_EQ((*found)[4].why_none, "there was no answer");
  auto other = offers.for_problem({"s", "level2", "19_shift"}, false);
  ASSERT_TRUE(other) << other.error().describe();
  ASSERT_EQ(other->size(), 4u);
  EXPECT_EQ(*(*other)[1].code, "of another");
  EXPECT_EQ((*other)[1].number, 2) << "of that problem";
}

// Whatever names a kernel: its file, the suite's own code, or what was asked.
TEST(Author, OfAFolderOfCollectionsEachIsAPass) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/passes"));
  std::string labels;
  for (const char* kernel : {"k1", "k2", "k3"})
    labels += fmt::format(R"({{"label": "code of {0}", "predict": "{0}"}})"
                          "\n",
                          kernel);
  disk.files["/passes/run_1.jsonl"] = labels;
  disk.files["/passes/run_2.jsonl"] = labels + R"({"file": "g/k2.py", "predict": "again"})";
  disk.files["/passes/run_10.jsonl"] = R"({"file": "k2.py", "predict": "ten"})";
  auto numbered = [&](const std::string& written, const std::string& kernel) {
    ProblemName problem{.suite = "s", .level = "g", .name = kernel};
    problem.own_code = sha256("code of " + kernel);
    problem.has_tests = true;
    std::vector<std::string> all;
    for (const Candidate& each : offered(disk, author_of(disk, written), problem))
      all.push_back(fmt::format("{} {}#{}", each.number, *each.code, each.number_there));
    return all;
  };
  using Numbered = std::vector<std::string>;
  EXPECT_EQ(numbered("file:/passes", "k1"), (Numbered{"1 k1#1", "2 k1#1"}));
  EXPECT_EQ(numbered("file:/passes", "k3"), (Numbered{"1 k3#1", "2 k3#1"}));
  EXPECT_EQ(numbered("file:/passes", "k2"), (Numbered{"1 k2#1", "2 k2#1", "3 ten#1", "5 again#2"}));
}

// What a file answers twice is no second pass: pass@k would take it for one of all kernels.
TEST(Author, APassIsAFileOfResultsAndNotARow) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/passes"));
  const std::string two = R"({"file": "a.py", "predict": "1"}
{"file": "b.py", "predict": "1"}
{"file": "a.py", "predict": "2"}
)";
  disk.files["/one.jsonl"] = two;
  disk.files["/passes/run_1.jsonl"] = two;
  disk.files["/passes/run_2.jsonl"] = R"({"file": "b.py", "predict": "3"})";
  disk.files["/numbered.jsonl"] = R"({"file": "a.py", "candidate": 1, "predict": "1"}
{"file": "a.py", "candidate": 2, "predict": "2"}
)";
  auto passes = [&](const std::string& written, const std::string& kernel) {
    const Author author = author_of(disk, written);
    Offers offers(disk, author);
    auto found =
        offers.for_problem({.suite = "s", .level = "", .name = kernel, .has_tests = true}, false);
    std::vector<std::string> all;
    for (const Candidate& each : found.value_or(std::vector<Candidate>{})) {
      const PassOf pass = offers.pass_of(each);
      all.push_back(fmt::format("{}: {} of {}{}", each.number, pass.number, pass.of,
                                pass.is_repeat ? ", again" : ""));
    }
    return all;
  };
  using All = std::vector<std::string>;
  EXPECT_EQ(passes("file:/one.jsonl", "a"), (All{"1: 1 of 1", "2: 1 of 1, again"}));
  EXPECT_EQ(passes("file:/one.jsonl", "b"), (All{"1: 1 of 1"}));
  EXPECT_EQ(passes("file:/passes", "a"), (All{"1: 1 of 2", "3: 1 of 2, again"}));
  EXPECT_EQ(passes("file:/passes", "b"), (All{"1: 1 of 2", "2: 2 of 2"}));
  EXPECT_EQ(passes("file:/numbered.jsonl", "a"), (All{"1: 0 of 0", "2: 0 of 0"}))
      << "who numbers them says that each is a pass";
}

TEST(Author, AnOddLineTakesNothingFromTheOthers) {
  MemoryDisk disk;
  disk.files["/cut.jsonl"] = R"({"file": "a.py", "predict": "1"}
{"predict": "for nobody"}
{"file": "a.py", "pre)";
  disk.files["/odd.jsonl"] = "{\"file\": \"a.py\", \"pre\n";
  auto taken = [&](const std::string& written, bool has_tests) {
    const Author author = author_of(disk, written);
    Offers offers(disk, author);
    auto found =
        offers.for_problem({.suite = "s", .level = "", .name = "a", .has_tests = has_tests}, false);
    std::vector<std::string> told = offers.odd();
    told.insert(told.begin(), found ? fmt::format("{}", found->size()) : found.error().message);
    return told;
  };
  const auto cut = taken("file:/cut.jsonl", true);
  ASSERT_EQ(cut.size(), 3u);
  EXPECT_EQ(cut[0], "1");
  EXPECT_TRUE(cut[1].starts_with("/cut.jsonl, line 2: it names no 'file'")) << cut[1];
  EXPECT_TRUE(cut[2].starts_with("/cut.jsonl, line 3")) << cut[2];
  EXPECT_TRUE(taken("file:/cut.jsonl", false)[0].starts_with("/cut.jsonl, line 2"))
      << "what somebody has typed is looked through";
  EXPECT_TRUE(taken("file:/odd.jsonl", true)[0].starts_with("/odd.jsonl, line 1"))
      << "there is nothing else";
}

TEST(Author, ALevelMayBeTheLastOfItsFolders) {
  const ProblemKey key{"attention", "Fusion", {}, {}};
  EXPECT_TRUE(key.matches("data", "kernelbenchx/Fusion", "attention"));
  EXPECT_TRUE(key.matches("kernelbenchx", "Fusion", "attention"));
  EXPECT_TRUE(key.matches("Fusion", "", "attention"));
  EXPECT_FALSE(key.matches("data", "kernelbenchx/NoFusion", "attention"));
  EXPECT_FALSE(key.matches("Fusion", "Math", "attention"));
  const ProblemKey whole{"attention", "kernelbenchx/Fusion", {}, {}};
  EXPECT_TRUE(whole.matches("kernelbenchx", "Fusion", "attention"));
  EXPECT_FALSE(whole.matches("other", "Fusion", "attention"));
}

TEST(Author, WhatWasAskedSaysWhichKernelAnAnswerIsFor) {
  MemoryDisk disk;
  const Json asked[] = {
      {{"instruction", "Functional Description: The tangent.\nWrapper Entry Information: tanh"},
       {"predict", "one"}},
      {{"instruction", "Something else."}, {"predict", "two"}},
      {{"instruction", "The tangent."}, {"label", "code of nobody"}, {"predict", "three"}}};
  for (const Json& each : asked) disk.files["/a.jsonl"] += dump_json(each) + "\n";
  ProblemName problem;
  problem.name = "tanh";
  problem.asked = {"Dotanh", "Thetangent."};
  const auto found = offered(disk, author_of(disk, "file:/a.jsonl"), problem);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(*found[0].code, "one");
  EXPECT_EQ(*found[1].code, "three");
  EXPECT_EQ(found[1].number, 2);
}

TEST(Author, TwoOfOneNumberAreNamed) {
  MemoryDisk disk;
  disk.files["/a.jsonl"] = R"({"problem": "shift", "code": "", "candidate": 2})"
                           "\n"
                           R"({"problem": "shift", "code": "", "candidate": 2})";
  Author author = author_of(disk, "file:/a.jsonl");
  Offers offers(disk, author);
  auto found = offers.for_problem({"", "", "shift"}, false);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "'/a.jsonl:1' and '/a.jsonl:2' are both candidate 2 for 'shift'");
}

}  // namespace
}  // namespace assay
