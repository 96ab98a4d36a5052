#include "cli/model_options.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "base/rows.h"
#include "base/text.h"
#include "provider/service.h"
#include "provider/spend.h"

namespace assay {
namespace {

constexpr int64_t kMostTokens = 1'000'000'000;
// Of a value's lists and objects: what holds it, in a request and in the store, has some of its
// own.
constexpr size_t kMostNesting = 32;

std::vector<std::string> parts_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  size_t comma;
  while ((comma = list.find(',')) != std::string_view::npos) {
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma + 1);
  }
  parts.emplace_back(list);
  return parts;
}

// Each of a list. A value in JSON may have commas of its own.
std::vector<std::string> parameters_in(std::string_view list) {
  const std::vector<std::string> parts = parts_at_commas(list);
  std::vector<std::string> parameters;
  for (size_t i = 0; i < parts.size(); ++i) {
    parameters.push_back(parts[i]);
    const size_t value = parts[i].find('=') + 1;
    if (value == 0 || !std::string_view("[{\"").contains(parts[i].substr(value, 1))) continue;
    std::string whole = parts[i];
    for (size_t end = i + 1; end < parts.size() && !Json::accept(whole.substr(value)); ++end) {
      whole += "," + parts[end];
      if (!Json::accept(whole.substr(value))) continue;
      parameters.back() = whole;
      i = end;
    }
  }
  return parameters;
}

bool is_nested_deeper(const Json& json, size_t levels) {
  if (!json.is_structured()) return false;
  if (levels == 0) return true;
  for (const Json& each : json)
    if (is_nested_deeper(each, levels - 1)) return true;
  return false;
}

Status add_parameter(const std::string& given, Json& parameters) {
  auto wrong = [&](std::string_view why, std::string next) {
    return error(Code::invalid_input,
                 fmt::format("--param '{}' {}", printable(utf8(given), false), why),
                 std::move(next));
  };
  const size_t mark = given.find('=');
  std::string name(trimmed(std::string_view(given).substr(0, mark)));
  if (name.empty() || mark == std::string::npos)
    return wrong("is no NAME=VALUE", "--param temperature=0.1,max_tokens=16384");
  if (utf8(given) != given) return wrong("is no UTF-8", "a request to a model has nothing else");
  const std::string value = given.substr(mark + 1);
  auto json = Json::accept(value) ? Json::parse(value) : Json(value);
  if (is_nested_deeper(json, kMostNesting))
    return wrong("is nested too deeply", fmt::format("{} levels are taken", kMostNesting));
  // What --spend reserves for a call, so it has to be what is sent; under the name that each model
  // takes.
  if (limits_tokens(name)) {
    if (!json.is_number_integer() || json <= 0 || json > kMostTokens)
      return wrong("is no number of tokens", fmt::format("--param {}=16384", name));
    name = kTokenLimit;
  }
  parameters[name] = std::move(json);
  return {};
}

}  // namespace

std::vector<std::string> models_in(const std::vector<std::string>& lists) {
  std::vector<std::string> models;
  for (const std::string& list : lists) {
    bool is_command = false;
    for (const std::string& part : parts_at_commas(list)) {
      const size_t colon = part.find(':');
      const bool begins_one =
          colon != std::string::npos && find_row(provider_types(), part.substr(0, colon));
      if (is_command && !begins_one) {
        models.back() += "," + part;
        continue;
      }
      is_command = part.starts_with("command:");
      models.push_back(part);
    }
  }
  return models;
}

Result<Json> parse_parameters(const std::vector<std::string>& lists) {
  Json parameters = Json::object();
  for (const std::string& list : lists)
    for (const std::string& each : parameters_in(list)) ASSAY_TRY(add_parameter(each, parameters));
  return parameters;
}

Status check_parameters(const ModelName& model, const Json& parameters) {
  for (const auto& [name, value] : parameters.items())
    if (model.type->is_service && is_said_by_assay(name))
      return error(Code::invalid_input,
                   fmt::format("--param: '{}' cannot be set, assay says it itself", name),
                   name == "model" ? "--model says which model" : "");
  return {};
}

}  // namespace assay
