// Two runs side by side: what became of the same attempts, for people who follow versions of a
// compiler.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/words.h"
#include "report/speed_change.h"
#include "report/summary.h"

namespace assay {

enum class Change {
  broken,     // passed in A, not in B
  fixed,      // the other way round
  changed,    // passed in neither; stage, class or cause differ
  unjudged,   // could not be judged in one of them, so nothing is known
  only_a,     // B has no such attempt
  only_b,     // A has none
  unchanged,  // passed in both, or failed in both for one cause
};
inline constexpr Word<Change> kChangeWords[] = {
    {Change::broken, "broken"},       {Change::fixed, "fixed"},   {Change::changed, "changed"},
    {Change::unjudged, "unjudged"},   {Change::only_a, "only_a"}, {Change::only_b, "only_b"},
    {Change::unchanged, "unchanged"},
};

struct ComparedAttempt {
  Change change = Change::unchanged;
  const Attempt* a = nullptr;  // null where this run has none
  const Attempt* b = nullptr;
  // Of what is accepted in both and timed in one of them at least.
  std::optional<SpeedChange> speed{};

  const Attempt& either() const { return a ? *a : *b; }
};

// Something that the runs were made with, where it differs. "-": not known.
struct Difference {
  std::string what, a, b;
};

// B's value over A's, for attempts that passed in both. To know where to look, and no verdict:
// times are those of one process on a machine that may have been busy.
struct CostRatios {
  struct Extreme {
    double ratio = 1;
    std::string id;
  };
  size_t count = 0;
  double geometric_mean = 1;
  Extreme smallest, largest;
};

// What is compared of each attempt beside its verdict and speed.
struct ComparedCost {
  std::string_view name;      // in JSON: "artifact_bytes"
  std::string_view in_words;  // "artifact size"
  std::optional<CostRatios> ratios{};
  std::string (*said)(double value) = nullptr;  // with its unit
  bool is_of_machine = false;  // as much as of what is compared, as the time of a compile is
};

// The same of one attempt that passed in both, in the order of the costs. Nothing: it is not known.
struct ComparedFigures {
  std::string id;
  std::vector<std::optional<double>> a, b;

  // B over A; nothing where one is not known, or is 0.
  std::optional<double> ratio(size_t cost) const;
};

struct Comparison {
  std::string folder_a, folder_b;
  std::vector<Difference> differences;    // settings first, then tools and machine
  std::vector<ComparedAttempt> attempts;  // all, in the order of ids
  std::vector<ComparedCost> costs;        // all that are compared
  std::vector<ComparedFigures> figures;   // in the order of ids
  size_t columns = 0;                     // that a terminal has; 0: lines may be any long

  size_t count(Change change) const;
  size_t count(SpeedVerdict verdict) const;
  bool is_timed() const;  // there is an attempt with a speed
  size_t in_common() const;
};

// Attempts are the same when their ids are. Both inputs must outlive the result. `fixed`: as for
// speed_changes().
Comparison compare(const ReportInput& a, const ReportInput& b, std::span<const std::string> fixed);

// Leaves of a run what one author made, under ids that do not name it: so two authors of a run, or
// of two, are compared like two runs. False: the run has nothing of it.
bool keep_author(ReportInput& run, const std::string& author);

// 0 nothing is broken, and nothing is known to be slower; 1 something is; 2 nothing is, but
// something that passed in A could not be judged in B, or was timed in A and not in B.
int exit_status(const Comparison& comparison);

// Of `--format json`, and of the page.
Json comparison_json(const Comparison& comparison);

// What several formats say in the same words: how an attempt ended, "failed (compile: codegen): the
// error"; how its speed changed, "slower: 0.912 times as fast, ...".
std::string end_in_words(const Attempt& attempt);
std::string in_words(const SpeedChange& change);

}  // namespace assay
