#include "author/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "author/all.h"
#include "author/gpu_code.h"
#include "base/rows.h"
#include "base/words.h"
#include "target/availability.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

// "file:" of "file:PATH", "iree@" of "iree@NAME"; "" of what is named by itself.
std::string_view prefix_of(const AuthorType& type) {
  return type.name.substr(0, type.name.find_first_of(":@") + 1);
}

// Takes "#3" away that stands behind a name.
std::optional<int> take_number(std::string& name) {
  const size_t mark = name.rfind('#');
  if (mark == std::string::npos) return std::nullopt;
  int number = 0;
  const char *begin = name.data() + mark + 1, *end = name.data() + name.size();
  auto [last, failed] = std::from_chars(begin, end, number);
  if (failed != std::errc() || last != end || number < 1) return std::nullopt;
  name.resize(mark);
  return number;
}

// "answers.jsonl#3", where there is no file of that very name: which candidate.
std::optional<int> take_number(const Disk& disk, std::string& path) {
  return disk.exists(path) ? std::nullopt : take_number(path);
}

}  // namespace

std::string Author::configuration() const {
  return configurations ? name.substr(prefix_of(*type).size()) : "";
}

std::span<const AuthorType> author_types() {
  static const std::vector<AuthorType> all = with_added_rows<AuthorType>(
      {eager_author(), inductor_author(), xla_author(), onnxruntime_author(), iree_author(),
       iree_stablehlo_author(), iree_torch_mlir_author(), configured_iree_author(), file_author(),
       reference_author()});
  return all;
}

const AuthorType& default_author() {
  return *std::ranges::find_if(author_types(), &AuthorType::is_default);
}

const AuthorType& default_baseline() {
  return *std::ranges::find_if(author_types(), &AuthorType::is_default_baseline);
}

std::vector<std::string_view> authors_with_package(std::string_view package) {
  std::vector<std::string_view> names;
  for (const AuthorType& type : author_types())
    if (std::ranges::find(type.packages, package) != type.packages.end())
      names.push_back(type.name);
  return names;
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
    std::string given = written.substr(prefix.size());
    std::optional<int> number;
    if (type.hands_in_files()) number = take_number(disk, given);
    ASSAY_ASSIGN(Author author, type.find(disk, written, std::move(given), option));
    author.type = &type;
    author.only = number;
    return author;
  }
  return error(
      Code::not_found,
      "there is no author '" + written + "'" + suggestion(written, names_of(author_types())),
      disk.exists(written)
          ? fmt::format("for a file or a folder of candidates write {} file:{}", option, written)
          : fmt::format("candidates of your own are a file or a folder: {} file:PATH", option));
}

std::string lasting_reference(const Author& author) {
  if (!author.type->hands_in_files()) return author.reference;
  const std::string which = author.only ? fmt::format("#{}", *author.only) : "";
  return fmt::format("{}{}{}", prefix_of(*author.type), author.path, which);
}

std::string lasting_reference(const Author& author, const Candidate& candidate) {
  if (!author.type->hands_in_files()) return author.reference;
  const int number = candidate.number_there == 0 ? candidate.number : candidate.number_there;
  const std::string which = candidate.line == 0 ? "" : fmt::format("#{}", number);
  return fmt::format("{}{}{}", prefix_of(*author.type), candidate.path, which);
}

bool is_of(const Author& author, std::string_view reference) {
  if (!author.type->hands_in_files()) return reference == author.reference;
  const std::string_view prefix = prefix_of(*author.type);
  if (!reference.starts_with(prefix)) return false;
  std::string path(reference.substr(prefix.size()));
  // Of a pattern it is the folder that counts: which of its files there are may change.
  const std::string own =
      author.files.empty() ? author.path : author.path.substr(0, author.path.rfind('/'));
  return lies_in(path, own) || (take_number(path) && lies_in(path, own));
}

bool serves_this_machine(const Target& target, const Machine& machine) {
  return compiles_for_host(target) && can_run(target, machine).ready;
}

bool serves_where_torch_runs(const Target& target, const Machine& machine) {
  return target.card.has_value() || serves_this_machine(target, machine);
}

bool serves(const Author& author, const Target& target, const Machine& machine) {
  // What depends on the problem shows later.
  auto is_for_target = [&](const Configuration& each) { return why_not_on(each, target).empty(); };
  return author.type->serves(target, machine) &&
         (!author.configurations || std::ranges::any_of(*author.configurations, is_for_target));
}

bool is_called_on_card(const Form& form, const Target& target) {
  return target.card && form.runs_on_card();
}

bool is_for(const Candidate& candidate, const Target& target, const Disk& disk) {
  if (candidate.form->is_artifact() || !candidate.why_none.empty()) return true;
  if (!target.gpu) return !candidate.form->gpu;
  if (target.card && candidate.form->is_model()) return true;
  if (candidate.path.empty()) return false;
  auto code = candidate.code ? Result<std::string>(*candidate.code) : disk.read(candidate.path);
  return !code || gpu_code_of(*candidate.form, *code).is_for(target.gpu->kind);
}

}  // namespace assay
