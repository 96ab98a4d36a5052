#include "verify/watched.h"

#include "base/escape.h"

namespace assay {

std::vector<std::string> Watched::labels() const {
  if (operations.empty()) return {};
  if (hidden.empty()) return {"library"};
  return {"library", "fallback"};
}

std::optional<Watched> read_watched(const std::string& text) {
  constexpr const char* kWhat = "what a candidate does";
  auto said = parse_json(text, kWhat);
  if (!said || !said->is_object()) return std::nullopt;
  JsonReader fields(*said, kWhat);
  const Json& operations = fields.value("operations");
  const Json& hidden = fields.value("hidden");
  const bool are_lists = operations.is_array() && hidden.is_array();
  if (!are_lists || operations.size() > Watched::kMostOperations ||
      hidden.size() > Watched::kMostHidden)
    return std::nullopt;
  Watched watched;
  for (const Json& each : operations) {
    JsonReader operation(each, kWhat);
    watched.operations.push_back(
        {printable(operation.text("name"), false), operation.integer("calls")});
    if (!operation.status() || watched.operations.back().calls < 1) return std::nullopt;
  }
  for (const Json& each : hidden) {
    JsonReader error(each, kWhat);
    watched.hidden.push_back({printable(error.text("error"), false), error.integer("line")});
    if (!error.status()) return std::nullopt;
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
