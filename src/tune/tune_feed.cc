#include "tune/tune_feed.h"

#include <algorithm>
#include <utility>

#include "measure/interval.h"
#include "target/availability.h"
#include "tune/hot_operations.h"

namespace assay {
namespace {

// So many are compiled together, and then timed together with the compiler's own choice.
constexpr size_t kBatch = 8;
// The part of the time that the search has; the rest is for those that it finds.
constexpr double kSearchPart = 0.6;
// What one launch has at most, as with --profile.
constexpr int64_t kProfileNs = 5'000'000'000;

// The dispatches of a call, where something has looked at them.
std::optional<CallParts> dispatches_in(const Json& evidence) {
  if (!evidence.is_object() || !evidence.contains("counters")) return std::nullopt;
  for (const auto& [counter, said] : evidence["counters"].items())
    if (auto parts = call_parts_from_json(said); parts && parts->kind == PartKind::dispatch)
      return parts;
  return std::nullopt;
}

}  // namespace

TuneFeed::TuneFeed(const TuneRequest& request, const TuneTools& tools, TuneEvents& events,
                   World& world)
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
  settings.counters = true;
  looked_ = std::make_shared<const Terms>(Terms{settings});
  settings.until = Stage::compile;
  shown_ = std::make_shared<const Terms>(Terms{settings});
  settings.counters = false;
  compiled_ = std::make_shared<const Terms>(Terms{settings});
}

Status TuneFeed::begin() {
  ASSAY_TRY(store_.create());
  ASSAY_ASSIGN(subjects_,
               make_subjects(request_, world_.disk, profiled_->settings, tools_.tools, retyped_));
  for (TuneSubject& subject : subjects_)
    subject.runs_here = runs_on_this_cpu(*subject.target, tools_.machine);
  ASSAY_TRY(restore());
  return next_subject(0);
}

Result<std::optional<Lane>> TuneFeed::next() {
  // Whatever needs no child is over at once.
  while (lanes_.are_over() && at_ < subjects_.size()) ASSAY_TRY(go_on());
  return lanes_.next();
}

