#include "report/speed_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "judge/judge.h"
#include "measure/figures.h"
#include "report/rank_sum.h"
#include "report/speed.h"

namespace assay {
namespace {

// After so many launches of both, and the part of the allowed error that it has. Most have six.
struct ChangeLook {
  size_t launches = 0;
  double part = 0;
};
constexpr ChangeLook kChangeLooks[] = {{24, 0.05}, {12, 0.05}, {6, 0.9}};

// Six launches of each have 924 orders, so no chance is below 2 / 924 / 0.9, and Holm's correction
// allows 20 of them. Where more are compared it is for those 20 whose twelve launches fall apart
// most, seen without knowing which are of which run: for an unchanged attempt that says nothing of
// the order, so the correction holds, and what changed plainly is among them.
constexpr size_t kFewest = 6;
constexpr size_t kMostBySix = 20;

// ln: where the baseline's own time differs by more between the runs, the machine was in another
// state, and its slowing down both alike is too much to hope for.
const double kBaselineMayMove = std::log(1.1);

// Of the machine's record, what may differ: the candidates' compiler, as to compare two of them is
// what runs are compared for, and what times are not taken with.
constexpr std::string_view kMayDiffer[] = {"iree-turbine",   "iree-base-compiler", "compiler file",
                                           "compiler build", "iree-base-runtime",  "calibration"};

struct LaunchRatios {
  std::vector<double> launches;  // in order
  double null_candidate = 0, null_baseline = 0;
  double gain = 0;  // ln: by slowing the baseline, as far as launches show it
};

std::vector<double> numbers_in(const Json& list) {
  std::vector<double> numbers;
  for (const Json& each : list)
    if (each.is_number()) numbers.push_back(each.get<double>());
  return numbers;
}

// From the evidence of the stage measure; nothing where it says none.
std::optional<LaunchRatios> ratios_of(const Attempt& attempt, const std::string& baseline) {
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::measure || !stage.evidence.is_object()) continue;
    for (const Json& each : stage.evidence.value("against", Json::array())) {
      if (!each.is_object() || each.value("baseline", Json()) != baseline) continue;
      const Json found = each.value(to_word(kMetricWords, attempt.timing->metric), Json());
      JsonReader fields(found, "what was measured");
      const Gain gain = gain_of(numbers_in(each.value("interference", Json::array())));
      LaunchRatios ratios{numbers_in(fields.value("launches")), fields.number("null_candidate"),
                          fields.number("null_baseline"), gain.is_shown ? gain.estimate : 0};
      if (fields.status() && !ratios.launches.empty()) return ratios;
    }
  }
  return std::nullopt;
}

// The first baseline of both that is certain to be one program: the runs hold no content of files,
// and what a compiler makes changes with it.
std::string common_baseline(const RunRecord& a, const RunRecord& b, const TimedPair& pair,
                            std::span<const std::string> fixed) {
  auto is_named = [](const RunRecord& run, const std::string& name) {
    return run.settings.timing && std::ranges::find(run.settings.timing->against, name) !=
                                      run.settings.timing->against.end();
  };
  for (const Speedup& speedup : pair.a->timing->speedups)
    if (std::ranges::find(fixed, speedup.baseline) != fixed.end() &&
        is_named(a, speedup.baseline) && is_named(b, speedup.baseline) &&
        against(*pair.b->timing, speedup.baseline))
      return speedup.baseline;
  return "";
}

// In what both runs must be alike and are not, by name.
std::vector<std::string> differing_conditions(const RunRecord& a, const RunRecord& b) {
  std::vector<std::string> names;
  if (a.assay_version != b.assay_version) names.emplace_back("assay");
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (one->machine.is_object())
      for (const auto& [name, value] : one->machine.items())
        if (std::ranges::find(kMayDiffer, name) == std::end(kMayDiffer) &&
            (!other->machine.is_object() || other->machine.value(name, Json()) != value ||
             value.is_array()) &&  // merged: which of them an attempt had is not recorded
            std::ranges::find(names, name) == names.end())
          names.push_back(name);
  return names;
}

