// The oracle's requests for inputs as get_inputs() draws them, or draws other numbers.
#include <utility>

#include "run/outcome.h"
#include "verify/oracle.h"

namespace assay {

// With `all`, those that are given as they are drawn, too, but for graphs. What is constant is as
// the file makes it under one seed, whatever that of the request.
Step<Json> Oracle::draw_inputs(Json request, const SharedTensors& drawn, bool all,
                               const SharedTensors* numbers) {
  const Json layout = drawn.layout("inputs");
  Json places = Json::array();
  size_t next = 0;
  for (const Leaf& leaf : described_.inputs) {
    const bool is_asked = all && leaf.domain.kind != DomainKind::graph;
    places.push_back(leaf.tensor && (is_asked || !leaf.draw) ? layout[next] : Json(nullptr));
    if (leaf.domain.kind == DomainKind::constant) places.back()["constant"] = true;
    next += leaf.tensor ? 1 : 0;
  }
  request["do"] = "inputs";
  request["inputs"] = std::move(places);
  request["slot_bytes"] = {{"inputs", drawn.slot_bytes()}};
  std::vector<int> memories{drawn.fd()};
  if (numbers != nullptr) {
    request["memories"] = {"inputs", "numbers"};
    memories.push_back(numbers->fd());
  }
  return ask(std::move(request), memories, "drawn");
}

Json Oracle::seed_of(const RandomStream& stream) {
  return static_cast<uint32_t>(stream.named("get_inputs").seed_for_others());
}

Step<void> Oracle::draw_inputs(const RandomStream& stream, const SharedTensors& drawn) {
  ASSAY_TRY(draw_inputs({{"seed", seed_of(stream)}}, drawn, false, nullptr));
  return {};
}

Step<void> Oracle::draw_interior(const RandomStream& stream, const SharedTensors& drawn) {
  const Json inside{{"interior", true}};
  ASSAY_TRY(draw_inputs({{"seed", seed_of(stream)}, {"draws", inside}}, drawn, false, nullptr));
  return {};
}

Step<void> Oracle::draw_trial(uint32_t seed, int number, const SharedTensors& drawn) {
  ASSAY_TRY(draw_inputs({{"seed", seed}, {"trial", number}}, drawn, true, nullptr));
  return {};
}

Step<std::vector<Oracle::ComesFrom>> Oracle::draw_inputs(const RandomStream& stream,
                                                         const SharedTensors& drawn,
                                                         const Numbers& numbers) {
  Json layout = numbers.tensors.layout("numbers");
  Json draws{{"numbers", layout[0]}, {"chosen", layout[1]}, {"within", numbers.within}};
  ASSAY_ASSIGN(Json answer, draw_inputs({{"seed", seed_of(stream)}, {"draws", std::move(draws)}},
                                        drawn, false, &numbers.tensors));
  JsonReader fields(answer, "what was drawn");
  const Json& told = fields.value("from");
  if (!fields.status() || !told.is_array() || told.size() != described_.inputs.size())
    return std::unexpected(malformed("inputs that come from nowhere"));
  std::vector<ComesFrom> from;
  for (size_t i = 0; i < told.size(); ++i) {
    if (!described_.inputs[i].tensor) continue;
    ComesFrom each;
    if (!told[i].is_null()) {
      JsonReader one(told[i], "where an input comes from");
      each = {static_cast<size_t>(one.integer("group")),
              static_cast<uint64_t>(one.integer("numbers"))};
      if (!one.status()) return std::unexpected(malformed(one.status().error().message));
    }
    from.push_back(each);
  }
  return from;
}

}  // namespace assay
