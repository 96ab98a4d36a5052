// Views of a run of suites with tests as the evaluations of those suites write them: geak-eval's
// folder, AgentKernelArena's task_result.yaml, KernelBench-X's metrics.json and summary.json. What
// only a card can tell, times, is left out there, and said to be.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/escape.h"
#include "report/format.h"
#include "report/run_reader.h"
#include "report/suite_score.h"
#include "report/table.h"
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

std::string file_of(const SuiteVerdict& verdict) { return verdict.attempt->workload + ".py"; }

int as_status(const std::optional<bool>& told) { return told.value_or(false) ? 1 : 0; }

// There it is a whole number, and -1 where nobody knows it.
Json difficulty_of(const SuiteVerdict& verdict) {
  const bool is_number = !verdict.difficulty.empty() &&
                         verdict.difficulty.find_first_not_of("0123456789") == std::string::npos &&
                         verdict.difficulty.size() < 9;
  return is_number ? Json(std::stoi(verdict.difficulty)) : Json(-1);
}

Json result_of(const SuiteVerdict& verdict, int pass) {
  return {{"pass_num", pass},
          {"file_name", file_of(verdict)},
          {"call_status", as_status(verdict.call)},
          {"exec_status", as_status(verdict.exec)},
          {"stdout", nullptr},
          {"stderr", verdict.why.empty() ? Json(nullptr) : Json(verdict.why)},
          {"difficulty", difficulty_of(verdict)},
          {"assay_status", verdict.assay ? Json(as_status(verdict.assay)) : Json(nullptr)},
          {"unverifiable", !verdict.exec.has_value()}};
}

std::string word_of(const std::optional<bool>& told) {
  return !told ? "None" : *told ? "True" : "False";
}

std::string line_of(const SuiteVerdict& verdict) {
  return fmt::format(
      "File: {}, Call Status: {}, Exec Status: {}, assay: {}, difficulty: {}, stderr: {}\n",
      file_of(verdict), word_of(verdict.call), word_of(verdict.exec), word_of(verdict.assay),
      dump_json(difficulty_of(verdict)), verdict.why.empty() ? "None" : terminal_text(verdict.why));
}

struct SuiteFile {
  std::string name, text;
};

// The candidate above the line, and the suite's tests below it.
std::string with_tests(const SuiteVerdict& verdict, RunReader* reader) {
  auto code = code_of(*verdict.attempt, reader);
  std::string path = verdict.attempt->path;
  if (path.starts_with("triton:")) path = path.substr(path.find(':') + 1);
  auto suite = reader ? reader->text(path) : std::nullopt;
  if (!code) return "";
  std::string text(without_tests(*code));
  if (!suite) return text;
  auto parts = split_suite_file(*suite, path);
  return parts ? text + "\n" + std::string(146, '#') + "\n" + std::string(parts->tests) : text;
}

void append_exec(const std::string& folder, const Verdicts& verdicts, RunReader* reader,
                 std::vector<SuiteFile>& files) {
  std::string analysis = "kernel, speed up, efficiency, why there is none\n";
  std::set<std::string> written;
  for (const SuiteVerdict& each : verdicts) {
    if (!each.exec.value_or(false) || !written.insert(file_of(each)).second) continue;
    const std::string stem = escape_component(each.attempt->workload);
    files.push_back({fmt::format("{}exec/{}.py", folder, stem), with_tests(each, reader)});
    files.push_back(
        {fmt::format("{}exec/gen_perf/logs/{}.log", folder, stem), fmt::format("{}\n", kNoTime)});
    analysis += fmt::format("{}, -, -, {}\n", stem, kNoTime);
  }
  files.push_back({folder + "exec/performance_analysis.txt", std::move(analysis)});
}

// In percent, as there; what is unverifiable here is left out.
std::string passk_lines(const std::vector<Attempt>& attempts) {
  std::string lines;
  for (const SuiteScore& score : suite_scores(attempts)) {
    if (!score.group.empty()) continue;
    if (score.at_k.empty())
      lines += fmt::format("Call Accuracy: {:.6g}\nExec Accuracy: {:.6g}\n",
                           100 * score.call.share(), 100 * score.exec.share());
    for (const SuitePassAt& at : score.at_k)
      lines += fmt::format("Call Accuracy for k={0}: {1:.6g}\nExec Accuracy for k={0}: {2:.6g}\n",
                           at.k, 100 * at.call, 100 * at.exec);
  }
  return lines;
}

std::vector<SuiteFile> geak_folder(const ReportInput& input) {
  std::vector<SuiteFile> files;
  for (const auto& [folder, attempts] : by_author(input.attempts)) {
    const Verdicts verdicts = suite_verdicts(attempts);
    std::string log;
    Json all = Json::array();
    int pass = 0;
    for (const auto& [number, answers] : by_pass(verdicts)) {
      Json results = Json::array();
      SuiteRate call, exec;
      for (const SuiteVerdict* each : answers) {
        log += line_of(*each);
        results.push_back(result_of(*each, pass));
        all.push_back(results.back());
        call = {call.count + static_cast<size_t>(as_status(each->call)), call.of + 1};
        exec = {exec.count + static_cast<size_t>(as_status(each->exec)), exec.of + 1};
      }
      log += fmt::format("pass {}, Call Accuracy: {}, Exec Accuracy: {}\n", pass, call.share(),
                         exec.share());
      files.push_back(
          {fmt::format("{}out.json_results_{}.json", folder, pass), dump_json(results, 4) + "\n"});
      files.push_back(
          {fmt::format("{}out.json_perf_{}.json", folder, pass),
           dump_json({{"speed_up", Json::array()}, {"efficiency", Json::array()}, {"why", kNoTime}},
                     4) +
               "\n"});
      ++pass;
    }
    if (log.empty()) log = "nothing here was run with tests\n";
    files.push_back({folder + "out.json", std::move(log)});
    files.push_back({folder + "out.json_all_passes.json", dump_json(all, 4) + "\n"});
    if (std::string lines = passk_lines(attempts); !lines.empty())
      files.push_back({folder + "out.jsonpassk.txt", std::move(lines)});
    append_exec(folder, verdicts, input.reader, files);
  }
  return files;
}

