#include "report/league.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "measure/interval.h"
#include "report/speed.h"
#include "report/speed_change.h"
#include "report/suite_score.h"
#include "report/suite_table.h"

namespace assay {
namespace {

// What entrants have in common: a problem on a target.
using Task = std::tuple<std::string, std::string, std::string, std::string>;

Task task_of(const Attempt& attempt) {
  return {attempt.suite, attempt.level, attempt.workload, attempt.target};
}

const Speedup* first_speedup(const Attempt& attempt) {
  const bool is_timed = attempt.timing && !attempt.timing->speedups.empty();
  return is_timed ? &attempt.timing->speedups.front() : nullptr;
}

bool is_right(const Attempt& attempt) {
  return attempt.verdict == Verdict::accepted || passes_suite(attempt);
}

// Of several candidates for one task: the right one that is surest to be fast.
bool is_better(const Attempt& one, const Attempt& other) {
  auto key = [](const Attempt& attempt) {
    const Speedup* speedup = first_speedup(attempt);
    return std::pair(is_right(attempt), speedup ? speedup->low : 0);
  };
  return key(one) > key(other);
}

using Best = std::map<Task, const Attempt*>;

// By run and author.
std::map<std::pair<size_t, std::string>, Best> best_of(std::span<const ReportInput> runs) {
  std::map<std::pair<size_t, std::string>, Best> all;
  for (size_t run = 0; run < runs.size(); ++run)
    for (const Attempt& attempt : runs[run].attempts) {
      const Attempt*& best = all[{run, attempt.author}][task_of(attempt)];
      if (!best || is_better(attempt, *best)) best = &attempt;
    }
  return all;
}

std::set<Task> shared_by(const std::vector<Best>& all) {
  std::set<Task> tasks;
  for (const auto& [task, attempt] : all.front())
    if (std::ranges::all_of(all, [&](const Best& best) { return best.contains(task); }))
      tasks.insert(task);
  return tasks;
}

void count(Entrant& entrant, const Best& best, const std::set<Task>& tasks) {
  double logs = 0;
  for (const Task& task : tasks) {
    const Attempt& attempt = *best.at(task);
    if (!is_right(attempt)) continue;
    ++entrant.correct;
    const Speedup* speedup = first_speedup(attempt);
    if (!speedup || speedup->outcome == Outcome::undecided) continue;
    if (speedup->outcome == Outcome::faster && !attempt.timing->provisional) ++entrant.faster;
    logs += std::log(speedup->ratio);
  }
  if (!tasks.empty()) entrant.geometric_mean = std::exp(logs / static_cast<double>(tasks.size()));
}

// `pairs`: of entrants, for all of which the error that is allowed has to do.
Match match_of(const ReportInput& run_a, const ReportInput& run_b, const Best& a, const Best& b,
               std::span<const std::string> fixed, size_t pairs) {
  Match match;
  std::vector<TimedPair> both;
  for (const auto& [task, attempt] : a) {
    auto found = b.find(task);
    if (found == b.end()) continue;
    ++match.problems;
    const bool a_is = is_right(*attempt), b_is = is_right(*found->second);
    if (a_is && b_is)
      both.push_back({attempt, found->second});
    else
      ++(a_is ? match.only_a : b_is ? match.only_b : match.neither);
  }
  for (const SpeedChange& change : speed_changes(run_a.run, run_b.run, both, fixed)) {
    const bool differs =
        change.verdict == SpeedVerdict::faster || change.verdict == SpeedVerdict::slower;
    if (differs && change.adjusted * static_cast<double>(pairs) > kFamilyAlpha)
      ++match.undecided;
    else if (change.verdict == SpeedVerdict::faster)
      ++match.b_faster;
    else if (change.verdict == SpeedVerdict::slower)
      ++match.a_faster;
    else
      ++(change.verdict == SpeedVerdict::same ? match.same : match.undecided);
  }
  return match;
}

}  // namespace

League league_of(std::span<const ReportInput> runs, std::span<const std::string> fixed) {
  League league;
  for (const ReportInput& run : runs) league.folders.push_back(run.folder);
  std::map<std::string, size_t> runs_with;
  const auto found = best_of(runs);
  for (const auto& [key, best] : found) ++runs_with[key.second];
  std::vector<Best> all;
  for (const auto& [key, best] : found) {
    Entrant entrant;
    std::tie(entrant.run, entrant.author) = key;
    entrant.name = entrant.author;
    if (runs_with[entrant.author] > 1)
      entrant.name += fmt::format(" ({})", runs[entrant.run].folder);
    league.entrants.push_back(entrant);
    all.push_back(best);
  }
  if (all.empty()) return league;
  const std::set<Task> tasks = shared_by(all);
  league.problems = tasks.size();
  const size_t pairs = all.size() * (all.size() - 1) / 2;
  for (size_t a = 0; a < all.size(); ++a) {
    count(league.entrants[a], all[a], tasks);
    for (size_t b = a + 1; b < all.size(); ++b) {
      Match match = match_of(runs[league.entrants[a].run], runs[league.entrants[b].run], all[a],
                             all[b], fixed, pairs);
      match.a = a;
      match.b = b;
      league.entrants[a].wins += match.a_faster;
      league.entrants[a].losses += match.b_faster;
      league.entrants[b].wins += match.b_faster;
      league.entrants[b].losses += match.a_faster;
      if (match.problems > 0) league.matches.push_back(match);
    }
  }
  league.suites = suite_tables_json(ranked_suite_scores(runs));
  return league;
}

}  // namespace assay
