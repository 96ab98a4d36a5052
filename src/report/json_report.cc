#include "report/attempt_writer.h"
#include "report/author_table.h"
#include "report/causes.h"
#include "report/format.h"
#include "report/scores.h"
#include "report/search_results.h"
#include "report/suite_score.h"

namespace assay {
namespace {

Json verdict_tally(const Tally& tally) {
  Json json{{"total", tally.total}, {"passed", tally.passed()}};
  for (const auto& word : kVerdictWords) json[std::string(word.word)] = tally.count(word.value);
  return json;
}

Json summary_json(const Summary& summary) {
  Json json{{"all", verdict_tally(summary.all)},
            {"by_target", Json::object()},
            {"by_level", Json::object()},
            {"by_level_and_target", Json::object()}};
  for (const auto& [target, tally] : summary.by_target)
    json["by_target"][target] = verdict_tally(tally);
  for (const auto& [level, tally] : summary.by_level)
    json["by_level"][level] = verdict_tally(tally);
  for (const auto& [cell, tally] : summary.by_level_and_target)
    json["by_level_and_target"][cell.first][cell.second] = verdict_tally(tally);
  return json;
}

Json cause_json(const Cause& cause) {
  Json attempts = Json::array();
  for (const Attempt* attempt : cause.attempts) attempts.push_back(attempt->id);
  return {{"cause", cause.text},
          {"stage", to_word(kStageWords, cause.stage)},
          {"status", to_word(kStageStatusWords, cause.status)},
          {"class", cause.failure ? Json(to_word(kFailureClassWords, *cause.failure)) : Json()},
          {"rule", cause.rule.empty() ? Json() : Json(cause.rule)},
          {"problems", cause.problems},
          {"targets", cause.targets},
          {"attempts", std::move(attempts)}};
}

}  // namespace

// Line by line, so that one attempt is one line here, too.
void render_json(const ReportInput& input, ReportSink& sink) {
  sink.write("{\n\"schema\": " + std::to_string(kSchema));
  sink.write(",\n\"run\": " + dump_json(to_json(input.run), 1));
  Json summary = summary_json(summarise(input.attempts));
  for (const Score& score : scores_of(input.attempts, input.ks))
    summary["speed"].push_back(to_json(score));
  for (const SuiteScore& score : suite_scores(input.attempts, input.ks))
    summary["suites"].push_back(to_json(score));
  if (const AuthorTable table = author_table(input.attempts); table.is_there())
    summary["by_author"] = to_json(table);
  sink.write(",\n\"summary\": " + dump_json(summary, 1));
  if (input.search.is_there())
    sink.write(",\n\"search\": " + dump_json(search_summary_json(input.search), 1));
  sink.write(",\n\"causes\": [");
  const char* separator = "\n";
  for (const Cause& cause : find_causes(input.attempts)) {
    sink.write(separator + dump_json(cause_json(cause)));
    separator = ",\n";
  }
  sink.write("\n],\n\"attempts\": [");
  separator = "\n";
  std::string line;
  for (const Attempt& attempt : input.attempts) {
    line = separator;
    append_json(line, attempt);
    sink.write(line);
    separator = ",\n";
  }
  sink.write("\n]\n}\n");
}

void render_json_lines(const ReportInput& input, ReportSink& sink) {
  std::string line;
  for (const Attempt& attempt : input.attempts) {
    line.clear();
    append_json(line, attempt);
    line += '\n';
    sink.write(line);
  }
}

}  // namespace assay
