#include "report/search_now.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace assay {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr double kMostSeconds = 1e9;

struct SpendLeft {
  std::optional<int64_t> tokens{}, s{};
  std::optional<double> usd{};
};

const Json& asked_field(const SearchRecord& record, const char* name) {
  static const Json nothing;
  if (!record.asked.is_object()) return nothing;
  auto found = record.asked.find(name);
  return found == record.asked.end() ? nothing : *found;
}

SpendLeft spend_left(const SearchRecord& record, int64_t at_s) {
  const Json& limits = asked_field(record, "spend");
  SpendLeft left;
  if (!limits.is_object()) return left;
  int64_t tokens = 0;
  double usd = 0;
  for (const CallRecord& call : record.calls) {
    tokens += call.counted_tokens();
    usd += call.counted_usd().value_or(0);
  }
  if (limits.contains("tokens") && limits["tokens"].is_number())
    left.tokens = std::max(limits["tokens"].get<int64_t>() - tokens, int64_t{0});
  if (limits.contains("usd") && limits["usd"].is_number())
    left.usd = std::max(limits["usd"].get<double>() - usd, 0.0);
  if (limits.contains("s") && limits["s"].is_number())
    left.s = static_cast<int64_t>(
        std::clamp(limits["s"].get<double>() - static_cast<double>(wall_ns_at(record, at_s)) /
                                                   static_cast<double>(kSecondNs),
                   0.0, kMostSeconds));
  return left;
}

}  // namespace

Json spend_left_json(const SearchRecord& record, int64_t at_s) {
  const SpendLeft left = spend_left(record, at_s);
  return {{"tokens", or_null(left.tokens)}, {"usd", or_null(left.usd)}, {"s", or_null(left.s)}};
}

std::string spend_left_in_words(const SearchRecord& record, int64_t at_s) {
  const SpendLeft left = spend_left(record, at_s);
  std::vector<std::string> parts;
  if (left.tokens) parts.push_back(fmt::format("{} tokens", *left.tokens));
  if (left.usd) parts.push_back(fmt::format("{:.2f} usd", *left.usd));
  if (left.s) parts.push_back(format_duration(*left.s * kSecondNs));
  if (parts.empty()) return "";
  return fmt::format(", of --spend {} are left", fmt::join(parts, ", "));
}

std::optional<int64_t> seconds_left(const SearchRecord& record, int64_t at_s) {
  const std::optional<int64_t> most_s = spend_left(record, at_s).s;
  const Json &problems = asked_field(record, "searches"), &most = asked_field(record, "answers");
  if (!problems.is_number() || !most.is_number()) return most_s;
  // Of those that have ended, nothing more is asked for. Those that nobody asked for are not among
  // `problems`.
  const int64_t ended =
      std::ranges::count_if(record.ended, [](const auto& each) { return !each.second.empty(); });
  int64_t judged = 0, left = (problems.get<int64_t>() - ended) * most.get<int64_t>();
  for (const Tree& tree : record.trees) {
    const auto known = static_cast<int64_t>(tree.nodes().size() - tree.open());
    judged += known;
    if (!record.ended.contains(tree.problem())) left -= known;
  }
  if (judged == 0) return most_s;
  const double each_s =
      static_cast<double>(wall_ns_at(record, at_s)) / static_cast<double>(kSecondNs * judged);
  const auto s = static_cast<int64_t>(each_s * static_cast<double>(std::max(left, int64_t{0})));
  return most_s ? std::min(s, *most_s) : s;
}

}  // namespace assay
