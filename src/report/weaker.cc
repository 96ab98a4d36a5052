#include "report/weaker.h"

#include "report/table.h"

namespace assay {

std::vector<std::string> weaker_of(const Attempt& attempt) {
  std::vector<std::string> sentences;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.status == StageStatus::not_judged && stage.stage == Stage::smoke)
      sentences.push_back("not interpreted: " + stage.error);
    if (stage.status == StageStatus::not_judged && stage.stage == Stage::measure)
      sentences.push_back("not timed: " + stage.error);
    const bool is_verification = stage.stage == Stage::verify || stage.stage == Stage::smoke;
    if (!is_verification || !stage.evidence.is_object()) continue;
    const auto weaker = stage.evidence.find("weaker");
    if (weaker == stage.evidence.end() || !weaker->is_array()) continue;
    for (const Json& each : *weaker)
      if (each.is_string()) sentences.push_back(terminal_text(each.get<std::string>()));
  }
  return sentences;
}

}  // namespace assay
