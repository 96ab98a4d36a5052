#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/comparison.h"
#include "report/format.h"
#include "report/speed.h"
#include "report/table.h"

namespace assay {
namespace {

struct Section {
  Change change;
  std::string_view title;
};
// In the order in which they matter. What is unchanged is only counted.
constexpr Section kSections[] = {
    {Change::broken, "Broken: passed in A, not in B"},
    {Change::fixed, "Fixed: passed in B, not in A"},
    {Change::changed, "Changed: passed in neither, and failed otherwise"},
    {Change::unjudged, "Could not be judged in one of them"},
    {Change::only_a, "Only in A"},
    {Change::only_b, "Only in B"},
};

struct SpeedSection {
  SpeedVerdict verdict;
  std::string_view title;
};
// What is the same is only counted.
constexpr SpeedSection kSpeedSections[] = {
    {SpeedVerdict::slower, "Slower in B"},
    {SpeedVerdict::faster, "Faster in B"},
    {SpeedVerdict::undecided, "Undecided which is faster"},
};

std::string counts_in_words(const Comparison& comparison) {
  std::string text;
  for (const auto& word : kChangeWords)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", comparison.count(word.value),
                        word.value == Change::only_a   ? "only in A"
                        : word.value == Change::only_b ? "only in B"
                                                       : word.word);
  return text;
}

std::string speeds_in_words(const Comparison& comparison) {
  std::string text = "speed of B against A: ";
  for (const auto& word : kSpeedVerdictWords)
    text += fmt::format("{}{} {}", text.ends_with(": ") ? "" : ", ", comparison.count(word.value),
                        word.word);
  return text;
}

// A line for each that the attempts have.
std::vector<std::string> costs_in_words(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const ComparedCost& cost : comparison.costs)
    if (const auto& of = cost.ratios)
      lines.push_back(fmt::format(
          "{}, B over A: {:.3f} (geometric mean of {}), from {:.3f} ({}) to {:.3f} ({})",
          cost.in_words, of->geometric_mean, of->count, of->smallest.ratio, of->smallest.id,
          of->largest.ratio, of->largest.id));
  if (lines.empty()) lines.emplace_back("sizes, times and errors: nothing to compare");
  return lines;
}

// How far an attempt's figures are from the same, whichever way. What is the machine's as well
// decides no order.
double furthest_of(const Comparison& comparison, const ComparedFigures& figures) {
  double most = 0;
  for (size_t cost = 0; cost < comparison.costs.size(); ++cost)
    if (const auto ratio = figures.ratio(cost); ratio && !comparison.costs[cost].is_of_machine)
      most = std::max(most, std::abs(std::log(*ratio)));
  return most;
}

// Attempt by attempt, where there are several: what differs by a hundredth or more, most first, and
// so many at most.
std::vector<const ComparedFigures*> changed_figures(const Comparison& comparison, size_t most) {
  constexpr double kLeast = 0.01;
  std::vector<const ComparedFigures*> changed;
  if (comparison.figures.size() < 2) return changed;  // the line of each cost has it
  for (const ComparedFigures& each : comparison.figures)
    if (furthest_of(comparison, each) >= kLeast) changed.push_back(&each);
  std::ranges::stable_sort(changed, std::greater(), [&](const ComparedFigures* each) {
    return furthest_of(comparison, *each);
  });
  changed.resize(std::min(changed.size(), most));
  return changed;
}

std::string title_of_figures(size_t shown, const Comparison& comparison) {
  return fmt::format("B over A in {} of the {} that passed in both, what differs most first", shown,
                     comparison.figures.size());
}

std::string figures_text(const Comparison& comparison) {
  constexpr size_t kMost = 10;
  const auto changed = changed_figures(comparison, kMost);
  if (changed.empty()) return "";
  std::vector<Row> rows{{"  ATTEMPT"}};
  for (const ComparedCost& cost : comparison.costs) rows[0].emplace_back(cost.in_words);
  for (const ComparedFigures* each : changed) {
    Row& row = rows.emplace_back(Row{"  " + terminal_text(each->id)});
    for (size_t cost = 0; cost < comparison.costs.size(); ++cost) {
      const auto ratio = each->ratio(cost);
      row.push_back(ratio ? fmt::format("{:.3f}", *ratio) : "-");
    }
  }
  return "\n" + title_of_figures(changed.size(), comparison) + "\n" +
         text_table(rows, comparison.columns);
}

