#include "search/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay {
namespace {

struct Spent {
  int64_t input = 0, output = 0, tokens = 0, unsettled = 0;
  double usd = 0;
  bool is_usd_known = true;
  bool are_tokens_known = true;  // else it is the most that there may be
};

Spent spent_by(const std::vector<SearchResult>& results, const std::vector<CallRecord>& calls) {
  Spent spent;
  for (const SearchResult& result : results)
    for (const SearchNode& node : result.nodes->nodes())
      if (node.answer) {
        const Usage usage = node.answer->usage.value_or(Usage{});
        spent.input += usage.input;
        spent.output += usage.output;
        spent.are_tokens_known &= node.answer->usage.has_value();
      }
  for (const CallRecord& call : calls) {
    spent.tokens += call.is_settled ? call.tokens : call.reserved_tokens;
    spent.unsettled += call.is_settled ? 0 : 1;
    const auto& usd = call.is_settled ? call.usd : call.reserved_usd;
    spent.usd += usd.value_or(0);
    // One without tokens cost nothing: a program of the user's own, or a recording.
    if (!usd && (call.is_settled ? call.tokens : call.reserved_tokens) > 0)
      spent.is_usd_known = false;
  }
  return spent;
}

// "softmax" of "tour/level1/local/softmax/gpt-5.5".
std::string problem_of(const std::string& tree) {
  size_t begin = 0;
  for (int slashes = 0; slashes < 3; ++slashes) begin = tree.find('/', begin) + 1;
  return tree.substr(begin, tree.find('/', begin) - begin);
}

// The seed's three words; what could not be judged is none of them.
std::string_view status_word(SearchStatus status) { return to_word(kSearchStatusWords, status); }

std::string speed_of(const SearchResult& result) {
  if (!result.best || !result.best->known()->outcome) return result.best ? "right" : "-";
  const NodeVerdict& known = *result.best->known();
  return fmt::format("{:.3g}x ({:.3g} to {:.3g})", known.ratio, known.low, known.high);
}

size_t count(const std::vector<SearchResult>& results, SearchStatus status) {
  return static_cast<size_t>(std::ranges::count(results, status, &SearchResult::status));
}

// The first answer that counts came without any repair before it.
bool is_right_at_once(const SearchResult& result, const SearchTerms& terms) {
  return std::ranges::any_of(result.nodes->nodes(), [&](const SearchNode& node) {
    return node.step == SearchStep::draft && node.verdict && counts(*node.verdict, terms);
  });
}

}  // namespace

std::vector<Tree> trees_of(std::vector<SearchNode> nodes) {
  std::vector<Tree> trees;
  for (SearchNode& node : nodes) {
    if (trees.empty() || trees.back().problem() != node.problem) trees.emplace_back(node.problem);
    trees.back().add(std::move(node));
  }
  return trees;
}

SearchResult result_of_search(const Tree& tree, const SearchTerms& terms) {
  SearchResult result;
  result.tree = tree.problem();
  result.problem = problem_of(result.tree);
  result.status = status_of(tree, terms);
  result.nodes = &tree;
  const SearchNode* found = best(tree, terms);
  if (found && counts(*found->known(), terms)) result.best = found;
  for (const SearchNode& node : tree.nodes())
    result.attempts = std::max(result.attempts, node.attempt);
  return result;
}

Json summary_json(const std::vector<SearchResult>& results, const std::vector<CallRecord>& calls) {
  Json tasks = Json::array();
  for (const SearchResult& result : results) {
    const NodeVerdict* known = result.best ? result.best->known() : nullptr;
    tasks.push_back(
        {{"problem", result.problem},
         {"status", status_word(result.status)},
         {"best_speedup", known && known->outcome ? Json(known->ratio) : Json(0.0)},
         {"best_attempt", result.best ? Json(result.best->attempt) : Json(nullptr)},
         {"total_attempts", result.attempts},
         {"best_speedup_low", known && known->outcome ? Json(known->low) : Json(nullptr)},
         {"best_node", result.best ? Json(result.best->number) : Json(nullptr)},
         {"answers", result.nodes->nodes().size()},
         {"tree", result.tree}});
  }
  const Spent spent = spent_by(results, calls);
  return {{"tasks", std::move(tasks)},
          {"schema", 1},
          {"tokens",
           {{"input", spent.input},
            {"output", spent.output},
            {"all", spent.tokens},
            {"are_known", spent.are_tokens_known}}},
          {"cost_usd", spent.is_usd_known ? Json(spent.usd) : Json(nullptr)},
          {"calls_without_an_answer", spent.unsettled}};
}

std::string summary_in_words(const std::vector<SearchResult>& results,
                             const std::vector<CallRecord>& calls) {
  size_t widest = 7;
  for (const SearchResult& result : results) widest = std::max(widest, result.problem.size());
  std::string text = fmt::format("{:<{}}  {:<10}  {:<26}  attempts  answers\n", "problem", widest,
                                 "status", "best");
  for (const SearchResult& result : results)
    text += fmt::format("{:<{}}  {:<10}  {:<26}  {:>8}  {:>7}\n", result.problem, widest,
                        status_word(result.status), speed_of(result), result.attempts,
                        result.nodes->nodes().size());
  text += fmt::format("{} success, {} partial, {} failed", count(results, SearchStatus::success),
                      count(results, SearchStatus::partial), count(results, SearchStatus::failed));
  if (size_t unjudged = count(results, SearchStatus::not_judged))
    text += fmt::format(", {} not judged", unjudged);
  const SearchTerms terms;
  const size_t at_once =
      static_cast<size_t>(std::ranges::count_if(results, [&](const SearchResult& result) {
        return result.best && is_right_at_once(result, terms);
      }));
  const size_t right = static_cast<size_t>(
      std::ranges::count_if(results, [](const SearchResult& result) { return result.best; }));
  if (right > 0) text += fmt::format("; right at once {}, by repair {}", at_once, right - at_once);
  text += "\n";
  const Spent spent = spent_by(results, calls);
  if (spent.tokens > 0) {
    text += fmt::format("{}{} tokens", spent.are_tokens_known ? "" : "at most ", spent.tokens);
    if (spent.is_usd_known) text += fmt::format(", {:.2f} usd", spent.usd);
    const size_t won = count(results, SearchStatus::success);
    if (won > 0 && spent.are_tokens_known)
      text += fmt::format("; {} for each that reached the goal",
                          spent.is_usd_known
                              ? fmt::format("{:.2f} usd", spent.usd / static_cast<double>(won))
                              : fmt::format("{} tokens", spent.tokens / static_cast<int64_t>(won)));
    text += "\n";
  }
  return text;
}

}  // namespace assay
