#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "report/causes.h"
#include "report/figures.h"
#include "report/format.h"

namespace assay {
namespace {

bool passed(const Attempt& attempt) { return attempt.deciding_stage() == nullptr; }

Change change_between(const Attempt& a, const Attempt& b) {
  if (a.verdict == Verdict::not_judged || b.verdict == Verdict::not_judged) return Change::unjudged;
  if (passed(a) != passed(b)) return passed(a) ? Change::broken : Change::fixed;
  if (passed(a)) return Change::unchanged;
  const StageRecord& was = *a.deciding_stage();
  const StageRecord& is = *b.deciding_stage();
  bool same = was.stage == is.stage && was.status == is.status && was.failure == is.failure &&
              cause_of(was.error) == cause_of(is.error);
  return same ? Change::unchanged : Change::changed;
}

std::vector<ComparedAttempt> pair_up(const std::vector<Attempt>& a, const std::vector<Attempt>& b) {
  std::map<std::string_view, ComparedAttempt> pairs;
  for (const Attempt& attempt : a) pairs[attempt.id].a = &attempt;
  for (const Attempt& attempt : b) pairs[attempt.id].b = &attempt;
  std::vector<ComparedAttempt> compared;
  for (auto& [id, pair] : pairs) {
    pair.change = !pair.b   ? Change::only_a
                  : !pair.a ? Change::only_b
                            : change_between(*pair.a, *pair.b);
    compared.push_back(pair);
  }
  return compared;
}

std::string without_unit(std::string name) {
  for (std::string_view unit : {"_ns", "_bytes"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return name;
}

// As it would be typed: "5m", "8G".
std::string shown(const std::string& name, const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_integer() && value > 0 && name.ends_with("_ns"))
    return exact_duration(value.get<int64_t>());
  if (value.is_number_integer() && value > 0 && name.ends_with("_bytes"))
    return exact_bytes(value.get<uint64_t>());
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

void add_differences(const Json& a, const Json& b, std::vector<Difference>& differences) {
  auto at = [](const Json& json, const std::string& name) {
    auto found = json.is_object() ? json.find(name) : json.end();
    return found == json.end() ? std::string("-") : shown(name, *found);
  };
  std::vector<std::string> names;
  for (const Json* json : {&a, &b})
    if (json->is_object())
      for (const auto& [name, unused] : json->items())
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  for (const std::string& name : names)
    if (at(a, name) != at(b, name))
      differences.push_back({without_unit(name), at(a, name), at(b, name)});
}

std::vector<Difference> find_differences(const RunRecord& a, const RunRecord& b) {
  std::vector<Difference> differences;
  add_differences(to_json(a)["settings"], to_json(b)["settings"], differences);
  add_differences({{"assay", a.assay_version}}, {{"assay", b.assay_version}}, differences);
  add_differences(a.machine, b.machine, differences);
  return differences;
}

template <class T>
std::optional<double> as_number(const std::optional<T>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::string bytes_said(double bytes) { return format_bytes(static_cast<uint64_t>(bytes)); }
std::string duration_said(double ns) { return format_duration(static_cast<int64_t>(ns)); }
std::string number_said(double number) { return fmt::format("{:.4g}", number); }

struct Cost {
  std::string_view name, in_words;
  std::optional<double> (*of)(const AttemptFigures& figures);  // nothing: it is not known
  std::string (*said)(double value);
  bool is_of_machine = false;  // as much as of what is compared
};
constexpr Cost kCosts[] = {
    {"artifact_bytes", "artifact size",
     [](const AttemptFigures& figures) { return as_number(figures.artifact_bytes); }, bytes_said},
    {"compile_peak_bytes", "compile memory",
     [](const AttemptFigures& figures) { return as_number(figures.compile_peak_bytes); },
     bytes_said},
    {"compile_ns", "compile time",
     [](const AttemptFigures& figures) { return as_number(figures.compile_ns); }, duration_said,
     true},
    {"dispatches", "dispatches of a call",
     [](const AttemptFigures& figures) { return as_number(figures.dispatches); }, number_said},
    {"peak_bytes", "peak memory",
     [](const AttemptFigures& figures) { return as_number(figures.peak_bytes); }, bytes_said},
    {"rms_ratio", "error beside torch's",
     [](const AttemptFigures& figures) { return figures.rms_ratio; }, number_said},
};

std::vector<ComparedFigures> compared_figures(const std::vector<ComparedAttempt>& attempts) {
  std::vector<ComparedFigures> compared;
  for (const ComparedAttempt& pair : attempts) {
    if (!pair.a || !pair.b || !passed(*pair.a) || !passed(*pair.b)) continue;
    const AttemptFigures a = figures_of(*pair.a), b = figures_of(*pair.b);
    ComparedFigures& figures = compared.emplace_back(pair.a->id);
    for (const Cost& cost : kCosts) {
      figures.a.push_back(cost.of(a));
      figures.b.push_back(cost.of(b));
    }
  }
  return compared;
}

std::optional<CostRatios> ratios(const std::vector<ComparedFigures>& figures, size_t cost) {
  CostRatios ratios;
  double sum_of_logarithms = 0;
  for (const ComparedFigures& each : figures) {
    const std::optional<double> ratio = each.ratio(cost);
    if (!ratio) continue;
    sum_of_logarithms += std::log(*ratio);
    if (ratios.count == 0 || *ratio < ratios.smallest.ratio) ratios.smallest = {*ratio, each.id};
    if (ratios.count == 0 || *ratio > ratios.largest.ratio) ratios.largest = {*ratio, each.id};
    ++ratios.count;
  }
  if (ratios.count == 0) return std::nullopt;
  ratios.geometric_mean = std::exp(sum_of_logarithms / static_cast<double>(ratios.count));
  return ratios;
}

void add_speeds(const RunRecord& a, const RunRecord& b, std::vector<ComparedAttempt>& attempts,
                std::span<const std::string> fixed) {
  std::vector<TimedPair> pairs;
  std::vector<ComparedAttempt*> owners;
  for (ComparedAttempt& pair : attempts) {
    if (!pair.a || !pair.b || pair.a->verdict != Verdict::accepted ||
        pair.b->verdict != Verdict::accepted || (!pair.a->timing && !pair.b->timing))
      continue;
    pairs.push_back({pair.a, pair.b});
    owners.push_back(&pair);
  }
  std::vector<SpeedChange> changes = speed_changes(a, b, pairs, fixed);
  for (size_t i = 0; i < owners.size(); ++i) owners[i]->speed = std::move(changes[i]);
}

}  // namespace

std::optional<double> ComparedFigures::ratio(size_t cost) const {
  if (!a[cost] || !b[cost] || *a[cost] <= 0 || *b[cost] <= 0) return std::nullopt;
  return *b[cost] / *a[cost];
}

size_t Comparison::count(Change change) const {
  return static_cast<size_t>(std::ranges::count(attempts, change, &ComparedAttempt::change));
}

size_t Comparison::count(SpeedVerdict verdict) const {
  return static_cast<size_t>(std::ranges::count_if(attempts, [&](const ComparedAttempt& pair) {
    return pair.speed && pair.speed->verdict == verdict;
  }));
}

bool Comparison::is_timed() const {
  return std::ranges::any_of(attempts,
                             [](const ComparedAttempt& pair) { return pair.speed.has_value(); });
}

size_t Comparison::in_common() const {
  return attempts.size() - count(Change::only_a) - count(Change::only_b);
}

Comparison compare(const ReportInput& a, const ReportInput& b, std::span<const std::string> fixed) {
  Comparison comparison{
      a.folder, b.folder, find_differences(a.run, b.run), pair_up(a.attempts, b.attempts), {},
      {},       {}};
  add_speeds(a.run, b.run, comparison.attempts, fixed);
  comparison.figures = compared_figures(comparison.attempts);
  for (const Cost& cost : kCosts)
    comparison.costs.push_back({cost.name, cost.in_words,
                                ratios(comparison.figures, comparison.costs.size()), cost.said,
                                cost.is_of_machine});
  return comparison;
}

bool keep_author(ReportInput& run, const std::string& author) {
  std::erase_if(run.attempts, [&](const Attempt& attempt) { return attempt.author != author; });
  for (Attempt& attempt : run.attempts) {
    constexpr int kParts = 4;  // suite, level, target, problem
    size_t end = 0;
    for (int part = 0; part < kParts && end != std::string::npos; ++part)
      end = attempt.id.find('/', end + (part > 0 ? 1 : 0));
    if (end == std::string::npos) continue;  // the default author's
    attempt.id.resize(end);
    if (attempt.candidate > 1) attempt.id += fmt::format("__s{}", attempt.candidate);
  }
  return !run.attempts.empty();
}

int exit_status(const Comparison& comparison) {
  if (comparison.count(Change::broken) > 0 || comparison.count(SpeedVerdict::slower) > 0) return 1;
  for (const ComparedAttempt& pair : comparison.attempts) {
    if (pair.change == Change::unjudged && passed(*pair.a)) return 2;
    if (pair.a && pair.b && pair.a->timing && !pair.b->timing) return 2;
  }
  return 0;
}

}  // namespace assay
