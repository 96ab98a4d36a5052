#include "search/writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
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
#include "workload/source.h"

namespace assay {
namespace {

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
    searches_ = make_searches(request_, world_.disk, retyped_);
    for (const Search& search : searches_) ASSAY_TRY(world_.disk.make_directories(search.folder));
    ASSAY_TRY(restore());
    for (size_t i = 0; i < searches_.size(); ++i) ASSAY_TRY(advance(i));
    return {};
  }

  // -- Feed

  Status take_in() override {
    ASSAY_ASSIGN(auto answered, questions_.take(searches_));
    for (const auto& [at, number, came_ns] : answered) {
      ASSAY_TRY(judge_answer(at, searches_[at].tree.node(number), came_ns));
      ASSAY_TRY(advance(at));
    }
    return answered.empty() ? Status{} : keep_times();
  }

  Result<std::optional<Lane>> next() override {
    ASSAY_TRY(take_in());
    if (ready_.empty()) return std::optional<Lane>{};
    const Ready ready = ready_.front();
    ready_.pop_front();
    if (judging_++ == 0)
      idle_ns_ += world_.clock.now_ns() - std::max(ready.since_ns, none_judged_since_ns_);
    return std::optional(lane_of(ready));
  }

  bool has_ended() const override {
    return ready_.empty() && questions_.under_way() == 0 && judging_ == 0;
  }

  size_t to_come() const override { return ready_.size(); }

  Status learn(const Attempt& attempt) override {
    auto found = at_work_.find(attempt.id);
    if (found == at_work_.end()) return {};
    const Ready ready = found->second;
    at_work_.erase(found);
    if (--judging_ == 0) none_judged_since_ns_ = world_.clock.now_ns();
    Search& search = searches_[ready.search];
    SearchNode& node = search.tree.node(ready.node);
    const FeedbackTerms terms{.goal = request_.terms.goal,
                              .language = request_.language,
                              .allow_library = request_.terms.allows("library"),
                              .counted = counted_of(attempt)};
    NodeVerdict verdict = verdict_for(attempt, feedback_on(attempt, shown_code(node), terms));
    verdict.order = search.tree.told() + 1;
    if (ready.confirms) {
      node.confirmed = std::move(verdict);
      search.confirming = 0;
      ASSAY_TRY(store_.put_confirmed(node));
    } else {
      node.verdict = std::move(verdict);
      ASSAY_TRY(store_.put_verdict(node));
    }
    ASSAY_TRY(write_files(search, node, &attempt));
    events_.judged(search.view(), node, ready.confirms);
    if (!ready.confirms) ASSAY_TRY(give_to_the_same(search, node, attempt));
    return go_on(ready.search);
  }

  // What has not come to an end by itself: --until answer, and what --spend has left no room for.
  Status finish() {
    for (Search& search : searches_)
      if (!search.has_ended)
        ASSAY_TRY(end(search, request_.only_answers     ? "answers alone were asked for"
                              : request_.takes_verdicts ? "the recording has nothing more"
                                                        : questions_.spend_ended()));
    return keep_times();
  }

  Written written() const {
    Written written;
    written.spend_ended = questions_.spend_ended();
    for (const Search& search : searches_)
      written.searches.push_back(search.unable.empty() ? status_of(search.tree, request_.terms)
                                                       : SearchStatus::not_judged);
    return written;
  }

 private:
  // -- Setting up

