// What searches for kernels came to: problem by problem, and counted.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/search_record.h"
#include "report/scores.h"

namespace assay {

// One search, as it stands in its run. Points into the record.
struct SearchResult {
  std::string level;  // "suite/level", or "suite" without levels
  std::string target, problem, author;
  SearchStatus status = SearchStatus::not_judged;
  const SearchNode* best = nullptr;  // that counts; null: none does
  int attempts = 0;                  // the number of the last one
  const Tree* tree = nullptr;
};
std::vector<SearchResult> search_results(const SearchRecord& record);

// What calls took.
struct Spent {
  int64_t input = 0, output = 0;  // of what was answered
  int64_t tokens = 0;             // of all calls
  double usd = 0;
  bool all_said = true;  // each answer that came says its tokens
  bool is_usd_known = true;
  int64_t unanswered = 0;  // calls

  // Else `tokens` is the most that there may be: of a call that may have cost something, and
  // brought nothing, it is what was reserved.
  bool are_tokens_known() const { return all_said && tokens <= input + output; }
};

// Of one author on one level and target, or of all.
struct SearchScore {
  std::string level, target, author;
  size_t problems = 0, success = 0, compiled = 0, partial = 0, failed = 0, not_judged = 0;
  size_t at_work = 0;  // problems that are none of these
  // Problems with a kernel that counts: whose first one nobody had told
  // anything, and whose first one was mended.
  size_t right_at_once = 0, right_by_repair = 0;
  size_t faster = 0;                                     // accepted speed-ups
  std::array<FastShare, kFastThresholds.size()> fast{};  // of problems, by their best kernel
  struct Rate {
    size_t right = 0, answers = 0;
  };
  std::map<int, Rate> by_attempt;          // answers that have a verdict
  std::map<std::string, size_t> failures;  // of those that do not count: kind -> how many
  // Of answers that did not come, or that the problem, the machine or assay stood in the way of.
  // They say nothing of the model, and are in no rate.
  std::map<std::string, size_t> without_verdict;
  // Of the answers that were asked alike, of which none knew another: those of the first attempt.
  struct PassRate {
    size_t k = 0;
    double chance = 0;    // the mean over these
    size_t problems = 0;  // that have k such answers with a verdict
  };
  std::vector<PassRate> pass_at;
  Spent spent;
};
// Each author on each level and target; then all, where these are several.
std::vector<SearchScore> search_scores(const SearchRecord& record);

// {"tasks": [{problem, status, best_speedup, best_attempt, total_attempts, ...}], ...}, the keys of
// HipKittens' KernelBench runner first.
Json search_summary_json(const SearchRecord& record);
// A table of them for people, and totals.
std::string search_summary_in_words(const SearchRecord& record);

}  // namespace assay
