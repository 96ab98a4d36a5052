// What a policy has made a label decides nothing.
#include <utility>

#include "verify/decide.h"

namespace assay {
namespace {

// Under what is a label here. What inputs with NaN and infinity show is told as `non-finite`
// whatever it is, and what finite inputs show is not: it is accepted for these.
std::optional<Rule> label_for(const Complaint& complaint, Family family, uint32_t labels) {
  const bool is_number = complaint.rule == Rule::non_finite || complaint.rule == Rule::wrong ||
                         complaint.rule == Rule::precision;
  if (family == Family::nonfinite && is_number && (labels & bit_of(Rule::non_finite)) != 0)
    return Rule::non_finite;
  if (complaint.rule == Rule::precision && (labels & bit_of(Rule::precision)) != 0)
    return Rule::precision;
  return std::nullopt;
}

}  // namespace

void take_labels(RoundResult& result, uint32_t labels) {
  if (labels == 0 || result.complaints.empty()) return;
  std::vector<Complaint> kept;
  Json told = Json::array(), labelled = Json::array();
  for (size_t i = 0; i < result.complaints.size(); ++i) {
    const auto label = label_for(result.complaints[i], result.family, labels);
    if (label) result.labelled |= bit_of(*label);
    (label ? labelled : told).push_back(result.evidence["complaints"][i]);
    if (!label) kept.push_back(std::move(result.complaints[i]));
  }
  result.complaints = std::move(kept);
  result.evidence.erase("complaints");
  if (!told.empty()) result.evidence["complaints"] = std::move(told);
  if (!labelled.empty()) result.evidence["labelled"] = std::move(labelled);
}

}  // namespace assay
