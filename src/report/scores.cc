#include "report/scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "judge/judge.h"
#include "report/estimators.h"
#include "report/speed.h"
#include "report/standing.h"
#include "report/suite_score.h"
#include "report/summary.h"

namespace assay {
namespace {

const Speedup* against(const Attempt& attempt, const std::string& baseline) {
  return attempt.timing ? against(*attempt.timing, baseline) : nullptr;
}

using Candidates = std::vector<const Attempt*>;

// Over problems, the mean of the share of their candidates of which `holds` is true.
template <class Holds>
double share(const std::map<std::string, Candidates>& problems, Holds holds) {
  double sum = 0;
  for (const auto& [name, candidates] : problems)
    sum += static_cast<double>(std::ranges::count_if(candidates, holds)) /
           static_cast<double>(candidates.size());
  return sum / static_cast<double>(problems.size());
}

bool is_correct(const Attempt* attempt) { return attempt->verdict == Verdict::accepted; }

void count_outcome(const Speedup* speedup, Score& score) {
  if (!speedup)
    ++score.untimed;
  else if (speedup->outcome == Outcome::faster)
    ++score.faster;
  else if (speedup->outcome == Outcome::slower)
    ++score.slower;
  else if (speedup->outcome == Outcome::equal)
    ++score.equal;
  else
    ++score.undecided;
}

class Scoring {
 public:
  Scoring(Score score, const std::map<std::string, Candidates>& problems, const Standing& standing,
          std::span<const size_t> ks, std::span<const double> thresholds)
      : score_(std::move(score)),
        problems_(problems),
        standing_(standing),
        ks_(ks),
        thresholds_(thresholds) {}

  Score result() {
    score_.problems = problems_.size();
    for (const auto& [name, candidates] : problems_)
      for (const Attempt* attempt : candidates) count(*attempt);
    add_shares();
    add_means();
    add_at_k();
    return std::move(score_);
  }

 private:
  const Speedup* usable(const Attempt& attempt) const {
    const Speedup* speedup = against(attempt, score_.baseline);
    return speedup && do_times_hold(*speedup) ? speedup : nullptr;
  }

  double log_of(const Attempt* attempt) const {
    const Speedup* speedup = usable(*attempt);
    return speedup ? log_in_mean(speedup->ratio) : 0;
  }

  void count(const Attempt& attempt) {
    ++score_.candidates;
    if (!is_correct(&attempt)) return;
    ++score_.correct;
    const Speedup* speedup = against(attempt, score_.baseline);
    count_outcome(speedup, score_);
    if (speedup && standing_.contains({attempt.id, score_.baseline})) ++score_.faster_among_all;
    score_.provisional |= speedup && attempt.timing->provisional;
    if (const Speedup* counts = usable(attempt)) {
      ++score_.in_mean;
      if (counts->ratio > kMostInMean || counts->ratio < 1 / kMostInMean) ++score_.limited;
    }
  }

  void add_shares() {
    for (double p : thresholds_) {
      auto is_beyond = [&](const Attempt* attempt) {
        const Speedup* speedup = usable(*attempt);
        return is_correct(attempt) && (p == 0 || (speedup && speedup->ratio > p));
      };
      auto is_beyond_by_low = [&](const Attempt* attempt) {
        const Speedup* speedup = usable(*attempt);
        return is_correct(attempt) &&
               (p == 0 ||
                (speedup && has_interval(*attempt->timing, *speedup) && speedup->low > p));
      };
      score_.fast.push_back({.threshold = p,
                             .by_estimate = share(problems_, is_beyond),
                             .by_low = share(problems_, is_beyond_by_low)});
    }
  }

  void add_means() {
    std::vector<double> correct, all;
    for (const auto& [name, candidates] : problems_) {
      double of_correct = 0, of_all = 0;
      size_t usable_ones = 0;
      for (const Attempt* attempt : candidates) {
        of_all += log_of(attempt);
        if (!usable(*attempt)) continue;
        of_correct += log_of(attempt);
        ++usable_ones;
      }
      all.push_back(of_all / static_cast<double>(candidates.size()));
      if (usable_ones > 0) correct.push_back(of_correct / static_cast<double>(usable_ones));
    }
    score_.geometric_mean = geometric_mean(correct);
    score_.geometric_mean_of_all = *geometric_mean(all);
  }

  void add_at_k() {
    size_t most = 1;
    for (const auto& [name, candidates] : problems_) most = std::max(most, candidates.size());
    if (most == 1) return;
    for (size_t k : ks_)
      if (k <= most) score_.at_k.push_back(at(k));
    if (!ks_.empty()) return;
    for (size_t k = 1; k < most; k *= 2) score_.at_k.push_back(at(k));
    score_.at_k.push_back(at(most));
  }

