#include "tune/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "measure/interval.h"
#include "session/store_sink.h"
#include "target/host_cpu.h"
#include "tune/lanes.h"
#include "tune/subject.h"
#include "tune/tuned_files.h"

namespace assay {
namespace {

// So many are compiled together, and then timed together with the compiler's own choice.
constexpr size_t kBatch = 8;
// Of so many, the fastest, each is timed in turn with the others, in so many launches of its own.
constexpr size_t kFinalists = 8;
constexpr int kRounds = 3;
// At most so many of them are judged, the fastest first, until one is faster.
constexpr int kMostJudged = 3;
// The part of the time that the search has; the rest is for those that it finds.
constexpr double kSearchPart = 0.6;
// What one launch has at most, as with --profile.
constexpr int64_t kProfileNs = 5'000'000'000;
// What judging one has at least, whatever is left.
constexpr int64_t kLeastJudgeNs = 10'000'000'000;

class TuneFeed final : public Feed {
 public:
  TuneFeed(const TuneRequest& request, const TuneTools& tools, TuneEvents& events, World& world)
      : request_(request),
        tools_(tools),
        events_(events),
        world_(world),
        store_(tools.store.tuning()),
        lanes_(request.run, tools),
        random_(request.seed) {
    RunSettings settings = request.run.settings;
    settings.timing->profile = true;
    settings.timing->against.clear();
    settings.timing->budget_ns = std::min(settings.timing->budget_ns, kProfileNs);
    profiled_ = std::make_shared<const Terms>(Terms{settings});
    settings.until = Stage::compile;
    compiled_ = std::make_shared<const Terms>(Terms{settings});
  }

  Status begin() {
    ASSAY_TRY(store_.create());
    ASSAY_ASSIGN(subjects_,
                 make_subjects(request_, world_.disk, profiled_->settings, tools_.tools, retyped_));
    ASSAY_TRY(restore());
    return next_subject(0);
  }

  // -- Feed

  Result<std::optional<Lane>> next() override {
    // Whatever needs no child is over at once.
    while (lanes_.are_over() && at_ < subjects_.size()) ASSAY_TRY(go_on());
    return lanes_.next();
  }

  bool has_ended() const override { return at_ == subjects_.size() && lanes_.are_over(); }

  Status learn(const Attempt& attempt) override {
    const std::optional<AtWork> work = lanes_.take(attempt.id);
    if (!work) return {};
    switch (work->what) {
      case AtWork::What::compile:
        return learn_compiled(*work, attempt);
      case AtWork::What::attempt:
        return learn_tried(*work, attempt);
      case AtWork::What::again:
        return learn_again(*work, attempt);
      case AtWork::What::judge:
        return learn_judged(*work, attempt);
    }
    return {};
  }

  std::vector<TunedOperation> results() && { return std::move(results_); }
  // All that the run has, as its log.
  Result<std::vector<Json>> lines() { return store_.lines(); }

 private:
  enum class Step { search, run, end_batch, again, judge, end };

  // -- Setting up

  // What the store has: nothing that is known is tried again.
  Status restore() {
    ASSAY_ASSIGN(const auto lines, store_.lines());
    for (const Json& json : lines)
      for (TuneSubject& subject : subjects_)
        if (const auto line = line_from_json(json, subject)) subject.take(*line);
    for (TuneSubject& subject : subjects_) subject.leave_out_families();
    return {};
  }

  Status put(TuneLine line) {
    TuneSubject& subject = subjects_[at_];
    line.spent_ns = spent_ns();
    subject.take(line);
    return store_.add(to_json(line, subject));
  }

  // What came of an attempt. What nobody could judge says nothing of the point, and perhaps it can
  // be judged by the next command: that is not kept.
  Status put_of(const Attempt& attempt, TuneLine line, bool is_known = true) {
    if (is_known && attempt.verdict != Verdict::not_judged) return put(std::move(line));
    is_whole_ = false;
    subjects_[at_].take(line);
    return {};
  }

