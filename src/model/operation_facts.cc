#include "model/operation_facts.h"

namespace assay {

Json to_json(const OperationFacts& facts) {
  Json arguments = Json::object();
  for (const auto& [name, value] : facts.arguments) arguments[name] = value;
  return {{"kind", facts.kind},       {"name", facts.name},   {"arguments", std::move(arguments)},
          {"tensors", facts.tensors}, {"bytes", facts.bytes}, {"flops", or_null(facts.flops)}};
}

Result<OperationFacts> operation_facts_from_json(const Json& json) {
  JsonReader fields(json, "an operation");
  OperationFacts facts;
  facts.kind = fields.text("kind");
  facts.name = fields.text("name");
  const Json& arguments = fields.value("arguments");
  facts.tensors = fields.texts("tensors");
  const int64_t bytes = fields.integer("bytes");
  if (bytes < 0) fields.fail("'bytes' is no size");
  facts.bytes = static_cast<uint64_t>(bytes);
  facts.flops = fields.optional_integer("flops");
  ASSAY_TRY(fields.status());
  if (!arguments.is_object()) return error(Code::corrupt, "an operation's arguments are no object");
  for (const auto& [name, value] : arguments.items()) {
    if (!value.is_string()) return error(Code::corrupt, "an operation's argument is no text");
    facts.arguments.emplace_back(name, value.get<std::string>());
  }
  return facts;
}

}  // namespace assay
