// The IREE compiler, from the exported program: as it chooses, or told how; by a route to
// that for each.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/all.h"
#include "base/places.h"
#include "base/rows.h"
#include "base/words.h"

namespace assay {
namespace {

constexpr std::string_view kConfigured = "iree@NAME";
constexpr std::string_view kPrefix = "iree@";
constexpr std::string_view kTuned = "tuned";

bool has_flags(const Target& target, const Machine&) { return !target.flags.empty(); }

const AuthorType& configured_type() { return *find_row(author_types(), kConfigured); }

// "seed.toml#NAME", or NAME of a set that comes with assay.
Result<Configuration> find_in(const std::vector<ConfigurationSet>& sets, const std::string& name) {
  std::vector<std::string> known;
  for (const ConfigurationSet& set : sets)
    for (const ConfigurationEntry& entry : set.entries) {
      if (!name.starts_with(entry.made_of.name) && !entry.knobs.empty()) continue;
      for (Configuration& each : entry.all()) {
        if (each.name == name) return std::move(each);
        known.push_back(std::move(each.name));
      }
    }
  return error(Code::not_found,
               "there is no configuration '" + name + "'" + did_you_mean(name, known),
               "`assay list configs` says what there is; one of a file is FILE.toml#NAME");
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
  ASSAY_ASSIGN(const auto sets, shipped_configurations(disk, places.configs));
  ASSAY_ASSIGN(Configuration found, find_in(sets, given));
  return author_of_configuration(std::move(found));
}

Author named(const std::string& name, const std::string& from,
             std::vector<Configuration> configurations) {
  Author author;
  author.type = &configured_type();
  author.name = std::string(kPrefix) + name;
  author.reference = from.empty() ? author.name : fmt::format("{}{}#{}", kPrefix, from, name);
  author.configurations =
      std::make_shared<const std::vector<Configuration>>(std::move(configurations));
  return author;
}

}  // namespace

Author author_of_configuration(Configuration configuration) {
  const std::string name = configuration.name, from = configuration.from;
  return named(name, from, {std::move(configuration)});
}

Author author_of_tuned(std::vector<Configuration> configurations, const std::string& from) {
  return named(std::string(kTuned), from, std::move(configurations));
}

AuthorType iree_author() {
  return {.name = "iree",
          .title = "the IREE compiler, from the exported program",
          .own = Candidate{.form = &artifact_form()},
          .serves = has_flags,
          .is_default = true};
}

AuthorType iree_stablehlo_author() {
  return {.name = "iree-stablehlo",
          .title = "the IREE compiler, from StableHLO that torchax and JAX make",
          .own = Candidate{.form = &artifact_form(), .route = Route::stablehlo},
          .serves = has_flags};
}

AuthorType configured_iree_author() {
  return {.name = kConfigured,
          .title = "the same, told how: tiles, pipeline, flags, by a configuration",
          .own = Candidate{.form = &artifact_form()},
          .serves = has_flags,
          .find = find_configured};
}

}  // namespace assay
