// One problem that one model writes for: its tree, and where its files are.
#pragma once

#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "author/candidate.h"
#include "search/writing.h"
#include "session/lane.h"

namespace assay {

struct Search {
  const Workload* workload = nullptr;
  const Target* target = nullptr;
  const Writer* writer = nullptr;
  Author author{};
  std::string folder{};    // its files', absolute
  std::string source{};    // the problem's
  std::string identity{};  // a hash of all that the problem is; "": it cannot be read
  Tree tree{""};
  std::vector<PlannedBaseline> baselines{};
  int confirming = 0;                     // the node that is judged once more
  std::optional<Attempt> judged_first{};  // what came of it before
  std::string unable{};                   // why nothing can be asked for it
  bool has_ended = false;
  std::map<std::string, int> first_with{};    // hash of tokens -> the node that had the code first
  std::map<int, std::vector<int>> same_as{};  // a node -> those that came later with its code
  std::map<int, std::string> endings{};       // of the nodes' code files
  std::set<int> unasked{};  // they wait: for a call to end, or for room in --spend
  int last_asked = 0;       // the store has the nodes up to this one, and none that was never asked
  // Asked in vain. Their verdicts are not kept: the same command asks for them again.
  std::set<int> unanswered{};
  // With --recorded-verdicts: those that are to be told, by their order, and of which nodes.
  std::multimap<int, int> to_be_told{};

  // Whose answer or verdict is still to come.
  size_t under_way() const { return tree.open() - unasked.size(); }
  SearchStatus status(const SearchTerms& terms) const {
    return unable.empty() ? status_of(tree, terms) : SearchStatus::not_judged;
  }
  SearchStanding standing() const {
    return {.is_confirming = confirming != 0, .waiting = unasked.size()};
  }
  // Of what it is to ask next: of those that wait, else of these.
  int next_attempt(const std::vector<Ask>& asks) const;
  // Of a node as the store has it: whether it has an answer and no verdict. One without an answer
  // is to be asked again, unless the goal is reached: then a call in vain is let be.
  bool lacks_verdict(SearchNode& node, bool is_reached);
  // Nothing more is asked: what was planned, and never asked, is no part of the tree.
  void forget_plans();
  SearchView view() const { return {*workload, *target, author.name, folder, tree}; }
  // Nothing came of all that was asked last: to ask on would use up what there is to be asked.
  bool is_out_of_answers() const;
  // Why the last of those came to nothing that were asked in vain.
  std::string why_unanswered() const;
  // "; 2 of 9 answers did not come: no answer: timed out", for the end of a sentence. Of those that
  // were asked.
  std::string in_vain() const;
  // Goes on as with an answer that nothing can be judged of. The store has no verdict.
  void go_without(SearchNode& node);
  // "": it has none.
  std::string code_path(const SearchNode& node) const;
  // first_with_code() of all answers with code.
  void name_code(const std::string& language);
  // The node that had this one's code first; itself, where that is new. Its file's ending is known
  // from here on.
  int first_with_code(const SearchNode& node, const Candidate& candidate);
};

// All that the request asks for. `kept` holds targets at the precision of a workload's own;
// `before` is what the run has; its places get those of new searches. Fails where a search that has
// begun is of another problem now, or of another kernel to start from.
Result<std::vector<Search>> make_searches(const WriteRequest& request, const Disk& disk,
                                          std::list<Target>& kept, SearchRecord& before);

// As if a model had answered with the code of that file.
SearchNode node_from_code(const std::string& path, const std::string& language,
                          const std::string& code, const std::string& finished);
// The code of an answer. Where there is none that can be judged, `why_none` says so.
Candidate code_in(const NodeAnswer& answer, const std::string& language);
// Of the code's tokens: comments and layout make no difference. "": there is none to be judged.
std::string hash_of_code(const NodeAnswer& answer, const std::string& language);
// What a model is shown of its answer: the code, or all of it.
std::string shown_code(const SearchNode& node);

}  // namespace assay
