#include <fmt/format.h>

#include <unordered_map>

#include "measure/interval.h"
#include "report/author_table.h"
#include "report/causes.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/profile.h"
#include "report/speed.h"
#include "report/suite_table.h"
#include "report/table.h"
#include "report/user_files.h"

namespace assay {
namespace {

// One thing of each attempt, in their order.
class Columns {
 public:
  void text(const char* name, std::string_view value) {
    texts_[name].push_back(terminal_text(std::string(value)));
  }
  template <class Number>
  void number(const char* name, const std::optional<Number>& value) {
    numbers_[name].push_back(value ? Json(*value) : Json());
  }

  // Words that come again and again are listed once.
  Json finish() {
    Json all = Json::object();
    for (auto& [name, values] : texts_) {
      std::unordered_map<std::string, size_t> places;
      Json words = Json::array(), at = Json::array();
      for (const std::string& value : values) {
        auto [found, is_new] = places.emplace(value, places.size());
        if (is_new) words.push_back(value);
        at.push_back(found->second);
      }
      if (2 * words.size() > values.size())
        all[name] = values;
      else
        all[name] = {{"words", std::move(words)}, {"at", std::move(at)}};
    }
    for (auto& [name, values] : numbers_) all[name] = std::move(values);
    return all;
  }

 private:
  std::map<std::string, std::vector<std::string>> texts_;
  std::map<std::string, Json> numbers_;
};

// Six digits are more than any picture shows.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::optional<double> rounded(const std::optional<double>& value) {
  return value ? std::optional(rounded(*value)) : value;
}

constexpr size_t kMostOfError = 200;  // bytes, in the table; its attempt shows all

void add_speed(Columns& columns, const Attempt& attempt) {
  const Timing* timing = attempt.timing ? &*attempt.timing : nullptr;
  const Speedup* first = timing && !timing->speedups.empty() ? &timing->speedups.front() : nullptr;
  const bool bounded = first && has_interval(*timing, *first);
  using Number = std::optional<double>;
  columns.number("ratio", first ? Number(rounded(first->ratio)) : Number());
  columns.number("low", bounded ? Number(rounded(first->low)) : Number());
  columns.number("high", bounded ? Number(rounded(first->high)) : Number());
  columns.text("baseline", first ? first->baseline : "");
  columns.number(
      "time_ns",
      timing ? Number(rounded(by(timing->metric, timing->cpu, timing->wall).median_ns)) : Number());
  columns.number("setup_ns", timing ? std::optional(timing->process.setup_ns) : std::nullopt);
  // The work of a call is the same whichever way it was timed.
  const Profile* profile = attempt.profile ? &*attempt.profile : nullptr;
  columns.number("flops", timing ? timing->flops : profile ? profile->flops : std::nullopt);
  columns.number("bytes", timing    ? std::optional(timing->bytes)
                          : profile ? std::optional(profile->bytes)
                                    : std::nullopt);
  columns.number("bound_ns", timing    ? rounded(timing->bound_ns)
                             : profile ? rounded(profile->bound_ns)
                                       : Number());
}

void add_profile(Columns& columns, const Attempt& attempt) {
  using Number = std::optional<double>;
  const auto& profile = attempt.profile;
  std::optional<ProfileRates> rates;
  if (profile) rates = rates_of(*profile);
  columns.text("operation", attempt.operation ? attempt.operation->name : "");
  columns.number("profile_ns", profile ? Number(rounded(profile->median_ns)) : Number());
  columns.number("profile_gflop_per_s", rates ? rounded(rates->gflop_per_s) : Number());
  columns.number("profile_roofline_percent", rates ? rounded(rates->roofline_percent) : Number());
}

Json causes_json(const std::vector<Attempt>& attempts) {
  Json causes = Json::array();
  for (const Cause& cause : find_causes(attempts)) {
    Json rows = Json::array();
    for (const Attempt* attempt : cause.attempts) rows.push_back(attempt - attempts.data());
    causes.push_back({{"text", terminal_text(cause.text)},
                      {"where", where_in_words(cause)},
                      {"status", to_word(kVerdictWords, cause.attempts.front()->verdict)},
                      {"problems", cause.problems},
                      {"targets", cause.targets},
                      {"attempts", std::move(rows)}});
  }
  return causes;
}

}  // namespace

Json page_columns(const RunSettings& settings, std::span<const Attempt> attempts) {
  Columns columns;
  for (const Attempt& attempt : attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    const std::optional<Outcome> said = attempt.timing ? outcome(attempt) : std::nullopt;
    const std::optional<Fault> fault = fault_of(attempt);
    const AttemptFigures figures = figures_of(attempt);
    columns.text("id", attempt.id);
    columns.text("suite", attempt.suite);
    columns.text("level", attempt.level);
    columns.text("problem", attempt.workload);
    columns.text("author", attempt.author);
    columns.text("file", file_beside_id(attempt));
    columns.text("target", attempt.target);
    columns.text("verdict", to_word(kVerdictWords, attempt.verdict));
    columns.text("in_words", verdict_in_words(attempt));
    columns.text("outcome", said ? to_word(kOutcomeWords, *said) : "");
    columns.text("reason", reason(attempt));
    columns.text("fault", fault ? to_word(kFaultWords, *fault) : "");
    columns.text("isolation", attempt.isolation);
    columns.text("error",
                 deciding ? std::string_view(deciding->error).substr(0, kMostOfError) : "");
    columns.number("candidate", std::optional(attempt.candidate));
    columns.number("compile_ns", figures.compile_ns);
    columns.number("peak_bytes", figures.peak_bytes);
    columns.number("artifact_bytes", figures.artifact_bytes);
    add_speed(columns, attempt);
    if (is_profile(settings)) add_profile(columns, attempt);
  }
  return columns.finish();
}

Json page_head(const ReportInput& input) {
  Json about = Json::array();
  for (const auto& [name, value] : provenance(input.run, input.attempts))
    about.push_back(Json::array({terminal_text(name), terminal_text(value)}));
  Json head{{"format", kPageFormat},
            {"title", fmt::format("assay: {}", terminal_text(input.folder))},
            {"provenance", std::move(about)},
            {"rows", input.attempts.size()},
            {"rows_per_block", kAttemptsInBlock},
            {"dead_band", kDeadBand},
            {"causes", causes_json(input.attempts)}};
  if (input.search.is_there()) head["trees"] = page_trees(input.search);
  if (const AuthorTable table = author_table(input.attempts); table.is_there())
    head["by_author"] = to_json(table);
  if (Json tables = suite_tables_json(ranked_suite_scores({&input, 1})); !tables.is_null())
    head["suites"] = std::move(tables);
  if (input.resolution)
    head["resolution"] = {{"created", input.resolution->created},
                          {"smallest", input.resolution->smallest},
                          {"call_ns", input.resolution->call_ns}};
  if (!input.error_rates.is_null()) head["error_rates"] = input.error_rates;
  return head;
}

Json page_table(const ReportInput& input) {
  Json table = page_head(input);
  table["columns"] = page_columns(input.run.settings, input.attempts);
  return table;
}

}  // namespace assay