  Status next_subject(size_t at) {
    at_ = at;
    if (at_ == subjects_.size()) return {};
    TuneSubject& subject = subjects_[at_];
    step_ = Step::search;
    judged_ = 0;
    is_whole_ = true;
    begun_ns_ = world_.clock.now_ns();
    spent_before_ns_ = subject.spent_ns;
    // It goes on where there is more to spend than when it ended.
    if (subject.ended && subject.ended->spend_ns >= request_.spend_ns) {
      events_.began(subject.result());
      return tell_result();
    }
    subject_ends_ns_ = std::max(part_of_subject(), spent_ns());
    search_ends_ns_ =
        spent_ns() +
        static_cast<int64_t>(static_cast<double>(subject_ends_ns_ - spent_ns()) * kSearchPart);
    ASSAY_TRY(open_searcher());
    events_.began(subject.result());
    return {};
  }

  Status open_searcher() {
    TuneSubject& subject = subjects_[at_];
    subject.searcher.reset();
    std::vector<size_t> left = subject.points_left();
    if (left.empty()) return {};
    ASSAY_ASSIGN(subject.searcher, open_part(*request_.searcher,
                                             {.points = subject.points,
                                              .seed = request_.seed,
                                              .python = request_.python,
                                              .guide = request_.guide},
                                             std::move(left)));
    for (const auto& [point, known] : subject.tried)
      if (known.is_over) ASSAY_TRY(subject.searcher->tell(point, known.ns));
    return {};
  }

  // An equal part, or an equal part of what those before it have left.
  int64_t part_of_subject() const {
    int64_t left_ns = request_.spend_ns;
    for (size_t i = 0; i < at_; ++i) left_ns -= subjects_[i].spent_ns;
    return std::max(request_.spend_ns / static_cast<int64_t>(subjects_.size()),
                    left_ns / static_cast<int64_t>(subjects_.size() - at_));
  }

  // On the subject at hand, by all commands together.
  int64_t spent_ns() const { return spent_before_ns_ + world_.clock.now_ns() - begun_ns_; }

  // -- One step after the other; each leaves lanes, or goes on to the next.

  Status go_on() {
    switch (step_) {
      case Step::search:
        return search();
      case Step::run:
        return run_batch();
      case Step::end_batch:
        return end_batch();
      case Step::again:
        return time_again();
      case Step::judge:
        return judge_next();
      case Step::end:
        return next_subject(at_ + 1);
    }
    return {};
  }

  // A batch of points that are only compiled: many have the code of others.
  Status search() {
    TuneSubject& subject = subjects_[at_];
    batch_.clear();
    if (const auto families = subject.leave_out_families(); !families.empty()) {
      ASSAY_TRY(open_searcher());
      for (const std::string& family : families) events_.left_out(subject.result(), family);
    }
    if (subject.searcher && spent_ns() < search_ends_ns_) {
      ASSAY_ASSIGN(batch_, subject.searcher->ask(kBatch));
    }
    if (batch_.empty()) return begin_again();
    std::vector<std::optional<size_t>> points(batch_.begin(), batch_.end());
    if (subject.default_code.empty()) points.insert(points.begin(), std::nullopt);
    ASSAY_TRY(put_lane(points, AtWork::What::compile, compiled_));
    step_ = Step::run;
    return {};
  }

  Status learn_compiled(const AtWork& work, const Attempt& attempt) {
    TuneSubject& subject = subjects_[at_];
    std::string code;
    for (const ArtifactRecord& each : attempt.artifacts)
      if (each.name == kArtifactName) code = each.sha256;
    const StageRecord* deciding = attempt.deciding_stage();
    std::string why = deciding ? deciding->error : "";
    if (code.empty() && why.empty()) why = "it left no code";
    const bool not_taken_up = deciding && evidence_of(*deciding).contains("lowerings");
    ASSAY_TRY(put_of(attempt, {.step = "compile",
                               .point = work.point,
                               .code = code,
                               .why_none = why,
                               .not_taken_up = not_taken_up}));
    if (!work.point || !code.empty()) return {};
    ASSAY_TRY(subject.searcher->tell(*work.point, std::nullopt));
    events_.tried(subject.result(), subject.points[*work.point].name, std::nullopt, why);
    return {};
  }

