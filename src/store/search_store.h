// What a search keeps in the run's file beside its attempts: what was asked of language models,
// what they answered, and what that cost. Rows are only added, and each of a node's columns is
// written once.
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

  // The node and its call at once. Returns the call's number.
  Result<int64_t> put_asked(const SearchNode& node, const CallRecord& call);
  // A call for a node that was asked before, and never answered.
  Result<int64_t> put_call(const CallRecord& call);
  // Of the node's answer, and what its call did cost, at once.
  Status put_answer(const SearchNode& node, int64_t call, const CallRecord& settled);
  Status put_verdict(const SearchNode& node);
  Status put_confirmed(const SearchNode& node);

  // By problem, then number.
  Result<std::vector<SearchNode>> nodes();
  Result<std::vector<CallRecord>> calls();
  // All of it; of a run that is no search, nothing.
  Result<SearchRecord> record();

 private:
  Status put(const char* column, const SearchNode& node, const Json& value);
  template <class Work>
  Status in_transaction(Work work);

  Database* database_;
};

}  // namespace assay
