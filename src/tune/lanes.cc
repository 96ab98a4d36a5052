#include "tune/lanes.h"

#include <utility>

#include "session/plan.h"

namespace assay {

Status TuneLanes::put(TuneSubject& subject, const std::vector<std::optional<size_t>>& points,
                      AtWork::What what, const std::shared_ptr<const Terms>& terms,
                      size_t comparisons) {
  std::optional<Lane> all;
  for (const std::optional<size_t>& point : points) {
    Lane lane = lane_of(subject, point, what, terms);
    Planned& planned = lane.planned.front();
    at_work_[planned.attempt.id] = {what, point};
    if (what == AtWork::What::judge) planned.comparisons = comparisons;
    if (what != AtWork::What::compile) {
      ASSAY_ASSIGN(planned.before, accepted_before(subject, point, planned.attempt.id));
    }
    if (all)
      all->planned.push_back(std::move(planned));
    else
      all = std::move(lane);
  }
  if (all) lanes_.push_back(*std::move(all));
  return {};
}

std::optional<Lane> TuneLanes::next() {
  if (lanes_.empty()) return std::nullopt;
  Lane lane = std::move(lanes_.front());
  lanes_.pop_front();
  return lane;
}

std::optional<AtWork> TuneLanes::take(const std::string& attempt) {
  const auto found = at_work_.find(attempt);
  if (found == at_work_.end()) return std::nullopt;
  const AtWork work = found->second;
  at_work_.erase(found);
  return work;
}

// What was verified already is only timed.
Result<std::shared_ptr<const Attempt>> TuneLanes::accepted_before(
    const TuneSubject& subject, const std::optional<size_t>& point, const std::string& id) const {
  if (!point && subject.default_attempt) return subject.default_attempt;
  ASSAY_ASSIGN(auto stored, tools_.store.find(id));
  if (!stored || stored->verdict != Verdict::accepted) return std::shared_ptr<const Attempt>{};
  return std::make_shared<const Attempt>(*std::move(stored));
}

Lane TuneLanes::lane_of(TuneSubject& subject, const std::optional<size_t>& point, AtWork::What what,
                        const std::shared_ptr<const Terms>& terms) const {
  const Author author = subject.author_of(point);
  // A space has those alone that are for it.
  const Target* target =
      target_of(author, subject.configured, *subject.target, subject.kept).value_or(subject.target);
  std::vector<PlannedBaseline> baselines;
  if (what == AtWork::What::judge)
    baselines.push_back(
        {std::string(default_author().name), *default_author().own, subject.target});
  return candidate_lane(request_, *subject.workload, author, *author.type->own, *target,
                        std::move(baselines), terms, tools_.machine);
}

}  // namespace assay
