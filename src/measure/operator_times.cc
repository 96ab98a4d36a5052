#include "measure/operator_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "measure/interval.h"

namespace assay {
namespace {

bool is_time(const Json& value) {
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMostPartNs;
}

struct Operators {
  std::vector<std::string> names;
  std::map<std::string, PartSeen> seen;
};

bool read_operators(const Json& list, Operators& operators) {
  for (const Json& each : list) {
    JsonReader fields(each, "an operator");
    std::string name = fields.text("name").substr(0, kMostPartNameBytes);
    PartSeen& seen = operators.seen[name];
    for (auto [field, value] : {std::pair{"flops", &seen.flops}, {"bytes", &seen.bytes}}) {
      *value = fields.optional_integer(field);
      if (*value && **value < 0) value->reset();
    }
    operators.names.push_back(std::move(name));
    if (!fields.status()) return false;
  }
  return true;
}

// Of one call; false: it is no such list.
bool read_call(const Json& list, Operators& operators, std::vector<PartEvent>& call) {
  if (!list.is_array()) return false;
  for (const Json& each : list) {
    if (!each.is_array() || each.size() != 3 || !each[0].is_number_unsigned() ||
        !is_time(each[1]) || !is_time(each[2]))
      return false;
    const auto place = each[0].get<uint64_t>();
    if (place >= operators.names.size()) return false;
    call.push_back({operators.names[place], each[1].get<double>(), each[2].get<double>()});
  }
  return true;
}

}  // namespace

std::optional<CallParts> read_operator_times(std::string_view written) {
  const auto json = parse_json(written, "what a candidate says of its operators");
  if (!json || !json->is_object()) return std::nullopt;
  for (const char* list : {"plain_ns", "operators", "calls"})
    if (!json->contains(list) || !(*json)[list].is_array()) return std::nullopt;
  Operators operators;
  if (!read_operators((*json)["operators"], operators)) return std::nullopt;
  std::vector<double> plain_ns;
  for (const Json& each : (*json)["plain_ns"]) {
    if (!is_time(each)) return std::nullopt;
    plain_ns.push_back(each.get<double>());
  }
  std::vector<std::pair<double, std::vector<PartEvent>>> calls;
  for (const Json& each : (*json)["calls"]) {
    if (!each.is_object() || !each.contains("call_ns") || !is_time(each["call_ns"]))
      return std::nullopt;
    auto& [ns, events] =
        calls.emplace_back(each["call_ns"].get<double>(), std::vector<PartEvent>{});
    if (!read_call(each.value("operators", Json()), operators, events)) return std::nullopt;
    for (const PartEvent& event : events) operators.seen[event.name].ns.push_back(event.ns);
  }
  std::erase_if(operators.seen, [](const auto& each) { return each.second.ns.empty(); });
  if (operators.seen.empty() || plain_ns.empty()) return std::nullopt;
  const bool by_profiler = json->value("by", Json()) == "profiler";
  CallParts parts =
      call_parts(PartKind::operator_, by_profiler ? "torch's profiler" : "torch's dispatcher",
                 calls.size(), quantile(plain_ns, 0.5), operators.seen);
  const auto middle = calls.begin() + static_cast<long>(calls.size() / 2);
  std::ranges::nth_element(calls, middle, {}, [](const auto& each) { return each.first; });
  parts.one_call = std::move(middle->second);
  return parts;
}

}  // namespace assay
