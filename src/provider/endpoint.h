// Where a service is, and by what it knows who asks: from variables of the environment, and from
// the user's own file, providers.toml (docs/formats.md).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

struct Endpoint {
  std::string provider;  // "openai"
  std::string address;   // without a / at its end
  std::string query{};   // "api-version=2024-10-21": what follows a ? in it
  // Names and values. A later one of the same name takes the place of an earlier one.
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string key_from{};  // the variable that its key is from; "": it has none
  std::string dialect{};   // as the user's file says it; "": it does not

  // Fails on what would be more than one header.
  Status add(const std::string& name, const std::string& value);
  Status add_from_variable(const std::string& name, const char* variable);
  bool has(std::string_view header) const;
  // Of one that lies below it: "/models".
  std::string url(std::string_view path) const;
  // The address as it may be shown: without a user's name and password, and without a query, which
  // may hold a key; keys that are known are cut out.
  std::string shown() const;
  // "https://api.openai.com/v1, key from OPENAI_API_KEY".
  std::string in_words() const;
};

// A variable with a key, and how that is sent.
struct KeyVariable {
  const char* variable;
  std::string header;
  std::string before{};  // "Bearer "
};

struct EndpointRules {
  std::string provider;
  std::string own_address{};  // "": there is none, it has to be said
  const char* address_variable = nullptr;
  const char* headers_variable = nullptr;  // "Name: value" lines
  std::vector<KeyVariable> keys{};         // the first that is set is sent
  // At another address than its own it may do without a key.
  bool key_is_optional_elsewhere = false;
};

// The version of Anthropic's messages that assay writes, where the user has named no other.
Status say_version(Endpoint& endpoint);

// Fails with what to set.
Result<Endpoint> find_endpoint(const Disk& disk, const EndpointRules& rules);

}  // namespace assay
