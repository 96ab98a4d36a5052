#include "report/show_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "author/answer.h"
#include "base/escape.h"
#include "report/diff.h"

namespace assay {
namespace {

std::string tokens_in_words(const NodeAnswer& answer) {
  if (!answer.usage) return "";
  std::string text = fmt::format("; {} tokens", answer.usage->total());
  if (answer.cost_usd) text += fmt::format(", {:.4f} usd", *answer.cost_usd);
  return text;
}

std::string step_in_words(const SearchNode& node) {
  if (node.parents.empty()) return std::string(to_word(kSearchStepWords, node.step));
  return fmt::format("{} of answer {}", to_word(kSearchStepWords, node.step),
                     fmt::join(node.parents, " and "));
}

std::string changes_in_words(const Tree& tree, const SearchNode& node) {
  if (node.parents.empty()) return "";
  const SearchNode& parent = tree.node(node.parents.front());
  const std::string diff = unified_diff(code_of_answer(parent), code_of_answer(node));
  if (diff.empty()) return fmt::format("    the code is that of answer {}\n", parent.number);
  std::string text = fmt::format("  changed since answer {}\n", parent.number);
  const std::string safe = printable(utf8(diff), true);
  for (size_t at = 0; at < safe.size();) {
    const size_t end = safe.find('\n', at);
    text += "    " + safe.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string code_of_answer(const SearchNode& node) {
  Candidate candidate;
  if (node.answer) take_code_of_answer(node.answer->text, candidate);
  return candidate.code ? *candidate.code : "";
}

std::string show_answer(const SearchRecord& record, const Attempt& attempt) {
  for (const Tree& tree : record.trees)
    for (const SearchNode& node : tree.nodes()) {
      if (!node.verdict || node.verdict->attempt != attempt.id || node.verdict->same_as != 0)
        continue;
      std::string text = fmt::format("  answer   {}: {}, attempt {}, sample {}, by {}{}\n",
                                     node.number, step_in_words(node), node.attempt, node.sample,
                                     printable(node.model, false), tokens_in_words(*node.answer));
      if (!node.idea.empty()) text += "    idea: " + printable(utf8(node.idea), false) + "\n";
      if (!node.shortened.empty()) text += "    asked once more: " + node.shortened + "\n";
      return text + changes_in_words(tree, node);
    }
  return "";
}

}  // namespace assay
