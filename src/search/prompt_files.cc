#include "search/prompt_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/toml_reader.h"
#include "base/words.h"

namespace assay {
namespace {

constexpr const char* kTable = "prompts.toml";
constexpr const char* kLanguageTable = "language.toml";
constexpr const char* kSeedTable = "config.json";
constexpr const char* kTemplateEnding = ".j2";
constexpr size_t kMostFileBytes = 1 << 20;

Result<std::string> read_text(const Disk& disk, const std::string& path, PromptFiles& files) {
  ASSAY_ASSIGN(std::string text, disk.read(path));
  files.all_text += fmt::format("{} {}\n{}", text.size(), path.substr(path.rfind('/') + 1), text);
  if (text.size() <= kMostFileBytes) return text;
  return error(Code::invalid_input,
               fmt::format("'{}' has {} bytes, and may have 1 MiB", path, text.size()));
}

// Those of a folder, under `prefix` and their names.
Status add_templates(const Disk& disk, const std::string& folder, const std::string& prefix,
                     PromptFiles& files) {
  if (!disk.is_directory(folder)) return {};
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.is_file || !entry.name.ends_with(kTemplateEnding)) continue;
    ASSAY_ASSIGN(std::string text, read_text(disk, join_path(folder, entry.name), files));
    files.templates[prefix + entry.name] = std::move(text);
  }
  return {};
}

std::optional<KindNotes> read_notes(TomlReader& table, const char* key) {
  auto side = table.table(key);
  if (!side) return std::nullopt;
  side->only({"notes", "ideas"});
  return KindNotes{.notes = side->text("notes", true), .ideas = side->texts("ideas")};
}

Status read_table(const Disk& disk, const std::string& path, PromptFiles& files) {
  ASSAY_ASSIGN(std::string text, read_text(disk, path, files));
  ASSAY_ASSIGN(toml::table table, parse_toml(path, text, "a table of prompts"));
  TomlReader::Problem problem{.path = path,
                              .example = "docs/formats.md has all that such a table can have"};
  TomlReader reader(problem, table, "a table of prompts");
  reader.only({"kind", "hint"});
  for (TomlReader& row : reader.tables("kind")) {
    row.only({"title", "name", "in_file", "languages", "header", "cpu", "gpu"});
    PromptKind kind{.title = row.text("title", true)};
    kind.name = row.text("name");
    kind.in_file = row.text("in_file");
    kind.languages = row.texts("languages");
    kind.header = row.text("header");
    kind.cpu = read_notes(row, "cpu");
    kind.gpu = read_notes(row, "gpu");
    files.kinds.push_back(std::move(kind));
  }
  for (TomlReader& row : reader.tables("hint")) {
    row.only({"pattern", "languages", "say"});
    PromptHint hint{.pattern = row.text("pattern", true), .say = {}};
    hint.languages = row.texts("languages");
    hint.say = row.texts("say");
    files.hints.push_back(std::move(hint));
  }
  return reader.status();
}

// What seed users have: patterns in their order, each with a text that stands in the place of what
// assay says; and hints, whose keys are pieces of an error or patterns over it.
Status read_seed_table(const Disk& disk, const std::string& folder, const std::string& path,
                       PromptFiles& files) {
  ASSAY_ASSIGN(std::string text, read_text(disk, path, files));
  ASSAY_ASSIGN(Json table, parse_json(text, "'" + path + "'"));
  JsonReader reader(table, "'" + path + "'");
  std::vector<GivenSystem> systems;
  const Json& patterns = reader.value("patterns");
  if (!patterns.is_null() && !patterns.is_object()) reader.fail("'patterns' is no object");
  for (const auto& [pattern, file] : patterns.items()) {
    if (!file.is_string() || pattern.empty())
      reader.fail("'patterns' has a row that is no pattern with a file's name");
    else
      systems.push_back({.name = pattern, .file = file, .text = ""});
  }
  const std::string fallback = reader.optional_text("default_prompt").value_or("");
  if (!fallback.empty()) systems.push_back({.file = fallback, .text = ""});
  const Json& hints = reader.value("reflection_hints");
  if (!hints.is_null() && !hints.is_object()) reader.fail("'reflection_hints' is no object");
  std::vector<PromptHint> said;
  for (const auto& [key, list] : hints.items()) {
    PromptHint hint{.pattern = key, .or_plain = true, .say = {}};
    for (const Json& line : list)
      if (line.is_string()) hint.say.push_back(line);
    said.push_back(std::move(hint));
  }
  ASSAY_TRY(reader.status());
  // Where a file is not there, the next pattern that fits stands in: as they are used to.
  std::erase_if(systems, [&](const GivenSystem& system) {
    return !disk.exists(join_path(folder, system.file));
  });
  for (GivenSystem& system : systems) {
    ASSAY_ASSIGN(system.text, disk.read_inside(folder, system.file, kMostFileBytes));
    files.all_text += system.text;
  }
  files.systems = std::move(systems);
  // Assay's own hints stand behind theirs.
  files.hints.insert(files.hints.begin(), said.begin(), said.end());
  return {};
}

