#include "search/writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "measure/counter.h"
#include "search/answer_files.h"
#include "search/questions.h"
#include "search/quick_look.h"
#include "search/search.h"
#include "search/verdicts.h"
#include "session/plan.h"
#include "session/store_sink.h"

namespace assay {
namespace {

constexpr int64_t kKeepEveryNs = 2'000'000'000;

// A candidate that waits to be judged.
struct Ready {
  size_t search = 0;
  int node = 0;
  int64_t since_ns = 0;  // it waits
  bool confirms = false;
};

class Writing final : public Feed {
 public:
  Writing(const WriteRequest& request, const WriteTools& tools, WriteEvents& events,
          const World& world)
      : request_(request),
        tools_(tools),
        events_(events),
        world_(world),
        store_(tools.store.search()),
        questions_(request, tools, events, world, store_) {
    RunSettings quick = request.run.settings;
    if (quick.timing) quick.timing = quick_look(*std::move(quick.timing));
    search_terms_ = std::make_shared<const Terms>(Terms{quick});
    confirm_terms_ = std::make_shared<const Terms>(Terms{request.run.settings});
  }

  Status begin() {
    ASSAY_TRY(store_.create());
    ASSAY_ASSIGN(SearchRecord before, store_.record());
    ASSAY_ASSIGN(searches_, make_searches(request_, world_.disk, retyped_, before));
    ASSAY_TRY(store_.update_terms({{kPlaces, to_json(before.places)}}));
    for (const Search& search : searches_) ASSAY_TRY(world_.disk.make_directories(search.folder));
    ASSAY_TRY(restore(std::move(before)));
    ASSAY_TRY(keep_times());
    for (size_t i = 0; i < searches_.size(); ++i) ASSAY_TRY(advance(i));
    return {};
  }

  Status take_in() override {
    ASSAY_ASSIGN(auto answered, questions_.take(searches_));
    for (const auto& [at, number, came_ns] : answered) {
      ASSAY_TRY(judge_answer(at, searches_[at].tree.node(number), came_ns));
      wait_for_turn(at);
    }
    // There is room for calls that wait, and what these left of --spend may be enough for others.
    if (!answered.empty())
      for (auto [attempt, at] : std::exchange(waiting_, {})) ASSAY_TRY(advance(at));
    // While a model thinks, too: that time is to be spent after kill -9.
    const bool is_due = judging_ == 0 && world_.clock.now_ns() - times_kept_ns_ > kKeepEveryNs;
    return answered.empty() && !is_due ? Status{} : keep_times();
  }

  Result<std::optional<Lane>> next() override {
    ASSAY_TRY(take_in());
    if (ready_.empty()) return std::optional<Lane>{};
    const Ready ready = ready_.front();
    ready_.pop_front();
    if (judging_++ == 0)
      idle_ns_ += world_.clock.now_ns() - std::max(ready.since_ns, none_judged_since_ns_);
    ASSAY_ASSIGN(Lane lane, lane_of(ready));
    return std::optional(std::move(lane));
  }

  bool has_ended() const override {
    return ready_.empty() && questions_.under_way() == 0 && judging_ == 0;
  }

  size_t to_come() const override { return ready_.size(); }

  Status learn(const Attempt& attempt) override {
    auto found = at_work_.extract(attempt.id);
    if (!found) return {};
    const Ready ready = found.mapped();
    if (--judging_ == 0) none_judged_since_ns_ = world_.clock.now_ns();
    Search& search = searches_[ready.search];
    SearchNode& node = search.tree.node(ready.node);
    const auto terms = feedback_terms(request_.terms, request_.language, counted_of(attempt));
    NodeVerdict verdict = verdict_for(attempt, feedback_on(attempt, shown_code(node), terms));
    if (ready.confirms) {
      ASSAY_TRY(put_confirmed(search, node, std::move(verdict), &attempt));
      // Both have one id. What could not be judged once more is what it was.
      if (!node.is_confirmed() && search.judged_first)
        ASSAY_TRY(tools_.store.save(*search.judged_first));
    } else {
      ASSAY_TRY(put_verdict(search, node, std::move(verdict), &attempt));
      ASSAY_TRY(give_to_the_same(search, node, attempt));
    }
    ASSAY_TRY(go_on(ready.search));
    return keep_times();  // what is judged next may take long
  }

  // Answers that have come since the last look, in the store and in files; nothing is judged.
  Status keep_answers() {
    ASSAY_ASSIGN(auto kept, questions_.take(searches_));
    return kept.empty() ? Status{} : keep_times();
  }

