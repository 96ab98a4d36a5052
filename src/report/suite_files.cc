// Views of a run of suites with tests as the evaluations of those suites write them: geak-eval's
// folder, AgentKernelArena's task_result.yaml, KernelBench-X's metrics.json and summary.json. What
// only a card can tell, times, is left out there, and said to be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/escape.h"
#include "report/format.h"
#include "report/run_reader.h"
#include "report/suite_score.h"
#include "report/table.h"
#include "report/user_files.h"
#include "workload/arena_task.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

constexpr std::string_view kNoTime = "time: needs a card";

using Verdicts = std::vector<SuiteVerdict>;

// One evaluation of theirs is of one author; several lie in folders of their names.
std::vector<std::pair<std::string, std::vector<Attempt>>> by_author(
    const std::vector<Attempt>& attempts) {
  std::map<std::string, std::vector<Attempt>> groups;
  for (const SuiteVerdict& each : suite_verdicts(attempts)) {
    const Attempt& attempt = *each.attempt;
    groups[escape_component(attempt.author) + "/" + escape_component(attempt.target) + "/"]
        .push_back(attempt);
  }
  if (groups.empty()) groups[""];
  std::vector<std::pair<std::string, std::vector<Attempt>>> found(groups.begin(), groups.end());
  if (found.size() == 1) found.front().first.clear();
  return found;
}

// Theirs lie in one folder each; where two kernels have one name, the level tells them apart.
class KernelFiles {
 public:
  explicit KernelFiles(const Verdicts& verdicts) {
    for (const SuiteVerdict& each : verdicts)
      levels_[each.attempt->workload].insert(each.attempt->level);
  }
  // "relu", "a/same".
  std::string stem(const Attempt& attempt) const {
    const bool is_alone = levels_.at(attempt.workload).size() == 1;
    return is_alone ? attempt.workload : in_level(attempt);
  }
  static std::string in_level(const Attempt& attempt) {
    return attempt.level.empty() ? attempt.workload : attempt.level + "/" + attempt.workload;
  }

 private:
  std::map<std::string, std::set<std::string>> levels_;  // by name
};

// As a part of a file's path, whatever is in it.
std::string escaped_stem(const std::string& stem) {
  std::string path;
  for (size_t begin = 0; begin <= stem.size();) {
    const size_t end = std::min(stem.find('/', begin), stem.size());
    path += (path.empty() ? "" : "/") + escape_component(stem.substr(begin, end - begin));
    begin = end + 1;
  }
  return path;
}

// 1 or 0; null of what counts in no number.
Json as_status(const SuiteVerdict& verdict, bool is) {
  return verdict.is_counted() ? Json(is ? 1 : 0) : Json(nullptr);
}

// There it is a whole number, and -1 where nobody knows it.
Json difficulty_of(const SuiteVerdict& verdict) {
  const bool is_number = !verdict.difficulty.empty() &&
                         verdict.difficulty.find_first_not_of("0123456789") == std::string::npos &&
                         verdict.difficulty.size() < 9;
  return is_number ? Json(std::stoi(verdict.difficulty)) : Json(-1);
}

Json result_of(const SuiteVerdict& verdict, const KernelFiles& files, int pass) {
  return {{"pass_num", pass},
          {"file_name", files.stem(*verdict.attempt) + ".py"},
          {"call_status", as_status(verdict, verdict.calls())},
          {"exec_status", as_status(verdict, verdict.executes())},
          {"stdout", nullptr},
          {"stderr", verdict.why.empty() ? Json(nullptr) : Json(verdict.why)},
          {"difficulty", difficulty_of(verdict)},
          {"assay_status",
           verdict.is_told_by_assay() ? as_status(verdict, verdict.is_right()) : Json(nullptr)},
          {"unverifiable", !verdict.is_counted()}};
}

std::string word_of(const std::optional<bool>& told) {
  return !told ? "None" : *told ? "True" : "False";
}

// "2026-01-31_12-00-00" of "2026-01-31T12:00:00Z": as lines of a log begin there.
std::string log_time(const std::string& finished) {
  std::string time = finished.substr(0, finished.find_first_of(".Z+"));
  std::ranges::replace(time, 'T', '_');
  std::ranges::replace(time, ':', '-');
  return time;
}

std::string line_of(const SuiteVerdict& verdict, const KernelFiles& files) {
  return fmt::format(
      "{} => File: {}.py, Call Status: {}, Exec Status: {}, assay: {}, difficulty: {}, stderr: "
      "{}\n",
      log_time(verdict.attempt->finished), terminal_text(files.stem(*verdict.attempt)),
      word_of(verdict.call), word_of(verdict.exec), word_of(verdict.assay),
      dump_json(difficulty_of(verdict)), verdict.why.empty() ? "None" : terminal_text(verdict.why));
}