std::vector<std::string> differing_conditions(const Attempt& a, const Attempt& b) {
  std::vector<std::string> names;
  auto compare = [&](const char* name, bool is_same) {
    if (!is_same) names.emplace_back(name);
  };
  compare("the problem's file", a.origin.problem_sha256 == b.origin.problem_sha256);
  compare("precision", a.precision == b.precision);
  compare("mode", a.mode == b.mode);
  compare("isolation", a.isolation == b.isolation);
  compare("metric", a.timing->metric == b.timing->metric);
  compare("cache", a.timing->cache == b.timing->cache);
  compare("threads", a.timing->threads == b.timing->threads);
  return names;
}

SpeedChange undecided(std::string_view reason, std::string why) {
  SpeedChange change;
  change.reason = reason;
  change.why = std::move(why);
  return change;
}

// What a rule, or the resolution, has against the times of one of them. "" nothing.
std::string distrust(const Speedup& speedup) {
  return speedup.outcome != Outcome::undecided || speedup.reason == kNoisy.name ||
                 speedup.reason == kOutOfTime
             ? ""
             : speedup.reason;
}

// How far the launches of both, as if they were of one run, fall apart in the middle.
double gap_in_the_middle(const LaunchRatios& a, const LaunchRatios& b) {
  std::vector<double> all(a.launches.begin(), a.launches.begin() + kFewest);
  all.insert(all.end(), b.launches.begin(), b.launches.begin() + kFewest);
  std::ranges::sort(all);
  return all[kFewest] - all[kFewest - 1];
}

// Before the correction: with its chance, and undecided or, where nothing speaks of a change, the
// same.
SpeedChange compared(const LaunchRatios& a, const LaunchRatios& b) {
  const size_t common = std::min(a.launches.size(), b.launches.size());
  auto look = std::ranges::find_if(kChangeLooks,
                                   [&](const ChangeLook& each) { return each.launches <= common; });
  if (look == std::end(kChangeLooks))
    return undecided(kFewLaunches, fmt::format("{} launches in A and {} in B; 6 are the least",
                                               a.launches.size(), b.launches.size()));
  const auto first_a = std::span(a.launches).first(look->launches);
  const auto first_b = std::span(b.launches).first(look->launches);
  // What windows themselves cost is a part of both times; where that part changed it may be all
  // that did. So it is with what one gains by slowing the baseline.
  const double band = kDeadBand + std::abs(a.gain - b.gain) +
                      std::abs(window_cost(a.null_candidate) - window_cost(b.null_candidate)) +
                      std::abs(window_cost(a.null_baseline) - window_cost(b.null_baseline));
  if (!std::isfinite(band))
    return undecided(kResolutionLimited, "windows have nothing but their own cost");
  std::vector<double> raised(first_b.begin(), first_b.end());
  std::vector<double> lowered = raised;
  for (double& each : raised) each += band;
  for (double& each : lowered) each -= band;
  SpeedChange change;
  change.launches = static_cast<int>(look->launches);
  change.gap = gap_in_the_middle(a, b);
  change.log_ratio = shift_between(first_a, first_b, kFamilyAlpha * look->part);
  change.chance = std::min(
      1.0, 2 / look->part *
               std::min(chance_of_so_low(raised, first_a), chance_of_so_low(first_a, lowered)));
  if (change.log_ratio.low > band - 2 * kDeadBand && change.log_ratio.high < 2 * kDeadBand - band)
    change.verdict = SpeedVerdict::same;
  else
    change.reason = kNoisy.name;
  return change;
}

