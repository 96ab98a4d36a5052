#include <fmt/format.h>

#include <vector>

#include "base/rows.h"
#include "base/words.h"
#include "provider/all.h"

namespace assay {
namespace {

constexpr size_t kMostAuthorBytes = 60;

// What ids keep of a name; the rest becomes '-'.
std::string as_author(const std::string& name) {
  constexpr std::string_view kKept =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=@";
  std::string author;
  for (const char c : name.substr(0, kMostAuthorBytes)) author += kKept.contains(c) ? c : '-';
  return author.substr(std::min(author.find_first_not_of(".-"), author.size()));
}

}  // namespace

std::span<const ProviderType> provider_types() {
  static const std::vector<ProviderType> all =
      with_added_rows<ProviderType>({openai_provider(), anthropic_provider(), gateway_provider(),
                                     command_provider(), replay_provider()});
  return all;
}

Result<ModelName> find_model(const std::string& written) {
  const size_t colon = written.find(':');
  const std::string word = written.substr(0, colon);
  const ProviderType* type = find_row(provider_types(), word);
  if (!type)
    return error(Code::not_found,
                 fmt::format("there is no provider of models '{}'{}", word,
                             suggestion(word, names_of(provider_types()))),
                 "write PROVIDER:MODEL; `assay list providers` says which are set up here");
  ModelName model{.type = type, .written = written};
  if (colon != std::string::npos) model.name = written.substr(colon + 1);
  if (model.name.empty())
    return error(Code::invalid_input, fmt::format("'{}' names no model", written),
                 fmt::format("write {}:{}", type->name, type->behind));
  model.author = as_author(type->author ? type->author(model.name) : model.name);
  if (model.author.empty()) model.author = type->name;
  return model;
}

Result<std::unique_ptr<Provider>> open_provider(const Disk& disk, const ModelName& model,
                                                const ReadRecording& recording) {
  return model.type->open(disk, model.name, recording);
}

}  // namespace assay