  // What has not come to an end by itself: --until answer, and what --spend has left no room for.
  Status finish() {
    for (Search& search : searches_)
      if (!search.has_ended)
        ASSAY_TRY(end(search, request_.only_answers     ? "answers alone were asked for"
                              : request_.takes_verdicts ? kNothingRecorded
                                                        : questions_.spend_ended()));
    return keep_times();
  }

  Written written() const {
    Written written;
    written.spend_ended = questions_.spend_ended();
    written.shut_out = questions_.all_shut_out();
    for (const Search& search : searches_) {
      const bool lacks_some =
          !search.unanswered.empty() || !questions_.shut_out(search.writer->model.written).empty();
      written.lacks_answers |= lacks_some && !has_reached(search.tree, request_.terms);
      written.searches.push_back(search.status(request_.terms));
    }
    return written;
  }

 private:
  // -- Setting up

  // What the store has: nothing that was answered is asked again, nothing that was judged is judged
  // again. Where this machine stood in the way, that may have been mended since; and what was begun
  // with --until verify may be timed now.
  Status restore(SearchRecord before) {
    ASSAY_TRY(questions_.restore());
    idle_ns_ = before.judge_idle_ns;
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < searches_.size(); ++i) places[searches_[i].tree.problem()] = i;
    for (Tree& tree : before.trees) {
      auto place = places.find(tree.problem());
      if (place != places.end())
        searches_[place->second].tree = std::move(tree);
      else
        ended_[tree.problem()];  // it is not asked for now: it is at work no more, and did not end
    }
    for (size_t i = 0; i < searches_.size(); ++i) {
      Search& search = searches_[i];
      search.last_asked = search.tree.last();
      search.name_code(request_.language);  // before any file is written that is named after it
      const bool is_reached = has_reached(search.tree, request_.terms);
      for (int number = 1; number <= search.tree.last(); ++number) {
        SearchNode& node = search.tree.node(number);
        if (!is_reached && request_.is_judged()) node.forget_fault_of_machine();
        if (!is_reached && request_.terms.is_timed) node.forget_what_was_not_timed();
        if (search.lacks_verdict(node, is_reached))
          ASSAY_TRY(judge_answer(i, node, world_.clock.now_ns()));
      }
    }
    return {};
  }

  // -- Asking

  void wait_for_turn(size_t at) {
    waiting_.emplace(searches_[at].next_attempt(move_of(searches_[at]).asks), at);
  }

  // Why nothing more is asked, though there is more to ask; "": it is.
  std::string why_not_asked(const Search& search) const {
    std::string why = questions_.shut_out(search.writer->model.written);
    if (!why.empty()) return why;
    return search.is_out_of_answers() ? "no answer came: " + search.why_unanswered() : "";
  }

  Move move_of(const Search& search) const {
    return next_move(search.tree, *request_.strategy, request_.terms, search.standing());
  }

  Status go_on(size_t at) {
    Search& search = searches_[at];
    if (search.has_ended) return {};
    if (!search.unable.empty()) return end(search, search.unable);
    if (search.tree.nodes().empty() && !request_.from.empty()) ASSAY_TRY(start_from_file(at));
    Move move = move_of(search);
    if (move.confirm != 0) return confirm(at, move.confirm);
    if (!move.end.empty()) return end(search, move.end + search.in_vain());
    if (!move.asks_on) return {};
    std::string why = why_not_asked(search);
    if (why.empty()) {
      ASSAY_ASSIGN(const Spend::Grant grant, questions_.ask_all(at, search, move.asks, why));
      if (grant == Spend::Grant::wait) wait_for_turn(at);
    }
    if (!why.empty() && search.under_way() == 0) return finish_unfinished(at, why);
    return {};
  }

  // Has it judged once more.
  Status confirm(size_t at, int number) {
    Search& search = searches_[at];
    const SearchNode& node = search.tree.node(number);
    search.confirming = number;
    if (!request_.takes_verdicts) {
      ASSAY_ASSIGN(search.judged_first, tools_.store.find(node.verdict->attempt));
      ready_.push_back({at, number, world_.clock.now_ns(), true});
    } else if (const SearchNode* recorded = search.writer->recorded_node(search.tree, node);
               recorded && recorded->confirmed) {
      search.to_be_told.emplace(recorded->confirmed->order, number);
    }
    return {};
  }

  // -- Recorded verdicts

