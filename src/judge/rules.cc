// All rules in words, for people.
#include "judge/judge.h"
#include "verify/decide.h"

namespace assay {

std::vector<RuleTitle> rule_titles() {
  std::vector<RuleTitle> titles;
  for (const auto& [rule, word] : kRuleWords)
    titles.push_back({word, meaning_of(rule), Stage::verify, Effect::reject});
  for (const SpeedRule* rule : speed_rules())
    titles.push_back({rule->name, rule->meaning, Stage::judge, rule->effect, true});
  for (const auto& [name, meaning] : kUndecidedFor)
    titles.push_back({name, meaning, Stage::judge, Effect::undecided});
  return titles;
}

}  // namespace assay
