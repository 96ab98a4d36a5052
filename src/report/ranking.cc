#include "report/ranking.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/units.h"
#include "report/format.h"
#include "report/speed.h"
#include "report/user_files.h"

namespace assay {
namespace {

// One line of a problem's: of a candidate, or of the baseline.
struct Ranked {
  double ratio = 0;
  Row cells{};  // without the problem's
};

std::string time_cell(const Timing& timing, const Times& cpu, const Times& wall) {
  return format_duration(std::llround(by(timing.metric, cpu, wall).median_ns));
}

std::string candidate_cell(const Attempt& attempt) {
  std::string name = attempt.author;
  if (attempt.candidate > 1) name += fmt::format("__s{}", attempt.candidate);
  const std::string file = file_beside_id(attempt);
  return file.empty() ? name : fmt::format("{} ({})", name, file);
}

std::string verdict_cell(const Attempt& attempt) {
  std::string verdict = verdict_in_words(attempt);
  if (is_not_timed(attempt)) return verdict + ", not timed";
  if (!attempt.timing) return verdict;
  const Speedup& first = attempt.timing->speedups.front();
  verdict += fmt::format(": {}", to_word(kOutcomeWords, first.outcome));
  if (!first.reason.empty()) verdict += fmt::format(" ({})", first.reason);
  return verdict + (attempt.timing->provisional ? ", provisional" : "");
}

Ranked of_candidate(const Attempt& attempt) {
  if (!attempt.timing) return {0, {candidate_cell(attempt), "-", "-", "-", verdict_cell(attempt)}};
  const Timing& timing = *attempt.timing;
  const Speedup& first = timing.speedups.front();
  return {first.ratio,
          {candidate_cell(attempt), time_cell(timing, timing.cpu, timing.wall),
           ratio_in_words(first.ratio) + "x",
           fmt::format("{} to {}{}", ratio_in_words(first.low), ratio_in_words(first.high),
                       has_interval(timing, first) ? "" : ", few launches"),
           verdict_cell(attempt)}};
}

// As it was beside the fastest of its candidates.
Ranked of_baseline(const Attempt& attempt) {
  const Timing& timing = *attempt.timing;
  const Speedup& first = timing.speedups.front();
  return {1, {first.baseline, time_cell(timing, first.cpu, first.wall), "1x", "-", "baseline"}};
}

std::vector<Ranked> ranked(const std::vector<const Attempt*>& attempts) {
  std::vector<Ranked> lines, untimed;
  const Attempt* fastest = nullptr;
  for (const Attempt* attempt : attempts) {
    Ranked line = of_candidate(*attempt);
    if (attempt->timing && (!fastest || line.ratio > fastest->timing->speedups.front().ratio))
      fastest = attempt;
    (attempt->timing ? lines : untimed).push_back(std::move(line));
  }
  if (fastest) lines.push_back(of_baseline(*fastest));
  std::ranges::stable_sort(lines, std::greater<>(), &Ranked::ratio);
  std::ranges::move(untimed, std::back_inserter(lines));
  return lines;
}

}  // namespace

std::vector<OfProblem> by_problem(const std::vector<Attempt>& attempts) {
  using Problem = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Problem, std::vector<const Attempt*>> problems;
  std::set<std::string> targets;
  for (const Attempt& attempt : attempts) {
    problems[{attempt.suite, attempt.level, attempt.workload, attempt.target}].push_back(&attempt);
    targets.insert(attempt.target);
  }
  std::vector<OfProblem> all;
  for (auto& [problem, of] : problems) {
    const std::string on_target = targets.size() > 1 ? " on " + of.front()->target : "";
    all.push_back({std::move(of), on_target});
  }
  return all;
}

std::string problem_in_level(const Attempt& attempt) {
  return (attempt.level.empty() ? attempt.suite : attempt.level) + "/" + attempt.workload;
}

std::vector<Row> ranking_rows(const std::vector<Attempt>& attempts) {
  if (!any_is_timed(attempts)) return {};
  // Beside profiles, what a search has judged.
  const bool has_profiles =
      std::ranges::any_of(attempts, [](const Attempt& each) { return each.profile.has_value(); });
  std::vector<OfProblem> problems = by_problem(attempts);
  if (has_profiles)
    for (OfProblem& problem : problems)
      std::erase_if(problem.attempts,
                    [](const Attempt* each) { return !each->timing && !is_not_timed(*each); });
  std::erase_if(problems, [](const OfProblem& each) { return each.attempts.empty(); });
  Row head{"candidate", "time", "speed-up", "interval", "verdict"};
  if (problems.size() > 1) head.insert(head.begin(), "problem");
  std::vector<Row> rows{head};
  for (const OfProblem& problem : problems) {
    const std::string name = problem_in_level(*problem.attempts.front()) + problem.on_target;
    for (Ranked& line : ranked(problem.attempts)) {
      if (problems.size() > 1) line.cells.insert(line.cells.begin(), name);
      rows.push_back(std::move(line.cells));
    }
  }
  return rows;
}

std::string ranking_title(const std::vector<Attempt>& attempts) {
  std::set<std::string> baselines, clocks;
  for (const Attempt& attempt : attempts) {
    if (!attempt.timing) continue;
    baselines.insert(attempt.timing->speedups.front().baseline);
    clocks.emplace(in_words(attempt.timing->metric));
  }
  if (baselines.empty()) return "fastest first: nothing was timed";
  return fmt::format("fastest first, against {}; times of one call, by {}",
                     fmt::join(baselines, " or "), fmt::join(clocks, " or "));
}

}  // namespace assay
