#include "author/author.h"

namespace assay {
namespace {

constexpr Author kAuthors[] = {
    {"iree", "the IREE compiler, from the exported program",
     [](const Target& target) { return !target.flags.empty(); }},
};

}  // namespace

std::span<const Author> authors() { return kAuthors; }

const Author* find_author(std::string_view name) {
  for (const Author& author : kAuthors)
    if (author.name == name) return &author;
  return nullptr;
}

}  // namespace assay
