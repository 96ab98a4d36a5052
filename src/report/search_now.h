// What is left of a search: of what it may spend, and of its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "model/search_record.h"

namespace assay {

// {"tokens", "usd", "s"} of --spend that are not spent, nor held by calls under way; each is null
// where it has no limit. `at_s`: now, in seconds of the Unix epoch.
Json spend_left_json(const SearchRecord& record, int64_t at_s);
// ", of --spend 1500 tokens are left"; "": it has no limit.
std::string spend_left_in_words(const SearchRecord& record, int64_t at_s);

// What the answers take that may still be asked for, if it goes on as so far, and no more than
// --spend has. Nothing: none has been judged yet, and no time was limited.
std::optional<int64_t> seconds_left(const SearchRecord& record, int64_t at_s);

}  // namespace assay
