// The end of a search: the best in turn, and the winner against the compiler's own choice.
#include <algorithm>
#include <set>
#include <utility>

#include "target/host_cpu.h"
#include "tune/tune_feed.h"

namespace assay {
namespace {

// Of so many, the fastest, each is timed in turn with the others, in so many launches of its own.
constexpr size_t kFinalists = 8;
constexpr int kRounds = 3;
// At most so many of them are judged, the fastest first, until one is faster.
constexpr size_t kMostJudged = 3;
// What judging one has at least, whatever is left.
constexpr int64_t kLeastJudgeNs = 10'000'000'000;

}  // namespace

Status TuneFeed::begin_again() {
  TuneSubject& subject = subjects_[at_];
  finalists_ = subject.fastest(kFinalists, true);
  step_ = Step::again;
  if (finalists_.empty())
    return end(subject.points.empty() ? "there is nothing to tune: no configuration is for it"
               : subject.runs_here    ? "no other code came out right and was timed"
                                   : "its code does not run here, so nothing is timed: the report "
                                     "compares the code of what compiled");
  round_ = subject.go_on_with_finals(finalists_, kRounds);
  if (round_ < kRounds) events_.again(subject.result(), finalists_.size());
  return {};
}

Status TuneFeed::time_again() {
  if (round_++ == kRounds) {
    std::ranges::stable_sort(
        finalists_, {}, [&](size_t point) { return subjects_[at_].tried.at(point).settled_ns(); });
    step_ = Step::judge;
    return {};
  }
  std::vector<std::optional<size_t>> points(finalists_.begin(), finalists_.end());
  points.push_back(std::nullopt);
  for (size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random_() % i]);
  return put_lane(points, AtWork::What::again, profiled_);
}

Status TuneFeed::learn_again(const AtWork& work, const Attempt& attempt) {
  keep_default(work, attempt);
  std::optional<double> ns;
  if (attempt.profile) ns = attempt.profile->median_ns;
  return put_of(attempt, {.step = "again", .point = work.point, .ns = ns});
}

Status TuneFeed::judge_next() {
  TuneSubject& subject = subjects_[at_];
  if (subject.winner()) return end("");
  const std::set<size_t>& judged = subject.judged_in_finals;
  const auto next =
      std::ranges::find_if_not(finalists_, [&](size_t point) { return judged.contains(point); });
  if (subject.seems_faster() || judged.size() == kMostJudged || next == finalists_.end())
    return end(subject.nothing_beats());
  const size_t point = *next;
  if (subject.tried[point].settled_ns() > subject.median_default_ns() * (1 - kDeadBand))
    return end(subject.nothing_beats());
  RunSettings settings = request_.run.settings;
  settings.timing->profile = false;
  settings.timing->against = {std::string(default_author().name)};
  settings.timing->budget_ns =
      std::min(settings.timing->budget_ns, std::max(subject_ends_ns_ - spent_ns(), kLeastJudgeNs));
  const auto terms = std::make_shared<const Terms>(Terms{settings});
  events_.judges(subject.result(), subject.points[point].name);
  return put_lane({point}, AtWork::What::judge, terms);
}

Status TuneFeed::learn_judged(const AtWork& work, const Attempt& attempt) {
  TuneLine line{.step = "judge", .point = work.point};
  const StageRecord* deciding = attempt.deciding_stage();
  if (attempt.timing && !attempt.timing->speedups.empty()) {
    line.judged = attempt.timing->speedups.front();
  } else {
    line.why_none = why_not_timed(attempt);
    line.is_broken = deciding && attempt.verdict != Verdict::not_judged;
  }
  const bool is_known = line.judged || deciding;
  return put_of(attempt, std::move(line), is_known);
}

Status TuneFeed::end(const std::string& why) {
  const std::string said = default_complaint_.empty() ? why : default_complaint_;
  default_complaint_.clear();
  // Where something was not judged and nothing is faster, the same command goes on.
  const bool is_over = is_whole_ || subjects_[at_].winner();
  ASSAY_TRY(put({.step = "end", .why_none = said, .spend_ns = is_over ? request_.spend_ns : 0}));
  return tell_result();
}

Status TuneFeed::tell_result() {
  const TuneSubject& subject = subjects_[at_];
  TuneResult result = subject.result();
  result.why = subject.ended->why_none;
  result.precision = to_word(kPrecisionWords, subject.target->precision);
  result.compiler = tools_.tools.compiler.version;
  result.cpu = cpu_model(world_.disk);
  if (subject.judged) result.judged = subject.judged->judged;
  if (const auto point = subject.winner()) set_winner(subject.points[*point], result);
  events_.ended(result);
  results_.push_back({std::move(result), subject.configured.operation});
  step_ = Step::end;
  return {};
}

Status TuneFeed::put_lane(const std::vector<std::optional<size_t>>& points, AtWork::What what,
                          const std::shared_ptr<const Terms>& terms) {
  return lanes_.put(subjects_[at_], points, what, terms, finalists_.size());
}

}  // namespace assay
