#include "model/search_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

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

using Order = bool (*)(const SearchNode&, const SearchNode&, const SearchTerms&);

const SearchNode* first_by(Order comes_first, const std::vector<const SearchNode*>& nodes,
                           const SearchTerms& terms) {
  const SearchNode* found = nullptr;
  for (const SearchNode* node : nodes)
    if (node->known() && (!found || comes_first(*node, *found, terms))) found = node;
  return found;
}

std::vector<const SearchNode*> all_of(const Tree& tree) {
  std::vector<const SearchNode*> all;
  for (const SearchNode& node : tree.nodes()) all.push_back(&node);
  return all;
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
  terms.strategy = field_or(json, "search", terms.strategy);
  const std::pair<const char*, int*> counts[] = {
      {"attempts", &terms.attempts}, {"samples", &terms.samples}, {"drafts", &terms.drafts},
      {"repairs", &terms.repairs},   {"width", &terms.width},     {"rounds", &terms.rounds}};
  for (const auto& [name, count] : counts) *count = field_or(json, name, *count);
  terms.goal = field_or(json, "goal", terms.goal);
  terms.is_timed = field_or(json, "is_timed", terms.is_timed);
  if (const Json allowed = field_or(json, "allow", Json()); allowed.is_array())
    for (const Json& label : allowed)
      if (label.is_string()) terms.allowed.push_back(label);
  return terms;
}

