// A search, as a session asks for its work: an operation on a target after the other.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "session/feed.h"
#include "tune/lanes.h"
#include "tune/subject.h"
#include "tune/tuned_files.h"
#include "tune/tuning.h"

namespace assay {

class TuneFeed final : public Feed {
 public:
  TuneFeed(const TuneRequest& request, const TuneTools& tools, TuneEvents& events, World& world);

  Status begin();

  // -- Feed
  Result<std::optional<Lane>> next() override;
  bool has_ended() const override { return at_ == subjects_.size() && lanes_.are_over(); }
  Status learn(const Attempt& attempt) override;

  std::vector<TunedOperation> results() && { return std::move(results_); }
  // All that the run has, as its log.
  Result<std::vector<Json>> lines() { return store_.lines(); }

 private:
  enum class Step { look, search, run, end_batch, again, judge, end };

  // What the store has: nothing that is known is tried again.
  Status restore();
  Status put(TuneLine line);
  Status put_of(const Attempt& attempt, TuneLine line, bool is_known = true);
  Status put_or_take(TuneLine line, bool is_known);
  Status tell_searcher(size_t point);
  Status next_subject(size_t at);
  Status open_searcher();
  int64_t part_of_subject() const;
  int64_t spent_ns() const;

  // One step after the other; each leaves lanes, or goes on to the next.
  Status go_on();
  Status look();
  Status search();
  Status run_batch();
  Status show_batch();
  Status end_batch();
  Status begin_again();
  Status time_again();
  Status judge_next();
  Status end(const std::string& why);
  Status tell_result();

  // What came of an attempt.
  Status learn_looked(const Attempt& attempt);
  Status learn_compiled(const AtWork& work, const Attempt& attempt);
  Status learn_tried(const AtWork& work, const Attempt& attempt);
  Status learn_again(const AtWork& work, const Attempt& attempt);
  Status learn_judged(const AtWork& work, const Attempt& attempt);
  void keep_default(const AtWork& work, const Attempt& attempt);

  Status put_lane(const std::vector<std::optional<size_t>>& points, AtWork::What what,
                  const std::shared_ptr<const Terms>& terms);

  const TuneRequest& request_;
  const TuneTools& tools_;
  TuneEvents& events_;
  World& world_;
  TuneStore store_;
  TuneLanes lanes_;
  std::mt19937_64 random_;
  // Timed by one launch; that, with its dispatches looked at; only compiled; that, with its code
  // looked at.
  std::shared_ptr<const Terms> profiled_, looked_, compiled_, shown_;
  std::list<Target> retyped_;
  std::vector<TuneSubject> subjects_;
  std::vector<TunedOperation> results_;

  // Of the subject at hand.
  size_t at_ = 0;
  Step step_ = Step::search;
  int64_t begun_ns_ = 0, spent_before_ns_ = 0;  // when, and what it had by then
  bool is_whole_ = true;                        // all was judged that was to be
  int64_t search_ends_ns_ = 0, subject_ends_ns_ = 0;
  std::vector<size_t> batch_, finalists_;
  int round_ = 0;
  std::string default_complaint_;  // why the compiler's own choice was not timed
};

}  // namespace assay