  // Tells them in the order in which they came: so all is asked in the order in which it was.
  Status advance(size_t at) {
    ASSAY_TRY(go_on(at));
    Search& search = searches_[at];
    while (!search.to_be_told.empty() &&
           search.to_be_told.begin()->first <= search.tree.next_order()) {
      const auto next = search.to_be_told.extract(search.to_be_told.begin());
      ASSAY_TRY(tell_recorded(search, search.tree.node(next.mapped())));
      ASSAY_TRY(go_on(at));
    }
    return {};
  }

  Status tell_recorded(Search& search, SearchNode& node) {
    const SearchNode& recorded = *search.writer->recorded_node(search.tree, node);
    const bool confirms = node.verdict.has_value();
    const NodeVerdict& verdict = confirms ? *recorded.confirmed : *recorded.verdict;
    std::optional<Attempt> attempt;
    if (!verdict.attempt.empty()) {
      ASSAY_ASSIGN(attempt, search.writer->recorded->store->find(verdict.attempt));
      if (attempt) ASSAY_TRY(tools_.store.save(*attempt));
    }
    if (!confirms) return put_verdict(search, node, verdict, attempt ? &*attempt : nullptr);
    return put_confirmed(search, node, verdict, attempt ? &*attempt : nullptr);
  }

  // What nothing more is asked for is judged to its end, all the same.
  Status finish_unfinished(size_t at, const std::string& why) {
    const int best = worth_confirming(searches_[at].tree, request_.terms);
    return best != 0 ? confirm(at, best) : end(searches_[at], why);
  }

  Status start_from_file(size_t at) {
    Search& search = searches_[at];
    ASSAY_ASSIGN(std::string code, world_.disk.read(request_.from));
    SearchNode& added =
        search.tree.add(node_from_code(request_.from, request_.language, code, world_.clock.utc()));
    search.last_asked = added.number;
    ASSAY_ASSIGN(int64_t call, store_.put_asked(added, {search.tree.problem(), added.number}));
    ASSAY_TRY(store_.put_answer(added, call, {search.tree.problem(), added.number}));
    return judge_answer(at, added, world_.clock.now_ns());
  }

  // -- Answers

  // Has it judged, or says at once why not.
  Status judge_answer(size_t at, SearchNode& node, int64_t came_ns) {
    Search& search = searches_[at];
    const Candidate candidate = code_in(*node.answer, request_.language);
    const SearchNode* recorded =
        request_.takes_verdicts ? search.writer->recorded_node(search.tree, node) : nullptr;
    const bool is_told = recorded && recorded->verdict;
    if (has_not_come(*node.answer) && !is_told) return go_without(search, node);
    if (!candidate.why_none.empty() && !is_told)
      return put_verdict(search, node, verdict_without_code(*node.answer, candidate.why_none),
                         nullptr);
    int first = node.number;
    if (candidate.why_none.empty()) {
      first = search.first_with_code(node, candidate);
      ASSAY_TRY(world_.disk.write(search.code_path(node), *candidate.code));
      ASSAY_TRY(write_attempt_files(world_.disk, search, node.attempt, request_.terms));
    }
    if (is_told) search.to_be_told.emplace(recorded->verdict->order, node.number);
    if (!request_.is_judged()) return {};
    if (first != node.number) {
      search.same_as[first].push_back(node.number);
      const SearchNode& judged = search.tree.node(first);
      if (!judged.verdict) return {};
      ASSAY_ASSIGN(auto attempt, tools_.store.find(judged.known()->attempt));
      if (!attempt)
        return error(Code::corrupt, "the run has no attempt '" + judged.known()->attempt + "'",
                     "its file is damaged: name another folder with --out");
      return give_to_the_same(search, judged, *attempt);
    }
    ready_.push_back({at, node.number, came_ns, false});
    return {};
  }

  Status go_without(Search& search, SearchNode& node) {
    search.go_without(node);
    ASSAY_TRY(write_files(search, node, nullptr));
    events_.judged(search.view(), node, false);
    return {};
  }

  // Whose code is that of a node which is judged now.
  Status give_to_the_same(Search& search, const SearchNode& judged, const Attempt& attempt) {
    auto same = search.same_as.extract(judged.number);
    if (!same) return {};
    for (int number : same.mapped()) {
      SearchNode& node = search.tree.node(number);
      NodeVerdict verdict = *judged.known();
      verdict.same_as = judged.number;
      verdict.order = 0;
      verdict.feedback = "This is the same code as before, and nothing has changed about it.\n\n" +
                         verdict.feedback;
      ASSAY_TRY(put_verdict(search, node, std::move(verdict), &attempt));
    }
    return {};
  }

