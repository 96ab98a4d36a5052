// Several runs in one report: who is right and fast on the problems that all have, and who is
// faster than whom. An entrant is an author of a run: a model, a team, a compiler. Two are compared
// as two runs are (speed_change.h), by speed-ups against one baseline, launch by launch; Holm's
// correction is over the problems of two, and Bonferroni's over the pairs of entrants. So to call
// any two equal ones different is wrong in at most kFamilyAlpha of reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/summary.h"

namespace assay {

struct Entrant {
  std::string name;  // its author; with its run, where several have it: "mine (runs/b)"
  size_t run = 0;    // of the runs, from 0
  std::string author;
  // Over the problems that every entrant has. Where one hands in several candidates, the best
  // counts.
  size_t correct = 0;
  size_t faster = 0;            // than the baseline, by its own comparison
  double geometric_mean = 1;    // of speed-ups; what is wrong, undecided or not timed counts as 1
  size_t wins = 0, losses = 0;  // over problems and other entrants, by speed
};

// One against another, over the problems that both have.
struct Match {
  size_t a = 0, b = 0;  // of the entrants
  size_t problems = 0;
  size_t a_faster = 0, same = 0, b_faster = 0, undecided = 0;  // both are right
  size_t only_a = 0, only_b = 0, neither = 0;                  // is right
};

struct League {
  std::vector<std::string> folders;
  std::vector<Entrant> entrants;  // in the order of runs; formats rank them
  std::vector<Match> matches;
  size_t problems = 0;  // that every entrant has
  size_t columns = 0;   // that a terminal has; 0: lines may be as long as they are
  Json suites{};        // suite_tables_json() of all that was run with tests; null: nothing was
};

// The inputs need attempts with the evidence of their measurements. `fixed`: as for
// speed_changes().
League league_of(std::span<const ReportInput> runs, std::span<const std::string> fixed);

// Of `--format json`, and of the page.
Json league_json(const League& league);

}  // namespace assay
