#include "workload/suite_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/rows.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kLineLength = 146;
constexpr const char* kFormatsNext =
    "docs/manual.md, Suites of Triton kernels, shows the formats there are";

std::string_view take_line_off(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Nothing but so many '#'; published files have blanks behind some.
bool is_dividing(std::string_view line) {
  line = trimmed(line);
  return line.size() == kLineLength && line.find_first_not_of('#') == std::string_view::npos;
}

bool assigns(std::string_view tests, std::string_view variable) {
  for (std::string_view rest = tests; !rest.empty();) {
    std::string_view line = take_line_off(rest);
    if (!line.starts_with(variable)) continue;
    line.remove_prefix(variable.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with('=') && !line.starts_with("==")) return true;
  }
  return false;
}

bool is_rocm(std::string_view tests, const Json&) {
  return tests.contains("pytest") && assigns(tests, "result_gold");
}
// By its list, which names the benchmark; of files that come without one by what draws their
// inputs.
bool is_kernelbench_x(std::string_view tests, const Json& about) {
  return about.contains(kOfKernelBenchX) || about.contains("precision_thresholds") ||
         (assigns(tests, "test_results") &&
          (tests.contains("rand_tensor(") || tests.contains("data_utils")));
}
bool is_t(std::string_view tests, const Json&) { return assigns(tests, "test_results"); }
bool is_g(std::string_view tests, const Json&) {
  return assigns(tests, "result_gold") || assigns(tests, "output");
}

std::string without_python_ending(std::string_view path) {
  if (path.ends_with(".py")) path.remove_suffix(3);
  return std::string(path);
}

// Of a suite's list: what authors are asked for a kernel, whichever way they are.
constexpr const char* kAsking[] = {"instruction", "simp_instru", "comp_instru", "description"};

std::string text_or_number(const Json& about, const char* field) {
  if (!about.is_object() || !about.contains(field)) return "";
  const Json& value = about[field];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? dump_json(value) : "";
}

double number_or(const Json& object, const char* field, double otherwise) {
  return object.is_object() && object.contains(field) && object[field].is_number()
             ? object[field].get<double>()
             : otherwise;
}

// Of one that nobody has set otherwise, as KernelBench-X has them.
SuiteTolerance::Thresholds thresholds_of(const Json& given) {
  return {.cosine = number_or(given, "cosine_sim", 0.99),
          .l1_relative = number_or(given, "l1_relative", 0.01),
          .rmse = number_or(given, "rmse", 0.01)};
}

}  // namespace

std::span<const SuiteFormat> suite_formats() {
  static const std::vector<SuiteFormat> table = with_added_rows<SuiteFormat>({
      {.name = "rocm",
       .title = "ROCm's Triton benchmark: a kernel, and tests of pytest that fill result_gold",
       .is_it = is_rocm,
       .style = TestStyle::pytest,
       .results = {"result_gold"},
       .tolerance = {.bare = {1e-2, 1e-2}, .nested = {1e-2, 1e-2}}},
      {.name = "kernelbench-x",
       .title = "KernelBench-X: a reference in torch, and tests that leave test_results",
       .is_it = is_kernelbench_x,
       .results = {"test_results"},
       .tolerance = {.bare = {5e-3, 5e-3}, .nested = {1e-5, 1e-5}, .by_type = true},
       .seed = 0},
      {.name = "t",
       .title = "TritonBench-T: a reference in torch, and tests that leave test_results",
       .is_it = is_t,
       .results = {"test_results", "output"},
       .tolerance = {.bare = {1e-2, 1e-1}, .nested = {1e-3, 1e-3}}},
      {.name = "g",
       .title = "TritonBench-G: a kernel, and tests that leave result_gold",
       .is_it = is_g,
       .results = {"result_gold", "output"},
       .tolerance = {.bare = {1e-2, 1e-1}, .nested = {1e-3, 1e-3}}},
  });
  return table;
}

