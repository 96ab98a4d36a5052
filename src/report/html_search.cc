// What the page has of a run of `assay write`: the tree of answers of each search, and of an answer
// what it changed.
#include "base/escape.h"
#include "report/diff.h"
#include "report/html.h"
#include "report/show_answer.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr size_t kMostOfDiff = 64 << 10;

// What is kept of an answer that did not come waits for the same command, and for no judge.
const char* stands_at(const SearchNode& node) {
  if (node.verdict) return "judged";
  if (!node.answer) return "asked";
  return has_not_come(*node.answer) ? "no answer" : "not judged yet";
}

Json node_json(const SearchNode& node) {
  Json json{{"number", node.number},
            {"step", to_word(kSearchStepWords, node.step)},
            {"parents", node.parents},
            {"idea", terminal_text(node.idea)},
            {"at", stands_at(node)}};
  if (node.answer && node.answer->usage) json["tokens"] = node.answer->usage->total();
  const NodeVerdict* known = node.known();
  if (!known) return json;
  json["attempt"] = or_null(known->attempt);
  json["verdict"] = to_word(kVerdictWords, known->verdict);
  json["reason"] = terminal_text(known->reason);
  json["outcome"] = known->outcome ? Json(to_word(kOutcomeWords, *known->outcome)) : Json();
  json["ratio"] = known->outcome ? Json(known->ratio) : Json();
  json["same_as"] = known->same_as;
  json["confirmed"] = node.is_confirmed();
  return json;
}

}  // namespace

Json page_trees(const SearchRecord& record) {
  Json trees = Json::array();
  for (const Tree& tree : record.trees) {
    Json nodes = Json::array();
    for (const SearchNode& node : tree.nodes()) nodes.push_back(node_json(node));
    const SearchNode* found = best(tree, record.terms);
    trees.push_back({{"problem", terminal_text(tree.problem())},
                     {"model", tree.nodes().empty() ? "" : terminal_text(tree.node(1).model)},
                     {"status", to_word(kSearchStatusWords, status_in(record, tree))},
                     {"best", found ? found->number : 0},
                     {"nodes", std::move(nodes)}});
  }
  return trees;
}

AnswersOfAttempts::AnswersOfAttempts(const SearchRecord& record) {
  for (const Tree& tree : record.trees)
    for (const SearchNode& node : tree.nodes())
      if (node.verdict && node.verdict->same_as == 0 && !node.verdict->attempt.empty())
        found_[node.verdict->attempt] = {&tree, &node};
}

Json AnswersOfAttempts::of(const std::string& attempt) const {
  auto found = found_.find(attempt);
  if (found == found_.end()) return nullptr;
  const auto& [tree, node] = found->second;
  Json json = node_json(*node);
  json["problem"] = terminal_text(tree->problem());
  json["sample"] = node->sample;
  json["model"] = terminal_text(node->model);
  json["diff"] = Json();
  if (node->parents.empty()) return json;
  const int parent = node->parents.front();
  const auto diff = cut_text(
      utf8(unified_diff(code_of_answer(tree->node(parent)), code_of_answer(*node))), kMostOfDiff);
  json["diff"] = {{"from", parent}, {"cut", diff.cut}, {"text", utf8(diff.text)}};
  return json;
}

}  // namespace assay
