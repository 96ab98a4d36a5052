#include "target/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/words.h"

namespace assay {
namespace {

// Flags that assay sets itself: setting them, too, would break what is built on them.
constexpr std::string_view kReservedFlags[] = {"--output-format",
                                               "--compile-to",
                                               "--compile-from",
                                               "--compile-mode",
                                               "--dump-compilation-phases-to",
                                               "--iree-scheduling-dump-statistics-format",
                                               "--iree-scheduling-dump-statistics-file"};

// More than anybody writes on purpose.
constexpr size_t kMaxBases = 8;

bool is_path(const std::string& name_or_path) {
  return name_or_path.contains('/') || name_or_path.ends_with(".toml");
}

bool sets(const std::vector<std::string>& flags, std::string_view name) {
  return std::ranges::any_of(flags, [&](const auto& flag) { return flag_name(flag) == name; });
}

// Puts what a file says over what it extends.
void overlay(Target& target, const TargetFile& file) {
  target.title = file.title;
  // A flag of this file beats the same one of a base, also where the base has it by version.
  for (VersionedFlags& versioned : target.versioned_flags)
    std::erase_if(versioned.flags,
                  [&](const std::string& flag) { return sets(file.flags, flag_name(flag)); });
  overlay_flags(target.flags, file.flags);
  target.versioned_flags.insert(target.versioned_flags.end(), file.versioned_flags.begin(),
                                file.versioned_flags.end());
  if (file.precision) target.precision = *file.precision;
  if (file.peaks) target.peaks = file.peaks;
  if (file.runner) target.runner = *file.runner;
  if (file.gpu) target.gpu = file.gpu;
  if (file.link) {
    target.link = file.link;
    for (std::string& source : target.link->sources) source = absolute_path(source);
  }
}

}  // namespace

Status check_flag(const std::string& flag) {
  if (!flag.starts_with("--") || flag.size() < 4)
    return error(Code::invalid_input,
                 fmt::format("a flag must be a string that begins with '--', not '{}'", flag),
                 "write one flag with its value: --name=value");
  for (std::string_view name : kReservedFlags)
    if (flag_name(flag) == name)
      return error(Code::invalid_input, fmt::format("'{}' is set by assay itself", flag),
                   "remove it");
  return {};
}

std::string_view flag_name(std::string_view flag) { return flag.substr(0, flag.find('=')); }

void overlay_flags(std::vector<std::string>& flags, const std::vector<std::string>& more) {
  // A file may give one flag twice on purpose (a list): only those of before are replaced.
  std::vector<std::string> merged;
  std::set<std::string_view> placed;
  for (const std::string& flag : flags) {
    std::string_view name = flag_name(flag);
    if (!sets(more, name)) {
      merged.push_back(flag);
    } else if (placed.insert(name).second) {
      for (const std::string& other : more)
        if (flag_name(other) == name) merged.push_back(other);
    }
  }
  for (const std::string& flag : more)
    if (!placed.contains(flag_name(flag))) merged.push_back(flag);
  flags = std::move(merged);
}

TargetCatalog::TargetCatalog(const Disk& disk, std::vector<std::string> folders)
    : disk_(disk), folders_(std::move(folders)) {}

std::vector<std::string> TargetCatalog::names() const {
  std::set<std::string> names;
  for (const std::string& folder : folders_) {
    if (folder.empty() || !disk_.is_directory(folder)) continue;
    auto entries = disk_.list(folder);
    if (!entries) continue;  // a folder that vanished or cannot be read holds no targets
    for (const DirectoryEntry& entry : *entries)
      if (entry.is_file && entry.name.ends_with(".toml") && entry.name.size() > 5)
        names.insert(entry.name.substr(0, entry.name.size() - 5));
  }
  return {names.begin(), names.end()};
}

Result<std::string> TargetCatalog::find(const std::string& name) const {
  for (const std::string& folder : folders_) {
    std::string path = join_path(folder, name + ".toml");
    if (!folder.empty() && disk_.exists(path)) return path;
  }
  return error(Code::not_found,
               fmt::format("there is no target '{}'{}", name, suggestion(name, names())),
               "`assay list targets` shows them all; a path to a TOML file works too");
}

Result<Target> TargetCatalog::load_file(const std::string& path,
                                        std::vector<std::string>& chain) const {
  std::string self = absolute_path(path);
  if (std::ranges::find(chain, self) != chain.end())
    return error(Code::invalid_input,
                 fmt::format("target files extend each other in a circle: {} -> {}",
                             fmt::join(chain, " -> "), self),
                 "a file that extends a target of its own name needs another name");
  chain.push_back(self);
  if (chain.size() > kMaxBases + 1)
    return error(Code::invalid_input,
                 fmt::format("target files extend each other {} deep: {}", kMaxBases,
                             fmt::join(chain, " -> ")),
                 "let one of them say what it needs itself");
  ASSAY_ASSIGN(std::string text, disk_.read(path));
  ASSAY_ASSIGN(TargetFile file, parse_target_file(path, text));
  Target target;
  if (!file.extends.empty()) {
    std::string base = file.extends;
    if (!is_path(base)) {
      auto found = find(base);
      if (!found) return while_doing(found.error(), "reading what '" + path + "' extends");
      base = *found;
    } else if (!base.starts_with('/')) {
      base = absolute_path(path_beside(path, base));
    }
    auto loaded = load_file(base, chain);
    if (!loaded) return while_doing(loaded.error(), "reading what '" + path + "' extends");
    target = std::move(*loaded);
    target.bases.insert(target.bases.begin(), target.path);
  }
  overlay(target, file);
  target.path = path;
  return target;
}

Result<Target> TargetCatalog::load(const std::string& name_or_path) const {
  std::string path = name_or_path;
  if (!is_path(name_or_path)) {
    ASSAY_ASSIGN(path, find(name_or_path));
  }
  std::vector<std::string> chain;
  ASSAY_ASSIGN(Target target, load_file(path, chain));
  target.name = std::filesystem::path(path).stem().string();
  target.reference = is_path(name_or_path) ? absolute_path(name_or_path) : target.name;
  return target;
}

bool is_for_cuda(const Target& target) {
  return target.runner.kind == RunnerKind::driver && target.runner.library.starts_with("libcuda.");
}

Status meet_card(Target& target, const Result<cuda::Card>& card) {
  if (!card) {
    if (target.gpu) return {};
    return error(Code::unavailable, fmt::format("--on {}: {}", target.name, card.error().message),
                 card.error().next +
                     "; a target of one kind of card, such as a100, is compiled for "
                     "anywhere");
  }
  if (target.gpu && (target.gpu->architecture != card->gpu.architecture ||
                     !card->name.contains(target.gpu->card)))
    return {};
  if (!target.gpu) {
    target.gpu = card->gpu;
    target.flags.push_back("--iree-cuda-target=" + card->gpu.architecture);
  }
  target.card = *card;
  return {};
}

}  // namespace assay
