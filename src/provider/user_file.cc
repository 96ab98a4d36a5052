#include "provider/user_file.h"

#include <fmt/format.h>

#include "base/places.h"
#include "base/rows.h"
#include "base/toml_reader.h"
#include "provider/provider.h"
#include "provider/secrets.h"

namespace assay {
namespace {

enum class KnownDialect { anthropic, openai };
constexpr Word<KnownDialect> kDialectWords[] = {{KnownDialect::anthropic, "anthropic"},
                                                {KnownDialect::openai, "openai"}};

// A part of an address may be a key, too, as its name says.
std::string part_of_address(const char* variable) {
  return is_name_of_secret(variable) ? take_secret(variable) : environment_variable(variable);
}

// With what the variables in it stand for, as `read` has them.
Result<std::string> with_variables(const std::string& text,
                                   std::string (*read)(const char* variable)) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find("${", at);
    result += text.substr(at, begin - at);
    if (begin == std::string::npos) break;
    const size_t end = text.find('}', begin);
    if (end == std::string::npos)
      return error(Code::invalid_input, "'${' has no '}'", "write ${NAME}");
    const std::string name = text.substr(begin + 2, end - begin - 2);
    const std::string value = read(name.c_str());
    if (value.empty())
      return error(Code::invalid_input,
                   fmt::format("the environment has no variable {}", name.empty() ? "''" : name),
                   fmt::format("set it, or write the value in the place of ${{{}}}", name));
    result += value;
    at = end + 1;
  }
  return result;
}

std::string resolved(TomlReader& table, const char* key, const std::string& text,
                     std::string (*read)(const char* variable)) {
  auto value = with_variables(text, read);
  if (value) return *value;
  table.fail(key, fmt::format("'{}': {}", key, value.error().message), value.error().next);
  return "";
}

UserProvider read_table(TomlReader& table) {
  table.only({"url", "key_header", "dialect", "headers"});
  UserProvider provider;
  provider.address = resolved(table, "url", table.text("url"), part_of_address);
  provider.key_header = table.text("key_header");
  if (table.word("dialect", kDialectWords)) provider.dialect = table.text("dialect");
  if (auto headers = table.table("headers"))
    for (const auto& [name, written] : headers->all_texts()) {
      const std::string value = resolved(*headers, name.c_str(), written, take_secret);
      add_secret(value);
      provider.headers.emplace_back(name, value);
    }
  return provider;
}

}  // namespace

std::string user_file_path() {
  const std::string folder = find_config_folder();
  return folder.empty() ? "" : join_path(folder, "providers.toml");
}

Result<UserProvider> read_user_provider(const Disk& disk, const std::string& provider) {
  const std::string path = user_file_path();
  if (path.empty() || !disk.exists(path)) return UserProvider{};
  ASSAY_ASSIGN(const std::string text, disk.read(path));
  ASSAY_ASSIGN(const toml::table table, parse_toml(path, text, "a file of providers"));
  TomlReader::Problem problem{.path = path, .example = "docs/formats.md has all that it can have"};
  TomlReader reader(problem, table, "a file of providers");
  std::vector<std::string> services;
  for (const ProviderType& type : provider_types())
    if (type.is_service) services.emplace_back(type.name);
  reader.only(services);
  UserProvider found;
  if (auto own = reader.table(provider.c_str())) found = read_table(*own);
  ASSAY_TRY(reader.status());
  return found;
}

}  // namespace assay
