#include "workload/suite_format.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const std::string kLine(146, '#');

std::string file_of(const std::string& tests) {
  return "import torch\n\ndef f(x):\n    return x\n\n" + kLine + "\n\n" + tests;
}

std::string format_of(const std::string& tests, const Json& about = nullptr) {
  auto task = read_suite_file(file_of(tests), "f", about, "f.py");
  return task ? task->format : task.error().message;
}

TEST(SuiteFormat, IsToldByTheTests) {
  EXPECT_EQ(format_of("def test_f():\n    return {}\nresult_gold = test_f()\n"), "g");
  EXPECT_EQ(format_of("test_results = test_f()\n"), "t");
  EXPECT_EQ(format_of("import pytest\nresult_gold = {}\n"), "rocm");
  EXPECT_EQ(format_of("test_results = f(rand_tensor((2, 2)))\n"), "kernelbench-x");
  EXPECT_EQ(format_of("print(1)\n"), "f.py: its tests leave neither result_gold nor test_results");
  EXPECT_FALSE(read_suite_file("result_gold = 1\n", "f", nullptr, "f.py")) << "no line";
}

TEST(SuiteFormat, TheLineIsOfNothingElse) {
  EXPECT_FALSE(split_suite_file("a\n" + std::string(145, '#') + "\nb", "f"));
  EXPECT_FALSE(split_suite_file("a " + kLine + "\nb", "f"));
  const std::string text = "a\n" + kLine + "  \nb\n" + kLine + "\nc";
  auto parts = split_suite_file(text, "f");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->kernel, "a\n");
  EXPECT_EQ(parts->tests, "b\n" + kLine + "\nc") << "the first one divides";
  const std::string answer = "code\n" + kLine + "\nresult_gold = {}";
  EXPECT_EQ(without_tests(answer), "code\n");
  EXPECT_EQ(without_tests("code\n"), "code\n");
}

TEST(SuiteFormat, WhatASuiteSaysOfItsKernelsIsTaken) {
  const Json list = read_suite_list(
      R"([{"file": "Fusion/a.py", "difficulty": 3}, {"file": "b.py", "difficulty": "2", )"
      R"("category": "x", "precision_thresholds": {"cosine_sim": 0.9}}])");
  auto task = read_suite_file(file_of("test_results = 1\n"), "b", list["b"], "b.py");
  ASSERT_TRUE(task);
  EXPECT_EQ(task->difficulty, "2");
  EXPECT_EQ(task->category, "x");
  EXPECT_EQ(task->format, "kernelbench-x");
  ASSERT_TRUE(task->tolerance.thresholds);
  EXPECT_EQ(task->tolerance.thresholds->cosine, 0.9);
  EXPECT_EQ(task->tolerance.thresholds->rmse, 0.01);
  EXPECT_EQ(list["Fusion/a"]["difficulty"], 3);
  EXPECT_TRUE(read_suite_list("{\"file\": \"a.py\", \"difficulty\": 1}\n").is_object()) << "lines";
  EXPECT_TRUE(read_suite_list(R"([{"instruction": "x"}])").is_null());
  EXPECT_TRUE(read_suite_list("no JSON").is_null());
}

TEST(SuiteFormat, AnswersSayNothingOfKernels) {
  EXPECT_TRUE(read_suite_list(R"({"file": "a.py", "difficulty": 1, "predict": "code"})").is_null());
  EXPECT_TRUE(read_suite_list(R"([{"file": "b.py"}, {"file": "a.py", "precision_thresholds": {}, )"
                              R"("predict": null}])")
                  .is_null());
}

TEST(SuiteFormat, KernelsOfOneNameHaveFactsOfTheirOwn) {
  const Json list = read_suite_list(
      R"([{"file": "a/same.py", "difficulty": 1}, {"file": "b/same.py", "difficulty": 2}, )"
      R"({"file": "same.py", "difficulty": 3, "category": "x"}])");
  EXPECT_EQ(facts_for(list, "/suite/a/same.py"), (Json{{"difficulty", 1}, {"category", "x"}}));
  EXPECT_EQ(facts_for(list, "/suite/b/same.py")["difficulty"], 2);
  EXPECT_EQ(facts_for(list, "/suite/c/same.py")["difficulty"], 3);
  EXPECT_EQ(facts_for(list, "same.py")["difficulty"], 3);
  EXPECT_TRUE(facts_for(list, "/suite/a/other.py").is_null());
  EXPECT_TRUE(facts_for(list, "/same/x").is_null());
}

TEST(SuiteFormat, WhatIsAskedIsComparedWithoutBlanks) {
  EXPECT_EQ(asked_in("You are an expert.\nFunctional Description: The tangent\nof all. \n"
                     "Wrapper Entry Information: tanh(x)\n"),
            asked_in("The tangent of\nall."));
  EXPECT_EQ(asked_in("Write it in  Triton."), "WriteitinTriton.");
  const Json list = read_suite_list(
      R"([{"file": "tanh.py", "description": "The tangent", "instruction": "Do it"}])");
  EXPECT_EQ(list["tanh"]["asked"], Json::array({"Doit", "Thetangent"}));
}

TEST(SuiteFormat, OtherTestsStandBehindTheName) {
  EXPECT_EQ(suite_name_of("triton:/s/a.py").path, "/s/a.py");
  EXPECT_EQ(suite_name_of("triton:/s/a.py").tests, "");
  const SuiteName other = suite_name_of("triton:/s/a.py@tests=/t/a.py");
  EXPECT_EQ(other.path, "/s/a.py");
  EXPECT_EQ(other.tests, "/t/a.py");
  EXPECT_EQ(tests_in("a\n" + kLine + "\nb"), "b");
  EXPECT_EQ(tests_in("b"), "b");
}

TEST(SuiteFormat, KernelBenchXIsToldByItsList) {
  EXPECT_EQ(format_of("test_results = f()\n", Json{{"kernelbench-x", true}}), "kernelbench-x");
  EXPECT_EQ(format_of("from data_utils import rand_int\ntest_results = f()\n"), "kernelbench-x");
  auto task = read_suite_file(file_of("test_results = 1\n"), "f", {{"kernelbench-x", true}}, "f");
  ASSERT_TRUE(task);
  EXPECT_EQ(task->seed, 0u);
  EXPECT_FALSE(task->tolerance.thresholds);
  EXPECT_EQ(read_suite_file(file_of("test_results = 1\n"), "f", nullptr, "f")->seed, 42u);
}

}  // namespace
}  // namespace assay
