#include "cli/find_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/own_compilers.h"
#include "base/disk.h"
#include "compile/configuration.h"
#include "run/python.h"
#include "setup/tools.h"
#include "target/host_cpu.h"
#include "target/iree_compiler.h"
#include "target/machine.h"

namespace assay {
namespace {

constexpr std::string_view kDefault = "default", kAll = "all";

bool is_for_any(const Configuration& configuration, const std::vector<Target>& targets) {
  return std::ranges::any_of(
      targets, [&](const Target& target) { return why_not_on(configuration, target).empty(); });
}

Status add_authors(const ConfigurationSet& set, const std::vector<Target>& targets,
                   std::vector<Author>& authors) {
  for (const ConfigurationEntry& entry : set.entries) {
    // Its knobs have no say in that.
    if (!is_for_any(entry.made_of, targets)) continue;
    for (Configuration& each : entry.all()) {
      const auto same =
          std::ranges::find(authors, std::string(kNamedIree) + each.name, &Author::name);
      if (same == authors.end()) {
        authors.push_back(author_of_configuration(std::move(each)));
        continue;
      }
      // A set that is named twice, itself or by `all`, counts once.
      const Configuration& other = same->configurations->front();
      if (other.from != each.from || to_toml(other) != to_toml(each))
        return error(Code::invalid_input,
                     fmt::format("--configs: two configurations are named '{}', the second in {}",
                                 each.name, set.path),
                     "give one of them another name in its file");
    }
  }
  return {};
}

// Of what will compile; "": nothing says.
Result<std::string> version_in_use(const Places& places, const std::string& iree,
                                   CompilerKind kind) {
  if (!iree.empty()) {
    ASSAY_ASSIGN(const std::string path, find_own_compiler(system_disk(), iree, kind));
    return version_of_compiler(this_machine(), path);
  }
  ASSAY_ASSIGN(const std::string python, find_python(places));
  ASSAY_ASSIGN(const PythonDescription described, describe_python(python, places));
  return described.compiler.value_or("");
}

}  // namespace

Result<std::vector<Author>> find_configured_authors(const std::vector<std::string>& names,
                                                    const Places& places,
                                                    const std::vector<Target>& targets) {
  std::vector<Author> authors;
  for (const std::string& name : names) {
    if (name == kDefault || name == kAll) {
      ASSAY_ASSIGN(Author author, find_author(system_disk(), std::string(default_author().name)));
      authors.push_back(std::move(author));
    }
    if (name == kDefault) continue;
    if (name == kAll) {
      ASSAY_ASSIGN(const auto sets, shipped_configurations(system_disk(), places.configs));
      for (const ConfigurationSet& set : sets)
        if (!set.is_space) ASSAY_TRY(add_authors(set, targets, authors));
      continue;
    }
    ASSAY_ASSIGN(const ConfigurationSet set,
                 find_configurations(system_disk(), places.configs, name));
    if (set.is_space)
      return error(
          Code::invalid_input,
          fmt::format("--configs {}: it is a space to search, and not to be run whole", name),
          "`assay tune` searches it; one of its configurations is --by iree@NAME");
    ASSAY_TRY(add_authors(set, targets, authors));
  }
  if (authors.empty())
    return error(Code::not_found,
                 fmt::format("--configs {}: none of it is for these targets", names.front()),
                 "`assay list configs` says what each set is for");
  return authors;
}

Result<Author> find_tuned_author(const std::string& path, const Places& places,
                                 const std::string& iree, CompilerKind kind) {
  const std::string file = absolute_path(path);
  ASSAY_ASSIGN(const std::string text, system_disk().read(file));
  ASSAY_ASSIGN(const ConfigurationSet set, parse_configurations(file, text));
  ASSAY_ASSIGN(const std::string compiler, version_in_use(places, iree, kind));
  const std::string cpu = cpu_model(system_disk());
  std::vector<Configuration> all;
  std::string other;
  for (const ConfigurationEntry& entry : set.entries)
    for (Configuration& each : entry.all()) {
      const TunedFor& was = each.tuned_for;
      if (!was.compiler.empty() && !compiler.empty() && was.compiler != compiler)
        other = fmt::format("with IREE {}, and this is {}", was.compiler, compiler);
      else if (!was.cpu.empty() && was.cpu != cpu)
        other = fmt::format("on {}, and this is {}", was.cpu, cpu);
      else
        all.push_back(std::move(each));
    }
  if (all.empty())
    return error(Code::invalid_input, fmt::format("--tuned {}: it was tuned {}", path, other),
                 "tune again: what was fastest there need not be here");
  return author_of_tuned(std::move(all), file);
}

}  // namespace assay
