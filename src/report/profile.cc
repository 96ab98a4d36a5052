#include "report/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/escape.h"
#include "base/units.h"
#include "report/format.h"
#include "report/ranking.h"
#include "report/speed.h"
#include "report/user_files.h"

namespace assay {
namespace {

std::string call_time(double ns) { return format_duration(std::llround(ns)); }

std::string three_digits(std::optional<double> value) {
  return value ? fmt::format("{:.3g}", *value) : "-";
}

// The operation, where it is a generated one; else the problem.
std::string what_is_profiled(const Attempt& attempt) {
  return attempt.operation ? attempt.operation->name : problem_in_level(attempt);
}

std::string who_is_profiled(const Attempt& attempt) {
  std::string name = attempt.author;
  if (attempt.candidate > 1) name += fmt::format("__s{}", attempt.candidate);
  const std::string file = file_beside_id(attempt);
  return file.empty() ? name : fmt::format("{} ({})", name, file);
}

bool disagrees(const Profile& profile) { return profile.check && !profile.check->agrees; }

// As it was profiled, else as its definition has it.
struct WorkOfCall {
  std::optional<int64_t> flops;
  std::optional<uint64_t> bytes;
};

WorkOfCall work_of(const Attempt& attempt) {
  if (attempt.profile) return {attempt.profile->flops, attempt.profile->bytes};
  if (attempt.operation) return {attempt.operation->flops, attempt.operation->bytes};
  return {};
}

Row profile_row(const Attempt& attempt) {
  Row row{who_is_profiled(attempt), profile_cell(attempt)};
  if (const auto& profile = attempt.profile) {
    const ProfileRates rates = rates_of(*profile);
    row.insert(
        row.end(),
        {fmt::format("{} to {}", call_time(profile->low_ns), call_time(profile->high_ns)),
         call_time(profile->min_ns), three_digits(rates.gflop_per_s), three_digits(rates.gb_per_s),
         rates.roofline_percent               ? fmt::format("{:.1f} %", *rates.roofline_percent)
         : profile->type_without_peak.empty() ? "-"
                                              : "none for " + profile->type_without_peak,
         profile->runner + (disagrees(*profile) ? ", disputed" : "")});
  } else {
    row.insert(row.end(), 6, "-");
  }
  row.push_back(verdict_in_words(attempt));
  return row;
}

}  // namespace

ProfileRates rates_of(const Profile& profile) {
  ProfileRates rates;
  rates.gb_per_s = static_cast<double>(profile.bytes) / profile.median_ns;
  if (profile.flops.value_or(0) > 0)
    rates.gflop_per_s = static_cast<double>(*profile.flops) / profile.median_ns;
  if (profile.bound_ns) rates.roofline_percent = 100 * *profile.bound_ns / profile.median_ns;
  return rates;
}

std::optional<double> intensity_of(const Attempt& attempt) {
  const WorkOfCall work = work_of(attempt);
  if (work.flops.value_or(0) <= 0 || work.bytes.value_or(0) == 0) return std::nullopt;
  return static_cast<double>(*work.flops) / static_cast<double>(*work.bytes);
}

std::string configuration_of(const Attempt& attempt) {
  const size_t at = attempt.author.find('@');
  return at == std::string::npos ? "default" : attempt.author.substr(at + 1);
}

std::string profile_cell(const Attempt& attempt) {
  return attempt.profile ? call_time(attempt.profile->median_ns) : "-";
}

bool has_profiles(const RunRecord& run, const std::vector<Attempt>& attempts) {
  auto is_profiled = [](const Attempt& each) { return each.profile.has_value(); };
  return is_profile(run.settings) || std::ranges::any_of(attempts, is_profiled);
}

std::vector<Row> profile_rows(const RunRecord& run, const std::vector<Attempt>& attempts) {
  if (!has_profiles(run, attempts)) return {};
  std::vector<Row> rows{{"problem", "author", "time (profile)", "interval", "min", "GFLOP/s",
                         "GB/s", "roofline", "runner", "verdict"}};
  for (OfProblem& problem : by_problem(attempts)) {
    auto time = [](const Attempt* attempt) {
      return attempt->profile ? attempt->profile->median_ns : HUGE_VAL;
    };
    std::ranges::stable_sort(problem.attempts, std::less<>(), time);
    for (const Attempt* attempt : problem.attempts) {
      if (attempt->timing) continue;
      Row row = profile_row(*attempt);
      row.insert(row.begin(), what_is_profiled(*attempt) + problem.on_target);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string profile_title(const std::vector<Attempt>& attempts) {
  std::set<std::string> clocks;
  for (const Attempt& attempt : attempts)
    if (attempt.profile) clocks.emplace(in_words(attempt.profile->metric));
  if (clocks.empty()) return "profile: nothing was timed";
  return fmt::format(
      "profile, of each problem the fastest first: times of one call, by {}, in one launch each. "
      "They are provisional, "
      "and held against nothing: --against says who is faster",
      fmt::join(clocks, " or "));
}

std::vector<std::pair<std::string_view, std::string>> profile_fields(const Attempt& attempt) {
  const auto& profile = attempt.profile;
  const auto& operation = attempt.operation;
  std::optional<ProfileRates> rates;
  if (profile) rates = rates_of(*profile);
  auto text = [](std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; };
  auto of = [&](double Profile::* field) {
    return profile ? fmt::format("{}", (*profile).*field) : "";
  };
  std::vector<std::string> arguments;
  if (operation)
    for (const auto& [name, value] : operation->arguments)
      arguments.push_back(fmt::format("{}={}", name, value));
  const WorkOfCall work = work_of(attempt);
  return {
      {"kind", operation ? operation->kind : ""},
      {"operation", operation ? operation->name : ""},
      {"arguments", fmt::format("{}", fmt::join(arguments, " "))},
      {"configuration", configuration_of(attempt)},
      {"bytes", work.bytes ? std::to_string(*work.bytes) : ""},
      {"flops", work.flops ? std::to_string(*work.flops) : ""},
      {"intensity", text(intensity_of(attempt))},
      {"code_bytes", profile && profile->code_bytes ? std::to_string(*profile->code_bytes) : ""},
      {"runner", profile ? profile->runner : ""},
      {"runners_agree", !profile || !profile->check ? ""
                        : profile->check->agrees    ? "true"
                                                    : "false"},
      {"metric", profile ? std::string(to_word(kMetricWords, profile->metric)) : ""},
      {"profile_windows", profile ? std::to_string(profile->windows) : ""},
      {"profile_calls", profile ? std::to_string(profile->calls) : ""},
      {"profile_median_ns", of(&Profile::median_ns)},
      {"profile_low_ns", of(&Profile::low_ns)},
      {"profile_high_ns", of(&Profile::high_ns)},
      {"profile_min_ns", of(&Profile::min_ns)},
      {"profile_gflop_per_s", rates ? text(rates->gflop_per_s) : ""},
      {"profile_gb_per_s", rates ? text(rates->gb_per_s) : ""},
      {"profile_roofline_percent", rates ? text(rates->roofline_percent) : ""}};
}

std::string profile_in_words(const Attempt& attempt) {
  std::string text;
  if (const auto& operation = attempt.operation) {
    text += fmt::format("operation\n  {}, {}\n", printable(operation->name, false),
                        format_bytes(operation->bytes));
    if (const auto intensity = intensity_of(attempt))
      text += fmt::format("  {:.3g} operations for each byte\n", *intensity);
  }
  if (!attempt.profile) return text;
  const Profile& profile = *attempt.profile;
  const ProfileRates rates = rates_of(profile);
  text += fmt::format(
      "time (profile), by {}, caches {}, {}, called by {}\n"
      "  a call   {}; {} to {} in {} windows of one launch, the least {}\n"
      "  in it    {} in a window, which by itself takes {} and was taken off\n"
      "  rates    {:.3g} GB/s",
      in_words(profile.metric), to_word(kCacheModeWords, profile.cache),
      profile.threads == 1 ? "one thread" : fmt::format("{} threads", profile.threads),
      profile.runner, call_time(profile.median_ns), call_time(profile.low_ns),
      call_time(profile.high_ns), profile.windows, call_time(profile.min_ns),
      profile.calls == 1 ? "one call" : fmt::format("{} calls", profile.calls),
      call_time(profile.window_ns), rates.gb_per_s);
  if (rates.gflop_per_s) text += fmt::format(", {:.3g} GFLOP/s", *rates.gflop_per_s);
  if (rates.roofline_percent)
    text += fmt::format("; {:.1f} % of the roofline, {}", *rates.roofline_percent,
                        call_time(*profile.bound_ns));
  text += no_roofline_in_words(profile.type_without_peak);
  text += fmt::format("\n  before   ready after {}, the first call in a process {}",
                      format_duration(profile.process.setup_ns),
                      format_duration(profile.process.first_call_ns));
  if (profile.process.peak_bytes)
    text += fmt::format(", its peak memory {}", format_bytes(*profile.process.peak_bytes));
  if (!profile.not_direct.empty())
    text += fmt::format("\n  not called directly: {}", printable(profile.not_direct, false));
  if (profile.check)
    text += fmt::format("\n  by the runner {} a call takes {}{}", profile.check->runner,
                        call_time(profile.check->median_ns),
                        disagrees(profile) ? ", which is more apart than its own costs" : "");
  return text + "\n  it is provisional: another launch may lie outside\n";
}

}  // namespace assay
