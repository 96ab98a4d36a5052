// Where the time of a call goes, part by part (measure/call_parts.h), as a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "measure/call_parts.h"

namespace assay {

// What counters of a stage's evidence say of the parts of a call; at most one of them does.
struct FoundParts {
  std::string counter;
  CallParts parts;
};
std::optional<FoundParts> parts_found(const Json& counters);

// Lines for `assay show`, the part that takes most first, and last what is in none.
std::string parts_in_lines(const CallParts& parts);

// For the page: {"title", "head", "rows"}.
Json parts_in_cells(const CallParts& parts);

}  // namespace assay