  // Of the batch, those with code that nobody had before; and the compiler's own choice.
  Status run_batch() {
    TuneSubject& subject = subjects_[at_];
    step_ = Step::end_batch;
    std::vector<std::optional<size_t>> points;
    for (size_t point : batch_) {
      const Tried& known = subject.tried[point];
      if (!known.is_over && known.code != subject.default_code &&
          subject.first_with[known.code] == point)
        points.emplace_back(point);
    }
    if (points.empty() && !subject.default_ns.empty()) return {};
    points.insert(points.begin() + static_cast<long>(points.size() / 2), std::nullopt);
    return put_lane(points, AtWork::What::attempt, profiled_);
  }

  // What has another one's code has its time.
  Status end_batch() {
    TuneSubject& subject = subjects_[at_];
    step_ = Step::search;
    for (size_t point : std::exchange(batch_, {})) {
      const Tried known = subject.tried[point];
      if (known.is_over) continue;  // it was timed, or has no code
      std::optional<double> ns;
      std::string other = "the compiler's own choice";
      if (known.code == subject.default_code) {
        if (!subject.default_ns.empty()) ns = median(subject.default_ns);
      } else {
        const size_t first = subject.first_with[known.code];
        ns = subject.tried[first].ns;
        other = subject.points[first].name;
      }
      const std::string why = "the same code as " + other;
      ASSAY_TRY(
          put({.step = "try", .point = point, .code = known.code, .ns = ns, .why_none = why}));
      ASSAY_TRY(subject.searcher->tell(point, ns));
      events_.tried(subject.result(), subject.points[point].name, ns, why);
    }
    return {};
  }

  Status learn_tried(const AtWork& work, const Attempt& attempt) {
    TuneSubject& subject = subjects_[at_];
    keep_default(work, attempt);
    std::optional<double> ns;
    if (attempt.profile) ns = attempt.profile->median_ns;
    const StageRecord* deciding = attempt.deciding_stage();
    const std::string why = ns ? "" : deciding ? deciding->error : "it was not timed";
    const std::string code = work.point ? subject.tried[*work.point].code : subject.default_code;
    ASSAY_TRY(put_of(
        attempt, {.step = "try", .point = work.point, .code = code, .ns = ns, .why_none = why}));
    if (!work.point) {
      default_complaint_ = subject.default_ns.empty() ? why : "";
      return {};
    }
    ASSAY_TRY(subject.searcher->tell(*work.point, ns));
    events_.tried(subject.result(), subject.points[*work.point].name, ns, why);
    return {};
  }

  void keep_default(const AtWork& work, const Attempt& attempt) {
    if (work.point || attempt.verdict != Verdict::accepted) return;
    subjects_[at_].default_attempt = std::make_shared<const Attempt>(attempt);
  }

  // -- The best of them in turn

  Status begin_again() {
    TuneSubject& subject = subjects_[at_];
    finalists_ = subject.fastest(kFinalists);
    step_ = Step::again;
    round_ = 0;
    if (finalists_.empty())
      return end(subject.points.empty() ? "there is nothing to tune: no configuration is for it"
                                        : "no other code came out right and was timed");
    for (auto& [point, known] : subject.tried) known.again_ns.clear();
    subject.default_again_ns.clear();
    events_.again(subject.result(), finalists_.size());
    return {};
  }

  Status time_again() {
    if (round_++ == kRounds) {
      finalists_ = subjects_[at_].fastest(finalists_.size());
      step_ = Step::judge;
      return {};
    }
    std::vector<std::optional<size_t>> points(finalists_.begin(), finalists_.end());
    points.push_back(std::nullopt);
    for (size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random_() % i]);
    return put_lane(points, AtWork::What::again, profiled_);
  }

  Status learn_again(const AtWork& work, const Attempt& attempt) {
    keep_default(work, attempt);
    std::optional<double> ns;
    if (attempt.profile) ns = attempt.profile->median_ns;
    return put_of(attempt, {.step = "again", .point = work.point, .ns = ns});
  }

  // -- The winner against the compiler's own choice

