// All that a run's file holds of a search: what was asked of language models, what came of it, and
// what that cost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

  // As much of --spend is gone: what it did cost, or else may cost at most.
  int64_t counted_tokens() const { return is_settled ? tokens : reserved_tokens; }
  const std::optional<double>& counted_usd() const { return is_settled ? usd : reserved_usd; }
};

// What stays of a search however it goes on.
struct SearchPlace {
  bool is_flat = false;  // its files lie under the problem's name alone, not under its id
  std::string problem_sha256{};
};
// By the searches' ids, as the store has them.
using SearchPlaces = std::map<std::string, SearchPlace>;
Json to_json(const SearchPlaces& places);
// What is of another type is left out.
SearchPlaces search_places_from_json(const Json& json);
// The folder of a search's files, in the run's.
std::string folder_of_search(const SearchPlaces& places, const std::string& id);
// Whether searches differ by their problems alone, by their ids: suite, level, target and model are
// the same.
bool have_one_place(std::span<const std::string> ids);

struct SearchRecord {
  SearchTerms terms{};
  std::string language{};     // --lang
  std::vector<Tree> trees{};  // one for each problem, target and model; none: it was no search
  std::vector<CallRecord> calls{};

  int64_t wall_ns = 0, judge_idle_ns = 0;  // kWallNs and kJudgeIdleNs
  int64_t kept_s = 0;                      // kKeptS
  std::map<std::string, std::string> ended{};
  SearchPlaces places{};
  Json asked{};  // what it was asked for beside its terms: docs/formats.md has the fields
  // A process works on it while this is read. Who knows says so: the store does not.
  bool is_at_work = false;

  bool is_there() const { return !trees.empty(); }
};

// How a search ended, or stands: one that the process at work has not ended is at work.
SearchStatus status_in(const SearchRecord& record, const Tree& tree);
// Since the run was begun, seen at that second of the Unix epoch.
int64_t wall_ns_at(const SearchRecord& record, int64_t at_s);
// Of all nodes, by problem and number. An error where one names another that is not there: whoever
// reads trees goes from a node to those that it names.
Result<std::vector<Tree>> trees_of(std::vector<SearchNode> nodes);

}  // namespace assay
