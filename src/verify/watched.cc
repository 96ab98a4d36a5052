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
    JsonReader count(operations, "operations");
    watched.operations.push_back({name, count.integer(name.c_str())});
    if (!count.status() || watched.operations.back().calls < 1) return std::nullopt;
  }
  for (const Json& each : hidden) {
    if (!each.is_array() || each.size() != 2 || !each[0].is_string()) return std::nullopt;
    const Json line{{"line", each[1]}};
    JsonReader place(line, "a hidden error");
    watched.hidden.push_back({each[0].get<std::string>(), place.integer("line")});
    if (!place.status()) return std::nullopt;
  }
  const bool is_too_much = watched.operations.size() > Watched::kMostOperations ||
                           watched.hidden.size() > Watched::kMostHidden;
  return is_too_much ? std::nullopt : std::optional(std::move(watched));
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
