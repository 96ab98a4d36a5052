#include "search/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "search/answer_files.h"

namespace assay {
namespace {

std::optional<double> usd_of(const Cost& cost, const std::optional<double>& price) {
  return price ? std::optional(cost.usd) : std::nullopt;
}

}  // namespace

Cost Questions::Held::all() const { return {most.tokens * times, most.usd * times}; }

Questions::Questions(const WriteRequest& request, const WriteTools& tools, WriteEvents& events,
                     const World& world, SearchStore& store)
    : request_(request),
      tools_(tools),
      events_(events),
      world_(world),
      store_(store),
      asker_(request.calls_at_once, world.clock, [spawner = &world.spawner] { spawner->wake(); }) {}

Questions::~Questions() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  kept_.notify_all();
}

Status Questions::restore() {
  ASSAY_ASSIGN(auto calls, store_.calls());
  Cost before;
  for (const CallRecord& call : calls)
    before += {call.counted_tokens(), call.counted_usd().value_or(0)};
  ASSAY_ASSIGN(auto terms, store_.terms());
  const int64_t before_ns = terms ? field_or(*terms, kWallNs, int64_t{0}) : 0;
  spend_.emplace(request_.spend, before, before_ns, world_.clock);
  return {};
}

Question Questions::question_for(const Search& search, const SearchNode& node) const {
  return {node.system, node.prompt, request_.parameters, search.tree.key(node), {}};
}

PromptTask Questions::task_for(const Search& search, const SearchNode& node) const {
  PromptTask task{.step = node.step,
                  .problem = search.workload->name,
                  .source = search.source,
                  .idea = node.idea,
                  .attempt = std::max(node.attempt, 1)};
  if (node.parents.empty()) return task;
  const SearchNode& parent = search.tree.node(node.parents.front());
  task.code = shown_code(parent);
  if (task.code.empty()) {  // nothing to go on from: it begins
    task.step = SearchStep::draft;
    task.idea = parent.idea;
  } else if (const NodeVerdict* known = parent.known()) {  // it may be judged anew now
    task.feedback = known->feedback;
    task.hint_text = known->for_hints;
  }
  return task;
}

Status Questions::set_prompt(const Search& search, const PromptTask& task, SearchNode& node) const {
  ASSAY_ASSIGN(Prompt prompt, tools_.prompts.of(*search.target).write(task));
  node.system = std::move(prompt.system);
  node.prompt = std::move(prompt.user);
  node.made_of = std::move(prompt.made_of);
  return {};
}

// What is oldest goes first, the code; then, unless that was half of it, the end of what was found.
Result<std::optional<SearchNode>> Questions::shortened(const Search& search,
                                                       const SearchNode& node) const {
  constexpr size_t kLeastFeedback = 500;
  PromptTask task = task_for(search, node);
  if (task.code.empty() || !node.shortened.empty()) return std::nullopt;
  auto size_of = [](const SearchNode& each) { return each.system.size() + each.prompt.size(); };
  SearchNode shorter = node;
  shorter.answer.reset();
  shorter.shortened = fmt::format("without the code of answer {}", node.parents.front());
  task.code = "[this code is left out here: all of it together was too long]";
  ASSAY_TRY(set_prompt(search, task, shorter));
  const size_t half = size_of(node) / 2;
  const size_t over = size_of(shorter) - std::min(size_of(shorter), half);
  const size_t left = task.feedback.size() - std::min(over, task.feedback.size());
  const size_t kept = std::max(left, kLeastFeedback);
  if (kept < task.feedback.size()) {
    task.feedback = utf8(task.feedback.substr(0, kept)) + "\n[the rest is left out here]";
    shorter.shortened += ", and without the end of what was found of it";
    ASSAY_TRY(set_prompt(search, task, shorter));
  }
  if (size_of(shorter) >= size_of(node)) return std::nullopt;
  return shorter;
}

Result<bool> Questions::ask_shortened(size_t at, Search& search, SearchNode& node, int64_t before,
                                      const CallRecord& settled) {
  ASSAY_ASSIGN(auto shorter, shortened(search, node));
  CallRecord call;
  if (!shorter || reserve(search, *shorter, call) != Spend::Grant::granted) return false;
  events_.answered(search.view(), node);
  node = *std::move(shorter);
  ASSAY_ASSIGN(int64_t id, store_.put_asked_again(node, before, settled, call));
  ASSAY_TRY(write_prompt(world_.disk, search, node));
  put(at, search, node, id, call);
  return true;
}