SearchNode& Tree::add(SearchNode node) {
  node.problem = problem_;
  node.number = last() + 1;
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

std::string Tree::key(const SearchNode& node) const {
  // Without the author: who answers in a model's place has another name.
  size_t end = 0;
  for (int parts = 0; parts < 4 && end != std::string::npos; ++parts)
    end = problem_.find('/', end == 0 ? 0 : end + 1);
  std::vector<std::string> places;  // "1.2", and "1.2r1" of its first repair
  for (int number : node.parents) {
    const SearchNode& parent = this->node(number);
    const int repaired = repairs(parent);
    places.push_back(fmt::format("{}.{}{}", parent.attempt, parent.sample,
                                 repaired > 0 ? fmt::format("r{}", repaired) : ""));
  }
  return fmt::format("{} {} of [{}] attempt {} sample {}", problem_.substr(0, end),
                     to_word(kSearchStepWords, node.step), fmt::join(places, ","), node.attempt,
                     node.sample);
}

int Tree::repairs(const SearchNode& node) const {
  int repairs = 0;
  for (const SearchNode* each = &node;
       each->step == SearchStep::repair && !each->parents.empty();) {
    const SearchNode& parent = this->node(each->parents.front());
    if (parent.attempt != node.attempt || parent.sample != node.sample) break;
    ++repairs;
    each = &parent;
  }
  return repairs;
}

void Tree::cut_after(int number) {
  nodes_.resize(std::min(nodes_.size(), static_cast<size_t>(number)));
}

size_t Tree::open() const {
  return static_cast<size_t>(
      std::ranges::count_if(nodes_, [](const SearchNode& each) { return !each.verdict; }));
}

int Tree::next_order() const {
  std::set<int> taken{0};
  for (const SearchNode& node : nodes_) {
    taken.insert(node.order_before);
    for (const auto* verdict : {&node.verdict, &node.confirmed})
      if (*verdict) taken.insert((*verdict)->order);
  }
  int order = 1;
  while (taken.contains(order)) ++order;
  return order;
}

std::string file_suffix(const Tree& tree, const SearchNode& node) {
  const int repairs = tree.repairs(node);
  return fmt::format("_s{}", node.sample) + (repairs > 0 ? fmt::format("_r{}", repairs) : "");
}

bool SearchTerms::allows(std::string_view label) const {
  return std::ranges::find(allowed, label) != allowed.end();
}

bool is_first_answer(const Tree& tree, const SearchNode& node) {
  return node.attempt == 1 &&
         std::ranges::all_of(node.parents, [&](int each) { return tree.node(each).is_start(); });
}

bool counts(const NodeVerdict& verdict, const SearchTerms& terms) {
  // A search judges as far as it can: what ends with that could not be run.
  if (verdict.verdict == Verdict::compiled) return true;
  if (verdict.verdict != Verdict::accepted) return false;
  return std::ranges::none_of(verdict.labels, [&](const std::string& label) {
    return (label == "library" || label == "fallback") && !terms.allows(label);
  });
}

bool reaches(const NodeVerdict& verdict, const SearchTerms& terms) {
  if (!counts(verdict, terms)) return false;
  if (verdict.verdict == Verdict::compiled) return verdict.is_final;
  if (!terms.is_timed) return true;
  if (!verdict.outcome) return false;
  if (terms.goal <= 1)
    return *verdict.outcome == Outcome::faster || *verdict.outcome == Outcome::equal;
  return *verdict.outcome == Outcome::faster && verdict.low >= terms.goal;
}

bool has_reached(const SearchNode& node, const SearchTerms& terms) {
  const NodeVerdict* known = node.known();
  // What was not timed, as of what cannot run here, is as sure as it gets.
  return known && reaches(*known, terms) &&
         (node.is_confirmed() || !terms.is_timed || !known->outcome);
}

bool has_reached(const Tree& tree, const SearchTerms& terms) {
  return std::ranges::any_of(tree.nodes(),
                             [&](const SearchNode& node) { return has_reached(node, terms); });
}

bool is_at_the_bound(const NodeVerdict& verdict) {
  constexpr double kNear = 0.95;
  return verdict.of_bound && *verdict.of_bound >= kNear;
}

bool needs_confirming(const NodeVerdict& verdict, const SearchTerms& terms) {
  return terms.is_timed && verdict.outcome && counts(verdict, terms) && verdict.same_as == 0;
}

const NodeVerdict* stopped_by(const Tree& tree) {
  for (const SearchNode& node : tree.nodes())
    for (const auto* verdict : {&node.verdict, &node.confirmed})
      if (*verdict && (*verdict)->says_nothing()) return &**verdict;
  return nullptr;
}

bool is_better(const SearchNode& a, const SearchNode& b, const SearchTerms& terms) {
  auto rank = [&](const SearchNode& node) {
    const NodeVerdict& known = *node.known();
    // The first one of equals: it came with less.
    return std::tuple(counts(known, terms), node.is_confirmed(),
                      node.is_confirmed() && reaches(known, terms), known.outcome ? known.low : 0,
                      how_far(known), -node.number);
  };
  return rank(a) > rank(b);
}

bool looks_better(const SearchNode& a, const SearchNode& b, const SearchTerms& terms) {
  auto rank = [&](const SearchNode& node) {
    const NodeVerdict& first = *node.verdict;
    return std::tuple(counts(*node.known(), terms), first.outcome ? first.low : 0,
                      how_far(*node.known()), -node.number);
  };
  return rank(a) > rank(b);
}

const SearchNode* best(const std::vector<const SearchNode*>& nodes, const SearchTerms& terms) {
  return first_by(is_better, nodes, terms);
}

const SearchNode* best(const Tree& tree, const SearchTerms& terms) {
  return best(all_of(tree), terms);
}

const SearchNode* best_looking(const std::vector<const SearchNode*>& nodes,
                               const SearchTerms& terms) {
  return first_by(looks_better, nodes, terms);
}

const SearchNode* best_looking(const Tree& tree, const SearchTerms& terms) {
  return best_looking(all_of(tree), terms);
}

SearchStatus status_of(const Tree& tree, const SearchTerms& terms) {
  bool is_success = false, is_partial = false, is_compiled = false, is_judged = false;
  for (const SearchNode& node : tree.nodes()) {
    if (!node.known()) continue;
    const NodeVerdict& verdict = *node.known();
    if (verdict.verdict == Verdict::compiled) {
      is_compiled = true;
      continue;
    }
    is_success |= has_reached(node, terms);
    is_partial |= counts(verdict, terms);
    is_judged |= verdict.is_judged();
  }
  if (is_success) return SearchStatus::success;
  if (is_partial) return SearchStatus::partial;
  if (is_compiled) return SearchStatus::compiled;
  return is_judged && !stopped_by(tree) ? SearchStatus::failed : SearchStatus::not_judged;
}

int worth_confirming(const Tree& tree, const SearchTerms& terms) {
  double sure_low = 0;  // of the best that was judged once more
  for (const SearchNode& node : tree.nodes())
    if (node.is_confirmed() && counts(*node.confirmed, terms) && node.confirmed->outcome)
      sure_low = std::max(sure_low, node.confirmed->low);
  std::vector<const SearchNode*> winners;
  int tried = 0;
  for (const SearchNode& node : tree.nodes()) {
    if (node.confirmed)
      ++tried;
    else if (node.verdict && counts(*node.verdict, terms) &&
             needs_confirming(*node.verdict, terms) && node.verdict->low > sure_low)
      winners.push_back(&node);
  }
  const SearchNode* found = best_looking(winners, terms);
  return found && (sure_low == 0 || tried < kMostConfirmed) ? found->number : 0;
}

}  // namespace assay