  // One without an order is the next. `attempt`: of that verdict; null: nothing was judged.
  Status put_verdict(Search& search, SearchNode& node, NodeVerdict verdict,
                     const Attempt* attempt) {
    if (verdict.order == 0) verdict.order = std::exchange(node.order_before, 0);
    if (verdict.order == 0) verdict.order = search.tree.next_order();
    node.verdict = std::move(verdict);
    ASSAY_TRY(store_.put_verdict(node));
    ASSAY_TRY(write_files(search, node, attempt));
    events_.judged(search.view(), node, false);
    return {};
  }

  // Of what was judged once more. The first verdict's files stand where it could not be.
  Status put_confirmed(Search& search, SearchNode& node, NodeVerdict verdict,
                       const Attempt* attempt) {
    if (verdict.order == 0) verdict.order = search.tree.next_order();
    node.confirmed = std::move(verdict);
    search.confirming = 0;
    ASSAY_TRY(store_.put_confirmed(node));
    if (node.is_confirmed()) ASSAY_TRY(write_files(search, node, attempt));
    events_.judged(search.view(), node, true);
    return {};
  }

  Status write_files(const Search& search, const SearchNode& node, const Attempt* attempt) {
    ASSAY_TRY(write_result(world_.disk, search, node, attempt, request_.language));
    ASSAY_TRY(write_attempt_files(world_.disk, search, node.attempt, request_.terms));
    return write_best(world_.disk, search, request_.terms);
  }

  // -- Judging

  // What is judged is what was answered, whatever has become of its file.
  Result<Lane> lane_of(const Ready& ready) {
    Search& search = searches_[ready.search];
    const SearchNode& node = search.tree.node(ready.node);
    Candidate candidate = code_in(*node.answer, request_.language);
    candidate.number = node.number;
    candidate.path = search.code_path(node);
    ASSAY_TRY(world_.disk.write(candidate.path, *candidate.code));
    candidate.code.reset();
    Lane lane = candidate_lane(request_.run, *search.workload, search.author, candidate,
                               *search.target, search.baselines,
                               ready.confirms ? confirm_terms_ : search_terms_, tools_.machine);
    at_work_[lane.planned.front().attempt.id] = ready;
    return lane;
  }

  Status end(Search& search, const std::string& why) {
    search.has_ended = true;
    search.forget_plans();
    ended_[search.tree.problem()] = why;
    ASSAY_TRY(write_best(world_.disk, search, request_.terms));
    events_.ended(search.view(), search.status(request_.terms), why);
    return keep_times();
  }

  // What --spend has of it, and who watches: a search that is ended and continued goes on counting.
  Status keep_times() {
    times_kept_ns_ = world_.clock.now_ns();
    return store_.update_terms({{kWallNs, questions_.wall_ns()},
                                {kJudgeIdleNs, idle_ns_},
                                {kKeptS, std::time(nullptr)},
                                {kEnded, ended_}});
  }

  const WriteRequest& request_;
  const WriteTools& tools_;
  WriteEvents& events_;
  const World& world_;
  SearchStore store_;
  std::list<Target> retyped_;  // targets at the precision of a workload's own
  std::vector<Search> searches_;
  std::deque<Ready> ready_;
  std::map<std::string, std::string> ended_;  // searches, by problem, and why
  // Searches that wait to ask: all get their first attempt before one gets its second.
  std::set<std::pair<int, size_t>> waiting_;
  std::map<std::string, Ready> at_work_;  // by the attempt's id
  std::shared_ptr<const Terms> search_terms_, confirm_terms_;
  size_t judging_ = 0;
  int64_t none_judged_since_ns_ = 0, times_kept_ns_ = 0;
  int64_t idle_ns_ = 0;  // an answer waited, and nothing was judged
  Questions questions_;  // last: its threads end first
};

}  // namespace

Result<Written> run_writing(const WriteRequest& request, const WriteTools& tools,
                            WriteEvents& events, World world) {
  Writing writing(request, tools, events, world);
  ASSAY_TRY(writing.begin());
  StoreSink sink(world.disk, world.cache, tools.store, world.events);
  const SessionSetting setting{
      .jobs = static_cast<size_t>(request.run.jobs),
      .cores = static_cast<size_t>(request.run.cores),
      .go_on = "the same command goes on from here: answers and verdicts are kept",
      .folder = tools.store.folder()};
  if (Status ran = run_session(writing, sink, setting, tools.tools, world); !ran) {
    ASSAY_TRY(writing.keep_answers());  // after Ctrl-C, too: what has come by now is paid for
    return std::unexpected(ran.error());
  }
  ASSAY_TRY(writing.finish());
  return writing.written();
}

}  // namespace assay
