// The three files that scripts around sequential KernelBench compilations read: a log, a JSON with
// `summary`, `statistics` and `details`, and a Markdown page. There, what passed is a success and
// all else a failure; a problem that does not load is listed once and counted for every target.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/disk.h"
#include "base/escape.h"
#include "report/format.h"
#include "report/table.h"

namespace assay {
namespace {

// Paths of the problems that load for no target.
std::set<std::string> unloadable(const std::vector<Attempt>& attempts) {
  std::set<std::string> failed, others;
  for (const Attempt& attempt : attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    const bool load = deciding && deciding->failure == FailureClass::load &&
                      fault_of(*deciding) == Fault::problem;
    (load ? failed : others).insert(attempt.path);
  }
  for (const std::string& path : others) failed.erase(path);
  return failed;
}

// Level folders alone where there is one suite, as these scripts have it.
class LevelNames {
 public:
  explicit LevelNames(const std::vector<Attempt>& attempts) {
    for (const Attempt& attempt : attempts) suites_.insert(attempt.suite);
  }
  std::string operator()(const Attempt& attempt) const {
    return suites_.size() == 1 && !attempt.level.empty() ? attempt.level : level_name(attempt);
  }

 private:
  std::set<std::string> suites_;
};

Json classic_tally(const Tally& tally) {
  return {{"success", tally.passed()},
          {"failed", tally.total - tally.passed()},
          {"total", tally.total}};
}

Json statistics_json(const std::vector<Attempt>& attempts, const LevelNames& level_of) {
  Tally all;
  std::map<std::string, Tally> by_level, by_target;
  std::map<std::string, std::map<std::string, Tally>> cells;
  for (const Attempt& attempt : attempts) {
    all.add(attempt.verdict);
    by_level[level_of(attempt)].add(attempt.verdict);
    by_target[attempt.target].add(attempt.verdict);
    cells[level_of(attempt)][attempt.target].add(attempt.verdict);
  }
  Json json{{"overall", classic_tally(all)},
            {"by_level", Json::object()},
            {"by_target", Json::object()},
            {"by_level_by_target", Json::object()}};
  for (const auto& [level, tally] : by_level) json["by_level"][level] = classic_tally(tally);
  for (const auto& [target, tally] : by_target) json["by_target"][target] = classic_tally(tally);
  for (const auto& [level, targets] : cells)
    for (const auto& [target, tally] : targets)
      json["by_level_by_target"][level][target] = classic_tally(tally);
  return json;
}

// What KernelBench's own evaluation says of a result: whether there was code to call, and whether
// it computed the same. Of what nobody tried to call it says nothing.
void add_evaluation(const Attempt& attempt, Json& entry) {
  const StageRecord* deciding = attempt.deciding_stage();
  const bool bad = (attempt.verdict == Verdict::rejected || attempt.verdict == Verdict::failed) &&
                   fault_of(attempt) != Fault::problem;
  entry["compiled"] =
      deciding ? deciding->stage >= Stage::verify && deciding->failure != FailureClass::load
               : attempt.verdict != Verdict::exported;
  entry["correctness"] = attempt.verdict == Verdict::accepted ? Json(true)
                         : bad                                ? Json(false)
                                                              : Json(nullptr);
  if (deciding && !deciding->rule.empty()) entry["rule"] = deciding->rule;
}

bool has_artifact(const Attempt& attempt) {
  return std::ranges::any_of(attempt.artifacts, [](const ArtifactRecord& artifact) {
    return artifact.name == kArtifactName;
  });
}

// `results` has each attempt once, but those on problems that do not load.
Json details_json(const ReportInput& input, const LevelNames& level_of) {
  Json json{{"load_failures", Json::array()}, {"results", Json::object()}};
  const std::set<std::string> failing = unloadable(input.attempts);
  std::set<std::string> listed;
  for (const Attempt& attempt : input.attempts) {
    std::string level = level_of(attempt);
    Json& results = json["results"][level][attempt.target];
    if (results.is_null()) results = {{"success", Json::array()}, {"failed", Json::array()}};
    const StageRecord* deciding = attempt.deciding_stage();
    Json entry{{"kernel_file", attempt.path}, {"level", level}};
    if (failing.contains(attempt.path)) {
      entry["error"] = deciding->error;
      if (listed.insert(attempt.path).second) json["load_failures"].push_back(std::move(entry));
      continue;
    }
    entry["target"] = attempt.target;
    entry["author"] = attempt.author;
    add_evaluation(attempt, entry);
    if (deciding) {
      entry["stage"] = to_word(kStageWords, deciding->stage);
      entry["error"] = deciding->error;
      results["failed"].push_back(std::move(entry));
    } else {
      if (has_artifact(attempt))
        entry["output_path"] =
            join_path(join_path(input.folder, attempt.id), std::string(kArtifactName));
      entry["status"] = attempt.verdict == Verdict::exported ? "exported" : "compiled";
      results["success"].push_back(std::move(entry));
    }
  }
  return json;
}

double stage_seconds(const std::vector<Attempt>& attempts) {
  double sum = 0;
  for (const Attempt& attempt : attempts)
    for (const StageRecord& stage : attempt.stages)
      sum += static_cast<double>(stage.wall_ns.value_or(0)) / 1e9;
  return sum;
}

Json summary_json(const std::vector<Attempt>& attempts) {
  std::set<std::string> problems, targets;
  Tally all;
  for (const Attempt& attempt : attempts) {
    problems.insert(attempt.path);
    targets.insert(attempt.target);
    all.add(attempt.verdict);
  }
  return {{"total_compilation_attempts", all.total},
          {"successful_compilations", all.passed()},
          {"failed_compilations", all.total - all.passed()},
          {"total_kernels_attempted", problems.size()},
          {"num_targets", targets.size()},
          {"total_time_seconds", stage_seconds(attempts)}};
}

// One line per attempt, as Python's logging writes them.
void write_log(const ReportInput& input, ReportSink& sink) {
  for (const Attempt& attempt : input.attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    std::string message = printable(utf8(attempt.path), false) + " for " +
                          printable(utf8(attempt.target), false) + ": " + verdict_in_words(attempt);
    if (deciding) message += ": " + printable(utf8(deciding->error), false);
    sink.write(
        fmt::format("{} - {} - {}\n", attempt.finished, deciding ? "ERROR" : "INFO", message));
  }
}

std::string success_line(const std::string& name, const Json& tally) {
  auto success = tally["success"].get<size_t>();
  auto total = tally["total"].get<size_t>();
  double percent =
      total > 0 ? 100.0 * static_cast<double>(success) / static_cast<double>(total) : 0;
  return fmt::format("- **{}**: {} / {} succeeded **({:.1f}%)**\n", markdown_text(name), success,
                     total, percent);
}

std::string failure_tables(const Json& details) {
  std::string text;
  auto cell = [](const Json& entry, const char* name) {
    return markdown_text(entry[name].get<std::string>());
  };
  if (!details["load_failures"].empty()) {
    text += "\n## Kernel Loading Failures\n\nThese failed for every target.\n\n";
    text += markdown_row({"Level", "Kernel File", "Error"}) + markdown_rule(3);
    for (const Json& entry : details["load_failures"])
      text +=
          markdown_row({cell(entry, "level"), cell(entry, "kernel_file"), cell(entry, "error")});
  }
  std::string rows;
  for (const auto& [level, targets] : details["results"].items())
    for (const auto& [target, results] : targets.items())
      for (const Json& entry : results["failed"])
        rows += markdown_row({cell(entry, "level"), cell(entry, "kernel_file"),
                              cell(entry, "target"), cell(entry, "stage"), cell(entry, "error")});
  if (rows.empty()) return text;
  return text + "\n## Export, Compilation & Verification Failures\n\n" +
         markdown_row({"Level", "Kernel File", "Target", "Stage", "Error"}) + markdown_rule(5) +
         rows;
}

std::string page(const Json& json) {
  const Json& summary = json["summary"];
  const Json& statistics = json["statistics"];
  std::string text = "# IREE Compilation Report\n\n## Overall Summary\n\n";
  text += fmt::format("- **Total Compilation Attempts**: {} ({} kernels, {} targets)\n",
                      summary["total_compilation_attempts"].get<size_t>(),
                      summary["total_kernels_attempted"].get<size_t>(),
                      summary["num_targets"].get<size_t>());
  text += success_line("Overall", statistics["overall"]);
  text += "\n## Success Rate by Target\n\n";
  for (const auto& [target, tally] : statistics["by_target"].items())
    text += success_line(target, tally);
  text += "\n## Success Rate by Level\n";
  for (const auto& [level, tally] : statistics["by_level"].items()) {
    text += fmt::format("\n### Level: {}\n\n", markdown_text(level)) + success_line("all", tally);
    for (const auto& [target, cell] : statistics["by_level_by_target"][level].items())
      text += success_line(target, cell);
  }
  return text + failure_tables(json["details"]);
}

constexpr const char* kClassicLog = "iree_compile.log";
constexpr const char* kClassicReport = "iree_compile_report.json";
constexpr const char* kClassicPage = "iree_compile_report.md";

}  // namespace

std::vector<std::string> classic_files(const ReportInput&) {
  return {kClassicLog, kClassicReport, kClassicPage};
}

void render_classic(const ReportInput& input, ReportSink& sink) {
  LevelNames level_of(input.attempts);
  Json json{{"summary", summary_json(input.attempts)},
            {"statistics", statistics_json(input.attempts, level_of)},
            {"details", details_json(input, level_of)}};
  sink.begin_file(kClassicLog);
  write_log(input, sink);
  sink.begin_file(kClassicReport);
  sink.write(dump_json(json, 1) + "\n");
  sink.begin_file(kClassicPage);
  sink.write(page(json));
}

}  // namespace assay