// A text of YAML's, whatever stands in it.
std::string yaml_text(const std::string& text) {
  return text.empty() ? "null" : dump_json(terminal_text(text));
}

// 0 where it does not compile, 20 where it does, and from 120 on where it is right; each times a
// speed-up of 100, which only a card can tell.
std::vector<SuiteFile> arena_files(const ReportInput& input) {
  std::vector<SuiteFile> files;
  size_t right = 0;
  for (const SuiteVerdict& each : suite_verdicts(input.attempts)) {
    const bool compiles = each.call.value_or(each.parses.value_or(false));
    const bool correct = each.assay.value_or(false);
    const std::string text = fmt::format(
        "task_name: {}\npass_compilation: {}\ncompilation_error_message: {}\n"
        "pass_correctness: {}\ncorrectness_error_message: {}\nbase_execution_time: null\n"
        "best_optimized_execution_time: null\nspeedup_ratio: null\n"
        "baseline_benchmark_methods: []\noptimized_benchmark_methods: []\n"
        "benchmark_method_consistent: null\nvalid_baseline_cases: 0\nvalid_optimized_cases: 0\n"
        "speedup_calculation_error_message: {}\noptimization_summary: {}\nscore: {}\n",
        yaml_text(each.attempt->workload), compiles, compiles ? "null" : yaml_text(each.why),
        correct, correct ? "null" : yaml_text(each.why), yaml_text(std::string(kNoTime)),
        yaml_text(verdict_in_words(*each.attempt)),
        correct    ? 120
        : compiles ? 20
                   : 0);
    files.push_back({each.attempt->id + "/task_result.yaml", text});
    if (correct) ++right;
  }
  const std::string all = fmt::format("{} of {} are correct\n", right, files.size());
  files.insert(files.begin(), {"tasks.txt", all});
  return files;
}

Json metric_of(const SuiteVerdict& verdict, RunReader* reader) {
  auto code = code_of(*verdict.attempt, reader);
  const std::string file = verdict.attempt->level.empty()
                               ? file_of(verdict)
                               : verdict.attempt->level + "/" + file_of(verdict);
  return {{"file", file},
          {"call_ok", verdict.call.value_or(false)},
          {"exe_ok", verdict.exec.value_or(false)},
          {"perf_ok", false},
          {"dtype", nullptr},
          {"runtime_ms", nullptr},
          {"gbs", nullptr},
          {"tflops", nullptr},
          {"speedup", "N/A"},
          {"performance", Json::array()},
          {"error", verdict.why.empty() ? Json(kNoTime) : Json(verdict.why)},
          {"code", code ? Json(*code) : Json(nullptr)},
          {"assay_ok", verdict.assay ? Json(*verdict.assay) : Json(nullptr)}};
}

std::vector<SuiteFile> kernelbench_x_files_of(const ReportInput& input) {
  std::vector<SuiteFile> files;
  for (const auto& [folder, attempts] : by_author(input.attempts)) {
    const Verdicts verdicts = suite_verdicts(attempts);
    Json metrics = Json::object();
    size_t call = 0, exec = 0;
    for (const SuiteVerdict& each : verdicts) {
      Json metric = metric_of(each, input.reader);
      std::string key = metric["file"].get<std::string>();
      if (each.attempt->candidate > 1) key += fmt::format("__s{}", each.attempt->candidate);
      call += static_cast<size_t>(as_status(each.call));
      exec += static_cast<size_t>(as_status(each.exec));
      metrics[key] = std::move(metric);
    }
    const auto share = [&](size_t count) {
      return verdicts.empty() ? 0.0
                              : static_cast<double>(count) / static_cast<double>(verdicts.size());
    };
    const Json summary{{"method", verdicts.empty() ? "" : verdicts.front().attempt->author},
                       {"total", verdicts.size()},
                       {"call_pass", call},
                       {"call_rate", share(call)},
                       {"exe_pass", exec},
                       {"exe_rate", share(exec)},
                       {"perf_pass", 0},
                       {"perf_rate", 0.0},
                       {"avg_speedup", nullptr},
                       {"avg_speedup_global", nullptr},
                       {"avg_speedup_per_task", nullptr},
                       {"why", kNoTime}};
    files.push_back({folder + "metrics.json", dump_json(metrics, 4) + "\n"});
    files.push_back({folder + "summary.json", dump_json(summary, 4) + "\n"});
  }
  return files;
}

std::vector<std::string> names_in(const std::vector<SuiteFile>& files) {
  std::vector<std::string> names;
  for (const SuiteFile& file : files) names.push_back(file.name);
  return names;
}

void write_in(const std::vector<SuiteFile>& files, ReportSink& sink) {
  for (const SuiteFile& file : files) {
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
