// eval_results.json, as KernelBench's scripts write and read it: by a problem's number, a list of
// samples. `correctness` is what the run's check said (--policy kernelbench), else assay's verdict;
// assay's own stands in the metadata. What nobody could judge is left out, as there. Times are
// milliseconds of one call by the clock on the wall, as that is the clock there.
#include "report/kernelbench.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/escape.h"
#include "model/evaluation.h"
#include "report/format.h"
#include "report/other_verdict.h"

namespace assay {
namespace {

constexpr double kNoRuntime = -1;

// Whose problem breaks has not been.
bool is_judged(const Attempt& attempt) {
  return attempt.verdict == Verdict::accepted || attempt.verdict == Verdict::rejected ||
         (attempt.verdict == Verdict::failed && fault_of(attempt) != Fault::problem);
}

double ms(double ns) { return ns / 1e6; }

// Under names of their own: it is no mean of trials, which is what theirs has.
Json runtime_stats(const Attempt& attempt) {
  Json stats = Json::object();
  if (!attempt.timing) return stats;
  const Times& wall = attempt.timing->wall;
  return {{"median", ms(wall.median_ns)}, {"p5", ms(wall.p5_ns)}, {"p95", ms(wall.p95_ns)}};
}

// A file is of one author, suite, level and target: theirs has one suite. Beside each other where
// there are more; the suite is named where there are several.
using EvaluationKey = std::vector<std::string>;

std::map<EvaluationKey, std::vector<const Attempt*>> by_file(const std::vector<Attempt>& attempts) {
  std::set<std::string> suites;
  for (const Attempt& attempt : attempts)
    if (is_judged(attempt)) suites.insert(attempt.suite);
  std::map<EvaluationKey, std::vector<const Attempt*>> files;
  for (const Attempt& attempt : attempts) {
    if (!is_judged(attempt)) continue;
    const std::string suite = suites.size() > 1 ? attempt.suite : "";
    files[{attempt.author, suite, attempt.level, attempt.target}].push_back(&attempt);
  }
  if (files.empty()) files[{}];
  return files;
}

std::string evaluation_file(const EvaluationKey& of, size_t files) {
  std::string name = "eval_results";
  for (const std::string& each : of)
    if (files > 1 && !each.empty()) name += "_" + escape_component(each);
  return name + ".json";
}

}  // namespace

std::string kernelbench_problem(const std::string& workload) {
  const size_t end = workload.find_first_not_of("0123456789");
  return end == 0 || end == std::string::npos || workload[end] != '_' ? workload
                                                                      : workload.substr(0, end);
}

Json kernelbench_sample(const Attempt& attempt, int sample_id) {
  const StageRecord* deciding = attempt.deciding_stage();
  const bool compiled = is_built(attempt);
  auto other = other_verdict(attempt);
  const bool accepted = attempt.verdict == Verdict::accepted;
  Json metadata{{"assay_verdict", to_word(kVerdictWords, attempt.verdict)},
                {"assay_attempt", attempt.id}};
  if (deciding) metadata["assay_error"] = deciding->error;
  if (other) {
    metadata["correctness_trials"] =
        "(" + std::to_string(other->passed) + " / " + std::to_string(other->trials) + ")";
    if (!other->why.empty()) metadata["correctness_issue"] = other->why;
  }
  return {{"sample_id", sample_id},
          {"compiled", compiled},
          {"correctness", compiled && (other && other->correct ? *other->correct : accepted)},
          {"metadata", std::move(metadata)},
          {"runtime", attempt.timing ? ms(attempt.timing->wall.median_ns) : kNoRuntime},
          {"runtime_stats", runtime_stats(attempt)}};
}

std::vector<std::string> kernelbench_files(const ReportInput& input) {
  if (input.search.is_there()) return kernelbench_search_files(input);
  const auto files = by_file(input.attempts);
  std::vector<std::string> names;
  for (const auto& [of, attempts] : files) names.push_back(evaluation_file(of, files.size()));
  return names;
}

void render_kernelbench(const ReportInput& input, ReportSink& sink) {
  if (input.search.is_there()) return render_kernelbench_search(input, sink);
  const auto files = by_file(input.attempts);
  for (const auto& [of, attempts] : files) {
    std::map<std::string, Json> problems;
    for (const Attempt* attempt : attempts)
      problems[kernelbench_problem(attempt->workload)].push_back(
          kernelbench_sample(*attempt, attempt->candidate - 1));
    Json json = Json::object();
    for (const auto& [problem, samples] : problems) json[problem] = samples;
    sink.begin_file(evaluation_file(of, files.size()));
    sink.write(dump_json(json, 4) + "\n");
  }
}

}  // namespace assay
