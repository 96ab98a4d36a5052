#include "base/control_group.h"

#include <charconv>

namespace assay {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";

}  // namespace

std::vector<std::string> control_groups(const Disk& disk) {
  // "0::/a/b": the line of version 2.
  auto text = disk.read("/proc/self/cgroup");
  if (!text) return {};
  size_t at = text->starts_with("0::") ? 0 : text->find("\n0::");
  if (at == std::string::npos) return {};
  at = text->find("::", at) + 2;
  std::string folder = join_path(kGroups, text->substr(at + 1, text->find('\n', at) - at - 1));
  if (folder.ends_with('/')) folder.pop_back();  // the root's own name is "/"
  std::vector<std::string> folders;
  while (folder.size() >= kGroups.size()) {
    folders.push_back(folder);
    size_t slash = folder.find_last_of('/');
    if (slash == std::string::npos || slash < kGroups.size()) break;
    folder.resize(slash);
  }
  return folders;
}

std::optional<uint64_t> number_after(const std::string& text, std::string_view name) {
  size_t at = 0;
  if (!text.starts_with(name)) {
    at = text.find("\n" + std::string(name));
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  at = text.find_first_not_of(" \t", at + name.size());
  if (at == std::string::npos) return std::nullopt;
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return failed == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace assay