std::string figures_page(const Comparison& comparison) {
  constexpr size_t kMost = 50;
  const auto changed = changed_figures(comparison, kMost);
  if (changed.empty()) return "";
  std::string text = fmt::format("\n\n<details><summary>{}</summary>\n\n",
                                 title_of_figures(changed.size(), comparison));
  Row head{"attempt"};
  for (const ComparedCost& cost : comparison.costs) head.emplace_back(cost.in_words);
  text += markdown_row(head) + markdown_rule(head.size());
  for (const ComparedFigures* each : changed) {
    Row row{markdown_text(each->id)};
    for (size_t cost = 0; cost < comparison.costs.size(); ++cost) {
      auto said = [&](const std::optional<double>& value) {
        return value ? comparison.costs[cost].said(*value) : std::string("-");
      };
      const std::string a = said(each->a[cost]), b = said(each->b[cost]);
      const auto ratio = each->ratio(cost);
      row.push_back(a + (a == b ? "" : " to " + b) +
                    (ratio ? fmt::format(" ({:.3f})", *ratio) : ""));
    }
    text += markdown_row(row);
  }
  return text + "\n</details>";
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<Row> rows{
      {"MADE WITH", "A", "B"},
      {"run", terminal_text(comparison.folder_a), terminal_text(comparison.folder_b)}};
  for (const Difference& difference : comparison.differences)
    rows.push_back(
        {terminal_text(difference.what), terminal_text(difference.a), terminal_text(difference.b)});
  std::string text = text_table(rows, comparison.columns);
  for (const Section& section : kSections) {
    if (comparison.count(section.change) == 0) continue;
    text += fmt::format("\n{} ({})\n", section.title, comparison.count(section.change));
    for (const ComparedAttempt& pair : comparison.attempts) {
      if (pair.change != section.change) continue;
      text += "  " + pair.either().id + "\n";
      if (pair.a) text += "    A  " + terminal_text(end_in_words(*pair.a)) + "\n";
      if (pair.b) text += "    B  " + terminal_text(end_in_words(*pair.b)) + "\n";
      if (section.change == Change::broken)
        text += "    " + terminal_text(pair.b->reproduce) + "\n";
    }
  }
  for (const SpeedSection& section : kSpeedSections) {
    if (comparison.count(section.verdict) == 0) continue;
    text += fmt::format("\n{} ({})\n", section.title, comparison.count(section.verdict));
    for (const ComparedAttempt& pair : comparison.attempts)
      if (pair.speed && pair.speed->verdict == section.verdict)
        text += "  " + pair.a->id + "\n    " + terminal_text(in_words(*pair.speed)) + "\n";
  }
  text += figures_text(comparison) + "\n";
  for (const std::string& line : costs_in_words(comparison)) text += line + "\n";
  if (comparison.is_timed()) text += speeds_in_words(comparison) + "\n";
  return text + counts_in_words(comparison) + "\n";
}

std::string comparison_page(const Comparison& comparison) {
  std::string text = fmt::format("# assay comparison\n\n**{}**\n\n", counts_in_words(comparison));
  text +=
      markdown_row({"made with", "A", "B"}) + markdown_rule(3) +
      markdown_row({"run", markdown_text(comparison.folder_a), markdown_text(comparison.folder_b)});
  for (const Difference& difference : comparison.differences)
    text += markdown_row(
        {markdown_text(difference.what), markdown_text(difference.a), markdown_text(difference.b)});
  for (const Section& section : kSections) {
    if (comparison.count(section.change) == 0) continue;
    text += fmt::format("\n## {}\n\n", section.title);
    text += markdown_row({"attempt", "A", "B"}) + markdown_rule(3);
    for (const ComparedAttempt& pair : comparison.attempts)
      if (pair.change == section.change)
        text += markdown_row({markdown_text(pair.either().id),
                              pair.a ? markdown_text(end_in_words(*pair.a)) : "-",
                              pair.b ? markdown_text(end_in_words(*pair.b)) : "-"});
  }
  for (const SpeedSection& section : kSpeedSections) {
    if (comparison.count(section.verdict) == 0) continue;
    text += fmt::format("\n## {}\n\n", section.title);
    text += markdown_row({"attempt", "speed"}) + markdown_rule(2);
    for (const ComparedAttempt& pair : comparison.attempts)
      if (pair.speed && pair.speed->verdict == section.verdict)
        text += markdown_row({markdown_text(pair.a->id), markdown_text(in_words(*pair.speed))});
  }
  if (comparison.is_timed()) text += "\n- " + markdown_text(speeds_in_words(comparison));
  for (const std::string& line : costs_in_words(comparison)) text += "\n- " + markdown_text(line);
  return text + figures_page(comparison) + "\n";
}

Json side_json(const Attempt* attempt) {
  if (!attempt) return nullptr;
  Json whole = to_json(*attempt);
  Json json;
  for (const char* name : {"verdict", "stage", "class", "error", "reproduce"})
    json[name] = whole[name];
  return json;
}

