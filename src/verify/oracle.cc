#include "verify/oracle.h"

#include <cassert>
#include <utility>

#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr uint64_t kMostLeaves = 1024;

Stop malformed(const std::string& what) {
  return failed_stage(Stage::verify, FailureClass::protocol, "the oracle's answer: " + what);
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
      ASSAY_TRY(fields.status());
    } else {
      leaf.scalar = each;
    }
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

Result<std::vector<StateTensor>> read_state(const Json& list) {
  if (!list.is_array()) return error(Code::corrupt, "it has no list of the state");
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

Result<ProblemDescription> read_description(const Json& json) {
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
  result.init_tree = fields.value("init_tree");
  result.scalars = fields.value("scalars");
  result.mixes = fields.has("mixes") && fields.boolean("mixes");
  result.order_open = fields.has("order_open") && fields.boolean("order_open");
  JsonReader bytes(fields.value("bytes"), "a description's sizes");
  auto size = [&](const char* name) { return static_cast<uint64_t>(bytes.integer(name)); };
  result.input_bytes = size("inputs");
  result.state_bytes = size("state");
  result.output_bytes = size("outputs");
  result.forward_bytes = size("forward");
  result.double_bytes = size("double");
  ASSAY_TRY(bytes.status());
  ASSAY_TRY(fields.status());
  return result;
}

}  // namespace

Step<Oracle> Oracle::start(Children& children, const Image& image, const Limits& limits,
                           const Problem& problem) {
  ASSAY_ASSIGN(UniqueFd source, sealed_memory_file("assay-problem", problem.source));
  Job job;
  job.body = {{"do", "describe"},
              {"path", problem.path},
              {"mode", problem.mode},
              {"precision", to_word(kPrecisionWords, problem.precision)},
              {"real_bytes", problem.real_bytes}};
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
  auto read = read_description(described);
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
        record.error = "the problem's own code " + record.error;
      add_costs(record, event.ending);
      return std::unexpected(Stop(std::move(record)));
    }
    if (event.message.is_object() && event.message.contains(answer))
      return std::move(event.message[answer]);
    StageRecord record = stage_from_answer(Stage::verify, event.message);
    if (record.status == StageStatus::ok) return std::unexpected(malformed("it is another one"));
    if (record.status == StageStatus::failed) record.error = "the problem: " + record.error;
    return std::unexpected(Stop(std::move(record)));
  }
}

Step<Json> Oracle::ask(Json request, const std::vector<int>& descriptors, const char* answer) {
  assert(running());
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

Step<void> Oracle::build(uint32_t seed, const SharedTensors& state) {
  Json request{{"do", "build"},
               {"seed", seed},
               {"state", state_layout(state)},
               {"init_tensors", init_layout(state)}};
  ASSAY_TRY(ask(std::move(request), {state.fd()}, "built"));
  return {};
}

Step<void> Oracle::load(const SharedTensors& state) {
  ASSAY_TRY(ask({{"do", "load"}, {"state", state_layout(state)}}, {state.fd()}, "loaded"));
  return {};
}

Step<void> Oracle::draw_inputs(uint32_t seed, const SharedTensors& drawn) {
  Json layout = drawn.layout("inputs");
  Json places = Json::array();
  size_t next = 0;
  for (const Leaf& leaf : described_.inputs)
    places.push_back(leaf.tensor ? layout[next++] : Json(nullptr));
  Json request{{"do", "inputs"}, {"seed", seed}, {"inputs", std::move(places)}};
  ASSAY_TRY(ask(std::move(request), {drawn.fd()}, "drawn"));
  return {};
}

Step<Computed> Oracle::compute(const Computation& what) {
  // The results that are tensors, and after them the inputs that are changed, in one order in both.
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
  for (const Leaf& leaf : described_.outputs)
    outputs.push_back(leaf.tensor ? place() : leaf.scalar);
  Json mutated = Json::array();
  for (size_t input : described_.mutated_inputs) {
    mutated.push_back(place());
    mutated.back()["input"] = input;
  }
  Json request{{"do", "compute"},
               {"inputs", what.inputs},
               {"outputs", std::move(outputs)},
               {"mutated", std::move(mutated)},
               {"integers", what.integers},
               {"memories", {"inputs", "inout", "reference", "baseline"}}};
  std::vector<int> descriptors{what.given->fd(), what.inout->fd(), what.reference->fd(),
                               what.baseline->fd()};
  ASSAY_ASSIGN(Json answer, ask(std::move(request), descriptors, "computed"));
  JsonReader fields(answer, "a computation");
  Computed computed;
  computed.baseline_ns = fields.integer("baseline_ns");
  computed.draws = fields.boolean("draws");
  if (fields.has("narrow")) computed.narrow = fields.texts("narrow");
  computed.integers = fields.has("integers") && fields.boolean("integers");
  computed.not_integers = fields.optional_text("not_integers").value_or("");
  if (!fields.status()) return std::unexpected(malformed(fields.status().error().message));
  return computed;
}

}  // namespace assay