  // What the store has: nothing that was answered is asked again, nothing that was judged is judged
  // again.
  Status restore() {
    ASSAY_TRY(questions_.restore());
    ASSAY_ASSIGN(auto terms, store_.terms());
    if (terms) idle_ns_ = terms->value(kJudgeIdleNs, int64_t{0});
    ASSAY_ASSIGN(auto nodes, store_.nodes());
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < searches_.size(); ++i) places[searches_[i].tree.problem()] = i;
    for (SearchNode& node : nodes) {
      auto place = places.find(node.problem);
      if (place == places.end()) continue;  // of a problem that is not asked for now
      searches_[place->second].tree.add(std::move(node));
    }
    for (size_t i = 0; i < searches_.size(); ++i) {
      Search& search = searches_[i];
      for (int number = 1; number <= static_cast<int>(search.tree.nodes().size()); ++number) {
        SearchNode& node = search.tree.node(number);
        if (!node.answer) {
          ASSAY_TRY(questions_.ask_again(i, search, node));
        } else if (!node.verdict) {
          ASSAY_TRY(judge_answer(i, node, world_.clock.now_ns()));
        } else {
          const Candidate candidate = code_in(*node.answer, request_.language);
          if (candidate.why_none.empty()) search.first_with_code(node, candidate);
        }
      }
    }
    return {};
  }

  // -- Asking

  Status go_on(size_t at) {
    Search& search = searches_[at];
    if (search.has_ended) return {};
    if (!search.unable.empty()) return end(search, search.unable);
    if (search.tree.nodes().empty() && !request_.from.empty()) ASSAY_TRY(start_from_file(at));
    Move move = next_move(search.tree, *request_.strategy, request_.terms, search.confirming != 0);
    if (move.confirm != 0) {
      confirm(at, move.confirm);
      return {};
    }
    for (const Ask& each : move.asks) {
      ASSAY_ASSIGN(bool is_asked, questions_.ask(at, search, each));
      if (!is_asked) break;
    }
    if (!move.end.empty()) return end(search, move.end);
    if (!questions_.spend_ended().empty() && search.under_way() == 0 && search.confirming == 0)
      return finish_unfinished(at);
    return {};
  }

  // Has it judged once more.
  void confirm(size_t at, int number) {
    Search& search = searches_[at];
    search.confirming = number;
    if (!request_.takes_verdicts) {
      ready_.push_back({at, number, world_.clock.now_ns(), true});
      return;
    }
    const SearchNode* recorded = search.writer->recorded_node(search.tree.node(number));
    if (recorded && recorded->confirmed)
      search.to_be_told.emplace(recorded->confirmed->order, number);
  }

  // -- Recorded verdicts

  // Tells them in the order in which they came: so all is asked in the order in which it was.
  Status advance(size_t at) {
    ASSAY_TRY(go_on(at));
    Search& search = searches_[at];
    while (!search.to_be_told.empty() &&
           search.to_be_told.begin()->first <= search.tree.told() + 1) {
      const int number = search.to_be_told.begin()->second;
      search.to_be_told.erase(search.to_be_told.begin());
      ASSAY_TRY(tell_recorded(search, search.tree.node(number)));
      ASSAY_TRY(go_on(at));
    }
    return {};
  }

  Status tell_recorded(Search& search, SearchNode& node) {
    const SearchNode& recorded = *search.writer->recorded_node(node);
    const bool confirms = node.verdict.has_value();
    const NodeVerdict& verdict = confirms ? *recorded.confirmed : *recorded.verdict;
    std::optional<Attempt> attempt;
    if (!verdict.attempt.empty()) {
      ASSAY_ASSIGN(attempt, search.writer->recorded->store->find(verdict.attempt));
      if (attempt) ASSAY_TRY(tools_.store.save(*attempt));
    }
    if (!confirms) return put_verdict(search, node, verdict, attempt ? &*attempt : nullptr);
    node.confirmed = verdict;
    search.confirming = 0;
    ASSAY_TRY(store_.put_confirmed(node));
    ASSAY_TRY(write_files(search, node, attempt ? &*attempt : nullptr));
    events_.judged(search.view(), node, true);
    return {};
  }

  // What --spend has ended is judged to its end, all the same.
  Status finish_unfinished(size_t at) {
    Search& search = searches_[at];
    if (const int best = worth_confirming(search.tree, request_.terms)) {
      confirm(at, best);
      return {};
    }
    return end(search, questions_.spend_ended());
  }

  Status start_from_file(size_t at) {
    Search& search = searches_[at];
    ASSAY_ASSIGN(std::string code, world_.disk.read(request_.from));
    SearchNode node;
    node.attempt = 0;
    node.model = "file:" + request_.from;
    node.answer = NodeAnswer{.text = "```" + fence_language() + "\n" + code + "\n```\n",
                             .model = node.model,
                             .finished = world_.clock.utc()};
    SearchNode& added = search.tree.add(std::move(node));
    ASSAY_ASSIGN(int64_t call, store_.put_asked(added, {search.tree.problem(), added.number}));
    ASSAY_TRY(store_.put_answer(added, call, {search.tree.problem(), added.number}));
    return judge_answer(at, added, world_.clock.now_ns());
  }

  std::string fence_language() const {
    return request_.language == "triton" ? "python" : request_.language;
  }

  // -- Answers

  // Has it judged, or says at once why not.
  Status judge_answer(size_t at, SearchNode& node, int64_t came_ns) {
    Search& search = searches_[at];
    const Candidate candidate = code_in(*node.answer, request_.language);
    const SearchNode* recorded =
        request_.takes_verdicts ? search.writer->recorded_node(node) : nullptr;
    const bool is_told = recorded && recorded->verdict;
    if (!candidate.why_none.empty() && !is_told)
      return put_new_verdict(search, node, verdict_without_code(*node.answer, candidate.why_none),
                             nullptr);
    int first = node.number;
    if (candidate.why_none.empty()) {
      first = search.first_with_code(node, candidate);
      ASSAY_TRY(world_.disk.write(search.code_path(node), *candidate.code));
      ASSAY_TRY(write_attempt_files(world_.disk, search, node.attempt, request_.terms));
    }
    if (is_told) search.to_be_told.emplace(recorded->verdict->order, node.number);
    if (request_.only_answers || request_.takes_verdicts) return {};
    if (first != node.number) {
      search.same_as[first].push_back(node.number);
      const SearchNode& judged = search.tree.node(first);
      if (!judged.verdict) return {};
      ASSAY_ASSIGN(auto attempt, tools_.store.find(judged.verdict->attempt));
      if (!attempt)
        return error(Code::corrupt, "the run has no attempt '" + judged.verdict->attempt + "'",
                     "its file is damaged: name another folder with --out");
      return give_to_the_same(search, judged, *attempt);
    }
    ready_.push_back({at, node.number, came_ns, false});
    return {};
  }

  // Whose code is that of a node which is judged now.
  Status give_to_the_same(Search& search, const SearchNode& judged, const Attempt& attempt) {
    auto same = search.same_as.extract(judged.number);
    if (!same) return {};
    for (int number : same.mapped()) {
      SearchNode& node = search.tree.node(number);
      NodeVerdict verdict = *judged.verdict;
      verdict.same_as = judged.number;
      verdict.feedback = "This is the same code as before, and nothing has changed about it.\n\n" +
                         verdict.feedback;
      ASSAY_TRY(put_new_verdict(search, node, std::move(verdict), &attempt));
    }
    return {};
  }

  // `attempt`: of that verdict; null: nothing was judged.
  Status put_new_verdict(Search& search, SearchNode& node, NodeVerdict verdict,
                         const Attempt* attempt) {
    verdict.order = search.tree.told() + 1;
    return put_verdict(search, node, std::move(verdict), attempt);
  }

  Status put_verdict(Search& search, SearchNode& node, NodeVerdict verdict,
                     const Attempt* attempt) {
    node.verdict = std::move(verdict);
    ASSAY_TRY(store_.put_verdict(node));
    ASSAY_TRY(write_files(search, node, attempt));
    events_.judged(search.view(), node, false);
    return {};
  }

  Status write_files(const Search& search, const SearchNode& node, const Attempt* attempt) {
    ASSAY_TRY(write_result(world_.disk, search, node, attempt, request_.language));
    return write_attempt_files(world_.disk, search, node.attempt, request_.terms);
  }

  // -- Judging

  Lane lane_of(const Ready& ready) {
    Search& search = searches_[ready.search];
    const SearchNode& node = search.tree.node(ready.node);
    Candidate candidate = code_in(*node.answer, request_.language);
    candidate.number = node.number;
    candidate.path = search.code_path(node);
    candidate.code.reset();  // it is the file's own
    Lane lane = candidate_lane(request_.run, *search.workload, search.author, candidate,
                               *search.target, search.baselines,
                               ready.confirms ? confirm_terms_ : search_terms_, tools_.machine);
    at_work_[lane.planned.front().attempt.id] = ready;
    return lane;
  }

  Status end(Search& search, const std::string& why) {
    search.has_ended = true;
    const SearchNode* found = best(search.tree, request_.terms);
    if (found && counts(*found->known(), request_.terms)) {
      const int number = found->verdict->same_as == 0 ? found->number : found->verdict->same_as;
      ASSAY_TRY(write_best(world_.disk, search, search.tree.node(number)));
    }
    events_.ended(
        search.view(),
        search.unable.empty() ? status_of(search.tree, request_.terms) : SearchStatus::not_judged,
        why);
    return {};
  }

  // What --spend has of it, and who watches: a search that is ended and continued goes on counting.
  Status keep_times() {
    ASSAY_ASSIGN(auto terms, store_.terms());
    Json now = terms.value_or(Json::object());
    now[kWallNs] = questions_.wall_ns();
    now[kJudgeIdleNs] = idle_ns_;
    return store_.put_terms(now);
  }

  const WriteRequest& request_;
  const WriteTools& tools_;
  WriteEvents& events_;
  const World& world_;
  SearchStore store_;
  std::list<Target> retyped_;  // targets at the precision of a workload's own
  std::vector<Search> searches_;
  std::deque<Ready> ready_;
  std::map<std::string, Ready> at_work_;  // by the attempt's id
  std::shared_ptr<const Terms> search_terms_, confirm_terms_;
  size_t judging_ = 0;
  int64_t none_judged_since_ns_ = 0;
  int64_t idle_ns_ = 0;  // an answer waited, and nothing was judged
  Questions questions_;  // last: its threads end first
};

}  // namespace

const SearchNode* Writer::recorded_node(const SearchNode& node) const {
  if (!recorded) return nullptr;
  auto found = recorded->nodes.find(node.key());
  return found == recorded->nodes.end() ? nullptr : &found->second;
}

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
  ASSAY_TRY(run_session(writing, sink, setting, tools.tools, world));
  ASSAY_TRY(writing.finish());
  return writing.written();
}

Result<std::vector<FirstPrompt>> first_prompts(const WriteRequest& request, const Disk& disk,
                                               Prompts& prompts) {
  std::vector<FirstPrompt> found;
  for (const Workload& workload : request.run.workloads) {
    ASSAY_ASSIGN(LoadedWorkload loaded, load_workload(disk, workload));
    ASSAY_ASSIGN(Prompt prompt, prompts.write({.problem = workload.name, .source = loaded.text()}));
    found.push_back({workload.path, std::move(prompt)});
  }
  return found;
}

}  // namespace assay
