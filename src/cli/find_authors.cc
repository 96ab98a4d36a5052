#include "cli/find_authors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/disk.h"
#include "base/rows.h"

namespace assay {

Result<std::vector<Author>> find_authors(const std::vector<std::string>& written,
                                         std::string_view option) {
  std::vector<Author> authors;
  // Files may be called as another author is: a folder `eager`. Ids would not tell them apart.
  auto is_taken = [&](const Author& author) {
    return std::ranges::find(authors, author.name, &Author::name) != authors.end() ||
           (author.type->hands_in_files() && find_row(author_types(), author.name));
  };
  for (const std::string& each : written) {
    ASSAY_ASSIGN(Author author, find_author(system_disk(), each, option));
    auto is_same = [&](const Author& other) {
      return lasting_reference(other) == lasting_reference(author);
    };
    if (std::ranges::any_of(authors, is_same)) continue;
    const std::string name = author.name;
    for (int n = 2; is_taken(author); ++n) author.name = fmt::format("{}_{}", name, n);
    authors.push_back(std::move(author));
  }
  return authors;
}

Result<std::vector<Author>> find_baselines(std::optional<TimingSettings>& timing) {
  if (!timing) return std::vector<Author>{};
  ASSAY_ASSIGN(auto baselines, find_authors(timing->against, "--against"));
  timing->against.clear();
  // From wherever it is asked for again.
  for (const Author& author : baselines) timing->against.push_back(lasting_reference(author));
  return baselines;
}

}  // namespace assay
