// What HipKittens' runner of KernelBench, and its generate_report.py, leave of a run: summary.json,
// batch_run.log, detailed_report.txt and detailed_report.json. Here of what the run's file holds.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "author/answer.h"
#include "base/disk.h"
#include "base/escape.h"
#include "model/evaluation.h"
#include "report/format.h"
#include "report/search_results.h"

namespace assay {
namespace {

// One problem, as a row of the detailed report.
struct RunnerTask {
  SearchResult result;
  Evaluation evaluation{};  // of the best kernel; where there is none, of the last answer
  std::string folder{};     // its files'
  std::string code_file{};  // "best_code.c"; "": it has none
  double best_speedup() const {
    return result.best && result.best->known()->outcome ? result.best->known()->ratio : 0;
  }
};

// The ending of its code's file; "": there is no code in it.
std::string ending_of(const SearchNode& node) {
  Candidate candidate;
  if (node.answer) take_code_of_answer(node.answer->text, candidate);
  return candidate.code ? std::string(candidate.form->endings.front()) : "";
}

const SearchNode* last_judged(const Tree& tree) {
  const SearchNode* last = nullptr;
  for (const SearchNode& node : tree.nodes())
    if (node.known()) last = &node;
  return last;
}

class RunnerTasks {
 public:
  explicit RunnerTasks(const ReportInput& input) {
    for (const Attempt& attempt : input.attempts) attempts_[attempt.id] = &attempt;
    for (const SearchResult& result : search_results(input.search)) {
      RunnerTask task{.result = result};
      task.folder =
          join_path(input.folder, folder_of_search(input.search.places, result.tree->problem()));
      const SearchNode* told = result.best ? result.best : last_judged(*result.tree);
      if (told) task.evaluation = evaluation_for(*told);
      if (result.best) task.code_file = "best_code" + ending_of(*result.best);
      tasks.push_back(std::move(task));
    }
    std::ranges::stable_sort(tasks, {}, [](const RunnerTask& task) { return task.result.problem; });
  }

  Evaluation evaluation_for(const SearchNode& node) const {
    auto attempt = attempts_.find(node.known()->attempt);
    if (attempt == attempts_.end()) return {.error = node.known()->reason};
    return evaluation_of(*attempt->second);
  }

  std::vector<RunnerTask> tasks;