Spend::Grant Questions::reserve(const Search& search, const SearchNode& node, CallRecord& call) {
  const std::string& model = search.writer->model.name;
  const Cost most = most_of(question_for(search, node), model, tools_.prices);
  call = {.problem = node.problem,
          .node = node.number,
          .reserved_tokens = most.tokens,
          .reserved_usd = usd_of(most, tools_.prices.cost(model, {}))};
  return spend_->reserve(most);
}

std::string Questions::shut_out(const std::string& model) const {
  const std::lock_guard lock(mutex_);
  auto found = shut_out_.find(model);
  return found == shut_out_.end() ? "" : found->second;
}

std::vector<std::string> Questions::all_shut_out() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [model, why] : shut_out_) all.push_back(why);
  return all;
}

SearchNode Questions::node_for(const Search& search, const Ask& asked) {
  return {.problem = search.tree.problem(),
          .number = search.tree.last() + 1,
          .step = asked.step,
          .parents = asked.parents,
          .attempt = asked.attempt,
          .sample = asked.sample,
          .model = search.writer->model.written};
}

bool Questions::is_recorded(const Search& search, const Ask& asked) const {
  return search.writer->recorded_node(search.tree, node_for(search, asked)) != nullptr;
}

Result<Spend::Grant> Questions::ask_all(size_t at, Search& search, const std::vector<Ask>& asks,
                                        std::string& why) {
  Spend::Grant grant = Spend::Grant::granted;
  while (!search.unasked.empty() && grant == Spend::Grant::granted) {
    const SearchNode& node = search.tree.node(*search.unasked.begin());
    ASSAY_ASSIGN(grant, ask_again(at, search, node));
  }
  for (const Ask& each : asks) {
    if (grant != Spend::Grant::granted && !are_all_busy()) break;
    if (request_.takes_verdicts && !is_recorded(search, each)) {
      why = kNothingRecorded;
      break;
    }
    ASSAY_ASSIGN(grant, ask(at, search, each));
  }
  if (grant == Spend::Grant::over) why = spend_ended();
  return grant;
}

Result<Spend::Grant> Questions::ask(size_t at, Search& search, const Ask& asked) {
  SearchNode node = node_for(search, asked);
  ASSAY_ASSIGN(
      node.idea,
      tools_.prompts.of(*search.target).idea(asked.idea, search.workload->name, search.source));
  const PromptTask task = task_for(search, node);
  node.idea = task.idea;
  ASSAY_TRY(set_prompt(search, task, node));
  if (are_all_busy()) {
    search.unasked.insert(search.tree.add(std::move(node)).number);
    return Spend::Grant::wait;
  }
  CallRecord call;
  const Spend::Grant grant = reserve(search, node, call);
  if (grant != Spend::Grant::granted) return grant;
  ASSAY_TRY(put_first(at, search, search.tree.add(std::move(node)), call));
  return grant;
}

Result<Spend::Grant> Questions::ask_again(size_t at, Search& search, const SearchNode& node) {
  CallRecord call;
  const Spend::Grant grant = are_all_busy() ? Spend::Grant::wait : reserve(search, node, call);
  if (grant != Spend::Grant::granted) {
    search.unasked.insert(node.number);
    return grant;
  }
  search.unasked.erase(node.number);
  if (node.number > search.last_asked) {
    ASSAY_TRY(put_first(at, search, node, call));
    return grant;
  }
  ASSAY_ASSIGN(int64_t id, store_.put_call(call));
  put(at, search, node, id, call);
  return grant;
}

Status Questions::put_first(size_t at, Search& search, const SearchNode& node,
                            const CallRecord& call) {
  ASSAY_ASSIGN(int64_t id, store_.put_asked(node, call));
  search.last_asked = node.number;
  ASSAY_TRY(write_prompt(world_.disk, search, node));
  put(at, search, node, id, call);
  return {};
}