struct SuiteFile {
  std::string name, text;
};

struct SuiteFiles {
  std::vector<SuiteFile> list{};
  std::optional<Error> missing{};  // what they are made of and is no longer there: they say nothing

  // "", where it is lacking.
  std::string take(Result<std::string> text) {
    if (text) return std::move(*text);
    if (!missing) missing = std::move(text).error();
    return "";
  }
};

// That the candidate was run with: the suite's own, or others that were asked for.
std::optional<std::string> tests_of(const Attempt& attempt, RunReader& reader) {
  SuiteName name = suite_name_of(attempt.path);
  if (name.tests.empty() && name.path.ends_with("/" + std::string(kArenaFile))) {
    const auto config = reader.text(name.path);
    const auto task = config ? read_arena_task(*config, name.path) : Result<ArenaTask>{};
    if (!task || task->sources.empty()) return std::nullopt;
    name.path = path_beside(name.path, task->sources.front());
  }
  const auto text = reader.text(name.tests.empty() ? name.path : name.tests);
  if (!text || (name.tests.empty() && !split_suite_file(*text, name.path))) return std::nullopt;
  return std::string(tests_in(*text));
}

// The candidate above the line, and its tests below it.
Result<std::string> with_tests(const SuiteVerdict& verdict, RunReader* reader) {
  if (reader == nullptr) return "";
  ASSAY_ASSIGN(const std::string code, code_of(*verdict.attempt, reader));
  const auto tests = tests_of(*verdict.attempt, *reader);
  if (!tests) {
    const SuiteName name = suite_name_of(verdict.attempt->path);
    return error(Code::not_found,
                 fmt::format("'{}' has no longer the tests that {} was judged by",
                             name.tests.empty() ? name.path : name.tests, verdict.attempt->id),
                 "this format has them in its files: put the suite back, or run it again");
  }
  return std::string(without_tests(code)) + "\n" + std::string(146, '#') + "\n" + *tests;
}

using Pass = std::vector<const SuiteVerdict*>;

void append_exec(const std::string& folder, const Pass& answers, const KernelFiles& kernels,
                 RunReader* reader, SuiteFiles& files) {
  std::string analysis =
      "Performance analysis for exec:\nkernel, speed up, efficiency, why there is none\n";
  std::set<std::string> written;
  for (const SuiteVerdict* each : answers) {
    const std::string stem = escaped_stem(kernels.stem(*each->attempt));
    if (!each->executes() || !written.insert(stem).second) continue;
    files.list.push_back(
        {fmt::format("{}exec/{}.py", folder, stem), files.take(with_tests(*each, reader))});
    // There each kernel's script of times has its output in two files.
    const std::string log = fmt::format("{}exec/gen_perf/logs/{}_perf.py", folder, stem);
    files.list.push_back({log + ".log", fmt::format("{}\n", kNoTime)});
    files.list.push_back({log + ".err", ""});
    analysis += fmt::format("{}, -, -, {}\n", stem, kNoTime);
  }
  files.list.push_back({folder + "exec/performance_analysis.txt", std::move(analysis)});
}

// In percent, as there; what is unverifiable here is left out.
std::string passk_lines(const std::vector<Attempt>& attempts, std::span<const size_t> ks) {
  std::string lines;
  for (const SuiteScore& score : suite_scores(attempts, ks)) {
    if (!score.group.empty() || score.exec.of == 0) continue;
    if (score.passes == 1)
      lines += fmt::format("Call Accuracy: {:.6g}\nExec Accuracy: {:.6g}\n",
                           100 * score.call.share(), 100 * score.exec.share());
    for (const SuitePassAt& at : score.at_k)
      lines += fmt::format("Call Accuracy for k={0}: {1:.6g}\nExec Accuracy for k={0}: {2:.6g}\n",
                           at.k, 100 * at.call, 100 * at.exec);
  }
  return lines;
}

// The file of results that a pass is; "" where each of its candidates has a file of its own.
std::string file_of_results(const Pass& answers) {
  const std::string path = answers.empty() ? "" : candidate_file(*answers.front()->attempt);
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".json" || ending == ".jsonl" ? path : "";
}

// There a pass's files lie in a folder beside its file of results, called as that is. One that is
// the only pass is all there is: its folder is the report's.
std::map<int, std::string> folders_of(const std::map<int, Pass>& passes) {
  std::map<int, std::string> folders;
  std::set<std::string> names;
  for (const auto& [number, answers] : passes) {
    const std::string stem = std::filesystem::path(file_of_results(answers)).stem().string();
    std::string name = escape_component(stem);
    if (stem.empty() || !names.insert(name).second) name = fmt::format("pass_{}", number);
    folders[number] = passes.size() == 1 ? "" : name + "/";
  }
  return folders;
}

