// The table of a run's store that has every window of every measurement.
#pragma once

#include <string>
#include <vector>

#include "model/window_record.h"
#include "store/sqlite.h"

namespace assay {

extern const char* const kWindowTable;  // makes it

Status put_windows(Database& database, const std::string& attempt_id,
                   const std::vector<WindowRecord>& windows);
// In the order in which they were.
Result<std::vector<WindowRecord>> read_windows(Database& database, const std::string& attempt_id);

}  // namespace assay
