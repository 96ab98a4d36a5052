// All rules in words, for people.
#include <algorithm>
#include <iterator>

#include "judge/judge.h"
#include "verify/decide.h"

namespace assay {

std::vector<RuleTitle> rule_titles() {
  std::vector<RuleTitle> titles;
  for (const auto& [rule, word] : kRuleWords) {
    const bool may_be_set =
        std::ranges::find(kMayBeLabels, rule, &MayBeLabel::rule) != std::end(kMayBeLabels);
    titles.push_back({word, meaning_of(rule), Stage::verify, Effect::reject, may_be_set});
  }
  for (const SpeedRule* rule : speed_rules())
    titles.push_back({rule->name, rule->meaning, Stage::judge, rule->effect, true});
  for (const auto& [name, meaning] : kUndecidedFor)
    titles.push_back({name, meaning, Stage::judge, Effect::undecided});
  return titles;
}

}  // namespace assay