Result<PromptLanguage> read_language(const Disk& disk, const std::string& folder,
                                     const std::optional<Gpu>& gpu, PromptFiles& files) {
  const std::string path = join_path(folder, kLanguageTable);
  ASSAY_ASSIGN(std::string text, read_text(disk, path, files));
  ASSAY_ASSIGN(toml::table table, parse_toml(path, text, "a language of prompts"));
  TomlReader::Problem problem{.path = path,
                              .example = "docs/formats.md has all that such a file can have"};
  TomlReader reader(problem, table, "a language of prompts");
  reader.only({"title", "fence", "interface", "device", "example", "example_gpu"});
  PromptLanguage language{.title = reader.text("title", true),
                          .fence = reader.text("fence", true),
                          .abi = false,
                          .device = reader.text("device", true),
                          .example = ""};
  const std::string interface = reader.text("interface", true);
  if (!interface.empty() && interface != "abi" && interface != "torch")
    reader.fail("interface", "'" + interface + "' is no interface", "write \"abi\" or \"torch\"");
  language.abi = interface == "abi";
  const std::vector<std::string> devices{"cpu", "gpu", "cuda", "hip", "any"};
  if (std::ranges::find(devices, language.device) == devices.end())
    reader.fail("device", "'" + language.device + "' is no device",
                "write one of: " + one_of(devices));
  const bool has_two = reader.has("example_gpu");
  const std::string examples[] = {reader.text("example", true),
                                  has_two ? reader.text("example_gpu") : ""};
  ASSAY_TRY(reader.status());
  const std::string& shown = examples[gpu && has_two ? 1 : 0];
  // Both, whatever the device: what was read is the same for all targets of a run.
  for (const std::string& example : examples) {
    const std::string file = path_beside(path, example);
    const bool is_shown = &example == &shown;
    if (!is_shown && (example.empty() || !disk.exists(file))) continue;
    ASSAY_ASSIGN(std::string code, read_text(disk, file, files));
    if (is_shown) language.example = std::move(code);
  }
  return language;
}

// Whether code in the language can be for the target's device; "" or what is wrong.
std::string misfit(const PromptLanguage& language, const std::optional<Gpu>& gpu) {
  if (language.device == "any") return "";
  if (language.device == "cpu") return gpu ? "it is for a CPU, and the target is a GPU" : "";
  if (!gpu) return "it is for a GPU, and the target has no `gpu` table";
  const std::string kind(to_word(kGpuKindWords, gpu->kind));
  if (language.device == "gpu" || language.device == kind) return "";
  return fmt::format("it is for GPUs of {}, and the target is one of {}", language.device, kind);
}

Status check_templates(const PromptFiles& files) {
  std::vector<std::string> needed{"system.j2", "task.j2", "user.j2", "rules.j2", "api.j2"};
  for (const PromptKind& kind : files.kinds)
    for (const auto& side : {kind.cpu, kind.gpu})
      if (side) needed.push_back(side->notes);
  for (const std::string& name : needed)
    if (!files.templates.contains(name))
      return error(Code::not_found, "there is no template '" + name + "'",
                   "put it into the folder of prompts, or into that of the language");
  return {};
}

}  // namespace

Result<PromptFiles> read_prompt_files(const Disk& disk, const std::string& own,
                                      const std::string& folder, const std::string& language,
                                      const std::optional<Gpu>& gpu) {
  PromptFiles files;
  if (!folder.empty() && !disk.is_directory(folder))
    return error(Code::not_found, fmt::format("--prompts: there is no folder '{}'", folder),
                 "it has templates, NAME.j2, and a prompts.toml or a config.json");
  std::vector<std::string> folders{own};
  if (!folder.empty()) folders.push_back(folder);
  for (const std::string& each : folders) {
    ASSAY_TRY(add_templates(disk, each, "", files));
    ASSAY_TRY(add_templates(disk, join_path(each, "kinds"), "kinds/", files));
    ASSAY_TRY(add_templates(disk, join_path(each, language), "", files));
  }
  const std::string given = folder.empty() ? "" : join_path(folder, kTable);
  const std::string seed = folder.empty() ? "" : join_path(folder, kSeedTable);
  const bool has_table = !given.empty() && disk.exists(given);
  const bool has_seed = !seed.empty() && disk.exists(seed);
  if (has_table && has_seed)
    return error(Code::invalid_input,
                 fmt::format("'{}' has a {} and a {}", folder, kTable, kSeedTable),
                 "keep one of the two");
  ASSAY_TRY(read_table(disk, has_table ? given : join_path(own, kTable), files));
  if (has_seed) ASSAY_TRY(read_seed_table(disk, folder, seed, files));

  std::string language_folder;
  for (const std::string& each : folders)
    if (disk.exists(join_path(join_path(each, language), kLanguageTable)))
      language_folder = join_path(each, language);
  if (language_folder.empty())
    return error(Code::not_found, fmt::format("there are no prompts for '{}'", language),
                 fmt::format("docs/hacking.md says how to add {}/{}", language, kLanguageTable));
  ASSAY_ASSIGN(files.language, read_language(disk, language_folder, gpu, files));
  if (std::string why = misfit(files.language, gpu); !why.empty())
    return error(Code::invalid_input, fmt::format("--lang {} does not fit: {}", language, why),
                 "choose another language, or another target with --on");
  ASSAY_ASSIGN(files.example_problem, read_text(disk, join_path(own, "example.py"), files));
  ASSAY_TRY(check_templates(files));
  return files;
}

}  // namespace assay
