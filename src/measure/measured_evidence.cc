#include "measure/measured_evidence.h"

#include "base/words.h"
#include "measure/figures.h"

namespace assay {

Json evidence_of(const Measured& measured, const LaunchPlan& plan,
                 const std::vector<std::vector<unsigned>>& forked_from) {
  Json json{{"measured",
             {{"launches", measured.launches},
              {"pairs", plan.pairs},
              {"calls", plan.calls},
              {"out_of_time", measured.out_of_time},
              {"results", to_word(kResultsAreWords, plan.results)},
              {"baseline_results", to_word(kResultsAreWords, plan.baseline_results)},
              {"forked_from", forked_from}}}};
  if (measured.is_on_card) json["measured"]["gated"] = plan.is_gated;
  json["against"] = Json::array();
  for (const Duel& duel : measured.duels) {
    if (!duel.unusable.empty()) {
      json["against"].push_back({{"baseline", duel.baseline}, {"unusable", duel.unusable}});
      continue;
    }
    auto in_json = [](const SpeedRatios& ratios) {
      return Json{{"launches", ratios.launches},
                  {"null_candidate", ratios.null_candidate},
                  {"null_baseline", ratios.null_baseline},
                  {"beside_baseline", ratios.beside_baseline}};
    };
    json["against"].push_back({{"baseline", duel.baseline},
                               {"cpu", in_json(duel.figures.cpu)},
                               {"wall", in_json(duel.figures.wall)},
                               {"interference", duel.figures.interference},
                               {"around_ns", duel.figures.around_ns}});
    if (const auto& singles = duel.figures.singles)
      json["against"].back()["singles"] = {{"gained", singles->gained},
                                           {"gain_ns", singles->gain_ns},
                                           {"single_gain_ns", singles->single_gain_ns}};
  }
  return json;
}

}  // namespace assay
