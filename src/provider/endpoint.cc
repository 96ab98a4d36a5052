#include "provider/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/places.h"
#include "base/text.h"
#include "base/words.h"
#include "provider/api_error.h"
#include "provider/secrets.h"
#include "provider/user_file.h"

namespace assay {
namespace {

bool same_name(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

// Who is asked, without a user's name and password that an address may hold, or a key behind a ?.
std::string without_keys(std::string address) {
  address.resize(std::min(address.find('?'), address.size()));
  const size_t scheme = address.find("://");
  const size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const size_t end = address.find('/', host);
  const size_t at = address.rfind('@', end);
  if (at == std::string::npos || at < host) return address;
  return address.substr(0, host) + address.substr(at + 1);
}

Status check_address(const std::string& address, const std::string& where) {
  if ((address.starts_with("http://") || address.starts_with("https://")) &&
      address.find_first_of(" \t\r\n") == std::string::npos)
    return {};
  return error(Code::invalid_input,
               fmt::format("{}: '{}' is no address", where, one_line(without_keys(address))),
               "write for example http://localhost:8000/v1");
}

constexpr std::string_view kNamesOfKeys[] = {"key", "token", "secret", "password", "sig"};

// Of an address that holds keys: "https://me:KEY@host/v1?api-key=KEY".
void add_secrets_in(const Endpoint& endpoint) {
  const size_t host = endpoint.address.find("://") + 3;
  const std::string_view behind = std::string_view(endpoint.address).substr(host);
  const std::string_view place = behind.substr(0, behind.find('/'));
  if (const size_t at = place.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = place.substr(0, at);
    add_secret(user.substr(user.find(':') + 1));
  }
  std::string_view rest = endpoint.query;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const size_t value = one.find('=') + 1;
    const std::string name = lower_case(one.substr(0, value));
    if (value > 0 && std::ranges::any_of(
                         kNamesOfKeys, [&](std::string_view each) { return name.contains(each); }))
      add_secret(one.substr(value));
  }
}

// "Name: value" in each line.
Status add_lines(Endpoint& endpoint, const std::string& lines, const char* variable) {
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos)
      return error(Code::invalid_input, fmt::format("{}: a line has no ':'", variable),
                   "write each header in a line, Name: value");
    const size_t first = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    const size_t last = line.find_last_not_of(" \t\r");
    const std::string value = last < first ? "" : line.substr(first, last - first + 1);
    add_secret(value);
    ASSAY_TRY(endpoint.add(line.substr(0, colon), value));
  }
  return {};
}

std::string what_to_set(const EndpointRules& rules) {
  std::vector<std::string> variables;
  for (const KeyVariable& key : rules.keys) variables.emplace_back(key.variable);
  std::string text = "set " + one_of(variables);
  if (rules.key_is_optional_elsewhere)
    text += fmt::format(", or {} to the address of a server of yours", rules.address_variable);
  return text;
}

}  // namespace

Status Endpoint::add(const std::string& name, const std::string& value) {
  const bool good_name = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_';
  });
  const bool good_value =
      std::ranges::none_of(value, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (!good_name)
    return error(Code::invalid_input,
                 fmt::format("{}: '{}' is no header's name", provider, one_line(name)),
                 "letters, digits and '-' can be in one");
  if (!good_value)
    return error(Code::invalid_input,
                 fmt::format("{}: the value of '{}' has a line break or another control character",
                             provider, name));
  std::erase_if(headers, [&](const auto& header) { return same_name(header.first, name); });
  headers.emplace_back(name, value);
  return {};
}

Status Endpoint::add_from_variable(const std::string& name, const char* variable) {
  const std::string value = environment_variable(variable);
  if (value.empty() || has(name)) return {};
  return add(name, value);
}

bool Endpoint::has(std::string_view header) const {
  return std::ranges::any_of(headers,
                             [&](const auto& each) { return same_name(each.first, header); });
}

std::string Endpoint::url(std::string_view path) const {
  std::string whole = address + std::string(path);
  if (!query.empty()) whole += (whole.contains('?') ? "&" : "?") + query;
  return whole;
}

std::string Endpoint::shown() const { return one_line(without_keys(address)); }

std::string Endpoint::in_words() const {
  return shown() + (key_from.empty() ? ", no key" : ", key from " + key_from);
}

Result<Endpoint> find_endpoint(const Disk& disk, const EndpointRules& rules) {
  ASSAY_ASSIGN(const UserProvider users, read_user_provider(disk, rules.provider));
  Endpoint endpoint{.provider = rules.provider, .address = rules.own_address};
  std::string where = rules.provider;
  if (!users.address.empty()) {
    endpoint.address = users.address;
    where = user_file_path();
  }
  if (const std::string asked = environment_variable(rules.address_variable); !asked.empty()) {
    endpoint.address = asked;
    where = rules.address_variable;
  }
  endpoint.dialect = users.dialect;
  // All keys leave the environment, also those that another stands before.
  for (const KeyVariable& key : rules.keys) {
    const std::string value = take_secret(key.variable);
    if (value.empty() || !endpoint.key_from.empty()) continue;
    endpoint.key_from = key.variable;
    ASSAY_TRY(endpoint.add(users.key_header.empty() ? key.header : users.key_header,
                           users.key_header.empty() ? key.before + value : value));
  }
  if (rules.headers_variable)
    ASSAY_TRY(add_lines(endpoint, take_secret(rules.headers_variable), rules.headers_variable));
  for (const auto& [name, value] : users.headers) ASSAY_TRY(endpoint.add(name, value));
  if (endpoint.address.empty())
    return error(Code::unavailable,
                 fmt::format("{} is not set up: it has no address", rules.provider),
                 fmt::format("set {}, or url in {}", rules.address_variable, user_file_path()));
  ASSAY_TRY(check_address(endpoint.address, where));
  if (const size_t mark = endpoint.address.find('?'); mark != std::string::npos) {
    endpoint.query = endpoint.address.substr(mark + 1);
    endpoint.address.resize(mark);
  }
  while (endpoint.address.ends_with('/')) endpoint.address.pop_back();
  add_secrets_in(endpoint);
  const bool needs_key = !rules.key_is_optional_elsewhere || endpoint.address == rules.own_address;
  if (needs_key && endpoint.key_from.empty() && users.headers.empty())
    return error(Code::unavailable, fmt::format("{} is not set up: it has no key", rules.provider),
                 what_to_set(rules));
  if (endpoint.key_from.empty() && !users.headers.empty()) endpoint.key_from = user_file_path();
  return endpoint;
}

}  // namespace assay
