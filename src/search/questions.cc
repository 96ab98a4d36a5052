#include "search/questions.h"

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

Questions::Questions(const WriteRequest& request, const WriteTools& tools, WriteEvents& events,
                     const World& world, SearchStore& store)
    : request_(request),
      tools_(tools),
      events_(events),
      world_(world),
      store_(store),
      asker_(request.calls_at_once, world.clock, [spawner = &world.spawner] { spawner->wake(); }) {}

Status Questions::restore() {
  ASSAY_ASSIGN(auto calls, store_.calls());
  Cost before;
  for (const CallRecord& call : calls)
    before += {call.is_settled ? call.tokens : call.reserved_tokens,
               (call.is_settled ? call.usd : call.reserved_usd).value_or(0)};
  ASSAY_ASSIGN(auto terms, store_.terms());
  const int64_t before_ns = terms ? terms->value(kWallNs, int64_t{0}) : 0;
  spend_.emplace(request_.spend, before, before_ns, world_.clock);
  return {};
}

Question Questions::question_for(const SearchNode& node) const {
  return {node.system, node.prompt, request_.parameters, node.key(), {}};
}

// Nothing: --spend has no room for it.
std::optional<CallRecord> Questions::reserve(const Search& search, const SearchNode& node) {
  const std::string& model = search.writer->model.name;
  const Cost most = most_of(question_for(node), model, tools_.prices);
  if (spend_->reserve(most) != Spend::Grant::granted) return std::nullopt;
  return CallRecord{.problem = node.problem,
                    .node = node.number,
                    .reserved_tokens = most.tokens,
                    .reserved_usd = usd_of(most, tools_.prices.cost(model, {}))};
}

Result<bool> Questions::ask(size_t at, Search& search, const Ask& asked) {
  SearchNode node{.problem = search.tree.problem(),
                  .number = static_cast<int>(search.tree.nodes().size()) + 1,
                  .step = asked.step,
                  .parents = asked.parents,
                  .attempt = asked.attempt,
                  .sample = asked.sample,
                  .model = search.writer->model.written};
  PromptTask task{.step = asked.step,
                  .problem = search.workload->name,
                  .source = search.source,
                  .attempt = std::max(asked.attempt, 1)};
  if (asked.idea > 0) {
    ASSAY_ASSIGN(auto ideas, tools_.prompts.ideas(task.problem, task.source));
    task.idea = ideas[static_cast<size_t>(asked.idea - 1) % ideas.size()];
  }
  if (!asked.parents.empty()) {
    const SearchNode& parent = search.tree.node(asked.parents.front());
    task.code = shown_code(parent);
    task.feedback = parent.known()->feedback;
    task.hint_text = parent.known()->for_hints;
  }
  ASSAY_ASSIGN(Prompt prompt, tools_.prompts.write(task));
  node.system = std::move(prompt.system);
  node.prompt = std::move(prompt.user);
  node.made_of = std::move(prompt.made_of);
  node.idea = task.idea;
  auto call = reserve(search, node);
  if (!call) return false;
  SearchNode& added = search.tree.add(std::move(node));
  ASSAY_ASSIGN(int64_t id, store_.put_asked(added, *call));
  ASSAY_TRY(write_prompt(world_.disk, search, added));
  put(at, search, added, id, *call);
  return true;
}

Status Questions::ask_again(size_t at, Search& search, SearchNode& node) {
  auto call = reserve(search, node);
  if (!call) {
    search.unasked.insert(node.number);
    return {};
  }
  ASSAY_ASSIGN(int64_t id, store_.put_call(*call));
  put(at, search, node, id, *call);
  return {};
}

void Questions::put(size_t at, const Search& search, const SearchNode& node, int64_t id,
                    const CallRecord& call) {
  Asked asked{.search = at, .node = node.number, .call = id};
  asked.provider = search.writer->provider.get();
  asked.question = question_for(node);
  asked.question.may_cost_again = [this] { return spend_->ended().empty(); };
  calls_[id] = call;
  events_.asked(search.view(), node);
  asker_.put(std::move(asked));
}

Result<std::vector<AnsweredNode>> Questions::take(std::vector<Search>& searches) {
  std::vector<AnsweredNode> nodes;
  for (Answered& answered : asker_.take()) {
    nodes.push_back({answered.asked.search, answered.asked.node, answered.came_ns});
    ASSAY_TRY(take_answer(searches[nodes.back().search], std::move(answered)));
  }
  return nodes;
}

Status Questions::take_answer(Search& search, Answered answered) {
  SearchNode& node = search.tree.node(answered.asked.node);
  Answer& came = answered.answer;
  NodeAnswer answer{.end = came.end,
                    .text = utf8(came.text),
                    .why = std::move(came.why),
                    .model = std::move(came.model),
                    .left_out = std::move(came.left_out)};
  const std::string& model = search.writer->model.name;
  CallRecord call = calls_[answered.asked.call];
  calls_.erase(answered.asked.call);
  const Cost reserved{call.reserved_tokens, call.reserved_usd.value_or(0)};
  const Cost cost = cost_of(came, reserved, model, tools_.prices);
  spend_->settle(reserved, cost);
  call.is_settled = true;
  call.tokens = cost.tokens;
  call.usd = usd_of(cost, call.reserved_usd);
  answer.usage = came.usage;
  if (came.usage) answer.cost_usd = call.usd;
  answer.calls = came.calls;
  answer.wall_ns = came.wall_ns;
  answer.finished = world_.clock.utc();
  node.answer = std::move(answer);
  const SearchNode* recorded = search.writer->recorded_node(node);
  if (request_.takes_verdicts && recorded && recorded->answer) node.answer = recorded->answer;
  ASSAY_TRY(store_.put_answer(node, answered.asked.call, call));
  ASSAY_TRY(write_response(world_.disk, search, node));
  events_.answered(search.view(), node);
  return {};
}

}  // namespace assay
