// What a search came to, as files: summary.json in the keys of HipKittens' KernelBench runner.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "search/writing.h"

namespace assay {

// One search, as it stands in the store.
struct SearchResult {
  std::string problem;  // its name
  std::string tree;     // <suite>/<level>/<target>/<problem>/<author>
  SearchStatus status = SearchStatus::not_judged;
  const SearchNode* best = nullptr;  // that counts; null: none does
  int attempts = 0;                  // the number of the last one
  const Tree* nodes = nullptr;
};

// Of all nodes in a store, by problem.
std::vector<Tree> trees_of(std::vector<SearchNode> nodes);
SearchResult result_of_search(const Tree& tree, const SearchTerms& terms);

// {"tasks": [{problem, status, best_speedup, best_attempt, total_attempts, ...}], ...}.
Json summary_json(const std::vector<SearchResult>& results, const std::vector<CallRecord>& calls);

// A table of them for people, and totals.
std::string summary_in_words(const std::vector<SearchResult>& results,
                             const std::vector<CallRecord>& calls);

}  // namespace assay
