#include <fmt/format.h>

#include <algorithm>

#include "report/format.h"
#include "report/league.h"
#include "report/speed.h"
#include "report/table.h"

namespace assay {
namespace {

// The numbers of entrants, the best first.
std::vector<size_t> ranked(const League& league) {
  std::vector<size_t> order(league.entrants.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) {
    const Entrant& each = league.entrants[i];
    return std::tuple(each.faster, each.correct, each.geometric_mean);
  });
  return order;
}

std::vector<Row> entrant_rows(const League& league) {
  std::vector<Row> rows{{"ENTRANT", "CORRECT", "FASTER", "MEAN", "WINS", "LOSSES"}};
  for (size_t i : ranked(league)) {
    const Entrant& each = league.entrants[i];
    rows.push_back({each.name, fmt::format("{}/{}", each.correct, league.problems),
                    std::to_string(each.faster), ratio_in_words(each.geometric_mean) + "x",
                    std::to_string(each.wins), std::to_string(each.losses)});
  }
  return rows;
}

std::vector<Row> match_rows(const League& league) {
  std::vector<Row> rows{{"A", "B", "PROBLEMS", "A FASTER", "SAME", "B FASTER", "UNDECIDED",
                         "ONLY A RIGHT", "ONLY B RIGHT", "NEITHER"}};
  for (const Match& match : league.matches) {
    Row row{league.entrants[match.a].name, league.entrants[match.b].name};
    for (size_t number : {match.problems, match.a_faster, match.same, match.b_faster,
                          match.undecided, match.only_a, match.only_b, match.neither})
      row.push_back(std::to_string(number));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string title(const League& league) {
  return fmt::format("{} entrants of {} runs, on the {} problems that all of them have",
                     league.entrants.size(), league.folders.size(), league.problems);
}

template <class Spell>
std::vector<Row> spelled(std::vector<Row> rows, Spell spell) {
  for (Row& row : rows)
    for (std::string& cell : row) cell = spell(cell);
  return rows;
}

std::string spelled_table(const std::vector<Row>& rows) {
  std::string text = markdown_row(rows.front()) + markdown_rule(rows.front().size());
  for (size_t i = 1; i < rows.size(); ++i) text += markdown_row(rows[i]);
  return text + "\n";
}

}  // namespace

void render_terminal_league(const League& league, ReportSink& sink) {
  sink.write(title(league) + "\n\n");
  sink.write(text_table(spelled(entrant_rows(league), terminal_text), league.columns));
  if (league.matches.empty()) return;
  sink.write("\n");
  sink.write(text_table(spelled(match_rows(league), terminal_text), league.columns));
}

void render_markdown_league(const League& league, ReportSink& sink) {
  sink.write("# assay standings\n\n**" + title(league) + "**\n\n");
  sink.write(spelled_table(spelled(entrant_rows(league), markdown_text)));
  if (!league.matches.empty())
    sink.write(spelled_table(spelled(match_rows(league), markdown_text)));
}

Json league_json(const League& league) {
  Json entrants = Json::array(), matches = Json::array();
  for (size_t i : ranked(league)) {
    const Entrant& each = league.entrants[i];
    entrants.push_back({{"name", each.name},
                        {"run", league.folders[each.run]},
                        {"author", each.author},
                        {"correct", each.correct},
                        {"faster", each.faster},
                        {"geometric_mean", each.geometric_mean},
                        {"wins", each.wins},
                        {"losses", each.losses}});
  }
  for (const Match& match : league.matches)
    matches.push_back({{"a", league.entrants[match.a].name},
                       {"b", league.entrants[match.b].name},
                       {"problems", match.problems},
                       {"a_faster", match.a_faster},
                       {"same", match.same},
                       {"b_faster", match.b_faster},
                       {"undecided", match.undecided},
                       {"only_a", match.only_a},
                       {"only_b", match.only_b},
                       {"neither", match.neither}});
  Json all{{"schema", kSchema},
           {"runs", league.folders},
           {"problems", league.problems},
           {"entrants", std::move(entrants)},
           {"matches", std::move(matches)}};
  if (!league.suites.is_null()) all["suites"] = league.suites;
  return all;
}

void render_json_league(const League& league, ReportSink& sink) {
  sink.write(dump_json(league_json(league), 1) + "\n");
}

}  // namespace assay
