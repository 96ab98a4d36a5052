#include "author/author.h"

#include <fmt/format.h>

#include "author/all.h"
#include "author/gpu_code.h"
#include "base/rows.h"
#include "base/words.h"
#include "target/availability.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

// "file:" of "file:PATH"; "" of what is named by itself.
std::string_view prefix_of(const AuthorType& type) {
  return type.name.substr(0, type.name.find(':') + 1);
}

}  // namespace

std::span<const AuthorType> author_types() {
  static const std::vector<AuthorType> all = with_added_rows<AuthorType>(
      {eager_author(), inductor_author(), iree_author(), file_author()});
  return all;
}

std::vector<std::string> names_of_authors(bool (AuthorType::*holds)() const, bool is) {
  std::vector<std::string> names;
  for (const AuthorType& type : author_types())
    if ((type.*holds)() == is) names.emplace_back(type.name);
  return names;
}

Result<Author> find_author(const Disk& disk, const std::string& written, std::string_view option) {
  for (const AuthorType& type : author_types()) {
    const std::string_view prefix = prefix_of(type);
    if (prefix.empty() && written == type.name)
      return Author{.type = &type, .name = written, .reference = written};
    if (prefix.empty() || !written.starts_with(prefix)) continue;
    ASSAY_ASSIGN(Author author, type.find(disk, written, written.substr(prefix.size()), option));
    author.type = &type;
    return author;
  }
  return error(
      Code::not_found,
      "there is no author '" + written + "'" + suggestion(written, names_of(author_types())),
      disk.exists(written)
          ? fmt::format("for a file or a folder of candidates write {} file:{}", option, written)
          : fmt::format("candidates of your own are a file or a folder: {} file:PATH", option));
}

bool serves_this_machine(const Target& target, const Machine& machine) {
  return compiles_for_host(target) && can_run(target, machine).ready;
}

bool serves(const Author& author, const Target& target, const Machine& machine) {
  return author.type->serves(target, machine);
}

bool is_for(const Candidate& candidate, const Target& target, const Disk& disk) {
  if (candidate.form->is_artifact() || !candidate.why_none.empty()) return true;
  if (!target.gpu) return !candidate.form->gpu;
  if (candidate.path.empty()) return false;
  auto code = candidate.code ? Result<std::string>(*candidate.code) : disk.read(candidate.path);
  return !code || gpu_code_of(*candidate.form, *code).is_for(target.gpu->kind);
}

}  // namespace assay
