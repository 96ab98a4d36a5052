#include "report/suite_submission.h"

#include "report/suite_score.h"

namespace assay {
namespace {

Json rate_in_json(const SuiteRate& rate) { return {{"right", rate.count}, {"of", rate.of}}; }

Json score_in_json(const SuiteScore& score) {
  Json at_k = Json::array();
  for (const SuitePassAt& at : score.at_k)
    at_k.push_back({{"k", at.k}, {"call", at.call}, {"exec", at.exec}, {"assay", at.assay}});
  return {{"author", score.author},
          {"target", score.target},
          {"group", score.group.empty() ? Json(nullptr) : Json(score.group)},
          {"kernels", score.kernels},
          {"answers", score.answers},
          {"call", rate_in_json(score.call)},
          {"exec", rate_in_json(score.exec)},
          {"assay", rate_in_json(score.assay)},
          {"unverifiable", score.unverifiable},
          {"pass_at_k", std::move(at_k)}};
}

}  // namespace

Json suite_submission(const std::string& team, const std::string& assay_version,
                      const std::vector<Attempt>& attempts) {
  Json scores = Json::array();
  for (const SuiteScore& score : suite_scores(attempts)) scores.push_back(score_in_json(score));
  return {{"data", Json::array({team, nullptr})},
          {"assay", assay_version},
          {"scores", std::move(scores)}};
}

}  // namespace assay
