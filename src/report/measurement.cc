#include "report/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/units.h"
#include "report/evidence.h"
#include "report/speed.h"
#include "report/table.h"

namespace assay {
namespace {

std::string figure_line(const std::string& label, const std::string& what) {
  return fmt::format("    {:<15} {}\n", label, what);
}

// "1.21x to 1.35x by CPU time", of the logarithms that one clock has of each launch.
std::string ratios_by(const Json& duel, const char* clock, std::string_view name) {
  auto found = duel.find(clock);
  if (found == duel.end() || !found->is_object()) return "";
  auto launches = found->find("launches");
  if (launches == found->end() || !launches->is_array() || launches->empty()) return "";
  std::optional<double> least, most;
  for (const Json& each : *launches) {
    if (!each.is_number()) return "";
    const double ratio = std::exp(each.get<double>());
    least = std::min(least.value_or(ratio), ratio);
    most = std::max(most.value_or(ratio), ratio);
  }
  return fmt::format("{}x to {}x by {}", ratio_in_words(*least), ratio_in_words(*most), name);
}

std::string duel_in_words(const Json& duel) {
  if (!duel.is_object()) return "";
  const std::string label = "against " + text_at(duel, "baseline");
  if (std::string why = text_at(duel, "unusable"); !why.empty())
    return figure_line(label, "it could not be used: " + why);
  // Of the stage judge.
  const std::string outcome = text_at(duel, "outcome"), why = text_at(duel, "why");
  if (!outcome.empty()) return figure_line(label, why.empty() ? outcome : outcome + ": " + why);
  std::string words;
  for (const auto& [clock, name] :
       {std::pair{"cpu", in_words(Metric::cpu)}, {"wall", in_words(Metric::wall)}})
    if (std::string ratios = ratios_by(duel, clock, name); !ratios.empty())
      words += (words.empty() ? "" : ", ") + ratios;
  return words.empty() ? "" : figure_line(label, "launches from " + words);
}

// Of a winner of many: what was said of it first.
std::string first_in_words(const Json& said) {
  if (!said.is_object()) return "";
  auto ratio = [&](const char* name) {
    auto found = said.find(name);
    return found != said.end() && found->is_number() ? ratio_in_words(found->get<double>()) : "-";
  };
  return figure_line("first",
                     fmt::format("{}, {}x {} ({} to {})", text_at(said, "outcome"), ratio("ratio"),
                                 text_at(said, "baseline"), ratio("low"), ratio("high")));
}

// Of one measurement: a winner of many has two.
std::string measured_in_words(const Json& evidence, std::string_view label) {
  std::string words;
  auto measured = evidence.find("measured");
  if (measured != evidence.end() && measured->is_object()) {
    const auto launches = number_at(*measured, "launches"), pairs = number_at(*measured, "pairs"),
               calls = number_at(*measured, "calls");
    if (launches && pairs && calls)
      words += figure_line(
          std::string(label),
          fmt::format(
              "{} of {}, {} in a window{}",
              *launches == 1 ? "1 launch" : fmt::format("{} launches", *launches),
              format_count(static_cast<size_t>(*pairs), "pair"),
              format_count(static_cast<size_t>(*calls), "call"),
              measured->value("out_of_time", Json()) == true ? "; then the time was up" : ""));
  }
  auto against = evidence.find("against");
  if (against != evidence.end() && against->is_array())
    for (const Json& duel : *against) words += duel_in_words(duel);
  return words;
}

}  // namespace

std::string measurement_in_words(const Json& evidence) {
  if (!evidence.is_object()) return "";
  std::string words;
  if (auto first = evidence.find("first"); first != evidence.end() && first->is_object())
    words += measured_in_words(*first, "measured first");
  else if (first != evidence.end() && first->is_array())
    for (const Json& each : *first) words += first_in_words(each);
  words += measured_in_words(evidence, words.empty() ? "measured" : "and again");
  Json others = evidence;
  for (const char* known : {"measured", "against", "first"}) others.erase(known);
  return words + evidence_in_words(others);
}

}  // namespace assay
