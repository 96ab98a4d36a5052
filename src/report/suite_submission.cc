#include "report/suite_submission.h"

#include "report/suite_score.h"

namespace assay {
Json suite_submission(const std::string& team, const std::string& assay_version,
                      const std::vector<Attempt>& attempts) {
  Json scores = Json::array();
  for (const SuiteScore& score : suite_scores(attempts)) scores.push_back(to_json(score));
  return {{"data", Json::array({team, nullptr})},
          {"assay", assay_version},
          {"scores", std::move(scores)}};
}

}  // namespace assay
