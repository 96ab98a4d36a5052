// The IREE compiler, from the exported program: as it chooses, or told how; by a route to
// that for each.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/all.h"
#include "author/own_compilers.h"
#include "base/places.h"
#include "base/rows.h"
#include "base/words.h"
#include "compile/tuning_spec.h"

namespace assay {
namespace {

constexpr std::string_view kConfigured = "iree@NAME";
constexpr std::string_view kTuned = "tuned";

bool has_flags(const Target& target, const Machine&) { return !target.flags.empty(); }

// What all of IREE's authors need, and then some.
std::vector<std::string_view> with_iree(std::vector<std::string_view> more = {}) {
  for (const std::string_view each : {"iree-turbine", "iree-base-compiler", "iree-base-runtime"})
    more.push_back(each);
  return more;
}

const AuthorType& configured_type() { return *find_row(author_types(), kConfigured); }

// As it stands in a set.
Result<Configuration> find_entry(const std::vector<ConfigurationSet>& sets,
                                 const std::string& name) {
  std::vector<std::string> known;
  for (const ConfigurationSet& set : sets)
    for (const ConfigurationEntry& entry : set.entries) {
      if (!name.starts_with(entry.made_of.name) && !entry.knobs.empty()) continue;
      for (Configuration& each : entry.all()) {
        if (each.name == name) return std::move(each);
        if (each.instead_of.name == name)
          return error(Code::not_found,
                       fmt::format("there is no configuration '{}': {}", name, stands_in(each)),
                       fmt::format("name that one: {}{}", kNamedIree, each.name));
        known.push_back(std::move(each.name));
      }
    }
  return error(
      Code::not_found, "there is no configuration '" + name + "'" + did_you_mean(name, known),
      "`assay list configs` says what there is; one of a file is FILE.toml#NAME. A compiler "
      "of your own is declared in " +
          own_compilers_file());
}

// "seed.toml#NAME", or NAME of a set that comes with assay; "64x32x128_NAME" for one
// operation of a program, and several of these with + between.
Result<Configuration> find_in(const std::vector<ConfigurationSet>& sets, const std::string& name) {
  auto found = find_entry(sets, name);
  if (found) return found;
  if (const size_t plus = name.find('+'); plus != std::string::npos) {
    ASSAY_ASSIGN(Configuration first, find_in(sets, name.substr(0, plus)));
    ASSAY_ASSIGN(Configuration rest, find_in(sets, name.substr(plus + 1)));
    std::vector<Configuration> parts{std::move(first)};
    if (rest.parts.empty())
      parts.push_back(std::move(rest));
    else
      std::ranges::move(rest.parts, std::back_inserter(parts));
    return together(std::move(parts));
  }
  const size_t end = name.find('_');
  if (end == std::string::npos) return found;
  const std::string sizes = name.substr(0, end);
  const std::string_view kind = operation_of_sizes(sizes);
  if (kind.empty()) return found;
  ASSAY_ASSIGN(Configuration of_any, find_entry(sets, name.substr(end + 1)));
  if (of_any.operation != kind)
    return error(
        Code::invalid_input,
        fmt::format("{} is {}, and {} are the sizes of a {}", of_any.name,
                    of_any.operation.empty() ? "for all of a program" : "for a " + of_any.operation,
                    sizes, kind));
  return for_sizes(std::move(of_any), sizes);
}

// `from`: the file that it stands in; "": its name alone says which it is.
Author named(const std::string& name, const std::string& from = "") {
  Author author;
  author.type = &configured_type();
  author.name = std::string(kNamedIree) + name;
  author.reference = from.empty() ? author.name : fmt::format("{}{}#{}", kNamedIree, from, name);
  return author;
}

Author with(Author author, std::vector<Configuration> configurations) {
  author.configurations =
      std::make_shared<const std::vector<Configuration>>(std::move(configurations));
  return author;
}

Result<Author> find_configured(const Disk& disk, const std::string& written,
                               const std::string& given, std::string_view option) {
  if (given.empty())
    return error(Code::invalid_input,
                 fmt::format("{} {}: it does not say which configuration", option, written),
                 "`assay list configs` says what there is");
  const size_t mark = given.rfind('#');
  ASSAY_ASSIGN(const Places places, find_places());
  if (mark != std::string::npos) {
    const std::string path = absolute_path(given.substr(0, mark)), name = given.substr(mark + 1);
    ASSAY_ASSIGN(ConfigurationSet set, find_configurations(disk, places.configs, path));
    if (name == kTuned) {
      std::vector<Configuration> all;
      for (const ConfigurationEntry& entry : set.entries)
        std::ranges::move(entry.all(), std::back_inserter(all));
      return author_of_tuned(std::move(all), path);
    }
    std::vector<ConfigurationSet> sets;
    sets.push_back(std::move(set));
    ASSAY_ASSIGN(Configuration found, find_in(sets, name));
    return author_of_configuration(std::move(found));
  }
  Author author = named(given);
  ASSAY_ASSIGN(auto compiler, own_compiler_of(disk, author.name));
  if (compiler) {
    author.compiler = std::move(compiler->path);
    return author;
  }
  ASSAY_ASSIGN(const auto sets, shipped_configurations(disk, places.configs));
  ASSAY_ASSIGN(Configuration found, find_in(sets, given));
  return author_of_configuration(std::move(found));
}

}  // namespace

Author author_of_configuration(Configuration configuration) {
  const std::string name = configuration.name, from = configuration.from;
  if (!configuration.parts.empty()) return with(named(name, from), std::move(configuration.parts));
  return with(named(name, from), {std::move(configuration)});
}

Author author_of_tuned(std::vector<Configuration> configurations, const std::string& from) {
  return with(named(std::string(kTuned), from), std::move(configurations));
}

AuthorType iree_author() {
  return {.name = "iree",
          .title = "the IREE compiler, from the exported program",
          .own = Candidate{.form = &artifact_form()},
          .serves = has_flags,
          .packages = with_iree(),
          .is_default = true};
}

AuthorType iree_stablehlo_author() {
  return {.name = "iree-stablehlo",
          .title = "the IREE compiler, from StableHLO that torchax and JAX make",
          .own = Candidate{.form = &artifact_form(), .route = Route::stablehlo},
          .serves = has_flags,
          .packages = with_iree({"jax", "torchax"})};
}

AuthorType iree_torch_mlir_author() {
  return {.name = "iree-torch-mlir",
          .title = "the IREE compiler, from StableHLO that torch-mlir makes",
          .own = Candidate{.form = &artifact_form(), .route = Route::torch_mlir},
          .serves = has_flags,
          .packages = with_iree({"torch-mlir"})};
}

AuthorType configured_iree_author() {
  return {.name = kConfigured,
          .title = "the same, told how by a configuration, or another version of it",
          .own = Candidate{.form = &artifact_form()},
          .serves = has_flags,
          .find = find_configured};
}

}  // namespace assay
