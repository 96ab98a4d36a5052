#include "cli/list_providers.h"

#include <fmt/format.h>

#include "base/disk.h"
#include "base/rows.h"
#include "base/words.h"
#include "provider/provider.h"

namespace assay {
namespace {

Result<std::string> answer_of(const ProviderType& type) {
  ASSAY_ASSIGN(auto provider, type.open(system_disk(), "", {}));
  return provider->check();
}

}  // namespace

Result<int> list_providers(const Places&, const std::string& name, const Arguments& arguments,
                           Output& output) {
  if (!name.empty() && !find_row(provider_types(), name))
    return error(Code::not_found, "there is no provider of models '" + name + "'" +
                                      suggestion(name, names_of(provider_types())));
  int status = 0;
  for (const ProviderType& type : provider_types()) {
    if (!name.empty() && type.name != name) continue;
    output.write(
        fmt::format("{:<18} {}\n", fmt::format("{}:{}", type.name, type.behind), type.title));
    auto line = [&](std::string_view word, const std::string& text) {
      output.write(fmt::format("  {:<16} {}\n", word, text));
    };
    auto setup = type.setup(system_disk());
    if (!setup) {
      const Error& why = setup.error();
      line("not set up", why.code == Code::unavailable ? why.next : why.describe());
      if (arguments.given("--check") && !name.empty()) status = 1;
      continue;
    }
    line("set up", *setup);
    if (!arguments.given("--check") || !type.is_service) continue;
    auto answer = answer_of(type);
    line(answer ? "answers" : "fails", answer ? *answer : answer.error().describe());
    if (!answer) status = 1;
  }
  return status;
}

}  // namespace assay
