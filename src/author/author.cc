#include "author/author.h"

#include <vector>

#include "base/words.h"

namespace assay {
namespace {

constexpr Author kAuthors[] = {
    {"iree", "the IREE compiler, from the exported program",
     [](const Target& target) { return !target.flags.empty(); }},
};

}  // namespace

std::span<const Author> authors() { return kAuthors; }

Result<const Author*> find_author(const std::string& name) {
  std::vector<std::string> known;
  for (const Author& author : kAuthors) {
    if (author.name == name) return &author;
    known.emplace_back(author.name);
  }
  return error(Code::not_found, "there is no author '" + name + "'" + suggestion(name, known));
}

}  // namespace assay
