#include "sandbox/jail.h"

#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/disk.h"
#include "sandbox/jail_layout.h"
#include "sandbox/memory_file.h"
#include "sandbox/system_calls.h"

namespace assay {
namespace {

struct Shown {
  std::set<std::string> folders, files;
  std::vector<std::pair<std::string, std::string>> links;  // path, target
};

void show(const std::string& path, Shown& shown, int depth = 0) {
  struct stat info{};
  if (path.size() < 2 || path[0] != '/' || depth > 40 || ::lstat(path.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    shown.folders.insert(path);
  } else if (S_ISREG(info.st_mode)) {
    shown.files.insert(path);
  } else if (S_ISLNK(info.st_mode)) {
    char target[PATH_MAX];
    ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size <= 0) return;
    std::string text(target, static_cast<size_t>(size));
    shown.links.emplace_back(path, text);
    show(text[0] == '/' ? text : path_beside(path, text), shown, depth + 1);
  }
}

// What lies in a folder that is shown is shown with it.
bool covered(const std::string& path, const std::set<std::string>& folders) {
  return std::ranges::any_of(
      folders, [&](const std::string& folder) { return path != folder && lies_in(path, folder); });
}

void append(std::string& strings, std::string_view text) {
  strings += text;
  strings += '\0';
}

uint32_t append_mounts(const std::vector<std::string>& paths,
                       const std::vector<std::string>& devices, std::string& strings) {
  Shown shown;
  for (const std::string& path : paths) {
    show(path, shown);
    std::string real = absolute_path(path);  // of a path through a linked folder
    if (real != path) show(real, shown);
  }
  uint32_t count = 0;
  auto add = [&](char kind, const std::string& path, const std::string* target) {
    if (covered(path, shown.folders)) return;
    append(strings, kind + path);
    if (target) append(strings, *target);
    ++count;
  };
  // Links first: a folder on the way to a later one may be one.
  for (const auto& [path, target] : shown.links) add('l', path, &target);
  for (const std::string& path : shown.folders) add('d', path, nullptr);
  for (const std::string& path : shown.files) add('f', path, nullptr);
  for (const std::string& path : devices) add('v', path, nullptr);
  return count;
}

// Processes and threads of this user: a limit counts them with the worker's.
unsigned tasks_of_user() {
  unsigned tasks = 0;
  auto processes = system_disk().list("/proc");
  if (!processes) return 0;
  for (const DirectoryEntry& entry : *processes) {
    if (entry.name[0] < '1' || entry.name[0] > '9') continue;
    struct stat info{};
    std::string folder = "/proc/" + entry.name + "/task";
    if (::stat(folder.c_str(), &info) != 0 || info.st_uid != ::getuid()) continue;
    if (auto threads = system_disk().list(folder)) tasks += static_cast<unsigned>(threads->size());
  }
  return tasks;
}

}  // namespace

bool can_give_users() {
  if (::geteuid() != 0) return false;
  // Root of a container may have few users, or none but itself.
  auto map = system_disk().read("/proc/self/uid_map");
  unsigned long long inside = 0, outside = 0, count = 0;
  return map && std::sscanf(map->c_str(), "%llu %llu %llu", &inside, &outside, &count) == 3 &&
         inside == 0 && count > uint64_t{sandbox::kFirstUser} + (1 << 22);
}

uint64_t jail_namespaces(Isolation level, bool as_root) {
  if (level < Isolation::L2) return 0;
  uint64_t own =
      CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  return as_root ? own : own | CLONE_NEWUSER;
}

Result<UniqueFd> jail_layout(const JailSpec& spec, const JailMeans& means) {
  sandbox::JailLayout layout;
  layout.level = static_cast<uint32_t>(spec.level);
  layout.may_exec = spec.may_exec ? 1 : 0;
  layout.drop_user = means.as_root && spec.level > Isolation::L0 ? 1 : 0;
  layout.own_mounts = spec.level >= Isolation::L2 ? 1 : 0;
  bool shares_user = spec.level == Isolation::L1 && !means.as_root;
  if (spec.level > Isolation::L0)
    layout.processes = spec.processes + (shares_user ? tasks_of_user() : 0);
  layout.cpu_seconds = spec.cpu_seconds;
  const bool has_devices = !spec.devices.empty();
  const bool has_loopback = spec.has_loopback && spec.level >= Isolation::L2;
  layout.has_loopback = has_loopback ? 1 : 0;
  layout.address_bytes = means.memory_in_group || has_devices ? 0 : spec.memory_bytes;
  layout.file_bytes = spec.file_bytes;
  layout.disk_bytes = spec.disk_bytes;
  for (int cpu : spec.cpus)
    if (cpu >= 0 && cpu < sandbox::JailLayout::kCpuWords * 64)
      layout.cpus[cpu / 64] |= uint64_t{1} << cpu % 64;
  std::vector<uint64_t> filter;
  if (spec.level > Isolation::L0) {
    ASSAY_ASSIGN(filter, system_call_filter(spec.level, spec.may_exec, has_devices, has_loopback));
  }
  std::string strings;
  layout.filter_count = static_cast<uint32_t>(filter.size());
  layout.mount_count = append_mounts(spec.read_only, spec.devices, strings);
  for (const std::string& variable : spec.environment) append(strings, variable);
  layout.environment_count = static_cast<uint32_t>(spec.environment.size());
  layout.string_bytes = static_cast<uint32_t>(strings.size());
  std::string bytes(reinterpret_cast<const char*>(&layout), sizeof layout);
  bytes.append(reinterpret_cast<const char*>(filter.data()), filter.size() * sizeof(uint64_t));
  return sealed_memory_file("assay-jail", bytes + strings);
}

}  // namespace assay
