#include "report/author_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "report/format.h"
#include "report/ranking.h"
#include "report/speed.h"

namespace assay {
namespace {

constexpr size_t kMostColumns = 12;

AuthorCell cell_of(const Attempt& attempt, const std::string& baseline) {
  AuthorCell cell{.attempt = attempt.id, .said = verdict_in_words(attempt)};
  if (attempt.profile) {
    cell.median_ns = attempt.profile->median_ns;
    cell.low_ns = attempt.profile->low_ns;
    cell.high_ns = attempt.profile->high_ns;
  } else if (attempt.timing) {
    // The interval is that of the ratio: so it has what both sides' times vary by.
    const Timing& timing = *attempt.timing;
    const Speedup* held = against(timing, baseline);
    if (held && !do_times_hold(*held)) {
      cell.said = fmt::format("undecided ({})", held->reason);
      return cell;
    }
    cell.median_ns = cell.low_ns = cell.high_ns =
        by(timing.metric, timing.cpu, timing.wall).median_ns;
    if (held && held->low > 0) {
      cell.ratio = held->ratio;
      cell.low_ns = cell.median_ns * held->ratio / held->high;
      cell.high_ns = cell.median_ns * held->ratio / held->low;
    }
  }
  return cell;
}

// The baseline's, as it was beside the first that was timed against it. Its own attempt, where it
// is an author as well, may have no time.
void add_baseline(const std::vector<const Attempt*>& attempts, const std::string& baseline,
                  AuthorCell& cell) {
  for (const Attempt* attempt : attempts) {
    const Speedup* held = attempt->timing ? against(*attempt->timing, baseline) : nullptr;
    if (!held || cell.median_ns > 0) continue;
    const double ns = by(attempt->timing->metric, held->cpu, held->wall).median_ns;
    cell.median_ns = cell.low_ns = cell.high_ns = ns;
    if (cell.said.empty()) cell.said = "baseline";
  }
}

void mark_fastest(std::vector<AuthorCell>& cells) {
  double least_high = HUGE_VAL;
  for (const AuthorCell& each : cells)
    if (each.median_ns > 0) least_high = std::min(least_high, each.high_ns);
  for (AuthorCell& each : cells) each.is_fastest = each.median_ns > 0 && each.low_ns <= least_high;
}

void set_means(AuthorTable& table) {
  std::vector<size_t> timed;  // authors
  for (size_t i = 0; i < table.authors.size(); ++i)
    if (std::ranges::any_of(table.lines,
                            [&](const auto& each) { return each.cells[i].median_ns > 0; }))
      timed.push_back(i);
  table.means.resize(table.authors.size(), 0);
  if (timed.size() < 2 || timed.front() != 0) return;
  std::vector<double> logs(table.authors.size(), 0);
  for (const AuthorTable::Line& line : table.lines) {
    auto has_time = [&](size_t i) { return line.cells[i].median_ns > 0; };
    if (!std::ranges::all_of(timed, has_time)) continue;
    ++table.in_mean;
    // Beside the baseline's own time in the same session, where there is one.
    for (const size_t i : timed) {
      const AuthorCell& cell = line.cells[i];
      logs[i] +=
          std::log(cell.ratio > 0 ? cell.ratio : line.cells.front().median_ns / cell.median_ns);
    }
  }
  if (table.in_mean == 0) return;
  for (const size_t i : timed)
    table.means[i] = std::exp(logs[i] / static_cast<double>(table.in_mean));
}

std::string in_words(const AuthorCell& cell) {
  if (cell.median_ns <= 0) return cell.said.empty() ? "-" : cell.said;
  return format_duration(std::llround(cell.median_ns)) + (cell.is_fastest ? " *" : "");
}

// Made of the problem itself, and not handed in.
bool is_of_a_compiler(const Attempt& attempt) {
  return attempt.candidate == 1 && attempt.origin.candidate_sha256.empty();
}

// By their names, but for the one that the others are held against, which comes first.
std::vector<std::string> authors_of(const std::vector<Attempt>& attempts,
                                    const std::string& first) {
  std::set<std::string> names;
  for (const Attempt& attempt : attempts) names.insert(attempt.author);
  const bool has_first =
      names.erase(first) > 0 ||
      std::ranges::any_of(attempts, [](const Attempt& each) { return each.timing.has_value(); });
  std::vector<std::string> authors(names.begin(), names.end());
  if (has_first) authors.insert(authors.begin(), first);
  return authors;
}

// The one that most were held against: it may have broken on some problem.
std::string baseline_in(const std::vector<Attempt>& attempts) {
  std::map<std::string, int> held;
  std::string most = "eager";
  for (const Attempt& attempt : attempts)
    if (attempt.timing)
      for (const Speedup& each : attempt.timing->speedups)
        if (++held[each.baseline] > held[most]) most = each.baseline;
  return most;
}

AuthorTable::Line line_of(const OfProblem& problem, const std::vector<std::string>& authors) {
  AuthorTable::Line line{problem_in_level(*problem.attempts.front()) + problem.on_target};
  line.cells.resize(authors.size());
  for (const Attempt* attempt : problem.attempts) {
    const auto at = std::ranges::find(authors, attempt->author) - authors.begin();
    line.cells[static_cast<size_t>(at)] = cell_of(*attempt, authors.front());
  }
  add_baseline(problem.attempts, authors.front(), line.cells.front());
  mark_fastest(line.cells);
  return line;
}

}  // namespace

AuthorTable author_table(const std::vector<Attempt>& attempts) {
  if (!std::ranges::all_of(attempts, is_of_a_compiler)) return {};
  // Of one beside its baseline the ranking says as much.
  auto is_of_another = [&](const Attempt& each) { return each.author != attempts.front().author; };
  if (std::ranges::none_of(attempts, is_of_another)) return {};
  AuthorTable table{.authors = authors_of(attempts, baseline_in(attempts))};
  if (table.authors.size() > kMostColumns) return {};
  size_t times = 0;
  for (const OfProblem& problem : by_problem(attempts)) {
    std::set<std::string> named;
    for (const Attempt* attempt : problem.attempts)
      if (!named.insert(attempt->author).second) return {};
    AuthorTable::Line& line = table.lines.emplace_back(line_of(problem, table.authors));
    times = std::max(times, static_cast<size_t>(std::ranges::count_if(
                                line.cells, [](const auto& each) { return each.median_ns > 0; })));
  }
  if (times < 2) return {};
  set_means(table);
  return table;
}

std::vector<Row> author_rows(const AuthorTable& table) {
  if (!table.is_there()) return {};
  Row head{"problem"};
  head.insert(head.end(), table.authors.begin(), table.authors.end());
  std::vector<Row> rows{head};
  for (const AuthorTable::Line& line : table.lines) {
    Row& row = rows.emplace_back(Row{line.problem});
    for (const AuthorCell& cell : line.cells) row.push_back(in_words(cell));
  }
  if (table.in_mean == 0) return rows;
  Row& row = rows.emplace_back(Row{fmt::format("mean of {}", table.in_mean)});
  for (const double each : table.means) row.push_back(each > 0 ? ratio_in_words(each) + "x" : "-");
  return rows;
}

std::string author_title(const AuthorTable& table) {
  return fmt::format(
      "time of one call by each author, a star where no other is faster by its interval; behind "
      "them how many times as fast as {} each is, the geometric mean over what all could do",
      table.authors.front());
}

Json to_json(const AuthorTable& table) {
  Json lines = Json::array();
  for (const AuthorTable::Line& line : table.lines) {
    Json cells = Json::array();
    for (const AuthorCell& cell : line.cells) {
      const bool has_time = cell.median_ns > 0;
      cells.push_back({{"attempt", or_null(cell.attempt)},
                       {"said", or_null(cell.said)},
                       {"median_ns", has_time ? Json(cell.median_ns) : Json()},
                       {"low_ns", has_time ? Json(cell.low_ns) : Json()},
                       {"high_ns", has_time ? Json(cell.high_ns) : Json()},
                       {"fastest", cell.is_fastest}});
    }
    lines.push_back({{"problem", line.problem}, {"cells", std::move(cells)}});
  }
  return {{"authors", table.authors},
          {"problems", std::move(lines)},
          {"in_mean", table.in_mean},
          {"means", table.means}};
}

}  // namespace assay