  AtK at(size_t k) const {
    double pass = 0;
    std::vector<double> best;
    for (const auto& [name, candidates] : problems_) {
      pass += pass_at(k, candidates.size(),
                      static_cast<size_t>(std::ranges::count_if(candidates, is_correct)));
      std::vector<double> logs;
      for (const Attempt* attempt : candidates) logs.push_back(log_of(attempt));
      best.push_back(best_at(k, logs));
    }
    return {k, pass / static_cast<double>(problems_.size()), *geometric_mean(best)};
  }

  Score score_;
  const std::map<std::string, Candidates>& problems_;
  const Standing& standing_;
  std::span<const size_t> ks_;
  std::span<const double> thresholds_;
};

// Whether somebody has several candidates for a problem, and they were judged: what is compiled for
// another machine has no share in being right. Kernels with tests are never accepted:
// suite_scores() says how often they are right.
bool has_several(const std::map<std::string, Candidates>& problems) {
  auto is_judged = [](const Attempt* attempt) {
    return !is_of_suite(*attempt) &&
           std::ranges::any_of(attempt->stages, [](const StageRecord& stage) {
             return stage.stage == Stage::verify;
           });
  };
  return std::ranges::any_of(problems, [&](const auto& each) {
    return each.second.size() > 1 && std::ranges::any_of(each.second, is_judged);
  });
}

}  // namespace

std::vector<Score> scores_of(const std::vector<Attempt>& attempts, std::span<const size_t> ks,
                             std::span<const double> thresholds) {
  using Place = std::pair<std::string, std::string>;  // suite and target
  std::map<Place, std::vector<std::string>> baselines;
  // A search profiles all and picks what it times: of that there are no shares and means.
  const bool is_picked =
      std::ranges::any_of(attempts, [](const Attempt& each) { return each.profile.has_value(); });
  for (const Attempt& attempt : attempts) {
    if (!attempt.timing || is_picked) continue;
    std::vector<std::string>& known = baselines[{attempt.suite, attempt.target}];
    for (const Speedup& speedup : attempt.timing->speedups)
      if (std::ranges::find(known, speedup.baseline) == known.end())
        known.push_back(speedup.baseline);
  }
  std::map<std::tuple<std::string, std::string, std::string>, std::map<std::string, Candidates>>
      groups;
  std::map<std::string, std::set<std::string>> levels;  // of each suite
  for (const Attempt& attempt : attempts) levels[attempt.suite].insert(attempt.level);
  for (const Attempt& attempt : attempts) {
    const std::set<std::string>& all = levels[attempt.suite];
    const std::string problem = attempt.level + "/" + attempt.workload;
    groups[{level_name(attempt), attempt.target, attempt.author}][problem].push_back(&attempt);
    if (all.size() > 1 && !all.contains(""))
      groups[{attempt.suite, attempt.target, attempt.author}][problem].push_back(&attempt);
  }
  const Standing standing = standing_of(attempts);
  std::vector<Score> scores;
  for (const auto& [group, problems] : groups) {
    const auto& [level, target, author] = group;
    const std::string& suite = problems.begin()->second.front()->suite;
    auto timed = baselines.find({suite, target});
    std::vector<std::string> against;
    if (timed != baselines.end())
      against = timed->second;
    else if (has_several(problems))
      against = {""};
    for (const std::string& baseline : against) {
      Score score;
      score.level = level;
      score.author = author;
      score.target = target;
      score.baseline = baseline;
      scores.push_back(Scoring(std::move(score), problems, standing, ks, thresholds).result());
    }
  }
  return scores;
}

Json to_json(const Score& score) {
  Json json{{"level", score.level},
            {"author", score.author},
            {"target", score.target},
            {"baseline", or_null(score.baseline)},
            {"problems", score.problems},
            {"candidates", score.candidates},
            {"correct", score.correct},
            {"faster", score.faster},
            {"faster_among_all", score.faster_among_all},
            {"equal", score.equal},
            {"slower", score.slower},
            {"undecided", score.undecided},
            {"untimed", score.untimed},
            {"provisional", score.provisional},
            {"fast", Json::array()},
            {"in_mean", score.in_mean},
            {"geometric_mean", score.geometric_mean ? Json(*score.geometric_mean) : Json()},
            {"geometric_mean_of_all", score.geometric_mean_of_all},
            {"limited", score.limited},
            {"at_k", Json::array()}};
  for (const FastShare& each : score.fast)
    json["fast"].push_back(
        {{"p", each.threshold}, {"share", each.by_estimate}, {"share_by_low", each.by_low}});
  for (const AtK& each : score.at_k)
    json["at_k"].push_back({{"k", each.k}, {"pass", each.pass}, {"best", each.best}});
  return json;
}

}  // namespace assay
