#include "model/search_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/search_record.h"

namespace assay {
namespace {

// How far it came, of what does not count.
int how_far(const NodeVerdict& verdict) {
  switch (verdict.verdict) {
    case Verdict::accepted:
      return 5;
    case Verdict::compiled:
      return 4;
    case Verdict::rejected:
      return 3;
    case Verdict::failed:
      return verdict.feedback_kind == "compile error" ? 1 : 2;
    default:
      return 0;
  }
}

}  // namespace

Json to_json(const SearchTerms& terms) {
  return {{"search", terms.strategy}, {"attempts", terms.attempts}, {"samples", terms.samples},
          {"drafts", terms.drafts},   {"repairs", terms.repairs},   {"width", terms.width},
          {"rounds", terms.rounds},   {"goal", terms.goal},         {"is_timed", terms.is_timed},
          {"allow", terms.allowed}};
}

SearchTerms search_terms_from_json(const Json& json) {
  SearchTerms terms;
  terms.strategy = json.value("search", terms.strategy);
  const std::pair<const char*, int*> counts[] = {
      {"attempts", &terms.attempts}, {"samples", &terms.samples}, {"drafts", &terms.drafts},
      {"repairs", &terms.repairs},   {"width", &terms.width},     {"rounds", &terms.rounds}};
  for (const auto& [name, count] : counts) *count = json.value(name, *count);
  terms.goal = json.value("goal", terms.goal);
  terms.is_timed = json.value("is_timed", terms.is_timed);
  terms.allowed = json.value("allow", terms.allowed);
  return terms;
}

SearchNode& Tree::add(SearchNode node) {
  node.problem = problem_;
  node.number = static_cast<int>(nodes_.size()) + 1;
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

bool Tree::has(const std::string& key) const {
  return std::ranges::any_of(nodes_, [&](const SearchNode& each) { return each.key() == key; });
}

size_t Tree::open() const {
  return static_cast<size_t>(
      std::ranges::count_if(nodes_, [](const SearchNode& each) { return !each.verdict; }));
}

int Tree::told() const {
  int count = 0;
  for (const SearchNode& node : nodes_) count += (node.verdict ? 1 : 0) + (node.confirmed ? 1 : 0);
  return count;
}

std::string file_suffix(const Tree& tree, const SearchNode& node) {
  int repairs = 0;
  for (const SearchNode* each = &node;
       each->step == SearchStep::repair && !each->parents.empty();) {
    const SearchNode& parent = tree.node(each->parents.front());
    if (parent.attempt != node.attempt || parent.sample != node.sample) break;
    ++repairs;
    each = &parent;
  }
  return fmt::format("_s{}", node.sample) + (repairs > 0 ? fmt::format("_r{}", repairs) : "");
}

bool SearchTerms::allows(std::string_view label) const {
  return std::ranges::find(allowed, label) != allowed.end();
}

bool counts(const NodeVerdict& verdict, const SearchTerms& terms) {
  if (verdict.verdict != Verdict::accepted) return false;
  return std::ranges::none_of(verdict.labels, [&](const std::string& label) {
    return (label == "library" || label == "fallback") && !terms.allows(label);
  });
}

bool reaches(const NodeVerdict& verdict, const SearchTerms& terms) {
  if (!counts(verdict, terms)) return false;
  if (!terms.is_timed) return true;
  if (!verdict.outcome) return false;
  if (terms.goal <= 1)
    return *verdict.outcome == Outcome::faster || *verdict.outcome == Outcome::equal;
  return *verdict.outcome == Outcome::faster && verdict.low >= terms.goal;
}

bool is_at_the_bound(const NodeVerdict& verdict) {
  constexpr double kNear = 0.95;
  return verdict.of_bound && *verdict.of_bound >= kNear;
}

bool is_better(const SearchNode& a, const SearchNode& b, const SearchTerms& terms) {
  auto rank = [&](const SearchNode& node) {
    const NodeVerdict& known = *node.known();
    // The first one of equals: it came with less.
    return std::tuple(counts(known, terms), known.outcome ? known.low : 0, how_far(known),
                      -node.number);
  };
  return rank(a) > rank(b);
}

const SearchNode* best(const std::vector<const SearchNode*>& nodes, const SearchTerms& terms) {
  const SearchNode* found = nullptr;
  for (const SearchNode* node : nodes)
    if (node->known() && (!found || is_better(*node, *found, terms))) found = node;
  return found;
}

const SearchNode* best(const Tree& tree, const SearchTerms& terms) {
  std::vector<const SearchNode*> all;
  for (const SearchNode& node : tree.nodes()) all.push_back(&node);
  return best(all, terms);
}

SearchStatus status_of(const Tree& tree, const SearchTerms& terms) {
  bool is_success = false, is_partial = false, is_judged = false;
  for (const SearchNode& node : tree.nodes()) {
    if (!node.known()) continue;
    const NodeVerdict& verdict = *node.known();
    is_success |= reaches(verdict, terms) && (node.confirmed || !terms.is_timed);
    is_partial |= counts(verdict, terms);
    is_judged |= verdict.verdict != Verdict::not_judged;
  }
  if (is_success) return SearchStatus::success;
  if (is_partial) return SearchStatus::partial;
  return is_judged ? SearchStatus::failed : SearchStatus::not_judged;
}

int worth_confirming(const Tree& tree, const SearchTerms& terms) {
  const SearchNode* found = best(tree, terms);
  const bool is_worth = found && terms.is_timed && !found->confirmed &&
                        counts(*found->verdict, terms) && found->verdict->outcome &&
                        found->verdict->same_as == 0;
  return is_worth ? found->number : 0;
}

std::vector<Tree> trees_of(std::vector<SearchNode> nodes) {
  std::vector<Tree> trees;
  for (SearchNode& node : nodes) {
    if (trees.empty() || trees.back().problem() != node.problem) trees.emplace_back(node.problem);
    trees.back().add(std::move(node));
  }
  return trees;
}

}  // namespace assay
