// What is asked of models: reserved of --spend, kept in the store before it is asked, and settled
// when the answer is there.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "search/asker.h"
#include "search/search.h"
#include "store/search_store.h"

namespace assay {

struct AnsweredNode {
  size_t search = 0;
  int node = 0;
  int64_t came_ns = 0;
};

class Questions {
 public:
  Questions(const WriteRequest& request, const WriteTools& tools, WriteEvents& events,
            const World& world, SearchStore& store);

  // Before anything is asked: what was spent by those that this one continues.
  Status restore();
  // Adds the node to the search's tree, and asks. False: --spend has no room for it, now.
  Result<bool> ask(size_t at, Search& search, const Ask& asked);
  // A node that was under way when an assay before this one was ended.
  Status ask_again(size_t at, Search& search, SearchNode& node);
  // Answers that have come, kept and settled.
  Result<std::vector<AnsweredNode>> take(std::vector<Search>& searches);

  size_t under_way() const { return asker_.under_way(); }
  // What ended --spend; "": nothing has.
  std::string spend_ended() const { return spend_->ended(); }
  // Since the run was begun, by all processes that worked on it.
  int64_t wall_ns() const { return spend_->wall_ns(); }

 private:
  Question question_for(const SearchNode& node) const;
  std::optional<CallRecord> reserve(const Search& search, const SearchNode& node);
  void put(size_t at, const Search& search, const SearchNode& node, int64_t id,
           const CallRecord& call);
  Status take_answer(Search& search, Answered answered);

  const WriteRequest& request_;
  const WriteTools& tools_;
  WriteEvents& events_;
  const World& world_;
  SearchStore& store_;
  std::optional<Spend> spend_;           // once it is known what was spent before
  std::map<int64_t, CallRecord> calls_;  // under way
  Asker asker_;                          // last: its threads end first
};

}  // namespace assay
