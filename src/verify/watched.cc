#include "verify/watched.h"

#include <utility>

namespace assay {

std::vector<std::string> Watched::labels() const {
  if (operations.empty()) return {};
  if (hidden.empty()) return {"library"};
  return {"library", "fallback"};
}

std::optional<Watched> read_watched(const std::string& text) {
  auto said = parse_json(text, "what a candidate does");
  if (!said || !said->is_object()) return std::nullopt;
  JsonReader fields(*said, "what a candidate does");
  const Json& operations = fields.value("operations");
  const Json& hidden = fields.value("hidden");
  if (!operations.is_object() || !hidden.is_array()) return std::nullopt;
  Watched watched;
  for (const auto& [name, calls] : operations.items()) {
    if (!calls.is_number_integer() || calls < 1) return std::nullopt;
    watched.operations.push_back({name, calls.get<int64_t>()});
  }
  for (const Json& each : hidden) {
    const bool is_pair = each.is_array() && each.size() == 2 && each[0].is_string() &&
                         each[1].is_number_integer() && each[1] >= 0;
    if (!is_pair) return std::nullopt;
    watched.hidden.push_back({each[0].get<std::string>(), each[1].get<int64_t>()});
  }
  return watched;
}

Json to_json(const Watched& watched) {
  Json json{{"operations", Json::array()}, {"hidden", Json::array()}};
  for (const Watched::Operation& each : watched.operations)
    json["operations"].push_back({{"name", each.name}, {"calls", each.calls}});
  for (const Watched::HiddenError& each : watched.hidden)
    json["hidden"].push_back({{"error", each.name}, {"line", each.line}});
  return json;
}

}  // namespace assay
