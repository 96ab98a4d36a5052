// What tools answer: for a model in words, for a program as fields.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"
#include "model/search_node.h"

namespace assay {

struct ToolAnswer {
  std::string text{};
  Json fields = Json::object();
  bool is_error = false;  // the call cannot be served as it is, and may be mended
};
Json to_json(const ToolAnswer& answer);

ToolAnswer refused_call(std::string why);

// Of an attempt whose speed-ups are those that are to be said.
std::string judged_in_words(const Attempt& attempt);
// "verdict", "reason", "outcome", "provisional" and "speedups", as of an attempt; and "labels".
Json judged_fields(const Attempt& attempt, const NodeVerdict& verdict);

}  // namespace assay
