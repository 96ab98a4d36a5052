// How a search goes on: what is asked next for one problem. One file for each strategy; to add one,
// write it beside reflect.cc, declare it in all.h and name it in strategies.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/search_tree.h"

namespace assay {

// A node that is to be asked.
struct Ask {
  SearchStep step = SearchStep::draft;
  std::vector<int> parents{};
  int attempt = 1;
  int sample = 1;
  int idea = 0;  // that of several drafts differs; 0: none is named
};

struct Strategy {
  std::string_view name;
  std::string_view title;  // for people, in one line
  // What of all that a tree now asks for it does not have yet. Reads nothing but the tree: so a
  // search that is continued goes on as it would have.
  std::vector<Ask> (*asks)(const Tree& tree, const SearchTerms& terms) = nullptr;
  // For one problem.
  int (*most_answers)(const SearchTerms& terms) = nullptr;
};
std::span<const Strategy> strategies();

// What goes on from a node with a verdict: what counts is made faster, and anything else mended.
Ask ask_after(const SearchNode& parent, const SearchTerms& terms);

// What all first answers have in common: they draft, or go on from what the search starts from.
// Nothing: it is not judged yet.
std::optional<Ask> first_ask(const Tree& tree, const SearchTerms& terms);

// What is to be done for one problem.
struct Move {
  bool asks_on = false;  // for what waits to be asked, and then for `asks`
  std::vector<Ask> asks{};
  int confirm = 0;  // this node is to be judged once more; 0: none
  // Not empty: nothing more is. "the goal is reached".
  std::string end{};
};
// How a search stands beside its tree.
struct SearchStanding {
  bool is_confirming = false;  // a node is being judged once more
  size_t waiting = 0;          // nodes of the tree that wait to be asked
};
// While one is being judged once more, and once the goal is reached, nothing is asked. Who is
// promising is judged once more at once, and at the end who is best.
Move next_move(const Tree& tree, const Strategy& strategy, const SearchTerms& terms,
               const SearchStanding& standing = {});

}  // namespace assay
