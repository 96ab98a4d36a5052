#include "cli/find_attempt.h"

#include <fmt/format.h>

#include <vector>

#include "base/words.h"

namespace assay {
namespace {

Result<std::string> resolve(RunStore& store, const std::string& part) {
  ASSAY_ASSIGN(auto known, store.known());
  if (known.contains(part)) return part;
  std::vector<std::string> ids, ending, matching;
  for (const auto& [id, unused] : known) {
    ids.push_back(id);
    if (id.ends_with("/" + part)) ending.push_back(id);
    if (id.contains(part)) matching.push_back(id);
  }
  if (ending.size() == 1) return ending[0];
  if (matching.size() == 1) return matching[0];
  if (matching.empty()) {
    constexpr size_t kMostToSearch = 10'000;  // a guess is not worth waiting for
    std::string meant = ids.size() <= kMostToSearch ? did_you_mean(part, ids) : "";
    return error(Code::not_found,
                 fmt::format("no attempt in this run has '{}' in its id{}", part, meant),
                 fmt::format("`assay show {} --all` lists them", store.folder()));
  }
  std::string list;
  for (size_t i = 0; i < matching.size() && i < 10; ++i) list += "\n    " + matching[i];
  return error(Code::invalid_input,
               fmt::format("{} attempts have '{}' in their id:{}{}", matching.size(), part, list,
                           matching.size() > 10 ? "\n    ..." : ""),
               "name one of them");
}

}  // namespace

Result<Attempt> find_attempt(RunStore& store, const std::string& part) {
  ASSAY_ASSIGN(std::string id, resolve(store, part));
  ASSAY_ASSIGN(auto attempt, store.find(id));
  if (!attempt) return error(Code::not_found, "attempt '" + id + "' is gone");
  return std::move(*attempt);
}

}  // namespace assay
