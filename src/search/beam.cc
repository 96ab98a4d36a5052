// `beam`: drafts by different ideas, each repaired until it is right; then rounds, in which the
// best ones are made faster.
#include <algorithm>

#include "search/all.h"

namespace assay {
namespace {

// A first answer may mend what the search starts from.
bool begins_chain(const Tree& tree, const SearchNode& node) {
  return node.step != SearchStep::repair || is_first_answer(tree, node);
}

// The node of a chain of repairs that was asked last: each has the one before as its parent.
const SearchNode& end_of_chain(const Tree& tree, const SearchNode& first) {
  const SearchNode* last = &first;
  for (const SearchNode& node : tree.nodes())
    if (node.step == SearchStep::repair && node.parents == std::vector{last->number}) last = &node;
  return *last;
}

// Drafts are round 1, and each has an attempt's number.
std::vector<const SearchNode*> chains_of(const Tree& tree, int round) {
  std::vector<const SearchNode*> chains;
  for (const SearchNode& node : tree.nodes())
    if (node.attempt == round && begins_chain(tree, node)) chains.push_back(&node);
  return chains;
}

// What can go on without the others.
std::vector<Ask> repairs(const Tree& tree, const std::vector<const SearchNode*>& chains,
                         const SearchTerms& terms, bool& are_done) {
  std::vector<Ask> asks;
  are_done = true;
  for (const SearchNode* chain : chains) {
    const SearchNode& last = end_of_chain(tree, *chain);
    if (!last.verdict) {
      are_done = false;
    } else if (!counts(*last.known(), terms) && tree.repairs(last) < terms.repairs) {
      are_done = false;
      asks.push_back({.step = SearchStep::repair,
                      .parents = {last.number},
                      .attempt = chain->attempt,
                      .sample = chain->sample});
    }
  }
  return asks;
}

// The best of earlier rounds that count, each code once.
std::vector<const SearchNode*> the_widest(const Tree& tree, int round, const SearchTerms& terms) {
  std::vector<const SearchNode*> found;
  for (const SearchNode& node : tree.nodes())
    if (node.attempt < round && node.verdict && counts(*node.known(), terms) &&
        node.verdict->same_as == 0)
      found.push_back(&node);
  std::ranges::stable_sort(
      found, [&](const SearchNode* a, const SearchNode* b) { return looks_better(*a, *b, terms); });
  if (found.size() > static_cast<size_t>(terms.width))
    found.resize(static_cast<size_t>(terms.width));
  return found;
}

std::vector<Ask> beam(const Tree& tree, const SearchTerms& terms) {
  for (int round = 1; round <= terms.rounds + 1; ++round) {
    auto chains = chains_of(tree, round);
    std::vector<Ask> asks;
    if (round == 1) {
      const auto first = first_ask(tree, terms);
      if (!first) return {};
      for (int draft = 1; draft <= terms.drafts; ++draft)
        if (std::ranges::find(chains, draft, &SearchNode::sample) == chains.end())
          asks.push_back(
              {.step = first->step, .parents = first->parents, .sample = draft, .idea = draft});
    } else {
      // As many answers as there were drafts, shared by the best. A part of them may have been
      // asked when an assay before this one was ended.
      auto parents = the_widest(tree, round, terms);
      if (parents.empty()) return {};
      for (int i = 0; i < terms.drafts; ++i)
        if (std::ranges::find(chains, i + 1, &SearchNode::sample) == chains.end())
          asks.push_back({.step = SearchStep::optimise,
                          .parents = {parents[static_cast<size_t>(i) % parents.size()]->number},
                          .attempt = round,
                          .sample = i + 1});
    }
    bool are_done = false;
    for (Ask& ask : repairs(tree, chains, terms, are_done)) asks.push_back(std::move(ask));
    if (!asks.empty() || !are_done) return asks;
  }
  return {};
}

}  // namespace

Strategy beam_strategy() {
  return {"beam",
          "--drafts by different ideas, up to --repairs of each, then --rounds that make the best "
          "--width of them faster",
          beam, [](const SearchTerms& terms) {
            return terms.drafts * (1 + terms.repairs) * (1 + terms.rounds);
          }};
}

}  // namespace assay
