// Files of configurations, read and written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/escape.h"
#include "base/toml_reader.h"
#include "base/words.h"
#include "compile/configuration.h"
#include "compile/tuning_spec.h"

namespace assay {
namespace {

constexpr std::string_view kOperations[] = {kProduct, kConvolution};

bool is_name(const std::string& name) {
  return !name.empty() && escape_component(name) == name && !name.contains('#') &&
         !name.contains(',');
}

std::vector<LoweringPart> read_lowering(TomlReader& table) {
  std::vector<LoweringPart> parts;
  for (const std::string& key : table.keys()) {
    const bool is_list = table.is_list(key.c_str());
    LoweringPart part{key, is_list, table.items(key.c_str(), TomlReader::Single::too)};
    if (part.values.empty())
      table.fail(key.c_str(), fmt::format("'{}' is empty", key), "leave it out, or say its sizes");
    parts.push_back(std::move(part));
  }
  // As IREE prints them.
  std::ranges::sort(parts, {}, &LoweringPart::key);
  return parts;
}

void check_convolution_tiles(const Configuration& configuration, TomlReader& table) {
  if (configuration.backend != "llvm-cpu")
    table.fail("operation", "tiles for convolutions are known on CPUs alone",
               "add backend = \"llvm-cpu\"");
  for (const LoweringPart& part : configuration.lowering)
    if (!part.is_list || part.values.size() != kConvolutionLoops.size())
      table.fail("lowering",
                 fmt::format("'{}' has {} of a convolution's {} loops", part.key,
                             part.values.size(), kConvolutionLoops.size()),
                 fmt::format("a number for each of: {}", fmt::join(kConvolutionLoops, ", ")));
}

ConfigurationEntry read_entry(TomlReader& table) {
  // As files have it that an older assay tuned.
  table.fail("product", "'product' is called 'sizes' now", "rename it; what it says stays");
  table.only({"name",     "backend",   "architectures", "operation",      "types",
              "divides",  "pipeline",  "lowering",      "workgroup_size", "subgroup_size",
              "stages",   "flags",     "knobs",         "require",        "sizes",
              "workload", "content",   "target",        "compiler",       "precision",
              "cpu",      "instead_of"});
  ConfigurationEntry entry;
  Configuration& made_of = entry.made_of;
  made_of.name = table.text("name", true);
  if (!made_of.name.empty() && !is_name(made_of.name))
    table.fail("name", fmt::format("'{}' cannot be part of an author's name", made_of.name),
               "use letters, digits and _");
  made_of.backend = table.text("backend");
  made_of.architectures = table.texts("architectures");
  made_of.operation = table.text("operation");
  if (!made_of.operation.empty() &&
      std::ranges::find(kOperations, made_of.operation) == std::end(kOperations))
    table.fail("operation",
               fmt::format("'{}' is no operation that tiles are known for", made_of.operation),
               "write \"product\" or \"convolution\", or leave it out and give flags alone");
  made_of.sizes = table.text("sizes");
  if (!made_of.sizes.empty() &&
      (made_of.operation.empty() || operation_of_sizes(made_of.sizes) != made_of.operation))
    table.fail(
        "sizes",
        fmt::format("'{}' are no sizes of {}", made_of.sizes,
                    made_of.operation.empty() ? "an operation" : "a " + made_of.operation),
        made_of.operation == kConvolution
            ? fmt::format("write \"2x56x56x64x3x3x32\", for {}", fmt::join(kConvolutionLoops, ", "))
            : "write \"64x32x128\", for m, n and k, beside operation = \"product\"");
  made_of.types = table.texts("types");
  made_of.divides = table.boolean("divides");
  made_of.pipeline = table.text("pipeline");
  if (auto lowering = table.table("lowering")) made_of.lowering = read_lowering(*lowering);
  auto single = [&](const char* key) {
    auto items = table.items(key, TomlReader::Single::too);
    return items.empty() ? "" : items.front();
  };
  made_of.workgroup_size = table.items("workgroup_size");
  made_of.subgroup_size = single("subgroup_size");
  made_of.stages = single("stages");
  made_of.flags = table.texts("flags");
  for (const std::string& flag : made_of.flags)
    if (auto good = check_flag(flag); !good)
      table.fail("flags", good.error().message, good.error().next);
  made_of.tuned_for.workload = table.text("workload");
  made_of.tuned_for.content = table.text("content");
  made_of.tuned_for.target = table.text("target");
  made_of.tuned_for.compiler = table.text("compiler");
  made_of.tuned_for.precision = table.text("precision");
  made_of.tuned_for.cpu = table.text("cpu");
  if (auto instead = table.table("instead_of")) {
    instead->only({"name", "why"});
    made_of.instead_of = {instead->text("name", true), instead->text("why", true)};
  }
  if (made_of.lowering.empty() != made_of.operation.empty())
    table.fail("name", "tiles and the operation that they are for go together",
               "add operation = \"product\" or \"convolution\" and [configuration.lowering], or "
               "neither");
  if (made_of.operation == kConvolution) check_convolution_tiles(made_of, table);
  if (made_of.lowering.empty() && made_of.flags.empty())
    table.fail("name", "it says nothing to the compiler", "add [configuration.lowering], or flags");
  if (!made_of.lowering.empty() && made_of.pipeline.empty())
    table.fail("lowering", "tiles need a pipeline",
               "for example pipeline = \"DoubleTilingExpert\"");
  if (!made_of.lowering.empty() && made_of.types.empty())
    table.fail("lowering", "tiles need the types of the operands that they are for",
               "for example types = [\"f32\", \"f16\"]");
  if (auto knobs = table.table("knobs")) {
    for (const std::string& name : knobs->keys()) {
      auto values = knobs->items(name.c_str());
      if (values.empty())
        knobs->fail(name.c_str(), fmt::format("the knob '{}' has no values", name),
                    "for example [16, 32]");
      else
        entry.knobs.emplace_back(name, std::move(values));
    }
  }
  entry.require = table.texts("require");
  return entry;
}

// What a file holds is used by name.
Status check_names(const ConfigurationSet& set) {
  std::set<std::string> names;
  size_t left = kMostCombinations;
  for (const ConfigurationEntry& entry : set.entries) {
    const size_t count = entry.combinations();
    if (count > left)
      return error(Code::invalid_input,
                   fmt::format("{}: with those of '{}' its knobs have more than {} combinations",
                               set.path, entry.made_of.name, kMostCombinations),
                   "give them fewer values, or make several files: --configs takes a list");
    left -= count;
    const auto all = entry.all();
    if (all.empty())
      return error(
          Code::invalid_input,
          fmt::format("{}: nothing is left of '{}'", set.path, entry.made_of.name),
          "a condition of `require` is A <= B or A divides B, of knobs and numbers, and of "
          "their products, which are below 2^63");
    for (const Configuration& each : all)
      if (!names.insert(each.name).second)
        return error(Code::invalid_input,
                     fmt::format("{}: two configurations are named '{}'", set.path, each.name));
  }
  return {};
}

// As TOML has it. A path may hold anything.
std::string quoted(const std::string& text) {
  std::string escaped = "\"";
  for (char c : utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      escaped += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      escaped += fmt::format("\\u{:04X}", byte);
    else
      escaped += c;
  }
  return escaped + "\"";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& each : texts) items.push_back(quoted(each));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string numbers(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

Result<ConfigurationSet> parse_configurations(const std::string& path, std::string_view text) {
  ASSAY_ASSIGN(toml::table table, parse_toml(path, text, "a set of configurations"));
  TomlReader::Problem problem{
      .path = path,
      .example = "the sets that come with assay are examples: `assay list configs seed`"};
  TomlReader reader(problem, table, "a set of configurations");
  reader.only({"title", "is_space", "configuration"});
  ConfigurationSet set;
  set.path = path;
  set.name = std::filesystem::path(path).stem().string();
  set.title = reader.text("title");
  set.is_space = reader.boolean("is_space");
  for (TomlReader& entry : reader.tables("configuration")) set.entries.push_back(read_entry(entry));
  ASSAY_TRY(reader.status());
  if (set.entries.empty())
    return error(Code::invalid_input, path + ": it holds no configuration",
                 "write [[configuration]], with a name and what is said to the compiler");
  ASSAY_TRY(check_names(set));
  return set;
}

Result<std::vector<ConfigurationSet>> shipped_configurations(const Disk& disk,
                                                             const std::string& folder) {
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  std::vector<ConfigurationSet> sets;
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.ends_with(".toml")) continue;
    const std::string path = join_path(folder, entry.name);
    ASSAY_ASSIGN(const std::string text, disk.read(path));
    ASSAY_ASSIGN(ConfigurationSet set, parse_configurations(path, text));
    sets.push_back(std::move(set));
  }
  return sets;
}

Result<ConfigurationSet> find_configurations(const Disk& disk, const std::string& folder,
                                             const std::string& name_or_path) {
  std::string path = absolute_path(name_or_path);
  if (!name_or_path.contains('/') && !name_or_path.ends_with(".toml")) {
    path = join_path(folder, name_or_path + ".toml");
    if (!disk.exists(path)) {
      std::vector<std::string> known;
      ASSAY_ASSIGN(const auto entries, disk.list(folder));
      for (const DirectoryEntry& entry : entries)
        if (entry.name.ends_with(".toml"))
          known.push_back(entry.name.substr(0, entry.name.size() - 5));
      return error(Code::not_found,
                   "there is no set of configurations '" + name_or_path + "'" +
                       suggestion(name_or_path, known),
                   "name a set that comes with assay, `assay list configs`, or a file: FILE.toml");
    }
  }
  ASSAY_ASSIGN(const std::string text, disk.read(path));
  ASSAY_ASSIGN(ConfigurationSet set, parse_configurations(path, text));
  if (!path.starts_with(folder + "/"))
    for (ConfigurationEntry& entry : set.entries) entry.made_of.from = path;
  return set;
}

std::string to_toml(const Configuration& configuration) {
  std::string text;
  for (const Configuration& part : configuration.parts) text += to_toml(part);
  if (!text.empty()) return text;
  text = "[[configuration]]\n";
  auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  line("name", quoted(configuration.name));
  const TunedFor& tuned_for = configuration.tuned_for;
  for (const auto& [key, value] : {std::pair{"workload", tuned_for.workload},
                                   {"content", tuned_for.content},
                                   {"target", tuned_for.target},
                                   {"compiler", tuned_for.compiler},
                                   {"precision", tuned_for.precision},
                                   {"cpu", tuned_for.cpu},
                                   {"backend", configuration.backend},
                                   {"operation", configuration.operation},
                                   {"sizes", configuration.sizes},
                                   {"pipeline", configuration.pipeline}})
    if (!value.empty()) line(key, quoted(value));
  for (const auto& [key, value] : {std::pair{"architectures", configuration.architectures},
                                   {"types", configuration.types},
                                   {"flags", configuration.flags}})
    if (!value.empty()) line(key, list_of(value));
  if (configuration.divides) line("divides", "true");
  if (!configuration.workgroup_size.empty())
    line("workgroup_size", numbers(configuration.workgroup_size));
  if (!configuration.subgroup_size.empty()) line("subgroup_size", configuration.subgroup_size);
  if (!configuration.stages.empty()) line("stages", configuration.stages);
  if (!configuration.lowering.empty()) text += "[configuration.lowering]\n";
  for (const LoweringPart& part : configuration.lowering)
    line(part.key, part.is_list ? numbers(part.values) : quoted(part.values.front()));
  return text;
}

}  // namespace assay