  Status judge_next() {
    TuneSubject& subject = subjects_[at_];
    if (subject.winner()) return end("");
    if (subject.seems_faster() || judged_ == kMostJudged ||
        static_cast<size_t>(judged_) == finalists_.size())
      return end(subject.nothing_beats());
    const size_t point = finalists_[static_cast<size_t>(judged_++)];
    const Tried& known = subject.tried[point];
    const double ns = known.again_ns.empty() ? *known.ns : median(known.again_ns);
    if (ns > subject.median_default_ns() * (1 - kDeadBand)) return end(subject.nothing_beats());
    RunSettings settings = request_.run.settings;
    settings.timing->profile = false;
    settings.timing->against = {std::string(default_author().name)};
    settings.timing->budget_ns = std::min(settings.timing->budget_ns,
                                          std::max(subject_ends_ns_ - spent_ns(), kLeastJudgeNs));
    const auto terms = std::make_shared<const Terms>(Terms{settings});
    events_.judges(subject.result(), subject.points[point].name);
    return put_lane({point}, AtWork::What::judge, terms);
  }

  Status learn_judged(const AtWork& work, const Attempt& attempt) {
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

  Status end(const std::string& why) {
    const std::string said = default_complaint_.empty() ? why : default_complaint_;
    default_complaint_.clear();
    TuneLine line{
        .step = "end", .why_none = said, .spend_ns = request_.spend_ns, .spent_ns = spent_ns()};
    // Where something was not judged and nothing is faster, the same command goes on.
    if (is_whole_ || subjects_[at_].winner()) {
      ASSAY_TRY(put(std::move(line)));
    } else {
      subjects_[at_].take(line);
    }
    return tell_result();
  }

  Status tell_result() {
    const TuneSubject& subject = subjects_[at_];
    TuneResult result = subject.result();
    result.why = subject.ended->why_none;
    result.precision = to_word(kPrecisionWords, subject.target->precision);
    result.compiler = tools_.tools.compiler.version;
    result.cpu = cpu_model(world_.disk);
    if (subject.judged) result.judged = subject.judged->judged;
    if (const auto point = subject.winner()) set_winner(subject.points[*point], result);
    events_.ended(result);
    results_.push_back({std::move(result), subject.operation});
    step_ = Step::end;
    return {};
  }

  Status put_lane(const std::vector<std::optional<size_t>>& points, AtWork::What what,
                  const std::shared_ptr<const Terms>& terms) {
    return lanes_.put(subjects_[at_], points, what, terms, finalists_.size());
  }

  const TuneRequest& request_;
  const TuneTools& tools_;
  TuneEvents& events_;
  World& world_;
  TuneStore store_;
  TuneLanes lanes_;
  std::mt19937_64 random_;
  std::shared_ptr<const Terms> profiled_, compiled_;
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
  int round_ = 0, judged_ = 0;
  std::string default_complaint_;  // why the compiler's own choice was not timed
};

}  // namespace

Result<std::vector<TuneResult>> run_tuning(const TuneRequest& request, const TuneTools& tools,
                                           TuneEvents& events, World world) {
  // Before anything is spent: what cannot be read could not be kept.
  ASSAY_TRY(read_tuned(world.disk, tools.store.folder()));
  TuneFeed tuning(request, tools, events, world);
  ASSAY_TRY(tuning.begin());
  StoreSink sink(world.disk, world.cache, tools.store, world.events);
  const SessionSetting setting{.jobs = static_cast<size_t>(request.run.jobs),
                               .cores = static_cast<size_t>(request.run.cores),
                               .go_on = "the same command goes on from here: what is known is kept",
                               .folder = tools.store.folder()};
  const Status ran = run_session(tuning, sink, setting, tools.tools, world);
  ASSAY_ASSIGN(const auto lines, tuning.lines());
  ASSAY_TRY(write_tune_log(world.disk, tools.store.folder(), lines));
  // Also of a search that was interrupted: what won by then.
  const auto tuned = std::move(tuning).results();
  ASSAY_TRY(write_tuned(world.disk, tools.store.folder(), tuned));
  ASSAY_TRY(ran);
  std::vector<TuneResult> results;
  for (const TunedOperation& each : tuned) results.push_back(each.result);
  return results;
}

}  // namespace assay
