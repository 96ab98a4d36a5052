#include "report/attempt_writer.h"
#include "report/causes.h"
#include "report/format.h"

namespace assay {
namespace {

Json tally_json(const Tally& tally) {
  Json json{{"total", tally.total}, {"passed", tally.passed()}};
  for (const auto& word : kVerdictWords) json[std::string(word.word)] = tally.count(word.value);
  return json;
}

Json summary_json(const Summary& summary) {
  Json json{{"all", tally_json(summary.all)},
            {"by_target", Json::object()},
            {"by_level", Json::object()},
            {"by_level_and_target", Json::object()}};
  for (const auto& [target, tally] : summary.by_target)
    json["by_target"][target] = tally_json(tally);
  for (const auto& [level, tally] : summary.by_level) json["by_level"][level] = tally_json(tally);
  for (const auto& [cell, tally] : summary.by_level_and_target)
    json["by_level_and_target"][cell.first][cell.second] = tally_json(tally);
  return json;
}

Json cause_json(const Cause& cause) {
  Json attempts = Json::array();
  for (const Attempt* attempt : cause.attempts) attempts.push_back(attempt->id);
  return {{"cause", cause.text},
          {"stage", to_word(kStageWords, cause.stage)},
          {"status", to_word(kStageStatusWords, cause.status)},
          {"class", cause.failure ? Json(to_word(kFailureClassWords, *cause.failure)) : Json()},
          {"problems", cause.problems},
          {"targets", cause.targets},
          {"attempts", std::move(attempts)}};
}

}  // namespace

// Line by line, so that one attempt is one line here, too.
std::string render_json(const ReportInput& input) {
  std::string text = "{\n\"schema\": " + std::to_string(kSchema);
  text += ",\n\"run\": " + dump_json(to_json(input.run), 1);
  text += ",\n\"summary\": " + dump_json(summary_json(summarise(input.attempts)), 1);
  text += ",\n\"causes\": [";
  const char* separator = "\n";
  for (const Cause& cause : find_causes(input.attempts)) {
    text += separator + dump_json(cause_json(cause));
    separator = ",\n";
  }
  text += "\n],\n\"attempts\": [";
  separator = "\n";
  text.reserve(text.size() + json_bytes_about(input.attempts));
  for (const Attempt& attempt : input.attempts) {
    text += separator;
    append_json(text, attempt);
    separator = ",\n";
  }
  text += "\n]\n}\n";
  return text;
}

std::string render_json_lines(const ReportInput& input) {
  std::string text;
  text.reserve(json_bytes_about(input.attempts));
  for (const Attempt& attempt : input.attempts) {
    append_json(text, attempt);
    text += '\n';
  }
  return text;
}

}  // namespace assay