 private:
  std::map<std::string, const Attempt*> attempts_;  // by id
};

struct RunnerCounts {
  size_t success = 0, partial = 0, failed = 0;
};
// What could not be judged is no success there, either, and what is compiled is not all that is
// asked for.
RunnerCounts count(const std::vector<RunnerTask>& tasks) {
  RunnerCounts counts;
  for (const RunnerTask& task : tasks) {
    if (task.result.status == SearchStatus::success)
      ++counts.success;
    else if (task.result.status == SearchStatus::partial ||
             task.result.status == SearchStatus::compiled)
      ++counts.partial;
    else
      ++counts.failed;
  }
  return counts;
}

std::string icon(SearchStatus status) {
  const bool is_half = status == SearchStatus::partial || status == SearchStatus::compiled;
  return status == SearchStatus::success ? "✓" : is_half ? "⚠" : "✗";
}

std::string status_word(SearchStatus status) {
  return std::string(to_word(kSearchStatusWords, status));
}

std::string line_of(char c, size_t count) { return std::string(count, c) + "\n"; }

std::string or_none(const std::optional<double>& value, const char* form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "N/A";
}

// The last moment that the record knows of.
std::string ended(const ReportInput& input) {
  std::string last = input.run.created;
  for (const Attempt& attempt : input.attempts) last = std::max(last, attempt.finished);
  for (const Tree& tree : input.search.trees)
    for (const SearchNode& node : tree.nodes())
      if (node.answer) last = std::max(last, node.answer->finished);
  return last;
}

Json detailed_json(const ReportInput& input, const std::vector<RunnerTask>& tasks) {
  const RunnerCounts counts = count(tasks);
  Json list = Json::array();
  for (const RunnerTask& task : tasks) {
    const bool is_found = task.result.best != nullptr;
    auto file = [&](const std::string& name) {
      return is_found ? Json(join_path(task.folder, name)) : Json(nullptr);
    };
    list.push_back({{"problem", task.result.problem},
                    {"status", status_word(task.result.status)},
                    {"best_speedup", task.best_speedup()},
                    {"total_attempts", task.result.attempts},
                    {"best_attempt", is_found ? Json(task.result.best->attempt) : Json(nullptr)},
                    {"max_diff", is_found ? or_null(task.evaluation.max_diff) : Json(nullptr)},
                    {"ref_time_ms", or_null(task.evaluation.reference_ms)},
                    {"new_time_ms", or_null(task.evaluation.candidate_ms)},
                    {"prompt_file", file("best_prompt.txt")},
                    {"code_file", file(task.code_file)},
                    {"error", or_null(utf8(task.evaluation.error))}});
  }
  return {{"generated", ended(input)},
          {"summary",
           {{"total", tasks.size()},
            {"success", counts.success},
            {"partial", counts.partial},
            {"failed", counts.failed}}},
          {"tasks", std::move(list)}};
}

std::string statistics_in_words(const ReportInput& input, const std::vector<RunnerTask>& tasks) {
  const RunnerCounts counts = count(tasks);
  auto part = [&](size_t number) {
    const double all = static_cast<double>(std::max<size_t>(tasks.size(), 1));
    return fmt::format("{} ({:.1f}%)", number, 100.0 * static_cast<double>(number) / all);
  };
  const double goal = input.search.terms.goal;
  return "SUMMARY STATISTICS\n" + line_of('-', 50) +
         fmt::format("Total tasks tested: {}\n", tasks.size()) +
         fmt::format("✓ Success (speedup >= {:.1f}x): {}\n", goal, part(counts.success)) +
         fmt::format("⚠ Partial (accuracy pass, speedup < {:.1f}x): {}\n", goal,
                     part(counts.partial)) +
         fmt::format("✗ Failed: {}\n\n", part(counts.failed));
}

std::string failures_in_words(const std::vector<RunnerTask>& tasks) {
  std::string text;
  constexpr size_t kMostLines = 5, kMostCharacters = 100;
  for (const RunnerTask& task : tasks) {
    if (task.result.best) continue;
    text += fmt::format("\n{}:\n", task.result.problem);
    std::istringstream lines(printable(utf8(task.evaluation.error), true));
    std::string line;
    for (size_t n = 0; n < kMostLines && std::getline(lines, line); ++n)
      text += "  " + utf8(line.substr(0, kMostCharacters)) + "\n";
  }
  if (text.empty()) return "";
  return "FAILED TASKS - ERROR DETAILS\n" + line_of('-', 100) + text + "\n";
}

std::string best_in_words(std::vector<RunnerTask> tasks) {
  std::erase_if(tasks, [](const RunnerTask& task) { return task.best_speedup() <= 0; });
  std::ranges::stable_sort(tasks, std::greater<>(), &RunnerTask::best_speedup);
  if (tasks.empty()) return "";
  constexpr size_t kMost = 10;
  if (tasks.size() > kMost) tasks.resize(kMost);
  std::string text = "TOP 10 BEST PERFORMING TASKS\n" + line_of('-', 50);
  int place = 0;
  for (const RunnerTask& task : tasks)
    text +=
        fmt::format("{}. {}: {:.2f}x speedup\n", ++place, task.result.problem, task.best_speedup());
  return text + "\n";
}

std::string detailed_text(const ReportInput& input, const std::vector<RunnerTask>& tasks) {
  std::string text = line_of('=', 100) + "HipKittens Kernel Generation Batch Test Report\n" +
                     fmt::format("Generated: {}\n", ended(input)) + line_of('=', 100) + "\n" +
                     statistics_in_words(input, tasks) + "DETAILED RESULTS\n" + line_of('-', 100) +
                     fmt::format("{:<35} {:<10} {:<10} {:<12} {:<10} {:<10}\n", "Problem", "Status",
                                 "Speedup", "Max Diff", "Ref(ms)", "New(ms)") +
                     line_of('-', 100);
  for (const RunnerTask& task : tasks) {
    const bool is_found = task.result.best != nullptr;
    text +=
        fmt::format("{:<35} {} {:<8} {:<10} {:<12} {:<10} {:<10}\n", task.result.problem,
                    icon(task.result.status), status_word(task.result.status),
                    task.best_speedup() > 0 ? fmt::format("{:.2f}x", task.best_speedup()) : "N/A",
                    is_found ? or_none(task.evaluation.max_diff, "{:.6f}") : "N/A",
                    or_none(task.evaluation.reference_ms, "{:.3f}"),
                    or_none(task.evaluation.candidate_ms, "{:.3f}"));
  }
  return text + line_of('-', 100) + "\n" + failures_in_words(tasks) + best_in_words(tasks);
}

bool is_right(const NodeVerdict& verdict, const SearchTerms& terms) {
  return verdict.verdict == Verdict::accepted && counts(verdict, terms);
}

// The answers of one attempt: each, and the one that the attempt's files are copies of.
std::string attempt_in_log(const Tree& tree, int attempt, const SearchTerms& terms) {
  std::vector<const SearchNode*> judged;
  size_t asked = 0;
  for (const SearchNode& node : tree.nodes()) {
    if (node.attempt != attempt) continue;
    ++asked;
    if (node.known()) judged.push_back(&node);
  }
  std::string text = fmt::format(
      "Attempt {}...\n  Generating {} code samples...\n"
      "  Evaluating samples...\n",
      attempt, asked);
  auto speedup = [](const NodeVerdict& verdict) {
    return fmt::format("{:.4g}x", verdict.outcome ? verdict.ratio : 0.0);
  };
  for (const SearchNode* node : judged)
    text +=
        fmt::format("    Sample {}: accuracy={}, speedup={}\n", file_suffix(tree, *node).substr(2),
                    is_right(*node->known(), terms) ? "True" : "False", speedup(*node->known()));
  const SearchNode* found = best(judged, terms);
  if (!found) return text;
  const NodeVerdict& verdict = *found->known();
  if (!counts(verdict, terms))
    return text + fmt::format("  ✗ Accuracy failed: {}\n", printable(verdict.reason, false));
  if (verdict.verdict == Verdict::compiled)
    return text + "  ⚠ Compiled, and not run: the target cannot run here\n";
  text += fmt::format("  Best sample: code_{}{}{} (speedup={})\n", attempt,
                      file_suffix(tree, *found), ending_of(*found), speedup(verdict));
  text += fmt::format("  ✓ Accuracy passed, speedup: {}\n", speedup(verdict));
  if (has_reached(*found, terms)) text += "  ✓✓ Performance target met!\n";
  return text;
}

std::string log_text(const ReportInput& input, const std::vector<RunnerTask>& tasks) {
  std::string text = fmt::format("Starting batch run at {}\nTesting {} problems\n",
                                 input.run.created, tasks.size());
  for (const RunnerTask& task : tasks) {
    text += "\n" + line_of('=', 40) + fmt::format("Testing: {}\n", task.result.problem) +
            line_of('=', 40);
    int first = 1;
    for (const SearchNode& node : task.result.tree->nodes()) first = std::min(first, node.attempt);
    for (int attempt = first; attempt <= task.result.attempts; ++attempt)
      text += attempt_in_log(*task.result.tree, attempt, input.search.terms);
    text += fmt::format("\nFinal result for {}: {} (best speedup: {:.4g}x)\n", task.result.problem,
                        status_word(task.result.status), task.best_speedup());
  }
  text += "\n" + line_of('=', 40) + "FINAL SUMMARY\n" + line_of('=', 40) + "\n" +
          fmt::format("{:<40} {:<10} {:<10} {:<10}\n", "Problem", "Status", "Speedup", "Attempts") +
          line_of('-', 70);
  for (const RunnerTask& task : tasks)
    text += fmt::format("{:<40} {} {:<8} {:.2f}x     {}\n", task.result.problem,
                        icon(task.result.status), status_word(task.result.status),
                        task.best_speedup(), task.result.attempts);
  const RunnerCounts counts = count(tasks);
  const double goal = input.search.terms.goal;
  return text + line_of('-', 70) + fmt::format("Total: {} tasks\n", tasks.size()) +
         fmt::format("  ✓ Success (speedup >= {:.1f}x): {}\n", goal, counts.success) +
         fmt::format("  ⚠ Partial (accuracy pass, speedup < {:.1f}x): {}\n", goal, counts.partial) +
         fmt::format("  ✗ Failed: {}\n\nBatch run completed at {}\nResults saved to: {}\n",
                     counts.failed, ended(input), printable(input.folder, false));
}

}  // namespace

std::vector<std::string> hipkittens_files(const ReportInput&) {
  return {"summary.json", "detailed_report.json", "detailed_report.txt", "batch_run.log"};
}

void render_hipkittens(const ReportInput& input, ReportSink& sink) {
  const std::vector<RunnerTask> tasks = RunnerTasks(input).tasks;
  const std::vector<std::string> texts{dump_json(search_summary_json(input.search), 2) + "\n",
                                       dump_json(detailed_json(input, tasks), 2) + "\n",
                                       detailed_text(input, tasks), log_text(input, tasks)};
  const std::vector<std::string> names = hipkittens_files(input);
  for (size_t i = 0; i < names.size(); ++i) {
    sink.begin_file(names[i]);
    sink.write(texts[i]);
  }
}

}  // namespace assay
