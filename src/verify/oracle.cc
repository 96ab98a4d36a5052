#include "verify/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/control_page.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr uint64_t kMostLeaves = 1024;
constexpr uint64_t kMostStates = 1 << 16;
constexpr uint64_t kMostTensorBytes = uint64_t{1} << 60;
constexpr int64_t kMostSaidBytes = int64_t{1} << 56;  // sums of a few do not overflow

Result<Picks> read_picks(const Json& json, const TensorSpec& indices) {
  JsonReader fields(json, "indices");
  Json key{{"dtype", "f64"}, {"shape", fields.value("shape")}};
  ASSAY_ASSIGN(TensorSpec spec, tensor_from_json(key));
  Picks picks{.call = static_cast<uint64_t>(fields.integer("call")),
              .key = std::move(spec),
              .dim = static_cast<size_t>(fields.integer("dim")),
              .each_once = fields.boolean("each_once"),
              .first = fields.boolean("first")};
  ASSAY_TRY(fields.status());
  if (is_floating(indices.dtype) || !fits(picks, indices.elements()))
    return error(Code::corrupt, "it has indices that point into nothing");
  return picks;
}

Result<std::vector<Leaf>> read_leaves(const Json& list) {
  if (!list.is_array() || list.size() > kMostLeaves)
    return error(Code::corrupt, "it has no list of tensors");
  std::vector<Leaf> leaves;
  for (const Json& each : list) {
    Leaf leaf;
    if (each.is_object() && each.contains("shape")) {
      ASSAY_ASSIGN(leaf.tensor, tensor_from_json(each));
      JsonReader fields(each, "a result");
      if (auto place = fields.optional_integer("aliased_input"); place && *place >= 0)
        leaf.aliased_input = static_cast<size_t>(*place);
      leaf.from_picks = fields.has("order_open");
      leaf.order_open = leaf.from_picks && fields.boolean("order_open");
      if (fields.has("picks")) {
        ASSAY_ASSIGN(leaf.picks, read_picks(fields.value("picks"), *leaf.tensor));
      }
      ASSAY_TRY(fields.status());
    } else {
      leaf.scalar = each;
    }
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

Result<std::vector<StateTensor>> read_state(const Json& list) {
  if (!list.is_array() || list.size() > kMostStates)
    return error(Code::corrupt, "it has no list of the state");
  std::vector<StateTensor> state;
  for (const Json& each : list) {
    JsonReader fields(each, "a tensor of the state");
    StateTensor tensor;
    tensor.name = fields.text("name");
    tensor.kind = fields.text("kind");
    tensor.changed = fields.has("changed") && fields.boolean("changed");
    if (auto same = fields.optional_integer("same_as")) tensor.same_as = static_cast<size_t>(*same);
    ASSAY_TRY(fields.status());
    ASSAY_ASSIGN(tensor.tensor, tensor_from_json(each));
    state.push_back(std::move(tensor));
  }
  return state;
}

// What tensors take, whatever is said of it.
uint64_t bytes_of(const std::vector<TensorSpec>& tensors) {
  uint64_t bytes = 0;
  for (const TensorSpec& tensor : tensors)
    bytes = std::min(bytes + tensor.span_bytes(), kMostTensorBytes);
  return bytes;
}

// What the file says of its inputs, and what the calls that make them do where it says nothing.
Status read_domains(const Json& list, std::vector<Leaf>& inputs) {
  if (!list.is_null() && (!list.is_array() || list.size() != inputs.size()))
    return error(Code::corrupt, "it does not say of which domain each input is");
  for (size_t i = 0; i < inputs.size(); ++i) {
    Leaf& input = inputs[i];
    if (!input.tensor) continue;
    if (list.is_null() || list[i].is_null()) {
      if (input.draw) input.domain = domain_of(*input.tensor, *input.draw);
      continue;
    }
    ASSAY_ASSIGN(input.domain, domain_from_json(list[i]));
    ASSAY_TRY(check(*input.tensor, input.domain));
    input.is_domain_said = true;
    // A graph may have another number of edges each time that the file draws one: it draws none.
    if (input.domain.kind == DomainKind::graph) input.draw = draw_of(input.domain);
    if (input.domain.kind == DomainKind::constant) input.draw.reset();
  }
  return {};
}

std::vector<TensorSpec> tensors_of(const std::vector<Leaf>& leaves) {
  std::vector<TensorSpec> tensors;
  for (const Leaf& leaf : leaves)
    if (leaf.tensor) tensors.push_back(*leaf.tensor);
  return tensors;
}

// Of a stage that the problem's own code broke: no candidate had a part in it.
StageRecord of_problem(const char* who, StageRecord record) {
  record.error = who + record.error;
  return blamed_on(Fault::problem, std::move(record));
}

}  // namespace

// Its worker runs the problem's code, and none of a candidate's.
Stop malformed(const std::string& what) {
  return of_problem("the oracle's answer: ",
                    failed_stage(Stage::verify, FailureClass::protocol, what));
}

Result<ProblemDescription> description_from_json(const Json& json) {
  JsonReader fields(json, "a description");
  ProblemDescription result;
  ASSAY_ASSIGN(result.inputs, read_leaves(fields.value("inputs")));
  ASSAY_ASSIGN(result.outputs, read_leaves(fields.value("outputs")));
  ASSAY_ASSIGN(result.state, read_state(fields.value("state")));
  const Json& draws = fields.value("draws");
  if (!draws.is_array() || draws.size() != result.inputs.size())
    return error(Code::corrupt, "it does not say how each input is drawn");
  for (size_t i = 0; i < draws.size(); ++i)
    if (result.inputs[i].tensor) {
      ASSAY_ASSIGN(auto draw, draw_from_json(draws[i]));
      // What is cast to whole numbers, say, is left to get_inputs() itself.
      if (draw && check(*result.inputs[i].tensor, *draw)) result.inputs[i].draw = draw;
    }
  ASSAY_TRY(read_domains(fields.has("domains") ? fields.value("domains") : Json(), result.inputs));
  for (const Json& tensor : fields.value("init_tensors")) {
    ASSAY_ASSIGN(TensorSpec spec, tensor_from_json(tensor));
    result.init_tensors.push_back(std::move(spec));
  }
  for (const Json& place : fields.value("mutated_inputs")) {
    if (!place.is_number_unsigned() || place.get<size_t>() >= result.inputs.size() ||
        !result.inputs[place.get<size_t>()].tensor)
      return error(Code::corrupt, "it names a changed input that there is not");
    result.mutated_inputs.push_back(place.get<size_t>());
  }
  result.input_tree = fields.value("input_tree");
  result.output_tree = fields.value("output_tree");
  result.init_tree = fields.value("init_tree");
  result.scalars = fields.value("scalars");
  result.mixes = fields.has("mixes") && fields.boolean("mixes");
  result.flops = fields.optional_integer("flops");
  if (result.flops && *result.flops < 0) fields.fail("'flops' is no count");
  JsonReader bytes(fields.value("bytes"), "a description's sizes");
  // What is admitted to memory is what is there: an oracle may say less than its tensors take.
  auto size = [&](const char* name, uint64_t least) {
    int64_t said = bytes.integer(name);
    if (said < 0 || said > kMostSaidBytes) bytes.fail(std::string("'") + name + "' is no size");
    return std::max(static_cast<uint64_t>(said), least);
  };
  std::vector<TensorSpec> state = result.init_tensors;
  for (const StateTensor& each : result.state) state.push_back(each.tensor);
  result.input_bytes = size("inputs", bytes_of(tensors_of(result.inputs)));
  result.state_bytes = size("state", bytes_of(state));
  result.output_bytes = size("outputs", bytes_of(tensors_of(result.outputs)));
  result.forward_bytes = size("forward", 0);
  result.double_bytes = size("double", 0);
  ASSAY_TRY(bytes.status());
  ASSAY_TRY(fields.status());
  return result;
}

Result<Computed> computed_from_json(const Json& json) {
  JsonReader fields(json, "a computation");
  Computed computed;
  computed.baseline_ns = fields.integer("baseline_ns");
  computed.draws = fields.boolean("draws");
  if (fields.has("narrow")) computed.narrow = fields.texts("narrow");
  if (fields.has("rounds")) computed.rounds = fields.texts("rounds");
  computed.integers = fields.has("integers") && fields.boolean("integers");
  computed.not_integers = fields.optional_text("not_integers").value_or("");
  computed.too_large = fields.has("too_large") && fields.boolean("too_large");
  computed.computed_on = fields.optional_text("computed_on").value_or("");
  if (fields.has("exact_keys"))
    for (const Json& each : fields.value("exact_keys")) {
      if (!each.is_boolean()) fields.fail("what is to be yes or no is neither");
      computed.exact_keys.push_back(each.is_boolean() && each.get<bool>());
    }
  ASSAY_TRY(fields.status());
  return computed;
}

Result<StageRecord> finding_of(Stop stop) {
  if (auto* failure = std::get_if<Error>(&stop.why)) return std::unexpected(std::move(*failure));
  auto record = std::move(std::get<StageRecord>(stop.why));
  if (record.status == StageStatus::ok)
    record = failed_stage(record.stage, FailureClass::protocol, "it ended without a finding");
  return record;
}

std::string Smaller::in_words() const {
  std::string words;
  for (const auto& [name, value] : constants.items())
    words += fmt::format("{}{}={}", words.empty() ? "" : ",", name, dump_json(value));
  return words;
}

Step<Oracle> Oracle::start(Children& children, const Image& image, const Limits& limits,
                           const Problem& problem) {
  ASSAY_ASSIGN(UniqueFd source, sealed_memory_file("assay-problem", problem.source));
  Job job;
  job.body = {{"do", "describe"},
              {"path", problem.path},
              {"mode", problem.mode},
              {"precision", to_word(kPrecisionWords, problem.precision)},
              {"real_bytes", problem.real_bytes},
              {"on_card", problem.on_card}};
  if (problem.weights) job.body["weights"] = to_json(*problem.weights);
  job.descriptors = {source.get()};
  ASSAY_ASSIGN(ChildId child, children.start(image, limits, job));
  Oracle oracle(children, child, limits.timeout_ns);
  ASSAY_ASSIGN(Json described, oracle.receive("described"));
  ASSAY_TRY(oracle.take_description(described));
  return oracle;
}

Oracle::~Oracle() {
  if (child_ != 0) children_.forget(child_);
}

Step<void> Oracle::take_description(const Json& described) {
  auto read = description_from_json(described);
  if (!read) return std::unexpected(malformed(read.error().message));
  described_ = std::move(*read);
  return {};
}

// Its next answer, which has the word, or says what broke.
Step<Json> Oracle::receive(const char* answer) {
  while (true) {
    ASSAY_ASSIGN(Event event, children_.next(child_, timeout_ns_));
    if (event.kind == Event::Kind::nothing) continue;  // its deadline ends it
    if (event.kind == Event::Kind::ended) {
      child_ = 0;
      StageRecord record = stage_from_ending(Stage::verify, event.ending);
      if (record.status == StageStatus::failed)
        record = of_problem("the problem's own code ", std::move(record));
      add_costs(record, event.ending);
      return std::unexpected(Stop(std::move(record)));
    }
    if (event.message.is_object() && event.message.contains(answer))
      return std::move(event.message[answer]);
    StageRecord record = stage_from_answer(Stage::verify, event.message);
    if (record.status == StageStatus::ok) return std::unexpected(malformed("it is another one"));
    if (record.status == StageStatus::failed)
      record = of_problem("the problem: ", std::move(record));
    record.blamed = Fault::problem;  // also where it declines: a candidate's runner may, too
    return std::unexpected(Stop(std::move(record)));
  }
}

Step<Json> Oracle::ask(Json request, const std::vector<int>& descriptors, const char* answer) {
  if (!is_running()) return error(Code::unavailable, "the oracle has ended");
  if (!constants_.empty()) request["constants"] = constants_;
  ASSAY_TRY(children_.send(child_, request, descriptors));
  return receive(answer);
}

Step<void> Oracle::describe_at(const Json& constants) {
  constants_ = constants;
  ASSAY_ASSIGN(Json described, ask({{"do", "describe"}}, {}, "described"));
  return take_description(described);
}

Step<Smaller> Oracle::shrink(uint64_t target_bytes) {
  ASSAY_ASSIGN(Json shrunk, ask({{"do", "shrink"}, {"bytes", target_bytes}}, {}, "shrunk"));
  JsonReader fields(shrunk, "a smaller size");
  Smaller smaller{fields.value("constants"), static_cast<uint64_t>(fields.integer("bytes"))};
  if (!fields.status() || !smaller.constants.is_object())
    return std::unexpected(malformed("it names no constants"));
  return smaller;
}

// What it says of chunks decides what is compared with what: looked at twice.
Step<std::variant<ChunkPlan, std::string>> Oracle::chunks(uint64_t target_bytes) {
  ASSAY_ASSIGN(Json answer, ask({{"do", "chunks"}, {"bytes", target_bytes}}, {}, "chunks"));
  JsonReader fields(answer, "chunks");
  if (fields.has("why")) return fields.text("why");
  ChunkPlan plan;
  plan.rows = fields.integer("rows");
  plan.of = fields.integer("of");
  plan.forward_bytes = static_cast<uint64_t>(fields.integer("forward_bytes"));
  plan.double_bytes = static_cast<uint64_t>(fields.integer("double_bytes"));
  bool good = plan.rows > 0 && plan.rows < plan.of && described_.mutated_inputs.empty();
  // Of how many of its own rows one row of all is; 0: it has none.
  auto group = [&](const std::vector<Leaf>& leaves, size_t place) {
    if (place >= leaves.size() || !leaves[place].tensor || leaves[place].tensor->shape.empty())
      return int64_t{0};
    int64_t rows = leaves[place].tensor->shape[0];
    return rows % plan.of == 0 ? rows / plan.of : 0;
  };
  if (!good) return std::unexpected(malformed("chunks that it has not"));
  for (const Json& input : fields.value("inputs")) {
    if (!input.is_number_unsigned()) return std::unexpected(malformed("a chunk's input"));
    plan.inputs.push_back(input.get<size_t>());
    good = good && group(described_.inputs, plan.inputs.back()) == 1;
  }
  for (size_t i = 0; i < described_.outputs.size(); ++i) {
    plan.groups.push_back(group(described_.outputs, i));
    good = good && plan.groups.back() > 0;
  }
  good = good && fields.value("groups") == Json(plan.groups);
  if (!fields.status() || !good || plan.inputs.empty())
    return std::unexpected(malformed("chunks that it has not"));
  return plan;
}

std::vector<TensorSpec> Oracle::state_specs() const {
  std::vector<TensorSpec> specs;
  for (const StateTensor& each : described_.state) specs.push_back(each.tensor);
  specs.insert(specs.end(), described_.init_tensors.begin(), described_.init_tensors.end());
  return specs;
}

Json Oracle::state_layout(const SharedTensors& state) const {
  Json layout = state.layout("constants");
  layout.erase(layout.begin() + static_cast<long>(described_.state.size()), layout.end());
  for (size_t i = 0; i < layout.size(); ++i) {
    layout[i]["name"] = described_.state[i].name;
    layout[i]["kind"] = described_.state[i].kind;
  }
  return layout;
}

Json Oracle::init_layout(const SharedTensors& state) const {
  Json layout = state.layout("constants");
  layout.erase(layout.begin(), layout.begin() + static_cast<long>(described_.state.size()));
  return layout;
}

Step<void> Oracle::build(const Building& how, const SharedTensors& state) {
  Json request{{"do", "build"},
               {"seed", how.seed},
               {"integers", how.integers},
               {"other_constants", how.other_constants},
               {"loaded", how.loaded},
               {"state", state_layout(state)},
               {"init_tensors", init_layout(state)}};
  ASSAY_TRY(ask(std::move(request), {state.fd()}, "built"));
  return {};
}

Step<SharedTensors> Oracle::built(const Building& how,
                                  const std::function<void(const SharedTensors&)>& change) {
  ASSAY_ASSIGN(SharedTensors state, SharedTensors::create("assay-constants", state_specs(),
                                                          SharedTensors::Access::write));
  ASSAY_TRY(build(how, state));
  if (change) {
    change(state);
    ASSAY_TRY(load(state));
  }
  ASSAY_TRY(state.seal_against_writing());
  return state;
}

Step<void> Oracle::load(const SharedTensors& state) {
  ASSAY_TRY(ask({{"do", "load"}, {"state", state_layout(state)}}, {state.fd()}, "loaded"));
  return {};
}

bool ProblemDescription::computes_inputs() const {
  return std::ranges::any_of(inputs, [](const Leaf& leaf) { return leaf.tensor && !leaf.draw; });
}

Step<Computed> Oracle::compute(const Computation& what) {
  // The results that are tensors, and after them the inputs that are changed, in one order in both.
  const ProblemDescription& problem = what.part ? *what.part : described_;
  Json baseline = what.baseline->layout("baseline");
  Json reference = what.reference->layout("reference");
  Json outputs = Json::array();
  size_t next = 0;
  auto place = [&] {
    Json tensor = baseline[next];
    tensor["reference_offset"] = reference[next]["offset"];
    ++next;
    return tensor;
  };
  for (const Leaf& leaf : problem.outputs) {
    outputs.push_back(leaf.tensor ? place() : leaf.scalar);
    if (leaf.tensor) outputs.back()["shape"] = leaf.tensor->shape;
  }
  Json mutated = Json::array();
  for (size_t input : problem.mutated_inputs) {
    mutated.push_back(place());
    mutated.back()["input"] = input;
  }
  Json keys = Json::array();
  bool from_picks = false;
  for (const Leaf& leaf : problem.outputs) {
    from_picks |= leaf.from_picks;
    if (!leaf.picks || !what.in_double) continue;
    keys.push_back(reference[next++]);
    keys.back()["call"] = leaf.picks->call;
  }
  Json request{{"do", "compute"},
               {"inputs", what.inputs},
               {"outputs", std::move(outputs)},
               {"mutated", std::move(mutated)},
               {"keys", keys},
               {"from_picks", from_picks && what.in_double},
               {"shake", what.shake},
               {"times", what.shake_times},
               {"integers", what.integers},
               {"double", what.in_double},
               {"slots", what.slots},
               {"slot_bytes",
                {{"inputs", what.given->slot_bytes()},
                 {"inout", what.inout->slot_bytes()},
                 {"reference", what.reference->slot_bytes()},
                 {"baseline", what.baseline->slot_bytes()}}},
               {"memories", {"inputs", "inout", "reference", "baseline"}}};
  constexpr const char* kSpreadWords[] = {"", "kinds", "places", "picks"};
  if (what.spread != Computation::Spread::none)
    request["spread"] = kSpreadWords[static_cast<size_t>(what.spread)];
  std::vector<int> descriptors{what.given->fd(), what.inout->fd(), what.reference->fd(),
                               what.baseline->fd()};
  ASSAY_ASSIGN(Json answer, ask(std::move(request), descriptors, "computed"));
  auto computed = computed_from_json(answer);
  if (!computed) return std::unexpected(malformed(computed.error().message));
  const bool has_keys = !what.shake && what.spread == Computation::Spread::none;
  if (has_keys && computed->exact_keys.size() != keys.size() * what.slots)
    return std::unexpected(malformed("it does not say which keys are exact"));
  return std::move(*computed);
}

}  // namespace assay
