#include <vector>

#include "base/rows.h"
#include "search/all.h"

namespace assay {
namespace {

// How searches end.
constexpr const char* kReached = "the goal is reached";
constexpr const char* kAtTheBound = "it is within 5 % of what this machine can do at most";
constexpr const char* kAccepted = "one is accepted";
constexpr const char* kCompiled = "one compiles, and the target cannot run here";
constexpr const char* kAllMade = "all attempts are made";

constexpr const char* kStopped = "nothing can be judged here";

// Of what was said of an answer whose fault it is not.
std::string why_stopped(const NodeVerdict& verdict) {
  const std::string& said = verdict.feedback;
  return said.empty() ? kStopped : said.substr(0, said.find('\n'));
}

}  // namespace

std::span<const Strategy> strategies() {
  static const std::vector<Strategy> all =
      with_added_rows<Strategy>({reflect_strategy(), best_of_strategy(), beam_strategy()});
  return all;
}

Ask ask_after(const SearchNode& parent, const SearchTerms& terms) {
  return {.step = counts(*parent.known(), terms) ? SearchStep::optimise : SearchStep::repair,
          .parents = {parent.number}};
}

std::optional<Ask> first_ask(const Tree& tree, const SearchTerms& terms) {
  for (const SearchNode& node : tree.nodes()) {
    if (!node.is_start()) continue;
    if (!node.verdict) return std::nullopt;
    return ask_after(node, terms);
  }
  return Ask{};
}

Move next_move(const Tree& tree, const Strategy& strategy, const SearchTerms& terms,
               const SearchStanding& standing) {
  if (standing.is_confirming) return {};
  const SearchNode* promising = nullptr;
  std::string end;
  for (const SearchNode& node : tree.nodes()) {
    // What this machine could not judge once more is neither sure, nor judged a third time.
    if (!node.verdict || (node.confirmed && !node.is_confirmed())) continue;
    const bool is_sure = node.confirmed || !needs_confirming(*node.verdict, terms);
    const NodeVerdict& known = *node.known();
    const bool is_reached = reaches(known, terms);
    // What is near the bound is as good as a goal that nobody can reach.
    if (!is_reached && !(counts(known, terms) && is_at_the_bound(known))) continue;
    if (!is_sure) {
      if (!promising || looks_better(node, *promising, terms)) promising = &node;
    } else if (known.same_as == 0 && (end.empty() || is_reached)) {
      end = !is_reached                          ? kAtTheBound
            : known.verdict == Verdict::compiled ? kCompiled
            : terms.is_timed                     ? kReached
                                                 : kAccepted;
    }
  }
  if (const NodeVerdict* stopped = stopped_by(tree); stopped && end.empty() && !promising)
    end = why_stopped(*stopped);
  if (end.empty() && promising) return {.confirm = promising->number};
  if (end.empty())
    if (std::vector<Ask> asks = strategy.asks(tree, terms); !asks.empty() || standing.waiting > 0)
      return {.asks_on = true, .asks = std::move(asks)};
  if (tree.open() > standing.waiting) return {};
  // Whoever looks best is judged as those were that reached the goal: else the best of many quick
  // looks would stand beside them.
  if (const int best = worth_confirming(tree, terms)) return {.confirm = best};
  return {.end = end.empty() ? kAllMade : end};
}

}  // namespace assay
