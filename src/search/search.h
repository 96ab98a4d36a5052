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
  std::string folder{};  // its files', absolute
  std::string source{};  // the problem's
  Tree tree{""};
  std::vector<PlannedBaseline> baselines{};
  int confirming = 0;    // the node that is judged once more
  std::string unable{};  // why nothing can be asked for it
  bool has_ended = false;
  std::map<std::string, int> first_with{};    // hash of tokens -> the node that had the code first
  std::map<int, std::vector<int>> same_as{};  // a node -> those that came later with its code
  std::map<int, std::string> endings{};       // of the nodes' code files
  std::set<int> unasked{};                    // that --spend has no room for
  // With --recorded-verdicts: those that are to be told, by their order, and of which nodes.
  std::multimap<int, int> to_be_told{};

  // Whose answer or verdict is still to come.
  size_t under_way() const { return tree.open() - unasked.size(); }
  SearchView view() const { return {*workload, *target, author.name, folder, tree}; }
  // "": it has none.
  std::string code_path(const SearchNode& node) const;
  // The node that had this one's code first; itself, where that is new. Its file's ending is known
  // from here on.
  int first_with_code(const SearchNode& node, const Candidate& candidate);
};

// All that the request asks for. `kept` holds targets at the precision of a workload's own.
std::vector<Search> make_searches(const WriteRequest& request, const Disk& disk,
                                  std::list<Target>& kept);

// The code of an answer. Where there is none that can be judged, `why_none` says so.
Candidate code_in(const NodeAnswer& answer, const std::string& language);
// What a model is shown of its answer: the code, or all of it.
std::string shown_code(const SearchNode& node);

}  // namespace assay
