#include "cli/find_authors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/disk.h"

namespace assay {

Result<std::vector<Author>> find_authors(const std::vector<std::string>& written,
                                         std::string_view option) {
  std::vector<Author> authors;
  auto named = [&](const std::string& name) {
    return std::ranges::find(authors, name, &Author::name) != authors.end();
  };
  for (const std::string& each : written) {
    ASSAY_ASSIGN(Author author, find_author(system_disk(), each, option));
    auto same = std::ranges::find_if(authors, [&](const Author& other) {
      return other.type == author.type && other.path == author.path;
    });
    if (same != authors.end()) continue;
    std::string name = author.name;
    for (int n = 2; named(author.name); ++n) author.name = fmt::format("{}_{}", name, n);
    authors.push_back(std::move(author));
  }
  return authors;
}

Result<std::vector<Author>> find_baselines(std::optional<TimingSettings>& timing) {
  if (!timing) return std::vector<Author>{};
  ASSAY_ASSIGN(auto baselines, find_authors(timing->against, "--against"));
  timing->against.clear();
  for (const Author& author : baselines) {
    // From wherever it is asked for again.
    const std::string which = author.only ? fmt::format("#{}", *author.only) : "";
    timing->against.push_back(author.type->hands_in_files() ? "file:" + author.path + which
                                                            : author.reference);
  }
  return baselines;
}

}  // namespace assay
