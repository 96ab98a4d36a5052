// The public formats of suites of Triton kernels: a row for each in suite_format.cc. A file is the
// kernel's code, a line of 146 '#' and the tests.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "workload/suite_task.h"

namespace assay {

struct SuiteFormat {
  std::string_view name;
  std::string_view title;  // for people
  // Whether a file is of it, by the tests below the line. The first row that says so.
  bool (*is_it)(std::string_view tests, const Json& about) = nullptr;
  TestStyle style = TestStyle::script;
  std::vector<std::string> results{};
  SuiteTolerance tolerance{};
  uint32_t seed = kTritonBenchSeed;
};

std::span<const SuiteFormat> suite_formats();

// The text above the first line of 146 '#', and what stands below it. Fails where there is none.
struct SuiteParts {
  std::string_view kernel, tests;
};
Result<SuiteParts> split_suite_file(std::string_view text, const std::string& where);

// What stands above the line, where there is one: of an answer that repeats the tests these are
// the author's own, and do not count.
std::string_view without_tests(std::string_view code);

// Of a kernel that KernelBench-X's own list names.
inline constexpr const char* kOfKernelBenchX = "kernelbench-x";

// `about`: what the suite says of it elsewhere, an object: "difficulty", "category",
// "precision_thresholds", "kernelbench-x". Fails where the file is of no known format.
Result<SuiteTask> read_suite_file(std::string_view text, const std::string& name, const Json& about,
                                  const std::string& where);

// What a suite says of its kernels, beside them: a list, or lines, of objects with a "file". By the
// file's path as it stands there, without ending; null where it is no such list. Answers are none,
// whatever else they say: an object with "predict" is one.
Json read_suite_list(std::string_view text);

// What such a list says of the kernel in a file: of entries for "same" and "a/same" both count for
// /suite/a/same.py, and the longer one more. Null: nothing.
Json facts_for(const Json& list, const std::string& path);

// What an author was asked, in a form that can be compared: the functional description alone where
// there is one, without blanks. TritonBench-T and KernelBench-X find kernels by that.
std::string asked_in(std::string_view instruction);

// What is behind "triton:", which workloads' paths begin with: a suite's or a kernel's path, and
// other tests.
struct SuiteName {
  std::string path, tests;  // "": its own tests
};
inline constexpr std::string_view kTritonPrefix = "triton:";
inline constexpr std::string_view kOtherTests = "@tests=";
SuiteName suite_name_of(std::string_view name);

// The tests that a file has for other kernels than its own: what stands below its line of '#', or
// all of it where there is none.
std::string_view tests_in(std::string_view text);

}  // namespace assay
