// `reflect`: so many attempts, of so many samples each; every further attempt is told what came of
// the best one before.
#include <algorithm>

#include "search/all.h"

namespace assay {
namespace {

std::vector<const SearchNode*> of_attempt(const Tree& tree, int attempt) {
  std::vector<const SearchNode*> found;
  for (const SearchNode& node : tree.nodes())
    if (node.attempt == attempt) found.push_back(&node);
  return found;
}

bool are_judged(const std::vector<const SearchNode*>& nodes) {
  return std::ranges::all_of(nodes,
                             [](const SearchNode* node) { return node->verdict.has_value(); });
}

// The best of all so far where one counts, else the one of the last attempt that came furthest: of
// older ones it has been told already.
const SearchNode* parent_for(const Tree& tree, int attempt, const SearchTerms& terms) {
  const SearchNode* of_all = best_looking(tree, terms);
  if (of_all && counts(*of_all->known(), terms)) return of_all;
  return best_looking(of_attempt(tree, attempt - 1), terms);
}

std::vector<Ask> reflect(const Tree& tree, const SearchTerms& terms) {
  for (int attempt = 1; attempt <= terms.attempts; ++attempt) {
    const auto before = of_attempt(tree, attempt - 1);  // of the first: what it starts from
    if (!are_judged(before)) return {};
    const auto there = of_attempt(tree, attempt);
    Ask ask;
    if (!there.empty()) {
      ask.step = there.front()->step;
      ask.parents = there.front()->parents;
    } else if (const SearchNode* parent = parent_for(tree, attempt, terms)) {
      ask = ask_after(*parent, terms);
    }
    ask.attempt = attempt;
    std::vector<Ask> asks;
    for (ask.sample = 1; ask.sample <= terms.samples; ++ask.sample)
      if (std::ranges::find(there, ask.sample, &SearchNode::sample) == there.end())
        asks.push_back(ask);
    if (!asks.empty()) return asks;
  }
  return {};
}

}  // namespace

Strategy reflect_strategy() {
  return {"reflect", "--attempts of --samples each, every one told what came of the best before",
          reflect, [](const SearchTerms& terms) { return terms.attempts * terms.samples; }};
}

}  // namespace assay
