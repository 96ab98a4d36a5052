#include <vector>

#include "base/rows.h"
#include "search/all.h"

namespace assay {

std::span<const Strategy> strategies() {
  static const std::vector<Strategy> all =
      with_added_rows<Strategy>({reflect_strategy(), best_of_strategy(), beam_strategy()});
  return all;
}

Move next_move(const Tree& tree, const Strategy& strategy, const SearchTerms& terms,
               bool is_confirming) {
  if (is_confirming) return {};
  const SearchNode* promising = nullptr;
  bool is_reached = false, is_at_bound = false;
  for (const SearchNode& node : tree.nodes()) {
    if (node.confirmed) {
      is_reached |= reaches(*node.confirmed, terms);
      is_at_bound |= counts(*node.confirmed, terms) && is_at_the_bound(*node.confirmed);
    } else if (node.verdict && reaches(*node.verdict, terms) && node.verdict->same_as == 0) {
      if (!promising || is_better(node, *promising, terms)) promising = &node;
    }
  }
  if (is_reached || is_at_bound) {
    if (tree.open() > 0) return {};
    return {.end = is_reached ? "the goal is reached"
                              : "it is within 5 % of what this machine can do at most"};
  }
  // What is only verified is as sure the first time.
  if (promising && !terms.is_timed) {
    if (tree.open() > 0) return {};
    return {.end = "one is accepted"};
  }
  if (promising) return {.confirm = promising->number};
  if (std::vector<Ask> asks = strategy.asks(tree, terms); !asks.empty())
    return {.asks = std::move(asks)};
  if (tree.open() > 0) return {};
  if (const int best = worth_confirming(tree, terms)) return {.confirm = best};
  return {.end = "all attempts are made"};
}

}  // namespace assay
