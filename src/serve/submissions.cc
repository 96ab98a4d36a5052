#include "serve/submissions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "report/standing.h"

namespace assay {
namespace {

// In the order of its problem's.
auto rank(const Submission& submission) {
  const NodeVerdict& verdict = submission.verdict;
  // Of equals the first: it came with less.
  return std::tuple(submission.counts, verdict.outcome ? verdict.low : 0, -submission.number);
}

}  // namespace

size_t Submissions::comparisons(int number, size_t baselines) {
  return std::max<size_t>(2, static_cast<size_t>(number) * baselines);
}

void Submissions::add(Submission submission, const Attempt& attempt) {
  if (attempt.timing) {
    Attempt timed;
    timed.id = std::to_string(submission.number);
    timed.timing = attempt.timing;
    compared_.push_back(std::move(timed));
  }
  const Submission* before = best(submission.problem);
  const bool is_best = submission.counts && (!before || rank(submission) > rank(*before));
  for (Submission& each : all_)
    if (is_best && each.problem == submission.problem) each.code.reset();
  if (!is_best) submission.code.reset();
  all_.push_back(std::move(submission));
}

std::optional<Timing> Submissions::timing(int number) const {
  const std::string id = std::to_string(number);
  const auto found = std::ranges::find(compared_, id, &Attempt::id);
  if (found == compared_.end()) return std::nullopt;
  Timing timing = *found->timing;
  const Standing standing = standing_of(compared_);
  for (Speedup& speedup : timing.speedups)
    if (speedup.outcome == Outcome::faster && !standing.contains({id, speedup.baseline})) {
      speedup.outcome = Outcome::undecided;
      speedup.reason = kOneOfMany;
    }
  return timing;
}

const Submission* Submissions::best(size_t problem) const {
  const Submission* found = nullptr;
  for (const Submission& each : all_)
    if (each.problem == problem && each.counts && (!found || rank(each) > rank(*found)))
      found = &each;
  return found;
}

}  // namespace assay
