#include "report/format.h"

namespace assay {
namespace {

Json tally_json(const Tally& tally) {
  Json json{{"total", tally.total}, {"passed", tally.passed()}};
  for (const auto& word : kVerdictWords) json[std::string(word.word)] = tally.count(word.value);
  return json;
}

}  // namespace

std::string render_json(const ReportInput& input) {
  Summary summary = summarise(input.attempts);
  Json json{{"schema", kSchema}, {"run", to_json(input.run)}};
  json["summary"]["all"] = tally_json(summary.all);
  json["summary"]["by_target"] = Json::object();
  json["summary"]["by_level"] = Json::object();
  for (const auto& [target, tally] : summary.by_target)
    json["summary"]["by_target"][target] = tally_json(tally);
  for (const auto& [level, tally] : summary.by_level)
    json["summary"]["by_level"][level] = tally_json(tally);
  json["attempts"] = Json::array();
  for (const Attempt& attempt : input.attempts) json["attempts"].push_back(to_json(attempt));
  return dump_json(json, 1) + "\n";
}

}  // namespace assay