SpeedChange compared(const RunRecord& a, const RunRecord& b,
                     const std::vector<std::string>& differing_runs, const TimedPair& pair,
                     std::span<const std::string> fixed) {
  if (!pair.a->timing || !pair.b->timing)
    return undecided(kNotTimed, pair.a->timing ? "it was not timed in B" : "it was not timed in A");
  std::vector<std::string> differing = differing_runs;
  for (std::string& name : differing_conditions(*pair.a, *pair.b))
    differing.push_back(std::move(name));
  if (!differing.empty())
    return undecided(kConditions,
                     fmt::format("not the same in both: {}", fmt::join(differing, ", ")));
  if (pair.a->timing->provisional || pair.b->timing->provisional)
    return undecided(kQuick, "timed with --quick, which proves nothing");
  const std::string baseline = common_baseline(a, b, pair, fixed);
  if (baseline.empty())
    return undecided(kBaseline,
                     fmt::format("both have to be timed against {}: a file may have changed",
                                 fmt::join(fixed, " or ")));
  const Speedup &in_a = *against(*pair.a->timing, baseline),
                &in_b = *against(*pair.b->timing, baseline);
  for (const auto& [speedup, run] : {std::pair(&in_a, "A"), std::pair(&in_b, "B")})
    if (std::string reason = distrust(*speedup); !reason.empty())
      return undecided(reason, fmt::format("in {} its times are in doubt", run));
  auto baseline_ns = [&](const Speedup& speedup) {
    return by(pair.a->timing->metric, speedup.cpu, speedup.wall).median_ns;
  };
  const double moved = std::log(baseline_ns(in_b) / baseline_ns(in_a));
  if (!(std::abs(moved) <= kBaselineMayMove))
    return undecided(kBaseline,
                     fmt::format("{} itself takes {:.2f} times as long in B: the machine was in "
                                 "another state",
                                 baseline, std::exp(moved)));
  const auto ratios_a = ratios_of(*pair.a, baseline), ratios_b = ratios_of(*pair.b, baseline);
  if (!ratios_a || !ratios_b) return undecided(kFewLaunches, "no launches are recorded");
  SpeedChange change = compared(*ratios_a, *ratios_b);
  change.baseline = baseline;
  return change;
}

// Holm's correction, for each look by itself, since each has its part of the error.
void correct(std::vector<SpeedChange>& changes) {
  std::vector<SpeedChange*> all;
  for (SpeedChange& change : changes)
    if (change.launches > 0) all.push_back(&change);
  std::ranges::stable_sort(all, std::greater(), &SpeedChange::gap);
  for (const ChangeLook& look : kChangeLooks) {
    const size_t family = look.launches == kFewest ? std::min(kMostBySix, all.size()) : all.size();
    auto is_of_look = [&](const SpeedChange* change) {
      return change->launches == static_cast<int>(look.launches);
    };
    std::vector<double> chances;
    for (const SpeedChange* change : std::span(all).first(family))
      chances.push_back(is_of_look(change) ? change->chance : 1);
    const std::vector<double> adjusted = holm_adjusted(chances);
    for (size_t i = 0; i < family; ++i)
      if (is_of_look(all[i])) all[i]->adjusted = adjusted[i];
  }
}

}  // namespace

std::vector<SpeedChange> speed_changes(const RunRecord& a, const RunRecord& b,
                                       std::span<const TimedPair> pairs,
                                       std::span<const std::string> fixed) {
  const std::vector<std::string> differing = differing_conditions(a, b);
  std::vector<SpeedChange> changes;
  for (const TimedPair& pair : pairs) changes.push_back(compared(a, b, differing, pair, fixed));
  correct(changes);
  for (SpeedChange& change : changes) {
    if (change.launches == 0) continue;
    if (change.adjusted <= kFamilyAlpha) {
      change.verdict = change.log_ratio.estimate > 0 ? SpeedVerdict::faster : SpeedVerdict::slower;
      change.reason.clear();
    } else if (change.verdict == SpeedVerdict::undecided) {
      const bool is_by_itself = change.chance <= kFamilyAlpha;
      if (is_by_itself) change.reason = kCorrection;
      change.why =
          is_by_itself
              ? fmt::format(
                    "a change by itself, which by {} launches cannot be told from chance "
                    "among all that were compared: run it again and compare it alone",
                    change.launches)
              : fmt::format("after {} launches of each it is {:.3g} to {:.3g} times as fast",
                            change.launches, std::exp(change.log_ratio.low),
                            std::exp(change.log_ratio.high));
    }
  }
  return changes;
}

}  // namespace assay