Result<SuiteParts> split_suite_file(std::string_view text, const std::string& where) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t at = text.size() - rest.size();
    if (is_dividing(take_line_off(rest))) return SuiteParts{text.substr(0, at), rest};
  }
  return error(
      Code::invalid_input,
      fmt::format("{}: there is no line of {} '#' between kernel and tests", where, kLineLength),
      kFormatsNext);
}

std::string_view without_tests(std::string_view code) {
  auto parts = split_suite_file(code, "");
  return parts ? parts->kernel : code;
}

Result<SuiteTask> read_suite_file(std::string_view text, const std::string& name, const Json& about,
                                  const std::string& where) {
  ASSAY_ASSIGN(const SuiteParts parts, split_suite_file(text, where));
  auto format = std::ranges::find_if(
      suite_formats(), [&](const SuiteFormat& each) { return each.is_it(parts.tests, about); });
  if (format == suite_formats().end())
    return error(Code::invalid_input,
                 where + ": its tests leave neither result_gold nor test_results", kFormatsNext);
  SuiteTask task{.format = std::string(format->name),
                 .name = name,
                 .kernel = std::string(parts.kernel),
                 .tests = std::string(parts.tests),
                 .style = format->style,
                 .results = format->results,
                 .tolerance = format->tolerance,
                 .seed = format->seed,
                 .difficulty = text_or_number(about, "difficulty"),
                 .category = text_or_number(about, "category")};
  if (about.is_object() && about.contains("precision_thresholds") &&
      about["precision_thresholds"].is_object())
    task.tolerance.thresholds = thresholds_of(about["precision_thresholds"]);
  return task;
}

std::string asked_in(std::string_view instruction) {
  constexpr std::string_view kBegin = "Functional Description:";
  if (const size_t at = instruction.rfind(kBegin); at != std::string_view::npos) {
    instruction.remove_prefix(at + kBegin.size());
    instruction = instruction.substr(0, instruction.find("Wrapper Entry Information:"));
  }
  std::string text;
  std::ranges::copy_if(instruction, std::back_inserter(text),
                       [](char each) { return !std::string_view(" \t\r\n").contains(each); });
  return text;
}

SuiteName suite_name_of(std::string_view name) {
  if (name.starts_with(kTritonPrefix)) name.remove_prefix(kTritonPrefix.size());
  const size_t at = name.rfind(kOtherTests);
  if (at == std::string_view::npos) return {std::string(name), ""};
  return {std::string(name.substr(0, at)), std::string(name.substr(at + kOtherTests.size()))};
}

std::string_view tests_in(std::string_view text) {
  const auto parts = split_suite_file(text, "");
  return parts ? parts->tests : text;
}

Json facts_for(const Json& list, const std::string& path) {
  const std::string name = without_python_ending(path);
  Json facts;
  for (size_t at = name.rfind('/');; at = name.rfind('/', at - 1)) {
    const size_t begin = at == std::string::npos ? 0 : at + 1;
    if (auto found = list.find(name.substr(begin)); found != list.end()) {
      if (!facts.is_object()) facts = Json::object();
      facts.update(*found);
    }
    if (begin <= 1) return facts;
  }
}

Json read_suite_list(std::string_view text) {
  Json about = Json::object();
  auto take = [&](const Json& entry) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) return false;
    if (entry.contains("predict")) return false;
    Json& kept = about[without_python_ending(entry["file"].get<std::string>())];
    if (!kept.is_object()) kept = Json::object();
    for (const char* field : {"difficulty", "category", "precision_thresholds"})
      if (entry.contains(field) && !entry[field].is_null()) kept[field] = entry[field];
    for (const char* field : kAsking)
      if (entry.contains(field) && entry[field].is_string())
        kept["asked"].push_back(asked_in(entry[field].get<std::string>()));
    return true;
  };
  if (auto whole = parse_json(text, "a suite's list"); whole && whole->is_array()) {
    for (const Json& entry : *whole)
      if (!take(entry)) return nullptr;
    return about;
  }
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line_off(text));
    if (line.empty()) continue;
    auto entry = parse_json(line, "a suite's list");
    if (!entry || !take(*entry)) return nullptr;
  }
  return about.empty() ? Json(nullptr) : about;
}

}  // namespace assay
