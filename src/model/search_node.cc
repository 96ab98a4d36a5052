#include "model/search_node.h"

#include <fmt/format.h>

namespace assay {

bool has_not_come(const NodeAnswer& answer) {
  return (answer.end == AnswerEnd::failed || answer.end == AnswerEnd::stopped) &&
         answer.text.empty();
}

void SearchNode::forget_fault_of_machine() {
  if (confirmed && confirmed->fault == Fault::machine) confirmed.reset();
  if (!verdict || verdict->fault != Fault::machine) return;
  verdict.reset();
  confirmed.reset();
}

void SearchNode::forget_what_was_not_timed() {
  if (!verdict || verdict->verdict != Verdict::accepted || verdict->outcome) return;
  if (!verdict->reason.empty()) return;  // it was to be, and could not
  order_before = verdict->order;
  verdict.reset();
  confirmed.reset();
}

Json asked_to_json(const SearchNode& node) {
  return {{"step", to_word(kSearchStepWords, node.step)},
          {"parents", node.parents},
          {"attempt", node.attempt},
          {"sample", node.sample},
          {"model", node.model},
          {"idea", or_null(node.idea)},
          {"system", or_null(node.system)},
          {"prompt", node.prompt},
          {"made_of", or_null(node.made_of)},
          {"shortened", or_null(node.shortened)}};
}

Result<SearchNode> node_from_json(const std::string& problem, int number, const Json& asked) {
  JsonReader fields(asked, fmt::format("what was asked as {} of {}", number, problem));
  SearchNode node{.problem = problem, .number = number};
  node.step = fields.word<SearchStep>("step", kSearchStepWords);
  const Json& parents = fields.value("parents");
  for (const Json& parent : parents) {
    if (!parent.is_number_integer()) {
      fields.fail("'parents' holds what is no number");
      break;
    }
    node.parents.push_back(parent.get<int>());
  }
  node.attempt = static_cast<int>(fields.integer("attempt"));
  node.sample = static_cast<int>(fields.integer("sample"));
  node.model = fields.text("model");
  node.idea = fields.optional_text("idea").value_or("");
  node.system = fields.optional_text("system").value_or("");
  node.prompt = fields.text("prompt");
  node.made_of = fields.optional_text("made_of").value_or("");
  node.shortened = fields.optional_text("shortened").value_or("");
  ASSAY_TRY(fields.status());
  return node;
}

Json to_json(const NodeAnswer& answer) {
  return {{"end", to_word(kAnswerEndWords, answer.end)},
          {"text", answer.text},
          {"why", or_null(answer.why)},
          {"model", or_null(answer.model)},
          {"left_out", or_null(answer.left_out)},
          {"code_hash", or_null(answer.code_hash)},
          {"tokens", answer.usage ? to_json(*answer.usage) : Json(nullptr)},
          {"cost_usd", or_null(answer.cost_usd)},
          {"calls", answer.calls},
          {"wall_ns", answer.wall_ns},
          {"finished", answer.finished}};
}

Result<NodeAnswer> node_answer_from_json(const Json& json) {
  JsonReader fields(json, "an answer");
  NodeAnswer answer;
  answer.end = fields.word<AnswerEnd>("end", kAnswerEndWords);
  answer.text = fields.text("text");
  answer.why = fields.optional_text("why").value_or("");
  answer.model = fields.optional_text("model").value_or("");
  answer.left_out = fields.optional_text("left_out").value_or("");
  answer.code_hash = fields.optional_text("code_hash").value_or("");
  if (fields.has("tokens")) {
    answer.usage = usage_from_json(fields.value("tokens"));
    if (!answer.usage) fields.fail("'tokens' are no counts of tokens");
  }
  if (fields.has("cost_usd")) answer.cost_usd = fields.number("cost_usd");
  answer.calls = static_cast<int>(fields.integer("calls"));
  answer.wall_ns = fields.integer("wall_ns");
  answer.finished = fields.text("finished");
  ASSAY_TRY(fields.status());
  return answer;
}

Json to_json(const NodeVerdict& verdict) {
  Json speed;
  if (verdict.outcome)
    speed = {{"outcome", to_word(kOutcomeWords, *verdict.outcome)},
             {"ratio", verdict.ratio},
             {"low", verdict.low},
             {"high", verdict.high},
             {"time_ns", verdict.time_ns},
             {"of_bound", or_null(verdict.of_bound)}};
  return {{"attempt", or_null(verdict.attempt)},
          {"verdict", to_word(kVerdictWords, verdict.verdict)},
          {"reason", or_null(verdict.reason)},
          {"speed", speed},
          {"labels", verdict.labels},
          {"fault", verdict.fault ? Json(to_word(kFaultWords, *verdict.fault)) : Json(nullptr)},
          {"reached", or_null(verdict.reached)},
          {"is_final", verdict.is_final},
          {"same_as", verdict.same_as == 0 ? Json(nullptr) : Json(verdict.same_as)},
          {"order", verdict.order},
          {"feedback_kind", or_null(verdict.feedback_kind)},
          {"feedback", or_null(verdict.feedback)},
          {"for_hints", or_null(verdict.for_hints)}};
}

Result<NodeVerdict> node_verdict_from_json(const Json& json) {
  JsonReader fields(json, "what a node came to");
  NodeVerdict verdict;
  verdict.attempt = fields.optional_text("attempt").value_or("");
  verdict.verdict = fields.word<Verdict>("verdict", kVerdictWords);
  verdict.reason = fields.optional_text("reason").value_or("");
  if (fields.has("speed")) {
    JsonReader speed(fields.value("speed"), "a node's speed");
    verdict.outcome = speed.word<Outcome>("outcome", kOutcomeWords);
    verdict.ratio = speed.number("ratio");
    verdict.low = speed.number("low");
    verdict.high = speed.number("high");
    verdict.time_ns = speed.number("time_ns");
    if (speed.has("of_bound")) verdict.of_bound = speed.number("of_bound");
    ASSAY_TRY(speed.status());
  }
  verdict.labels = fields.texts("labels");
  if (fields.has("fault")) verdict.fault = fields.word<Fault>("fault", kFaultWords);
  verdict.reached = fields.optional_text("reached").value_or("");
  verdict.is_final = fields.has("is_final") && fields.boolean("is_final");
  verdict.same_as = static_cast<int>(fields.optional_integer("same_as").value_or(0));
  verdict.order = static_cast<int>(fields.optional_integer("order").value_or(0));
  verdict.feedback_kind = fields.optional_text("feedback_kind").value_or("");
  verdict.feedback = fields.optional_text("feedback").value_or("");
  verdict.for_hints = fields.optional_text("for_hints").value_or("");
  ASSAY_TRY(fields.status());
  return verdict;
}

}  // namespace assay