Json ratios_json(const std::optional<CostRatios>& ratios) {
  if (!ratios) return nullptr;
  auto extreme = [](const CostRatios::Extreme& each) {
    return Json{{"ratio", each.ratio}, {"id", each.id}};
  };
  return {{"count", ratios->count},
          {"geometric_mean", ratios->geometric_mean},
          {"smallest", extreme(ratios->smallest)},
          {"largest", extreme(ratios->largest)}};
}

Json figures_json(const Comparison& comparison, const ComparedFigures& figures) {
  // Most are counts.
  auto number = [](const std::optional<double>& value) {
    if (!value) return Json();
    const bool is_whole = *value == std::floor(*value) && std::abs(*value) < 0x1p53;
    return is_whole ? Json(static_cast<int64_t>(*value)) : Json(*value);
  };
  Json json{{"id", figures.id}};
  for (size_t i = 0; i < comparison.costs.size(); ++i)
    json[std::string(comparison.costs[i].name)] = {{"a", number(figures.a[i])},
                                                   {"b", number(figures.b[i])},
                                                   {"ratio", or_null(figures.ratio(i))}};
  return json;
}

Json speed_json(const std::string& id, const SpeedChange& change) {
  const bool is_compared = change.launches > 0;
  auto number = [&](double value) { return is_compared ? Json(value) : Json(); };
  return {{"id", id},
          {"verdict", to_word(kSpeedVerdictWords, change.verdict)},
          {"reason", change.reason.empty() ? Json() : Json(change.reason)},
          {"why", change.why.empty() ? Json() : Json(change.why)},
          {"baseline", is_compared ? Json(change.baseline) : Json()},
          {"launches", is_compared ? Json(change.launches) : Json()},
          {"ratio", number(std::exp(change.log_ratio.estimate))},
          {"low", number(std::exp(change.log_ratio.low))},
          {"high", number(std::exp(change.log_ratio.high))},
          {"chance", number(change.chance)},
          {"corrected", number(change.adjusted)}};
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json json{{"schema", kSchema},         {"a", comparison.folder_a},
            {"b", comparison.folder_b},  {"differences", Json::array()},
            {"counts", Json::object()},  {"ratios", Json::object()},
            {"attempts", Json::array()}, {"speeds", Json::array()},
            {"figures", Json::array()}};
  for (const Difference& difference : comparison.differences)
    json["differences"].push_back(
        {{"what", difference.what}, {"a", difference.a}, {"b", difference.b}});
  for (const ComparedCost& cost : comparison.costs)
    json["ratios"][std::string(cost.name)] = ratios_json(cost.ratios);
  for (const ComparedFigures& each : comparison.figures)
    json["figures"].push_back(figures_json(comparison, each));
  for (const auto& word : kChangeWords)
    json["counts"][std::string(word.word)] = comparison.count(word.value);
  for (const ComparedAttempt& pair : comparison.attempts)
    if (pair.change != Change::unchanged)
      json["attempts"].push_back({{"id", pair.either().id},
                                  {"change", to_word(kChangeWords, pair.change)},
                                  {"a", side_json(pair.a)},
                                  {"b", side_json(pair.b)}});
  for (const ComparedAttempt& pair : comparison.attempts)
    if (pair.speed) json["speeds"].push_back(speed_json(pair.a->id, *pair.speed));
  return json;
}

void render_terminal_comparison(const Comparison& comparison, ReportSink& sink) {
  sink.write(comparison_text(comparison));
}

void render_markdown_comparison(const Comparison& comparison, ReportSink& sink) {
  sink.write(comparison_page(comparison));
}

void render_json_comparison(const Comparison& comparison, ReportSink& sink) {
  sink.write(dump_json(comparison_json(comparison), 1) + "\n");
}

std::string end_in_words(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  return verdict_in_words(attempt) + (deciding ? ": " + deciding->error : "");
}

std::string in_words(const SpeedChange& change) {
  if (change.verdict == SpeedVerdict::undecided)
    return fmt::format("undecided ({}): {}", change.reason, change.why);
  return fmt::format(
      "{}: {} times as fast ({} to {}), by {} launches of each against {}; an unchanged one looks "
      "so "
      "once in {:.0f} times, any of all that were compared once in {:.0f}",
      to_word(kSpeedVerdictWords, change.verdict),
      ratio_in_words(std::exp(change.log_ratio.estimate)),
      ratio_in_words(std::exp(change.log_ratio.low)),
      ratio_in_words(std::exp(change.log_ratio.high)), change.launches, change.baseline,
      1 / change.chance, 1 / change.adjusted);
}

}  // namespace assay
