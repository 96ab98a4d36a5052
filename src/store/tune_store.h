// What `assay tune` keeps in the run's file beside its attempts: a line of JSON for each thing that
// became known of a configuration, in their order.
#pragma once

#include <vector>

#include "base/json.h"
#include "store/sqlite.h"

namespace assay {

class TuneStore {
 public:
  explicit TuneStore(Database& database) : database_(&database) {}

  // Makes its table, where the run has none.
  Status create();
  Status add(const Json& line);
  Result<std::vector<Json>> lines();

 private:
  Database* database_;
};

}  // namespace assay
