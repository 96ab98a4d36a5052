// What is said of a problem as its oracle describes it.
#include <fmt/format.h>

#include <utility>

#include "run/control_page.h"
#include "verify/oracle.h"

namespace assay {

Json inputs_in_words(const ProblemDescription& problem) {
  Json inputs = Json::array();
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const Leaf& leaf = problem.inputs[i];
    if (!leaf.tensor) continue;
    Json input{{"input", i}};
    input.update(to_json(*leaf.tensor));
    input.update(to_json(leaf.domain));
    input["said_by"] = leaf.is_domain_said ? "file" : leaf.draw ? "call" : "nobody";
    input["drawn"] = leaf.draw ? Json(to_word(kDrawWords, leaf.draw->kind)) : Json();
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::string why_not_judged(const ProblemDescription& problem, const Form& form) {
  if (problem.outputs.size() > ControlPage::kMaxOutputs)
    return fmt::format("it returns {} values: {} are judged", problem.outputs.size(),
                       ControlPage::kMaxOutputs);
  if (!form.is_model()) return "";
  for (const auto& [tree, what] :
       {std::pair{&problem.init_tree, "constructor"}, std::pair{&problem.input_tree, "forward"}})
    if (tree->is_object() && tree->contains("unsupported"))
      return fmt::format("the arguments of its {} cannot be handed over: {}", what,
                         (*tree)["unsupported"].get<std::string>());
  return "";
}

}  // namespace assay