Status TuneFeed::learn(const Attempt& attempt) {
  const std::optional<AtWork> work = lanes_.take(attempt.id);
  if (!work) return {};
  switch (work->what) {
    case AtWork::What::look:
      return learn_looked(attempt);
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

// What the store has: nothing that is known is tried again.
Status TuneFeed::restore() {
  ASSAY_ASSIGN(const auto lines, store_.lines());
  for (const Json& json : lines)
    for (TuneSubject& subject : subjects_)
      if (const auto line = line_from_json(json, subject)) ASSAY_TRY(subject.take(*line));
  for (TuneSubject& subject : subjects_) subject.leave_out_families();
  return {};
}

Status TuneFeed::put(TuneLine line) {
  TuneSubject& subject = subjects_[at_];
  line.spent_ns = spent_ns();
  ASSAY_TRY(subject.take(line));
  return store_.add(to_json(line, subject));
}

// What came of an attempt.
Status TuneFeed::put_of(const Attempt& attempt, TuneLine line, bool is_known) {
  return put_or_take(std::move(line), is_known && attempt.verdict != Verdict::not_judged);
}

// What nobody could judge says nothing of the point, and perhaps it can be judged by the next
// command: that is not kept.
Status TuneFeed::put_or_take(TuneLine line, bool is_known) {
  if (is_known) return put(std::move(line));
  is_whole_ = false;
  line.is_known = false;
  return subjects_[at_].take(line);
}

// Where there is something to be told of a point.
Status TuneFeed::tell_searcher(size_t point) {
  TuneSubject& subject = subjects_[at_];
  const Tried& known = subject.tried[point];
  return known.is_over && known.is_known ? subject.searcher->tell(point, known.ns) : Status{};
}

Status TuneFeed::next_subject(size_t at) {
  at_ = at;
  if (at_ == subjects_.size()) return {};
  TuneSubject& subject = subjects_[at_];
  step_ = subject.is_to_be_looked_at() ? Step::look : Step::search;
  is_whole_ = true;
  begun_ns_ = world_.clock.now_ns();
  spent_before_ns_ = subject.spent_ns;
  // It goes on where there is more to spend than when it ended.
  if (subject.ended && subject.ended->spend_ns >= request_.spend_ns) {
    events_.began(subject.result());
    return tell_result();
  }
  subject_ends_ns_ = std::max(part_of_subject(), spent_ns());
  // A search that was interrupted goes on where it was, also behind its own part of the time; one
  // that has ended begins anew.
  const double part = subject.runs_here ? kSearchPart : 1;
  const int64_t to_spend_ns = subject_ends_ns_ - subject.ended_ns;
  search_ends_ns_ =
      subject.ended_ns + static_cast<int64_t>(static_cast<double>(to_spend_ns) * part);
  if (step_ == Step::look) return {};  // its space is not known yet
  ASSAY_TRY(open_searcher());
  events_.began(subject.result());
  return {};
}

Status TuneFeed::open_searcher() {
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
  for (const auto& each : subject.tried) ASSAY_TRY(tell_searcher(each.first));
  return {};
}

// An equal part, or an equal part of what those before it have left.
int64_t TuneFeed::part_of_subject() const {
  int64_t left_ns = request_.spend_ns;
  for (size_t i = 0; i < at_; ++i) left_ns -= subjects_[i].spent_ns;
  return std::max(request_.spend_ns / static_cast<int64_t>(subjects_.size()),
                  left_ns / static_cast<int64_t>(subjects_.size() - at_));
}

// On the subject at hand, by all commands together.
int64_t TuneFeed::spent_ns() const { return spent_before_ns_ + world_.clock.now_ns() - begun_ns_; }

Status TuneFeed::go_on() {
  switch (step_) {
    case Step::look:
      return look();
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

// What takes the time of a whole program's call, in the compiler's own choice.
Status TuneFeed::look() {
  step_ = Step::search;
  return put_lane({std::nullopt}, AtWork::What::look, looked_);
}

Status TuneFeed::learn_looked(const Attempt& attempt) {
  TuneSubject& subject = subjects_[at_];
  keep_default({AtWork::What::look, std::nullopt}, attempt);
  TuneLine line{.step = "look", .hot = std::vector<HotOperation>()};
  for (const StageRecord& stage : attempt.stages)
    if (const auto calls = dispatches_in(stage.evidence)) line.hot = hot_operations(*calls);
  // Where nothing was seen all products are tuned alike, and convolutions have no tiles.
  ASSAY_TRY(put_of(attempt, std::move(line), attempt.verdict == Verdict::accepted));
  ASSAY_TRY(open_searcher());
  events_.began(subject.result());
  return {};
}

// Of code that does not run here: that it compiles is all, and the report has what it takes.
Status TuneFeed::show_batch() {
  TuneSubject& subject = subjects_[at_];
  step_ = Step::search;
  for (size_t point : std::exchange(batch_, {})) {
    const Tried known = subject.tried[point];
    if (known.is_over) continue;
    ASSAY_TRY(put({.step = "try", .point = point, .code = known.code}));
    ASSAY_TRY(tell_searcher(point));
    events_.tried(subject.result(), subject.points[point].name, std::nullopt, "");
  }
  return {};
}

// A batch of points that are only compiled: many have the code of others.
Status TuneFeed::search() {
  TuneSubject& subject = subjects_[at_];
  batch_.clear();
  if (const auto families = subject.leave_out_families(); !families.empty()) {
    ASSAY_TRY(open_searcher());
    for (const std::string& family : families) events_.left_out(subject.result(), family);
  }
  if (subject.searcher && spent_ns() < search_ends_ns_) {
    ASSAY_ASSIGN(batch_, subject.searcher->ask(kBatch));
  }
  // At the end of the search, of a whole program: the best for each of its operations, as one.
  if (batch_.empty())
    if (const auto all = subject.best_together()) batch_ = {*all};
  if (batch_.empty()) return begin_again();
  std::vector<std::optional<size_t>> points;
  if (subject.default_code.empty()) points.emplace_back();
  // A command that was interrupted has left some whose code is known.
  for (const size_t point : batch_)
    if (subject.tried[point].code.empty()) points.emplace_back(point);
  ASSAY_TRY(put_lane(points, AtWork::What::compile, subject.runs_here ? compiled_ : shown_));
  step_ = Step::run;
  return {};
}

Status TuneFeed::learn_compiled(const AtWork& work, const Attempt& attempt) {
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
  ASSAY_TRY(tell_searcher(*work.point));
  events_.tried(subject.result(), subject.points[*work.point].name, std::nullopt, why);
  return {};
}

// Of the batch, those with code that nobody had before; and the compiler's own choice.
Status TuneFeed::run_batch() {
  TuneSubject& subject = subjects_[at_];
  if (!subject.runs_here) return show_batch();
  step_ = Step::end_batch;
  std::vector<std::optional<size_t>> points;
  for (const size_t point : subject.to_be_timed(batch_)) points.emplace_back(point);
  if (points.empty() && !subject.default_ns.empty()) return {};
  points.insert(points.begin() + static_cast<long>(points.size() / 2), std::nullopt);
  return put_lane(points, AtWork::What::attempt, profiled_);
}

// What has another one's code has its time.
Status TuneFeed::end_batch() {
  TuneSubject& subject = subjects_[at_];
  step_ = Step::search;
  for (size_t point : std::exchange(batch_, {})) {
    const Tried known = subject.tried[point];
    if (known.is_over) continue;  // it was timed, or has no code
    std::optional<double> ns;
    std::string other = "the compiler's own choice";
    bool is_known = subject.default_is_known;
    if (known.code == subject.default_code) {
      if (!subject.default_ns.empty()) ns = median(subject.default_ns);
    } else {
      const size_t first = subject.first_with[known.code];
      ns = subject.tried[first].ns;
      is_known = subject.tried[first].is_known;
      other = subject.points[first].name;
    }
    const std::string why = "the same code as " + other;
    ASSAY_TRY(put_or_take(
        {.step = "try", .point = point, .code = known.code, .ns = ns, .why_none = why}, is_known));
    ASSAY_TRY(tell_searcher(point));
    events_.tried(subject.result(), subject.points[point].name, ns, why);
  }
  return {};
}

Status TuneFeed::learn_tried(const AtWork& work, const Attempt& attempt) {
  TuneSubject& subject = subjects_[at_];
  keep_default(work, attempt);
  std::optional<double> ns;
  if (attempt.profile) ns = attempt.profile->median_ns;
  const StageRecord* deciding = attempt.deciding_stage();
  const std::string why = ns ? "" : deciding ? deciding->error : "it was not timed";
  const std::string code = work.point ? subject.tried[*work.point].code : subject.default_code;
  ASSAY_TRY(put_of(attempt,
                   {.step = "try", .point = work.point, .code = code, .ns = ns, .why_none = why}));
  if (!work.point) {
    default_complaint_ = subject.default_ns.empty() ? why : "";
    return {};
  }
  ASSAY_TRY(tell_searcher(*work.point));
  events_.tried(subject.result(), subject.points[*work.point].name, ns, why);
  return {};
}

void TuneFeed::keep_default(const AtWork& work, const Attempt& attempt) {
  if (work.point || attempt.verdict != Verdict::accepted) return;
  subjects_[at_].default_attempt = std::make_shared<const Attempt>(attempt);
}

}  // namespace assay
