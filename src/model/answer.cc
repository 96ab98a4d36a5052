#include "model/answer.h"

namespace assay {
namespace {

constexpr int64_t kMostTokens = int64_t{1} << 40;  // more is no count of anything

}  // namespace

std::optional<int64_t> token_count(const Json& usage, const char* name) {
  if (!usage.is_object()) return std::nullopt;
  auto found = usage.find(name);
  if (found == usage.end() || !found->is_number_integer()) return std::nullopt;
  const Json& value = *found;
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(kMostTokens))
    return std::nullopt;
  const auto count = value.get<int64_t>();
  if (count < 0 || count > kMostTokens) return std::nullopt;
  return count;
}

Usage operator+(const Usage& a, const Usage& b) {
  return {.input = a.input + b.input,
          .cached_input = a.cached_input + b.cached_input,
          .output = a.output + b.output,
          .reasoning = a.reasoning + b.reasoning,
          .written_input = a.written_input + b.written_input};
}

Json to_json(const Usage& usage) {
  return {{"input", usage.input},
          {"cached_input", usage.cached_input},
          {"written_input", usage.written_input},
          {"output", usage.output},
          {"reasoning", usage.reasoning}};
}

std::optional<Usage> usage_from_json(const Json& json) {
  auto input = token_count(json, "input");
  auto output = token_count(json, "output");
  if (!input || !output) return std::nullopt;
  const Usage usage{.input = *input,
                    .cached_input = token_count(json, "cached_input").value_or(0),
                    .output = *output,
                    .reasoning = token_count(json, "reasoning").value_or(0),
                    .written_input = token_count(json, "written_input").value_or(0)};
  if (usage.cached_input + usage.written_input > usage.input || usage.reasoning > usage.output)
    return std::nullopt;
  return usage;
}

}  // namespace assay