void Questions::put(size_t at, const Search& search, const SearchNode& node, int64_t id,
                    const CallRecord& call) {
  Asked asked{.search = at, .node = node.number, .call = id};
  asked.provider = search.writer->provider.get();
  asked.question = question_for(search, node);
  asked.question.may_cost_again = [this, id] { return may_be_made_again(id); };
  asked.why_not = [this, model = search.writer->model.written] { return shut_out(model); };
  {
    const std::lock_guard lock(mutex_);
    held_[id] = {.record = call, .most = {call.reserved_tokens, call.reserved_usd.value_or(0)}};
  }
  events_.asked(search.view(), node);
  asker_.put(std::move(asked));
}

bool Questions::may_be_made_again(int64_t id) {
  std::unique_lock lock(mutex_);
  Held& held = held_[id];
  // It waits for nobody: what it has is what others wait for.
  if (spend_->reserve(held.most) != Spend::Grant::granted) {
    held.is_refused = true;
    return false;
  }
  const int times = ++held.times;
  world_.spawner.wake();
  kept_.wait(lock, [&] { return is_ending_ || held.kept_times >= times; });
  return !is_ending_;
}

Status Questions::keep_what_is_held() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, held] : held_) {
    if (held.kept_times == held.times) continue;
    const Cost all = held.all();
    held.record.reserved_tokens = all.tokens;
    if (held.record.reserved_usd) held.record.reserved_usd = all.usd;
    ASSAY_TRY(store_.put_reserved(id, held.record));
    held.kept_times = held.times;
  }
  kept_.notify_all();
  return {};
}

Result<std::vector<AnsweredNode>> Questions::take(std::vector<Search>& searches) {
  ASSAY_TRY(keep_what_is_held());
  std::vector<AnsweredNode> nodes;
  for (Answered& answered : asker_.take()) {
    const AnsweredNode node{answered.asked.search, answered.asked.node, answered.came_ns};
    ASSAY_ASSIGN(bool is_answered, take_answer(searches[node.search], std::move(answered)));
    if (is_answered) nodes.push_back(node);
  }
  return nodes;
}

CallRecord Questions::settle(const Answered& answered, const std::string& model) {
  Held held;
  {
    const std::lock_guard lock(mutex_);
    held = std::move(held_.extract(answered.asked.call).mapped());
  }
  const Cost cost = cost_of(answered.answer, held.most, model, tools_.prices);
  spend_->settle(held.all(), cost);
  // What it holds no more may be enough for another; else that is what ended it.
  if (held.is_refused) spend_->look(held.most);
  CallRecord call = std::move(held.record);
  call.is_settled = true;
  call.tokens = cost.tokens;
  call.usd = usd_of(cost, call.reserved_usd);
  return call;
}

Result<bool> Questions::take_answer(Search& search, Answered answered) {
  SearchNode& node = search.tree.node(answered.asked.node);
  Answer& came = answered.answer;
  const CallRecord call = settle(answered, search.writer->model.name);
  if (came.is_shut_out) {
    const std::lock_guard lock(mutex_);
    shut_out_.emplace(search.writer->model.written, came.why);
  }
  NodeAnswer answer{.end = came.end,
                    .text = utf8(came.text),
                    .why = std::move(came.why),
                    .model = std::move(came.model),
                    .left_out = std::move(came.left_out)};
  answer.usage = came.usage;
  if (came.usage) answer.cost_usd = call.usd;
  answer.calls = came.calls;
  answer.wall_ns = came.wall_ns;
  answer.finished = world_.clock.utc();
  answer.code_hash = hash_of_code(answer, request_.language);
  node.answer = std::move(answer);
  if (node.answer->end == AnswerEnd::too_long) {
    ASSAY_ASSIGN(bool is_asked,
                 ask_shortened(answered.asked.search, search, node, answered.asked.call, call));
    if (is_asked) return false;
  }
  const SearchNode* recorded = search.writer->recorded_node(search.tree, node);
  if (request_.takes_verdicts && recorded && recorded->answer) node.answer = recorded->answer;
  ASSAY_TRY(store_.put_answer(node, answered.asked.call, call));
  ASSAY_TRY(write_response(world_.disk, search, node));
  events_.answered(search.view(), node);
  return true;
}

}  // namespace assay
