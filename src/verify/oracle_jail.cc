#include "verify/oracle_jail.h"

#include <filesystem>
#include <string_view>

namespace assay {
namespace {

// As huggingface_hub finds it.
std::string hub_folder(const std::vector<std::string>& environment) {
  std::string home;
  for (std::string_view entry : environment) {
    if (entry.starts_with("HF_HOME=")) return std::string(entry.substr(8));
    if (entry.starts_with("HOME=")) home = entry.substr(5);
  }
  return home.empty() ? "" : home + "/.cache/huggingface";
}

}  // namespace

JailSpec oracle_jail(const VerifyTools& tools, const std::string& problem_path) {
  JailSpec jail = tools.limits.jail.value_or(JailSpec{});
  std::filesystem::path problem(problem_path);  // of a generated problem: no path
  if (problem.is_absolute()) jail.read_only.push_back(problem.parent_path().string());
  std::string hub = hub_folder(tools.oracle.environment);
  if (hub.starts_with('/')) jail.read_only.push_back(hub);
  return jail;
}

}  // namespace assay
