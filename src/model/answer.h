// What is kept of an answer of a language model: how it ended, and what it took.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "base/words.h"

namespace assay {

// How a call of a model ended.
enum class AnswerEnd {
  complete,
  truncated,  // it met the limit of tokens: not taken for code as it is
  refused,    // the model, or its provider's filter, would not
  too_long,   // prompt and answer do not fit into its context: a shorter prompt may
  failed,     // no answer came: the other side's or the network's failure, after all retries
  stopped,    // the user interrupted
};
inline constexpr Word<AnswerEnd> kAnswerEndWords[] = {
    {AnswerEnd::complete, "complete"}, {AnswerEnd::truncated, "truncated"},
    {AnswerEnd::refused, "refused"},   {AnswerEnd::too_long, "too long"},
    {AnswerEnd::failed, "failed"},     {AnswerEnd::stopped, "stopped"},
};

// Tokens, as the other side counted them.
struct Usage {
  int64_t input = 0;          // all of them, those read from a cache or written to one too
  int64_t cached_input = 0;   // of these, read from a cache
  int64_t output = 0;         // with those of reasoning
  int64_t reasoning = 0;      // of these
  int64_t written_input = 0;  // of those of the input, written to a cache, which may cost more

  int64_t total() const { return input + output; }
  bool operator==(const Usage&) const = default;
};
Usage operator+(const Usage& a, const Usage& b);

Json to_json(const Usage& usage);
// Nothing: it lacks "input" or "output", or a part is larger than what it is a part of.
std::optional<Usage> usage_from_json(const Json& json);

// A whole number from 0 on, of a size that tokens can have. Nothing: there is none of that name.
std::optional<int64_t> token_count(const Json& usage, const char* name);

}  // namespace assay
