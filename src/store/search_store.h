// What a search keeps in the run's file beside its attempts: what was asked of language models,
// what they answered, and what that cost. Rows are only added, and each of a node's columns is
// written once; what did not come, or could not be judged, gives way to what does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/search_record.h"
#include "store/sqlite.h"

namespace assay {

class SearchStore {
 public:
  explicit SearchStore(Database& database) : database_(&database) {}

  // Makes its tables, where the run has none.
  Status create();
  Result<bool> exists();

  // How the search was asked for; nothing: it was not, yet.
  Result<std::optional<Json>> terms();
  Status put_terms(const Json& terms);
  // These of them are others now.
  Status update_terms(const Json& fields);

  // The node and its call at once. Returns the call's number.
  Result<int64_t> put_asked(const SearchNode& node, const CallRecord& call);
  // A call for a node that was asked before. What is kept of an answer that did not come is gone.
  Result<int64_t> put_call(const CallRecord& call);
  // A node that is asked in other words, by one more call; what the one before it did cost.
  Result<int64_t> put_asked_again(const SearchNode& node, int64_t before, const CallRecord& settled,
                                  const CallRecord& call);
  // What a call under way may cost at most: more, where it is made again.
  Status put_reserved(int64_t call, const CallRecord& reserved);
  // Of the node's answer, and what its call did cost, at once.
  Status put_answer(const SearchNode& node, int64_t call, const CallRecord& settled);
  Status put_verdict(const SearchNode& node);
  Status put_confirmed(const SearchNode& node);

  // By problem, then number.
  Result<std::vector<SearchNode>> nodes();
  // The same, checked: an error where one names another that is not there.
  Result<std::vector<Tree>> trees();
  Result<std::vector<CallRecord>> calls();
  // All of it; of a run that is no search, nothing.
  Result<SearchRecord> record();

 private:
  Status add_node(const SearchNode& node);
  // Returns its number.
  Result<int64_t> add_call(const CallRecord& call);
  Status put_settled(int64_t call, const CallRecord& settled);
  Status put(const char* column, const SearchNode& node, const Json& value);
  template <class Work>
  Status in_transaction(Work work);

  Database* database_;
};

}  // namespace assay
