// `best-of`: so many answers to one question.
#include <algorithm>

#include "search/all.h"

namespace assay {
namespace {

std::vector<Ask> best_of(const Tree& tree, const SearchTerms& terms) {
  const auto first = first_ask(tree, terms);
  if (!first) return {};
  std::vector<Ask> asks;
  for (int sample = 1; sample <= terms.samples; ++sample)
    if (std::ranges::none_of(tree.nodes(), [&](const SearchNode& node) {
          return node.attempt == 1 && node.sample == sample;
        }))
      asks.push_back({.step = first->step, .parents = first->parents, .sample = sample});
  return asks;
}

}  // namespace

Strategy best_of_strategy() {
  return {"best-of", "--samples of one question", best_of,
          [](const SearchTerms& terms) { return terms.samples; }};
}

}  // namespace assay
