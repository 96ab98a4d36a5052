// All that a run's file holds of a search: what was asked of language models, what came of it, and
// what that cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/search_tree.h"

namespace assay {

// One call of a model: what it may cost at most is kept before it begins. So of one that was under
// way when assay was killed that stays spent.
struct CallRecord {
  std::string problem;
  int node = 0;
  int64_t reserved_tokens = 0;
  std::optional<double> reserved_usd{};
  bool is_settled = false;  // what it did cost is known:
  int64_t tokens = 0;
  std::optional<double> usd{};
};

struct SearchRecord {
  SearchTerms terms{};
  std::string language{};     // --lang
  std::vector<Tree> trees{};  // one for each problem, target and model; none: it was no search
  std::vector<CallRecord> calls{};

  int64_t wall_ns = 0, judge_idle_ns = 0;  // kWallNs and kJudgeIdleNs

  bool is_there() const { return !trees.empty(); }
};

// Of all nodes, by problem and number.
std::vector<Tree> trees_of(std::vector<SearchNode> nodes);

}  // namespace assay
