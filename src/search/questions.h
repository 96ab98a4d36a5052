// What is asked of models: reserved of --spend, kept in the store before it is asked, and settled
// when the answer is there.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "search/asker.h"
#include "search/search.h"
#include "store/search_store.h"

namespace assay {

// What ends a search by --recorded-verdicts whose recording ended before it.
inline constexpr const char* kNothingRecorded = "the recording has nothing more";

struct AnsweredNode {
  size_t search = 0;
  int node = 0;
  int64_t came_ns = 0;
};

class Questions {
 public:
  Questions(const WriteRequest& request, const WriteTools& tools, WriteEvents& events,
            const World& world, SearchStore& store);
  // Who waits to ask again is let go.
  ~Questions();
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  // Before anything is asked: what was spent by those that this one continues.
  Status restore();
  // As many calls are under way as may be. What is asked now waits: of --spend it holds nothing,
  // and whether there is time and money left is looked at when its turn comes.
  bool are_all_busy() const { return asker_.under_way() >= request_.calls_at_once; }
  // First what waits to be asked, then these, as far as that goes. `why`: why nothing more is
  // asked; it stays as it is where something is, or waits.
  Result<Spend::Grant> ask_all(size_t at, Search& search, const std::vector<Ask>& asks,
                               std::string& why);
  // Answers that have come, kept and settled. Before that, what calls hold that are made again.
  Result<std::vector<AnsweredNode>> take(std::vector<Search>& searches);

  size_t under_way() const { return asker_.under_way(); }
  // What ended --spend; "": nothing has.
  std::string spend_ended() const { return spend_->ended(); }
  // Why the model is asked nothing more: who offers it refuses the key. "": it may be asked.
  std::string shut_out(const std::string& model) const;
  // Of all models that are asked nothing more.
  std::vector<std::string> all_shut_out() const;
  // Since the run was begun, by all processes that worked on it.
  int64_t wall_ns() const { return spend_->wall_ns(); }

 private:
  // What a call holds of --spend. Made again after one that may have cost something, it holds as
  // much once more.
  struct Held {
    CallRecord record;
    Cost most;  // of one time
    int times = 1;
    int kept_times = 1;       // that the store has
    bool is_refused = false;  // one time more, for what --spend had left then
    Cost all() const;
  };

  // Adds the node to the search's tree, and asks. Where all are busy, it is one of the search's
  // `unasked`: numbers go by when a search planned them, so a recording gets the same. Else, not
  // granted, nothing was added.
  Result<Spend::Grant> ask(size_t at, Search& search, const Ask& asked);
  // A node of which no answer has come: it waited, or was asked by an assay that was ended, or in
  // vain. Not granted: it is one of the search's `unasked`.
  Result<Spend::Grant> ask_again(size_t at, Search& search, const SearchNode& node);
  // With --recorded-verdicts: whether the recording has it. A search may plan what is never asked,
  // since one before it is right, or --spend ends.
  bool is_recorded(const Search& search, const Ask& asked) const;
  // The search's next one; its prompt is not written yet.
  static SearchNode node_for(const Search& search, const Ask& asked);
  Question question_for(const Search& search, const SearchNode& node) const;
  PromptTask task_for(const Search& search, const SearchNode& node) const;
  Status set_prompt(const Search& search, const PromptTask& task, SearchNode& node) const;
  // Of a node whose prompt is too long for the model: shorter, where anything can be left out.
  Result<std::optional<SearchNode>> shortened(const Search& search, const SearchNode& node) const;
  // Asks it once more, if it is shorter and --spend has room for that. False: the answer stands.
  Result<bool> ask_shortened(size_t at, Search& search, SearchNode& node, int64_t before,
                             const CallRecord& settled);
  // Reserves what it may cost at most. `call` is what the store is to have of it.
  Spend::Grant reserve(const Search& search, const SearchNode& node, CallRecord& call);
  // Of a node that the store does not have yet.
  Status put_first(size_t at, Search& search, const SearchNode& node, const CallRecord& call);
  void put(size_t at, const Search& search, const SearchNode& node, int64_t id,
           const CallRecord& call);
  // In a thread that asks: whether that call may be made once more. The store has it by then.
  bool may_be_made_again(int64_t id);
  Status keep_what_is_held();
  // How the call ended, and what it came to.
  CallRecord settle(const Answered& answered, const std::string& model);
  // False: it was too long, and is asked once more.
  Result<bool> take_answer(Search& search, Answered answered);

  const WriteRequest& request_;
  const WriteTools& tools_;
  WriteEvents& events_;
  const World& world_;
  SearchStore& store_;
  std::optional<Spend> spend_;  // once it is known what was spent before
  mutable std::mutex mutex_;
  std::condition_variable kept_;
  std::map<int64_t, Held> held_;                 // by calls under way
  std::map<std::string, std::string> shut_out_;  // models, and why
  bool is_ending_ = false;
  Asker asker_;  // last: its threads end first
};

}  // namespace assay