// Returns what its list of results has.
Json append_pass(const std::string& folder, int number, const Pass& answers,
                 const KernelFiles& kernels, SuiteFiles& files) {
  std::string log, time;
  Json results = Json::array();
  SuiteRate call, exec;
  for (const SuiteVerdict* each : answers) {
    log += line_of(*each, kernels);
    time = std::max(time, log_time(each->attempt->finished));
    results.push_back(result_of(*each, kernels, number - 1));
    if (!each->is_counted()) continue;
    call.add(each->calls());
    exec.add(each->executes());
  }
  const std::string path = file_of_results(answers);
  const std::string name =
      path.empty() ? fmt::format("pass {}", number - 1) : path.substr(path.rfind('/') + 1);
  log += fmt::format("{} => File: {}, Call Accuracy: {}, Exec Accuracy: {}\n", time,
                     terminal_text(name), call.share(), exec.share());
  files.list.push_back({folder + "out.json", std::move(log)});
  files.list.push_back({fmt::format("{}out.json_results_{}.json", folder, number - 1),
                        dump_json(results, 4) + "\n"});
  const Json none{{"speed_up", Json::array()}, {"efficiency", Json::array()}, {"why", kNoTime}};
  files.list.push_back(
      {fmt::format("{}out.json_perf_{}.json", folder, number - 1), dump_json(none, 4) + "\n"});
  return results;
}

// Of each kernel, how many passes answered it so. There a file with pass@k takes its place.
std::string summary_of(const Verdicts& verdicts, const KernelFiles& kernels) {
  Json summary = Json::object();
  for (const SuiteVerdict& each : verdicts) {
    if (each.is_repeat || !each.is_counted()) continue;
    Json& kernel = summary[kernels.stem(*each.attempt) + ".py"];
    if (kernel.is_null())
      kernel = {{"call_status", 0}, {"exec_status", 0}, {"difficulty", difficulty_of(each)}};
    if (each.calls()) kernel["call_status"] = kernel["call_status"].get<int>() + 1;
    if (each.executes()) kernel["exec_status"] = kernel["exec_status"].get<int>() + 1;
  }
  return dump_json(summary, 4) + "\n";
}

SuiteFiles geak_folder(const ReportInput& input) {
  SuiteFiles files;
  for (const auto& [folder, attempts] : by_author(input.attempts)) {
    const Verdicts verdicts = suite_verdicts(attempts);
    const KernelFiles kernels(verdicts);
    const std::map<int, Pass> passes = by_pass(verdicts);
    const std::map<int, std::string> folders = folders_of(passes);
    Json all = Json::array();
    for (const auto& [number, answers] : passes) {
      const std::string of_pass = folder + folders.at(number);
      for (Json& result : append_pass(of_pass, number, answers, kernels, files))
        all.push_back(std::move(result));
      append_exec(of_pass, answers, kernels, input.reader, files);
    }
    if (passes.empty())
      files.list.push_back({folder + "out.json", "nothing here was run with tests\n"});
    files.list.push_back({folder + "out.json_all_passes.json", dump_json(all, 4) + "\n"});
    if (passes.size() > 1)
      files.list.push_back({folder + "out.json_summary.json", summary_of(verdicts, kernels)});
    if (std::string lines = passk_lines(attempts, input.ks); !lines.empty())
      files.list.push_back({folder + "out.jsonpassk.txt", std::move(lines)});
  }
  return files;
}

// A text of YAML's, whatever stands in it.
std::string yaml_text(const std::string& text) {
  return text.empty() ? "null" : dump_json(terminal_text(text));
}

// 0 where it does not compile, 20 where it does, and from 120 on where it is right; each times a
// speed-up of 100, which only a card can tell. Nothing where it is unverifiable here.
SuiteFiles arena_files(const ReportInput& input) {
  SuiteFiles files;
  SuiteRate right;
  size_t left_out = 0;
  for (const SuiteVerdict& each : suite_verdicts(input.attempts)) {
    // There a kernel in Triton is compiled by parsing its file: one whose tests break has passed.
    const bool compiles = each.parses.value_or(false);
    const bool correct = each.is_right();
    const bool counts = each.is_told_by_assay();
    const std::string text = fmt::format(
        "task_name: {}\npass_compilation: {}\ncompilation_error_message: {}\n"
        "pass_correctness: {}\ncorrectness_error_message: {}\nbase_execution_time: null\n"
        "best_optimized_execution_time: null\nspeedup_ratio: null\n"
        "baseline_benchmark_methods: []\noptimized_benchmark_methods: []\n"
        "benchmark_method_consistent: null\nvalid_baseline_cases: 0\nvalid_optimized_cases: 0\n"
        "speedup_calculation_error_message: {}\noptimization_summary: {}\nscore: {}\n",
        yaml_text(each.attempt->workload), compiles, compiles ? "null" : yaml_text(each.why),
        counts ? (correct ? "true" : "false") : "null", correct ? "null" : yaml_text(each.why),
        yaml_text(std::string(kNoTime)), yaml_text(verdict_in_words(*each.attempt)),
        !counts    ? "null"
        : correct  ? "120"
        : compiles ? "20"
                   : "0");
    files.list.push_back({each.attempt->id + "/task_result.yaml", text});
    if (counts)
      right.add(correct);
    else
      ++left_out;
  }
  std::string all = fmt::format("{} of {} are correct\n", right.count, right.of);
  if (left_out > 0) all += fmt::format("{} left out: unverifiable here\n", left_out);
  files.list.insert(files.list.begin(), {"tasks.txt", all});
  return files;
}

