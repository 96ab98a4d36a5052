#include "base/places.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/disk.h"

namespace assay {
namespace {

std::string home_folder() {
  std::string home = environment_variable("HOME");
  if (!home.empty()) return home;
  const passwd* entry = ::getpwuid(::getuid());
  return entry && entry->pw_dir ? entry->pw_dir : "";
}

// The folder for assay's files of one kind, by the XDG base directory specification.
std::string xdg_folder(const char* variable, const char* below_home) {
  std::string base = environment_variable(variable);
  if (base.starts_with('/')) return join_path(base, "assay");
  std::string home = home_folder();
  return home.empty() ? "" : join_path(join_path(home, below_home), "assay");
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<Places> find_places() {
  std::error_code failed;
  auto binary = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed)
    return error(Code::unavailable, "cannot find assay's own place: /proc is not mounted");
  Places places;
  // bin/assay, or libexec/assay/assay-watcher.
  std::filesystem::path prefix = binary.parent_path().parent_path();
  if (prefix.filename() == "libexec") prefix = prefix.parent_path();
  places.prefix = prefix.string();
  std::string share = join_path(places.prefix, "share/assay");
  std::string programs = join_path(places.prefix, "libexec/assay");
  places.compiler = join_path(programs, "assay-compiler");
  places.launcher = join_path(programs, "assay-launch");
  places.native_runner = join_path(programs, "assay-native-runner");
  places.large_memory = join_path(programs, "assay-large-memory.so");
  places.probe_kernel = join_path(programs, "assay-probe-kernel.so");
  places.native_compiler = join_path(programs, "assay-native-compiler");
  places.watcher = join_path(programs, "assay-watcher");
  places.include = join_path(share, "include");
  places.emulated = join_path(share, "emulated");
  places.python = join_path(share, "python");
  places.targets = join_path(share, "targets");
  places.sets = join_path(share, "sets");
  places.configs = join_path(share, "configs");
  places.policies = join_path(share, "policies");
  places.prompts = join_path(share, "prompts");
  places.suites = join_path(share, "suites");
  places.prices = join_path(share, "prices");
  places.models = join_path(share, "models");
  places.page = join_path(share, "page");
  const std::string config = find_config_folder();
  if (!config.empty()) {
    places.user_models = join_path(config, "models");
    places.user_targets = join_path(config, "targets");
  }
  if (!system_disk().is_directory(share))
    return error(Code::unavailable, "assay's files are not at '" + share + "'",
                 "install assay again; the binary cannot be moved on its own");
  return places;
}

std::string find_config_folder() { return xdg_folder("XDG_CONFIG_HOME", ".config"); }

Result<std::string> find_cache_folder() {
  std::string asked = environment_variable("ASSAY_CACHE");
  if (!asked.empty()) return absolute_path(asked);
  std::string folder = xdg_folder("XDG_CACHE_HOME", ".cache");
  if (folder.empty())
    return error(Code::unavailable, "there is no home folder to keep the cache in",
                 "set ASSAY_CACHE to a folder");
  return folder;
}

}  // namespace assay