Json metric_of(const SuiteVerdict& verdict, const std::string& code) {
  const auto status = [&](bool is) { return verdict.is_counted() ? Json(is) : Json(nullptr); };
  return {{"file", KernelFiles::in_level(*verdict.attempt) + ".py"},
          {"call_ok", status(verdict.calls())},
          {"exe_ok", status(verdict.executes())},
          {"perf_ok", false},
          {"dtype", ""},
          {"runtime_ms", "N/A"},
          {"gbs", "N/A"},
          {"tflops", "N/A"},
          {"speedup", "N/A"},
          {"maintainability", "N/A"},
          {"code_quality", Json::object()},
          {"performance", Json::array()},
          {"error", verdict.why.empty() ? std::string(kNoTime) : verdict.why},
          {"code", code},
          {"assay_ok", verdict.is_told_by_assay() ? status(verdict.is_right()) : Json(nullptr)},
          {"unverifiable", !verdict.is_counted()}};
}

// In percent with one digit, as there.
double rate_of(const SuiteRate& rate) { return std::round(1000 * rate.share()) / 10; }

SuiteFiles kernelbench_x_files_of(const ReportInput& input) {
  SuiteFiles files;
  for (const auto& [folder, attempts] : by_author(input.attempts)) {
    const Verdicts verdicts = suite_verdicts(attempts);
    Json metrics = Json::object();
    SuiteRate call, exec;
    for (const SuiteVerdict& each : verdicts) {
      Json metric = metric_of(each, files.take(code_of(*each.attempt, input.reader)));
      std::string key = metric["file"].get<std::string>();
      if (each.attempt->candidate > 1) key += fmt::format("__s{}", each.attempt->candidate);
      metrics[key] = std::move(metric);
      if (!each.is_counted()) continue;
      call.add(each.calls());
      exec.add(each.executes());
    }
    const Json summary{{"method", verdicts.empty() ? "" : verdicts.front().attempt->author},
                       {"total", call.of},
                       {"unverifiable", verdicts.size() - call.of},
                       {"call_pass", call.count},
                       {"call_rate", rate_of(call)},
                       {"exe_pass", exec.count},
                       {"exe_rate", rate_of(exec)},
                       {"perf_pass", 0},
                       {"perf_rate", 0.0},
                       {"avg_speedup", nullptr},
                       {"avg_speedup_global", nullptr},
                       {"avg_speedup_per_task", nullptr},
                       {"why", kNoTime}};
    files.list.push_back({folder + "metrics.json", dump_json(metrics, 4) + "\n"});
    files.list.push_back({folder + "summary.json", dump_json(summary, 4) + "\n"});
  }
  return files;
}

std::vector<std::string> names_in(const SuiteFiles& files) {
  std::vector<std::string> names;
  for (const SuiteFile& file : files.list) names.push_back(file.name);
  return names;
}

void write_in(SuiteFiles files, ReportSink& sink) {
  if (files.missing) return sink.fail(std::move(*files.missing));
  for (const SuiteFile& file : files.list) {
    sink.begin_file(file.name);
    sink.write(file.text);
  }
}

}  // namespace

std::vector<std::string> geak_files(const ReportInput& input) {
  return names_in(geak_folder(input));
}
void render_geak(const ReportInput& input, ReportSink& sink) { write_in(geak_folder(input), sink); }

std::vector<std::string> arena_task_files(const ReportInput& input) {
  return names_in(arena_files(input));
}
void render_arena(const ReportInput& input, ReportSink& sink) {
  write_in(arena_files(input), sink);
}

std::vector<std::string> kernelbench_x_files(const ReportInput& input) {
  return names_in(kernelbench_x_files_of(input));
}
void render_kernelbench_x(const ReportInput& input, ReportSink& sink) {
  write_in(kernelbench_x_files_of(input), sink);
}

}  // namespace assay
