#include "sandbox/jail_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <sstream>
#include <utility>

#include "base/control_group.h"
#include "base/disk.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "assay-";
constexpr int kHoldAttempts = 50;

struct Mounted {
  std::map<std::string, std::string> controllers;  // of version 1: where each is mounted
  std::string unified;                             // of version 2; empty: nowhere
};

// /proc/self/mountinfo: "ID PARENT DEV ROOT WHERE OPTIONS [TAG...] - TYPE SOURCE SUPER".
Mounted find_mounts() {
  Mounted found;
  std::istringstream lines(system_disk().read("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skipped, where, type, source, options;
    before >> skipped >> skipped >> skipped >> skipped >> where;
    after >> type >> source >> options;
    if (type == "cgroup2" && found.unified.empty()) found.unified = where;
    if (type != "cgroup") continue;
    std::istringstream words(options);
    for (std::string word; std::getline(words, word, ',');) found.controllers.emplace(word, where);
  }
  return found;
}

// /proc/self/cgroup: "ID:CONTROLLERS:PATH"; of version 2 "0::PATH".
std::map<std::string, std::string> own_paths() {
  std::map<std::string, std::string> found;
  std::istringstream lines(system_disk().read("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    std::string path = line.substr(second + 1);
    if (first + 1 == second) found[""] = path;
    for (std::string name; std::getline(names, name, ',');) found[name] = path;
  }
  return found;
}

bool write_setting(const std::string& path, std::string_view value) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write_all(file.get(), value);
}

// Removes the groups that an assay which was killed has left: those that nobody holds.
void sweep(const std::string& parent) {
  auto entries = system_disk().list(parent);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_directory || !entry.name.starts_with(kPrefix)) continue;
    std::string folder = join_path(parent, entry.name);
    UniqueFd held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!held || ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (auto inner = system_disk().list(folder))
      for (const DirectoryEntry& jail : *inner)
        if (jail.is_directory) ::rmdir(join_path(folder, jail.name).c_str());
    ::rmdir(folder.c_str());
  }
}

}  // namespace

JailGroup::~JailGroup() {
  folder_.reset();
  for (const std::string& folder : folders_)
    if (::rmdir(folder.c_str()) != 0) left_->push_back(folder);
}

uint64_t JailGroup::out_of_memory_kills() const {
  if (memory_folder_.empty()) return 0;
  for (const char* name : {"/memory.events", "/memory.oom_control"})
    if (auto text = system_disk().read(memory_folder_ + name))
      return number_after(*text, "oom_kill ").value_or(0);
  return 0;
}

Status JailGroups::add(Hierarchy& hierarchy, const std::string& mounted,
                       const std::string& own_path) {
  std::string parent = own_path == "/" ? mounted : mounted + own_path;
  // Seen from a container, its own path may be one of the machine's that is not mounted here.
  if (!system_disk().is_directory(parent)) parent = mounted;
  sweep(parent);
  // Another assay that sweeps at this moment may find the group before it is held, and remove it.
  for (int attempt = 1;; ++attempt) {
    static int count = 0;
    std::string folder = join_path(parent, fmt::format("{}{}-{}", kPrefix, ::getpid(), ++count));
    if (::mkdir(folder.c_str(), 0755) != 0)
      return errno_error("make the control group '" + folder + "'",
                         "run as root, where /sys/fs/cgroup may be written");
    hierarchy.folder = folder;
    hierarchy.lock = lock_named(folder, O_RDONLY | O_DIRECTORY, LOCK_EX | LOCK_NB);
    if (hierarchy.lock) return {};
    if (attempt == kHoldAttempts) return errno_error("hold the control group '" + folder + "'");
    ::rmdir(folder.c_str());
  }
}

Result<std::unique_ptr<JailGroups>> JailGroups::find() {
  if (::geteuid() != 0)
    return error(Code::unavailable, "control groups are root's", "run assay as root");
  Mounted mounted = find_mounts();
  auto paths = own_paths();
  std::unique_ptr<JailGroups> groups(new JailGroups());
  auto where = [&](const char* controller) { return mounted.controllers[controller]; };
  if (!mounted.unified.empty()) {
    ASSAY_TRY(groups->add(groups->unified_, mounted.unified, paths[""]));
    // Jails below ours can have limits of their own where ours has these controllers at all.
    const std::string& folder = groups->unified_.folder;
    groups->unified_memory_ = write_setting(folder + "/cgroup.subtree_control", "+memory");
    write_setting(folder + "/cgroup.subtree_control", "+pids");
  } else if (!where("freezer").empty() && !where("cpuacct").empty()) {
    ASSAY_TRY(groups->add(groups->freezer_, where("freezer"), paths["freezer"]));
    ASSAY_TRY(groups->add(groups->cpu_, where("cpuacct"), paths["cpuacct"]));
  } else {
    return error(Code::unavailable, "no control groups are mounted that can freeze processes",
                 "mount cgroup2 on /sys/fs/cgroup");
  }
  if (!groups->unified_memory_ && !where("memory").empty())
    ASSAY_TRY(groups->add(groups->memory_, where("memory"), paths["memory"]));
  return groups;
}

JailGroups::~JailGroups() {
  for (Hierarchy* hierarchy : {&unified_, &freezer_, &cpu_, &memory_}) {
    if (hierarchy->folder.empty()) continue;
    // The last processes of its jails have been killed and may take some milliseconds to be gone.
    for (int attempt = 0; attempt < 100; ++attempt) {
      if (auto inner = system_disk().list(hierarchy->folder))
        for (const DirectoryEntry& jail : *inner)
          if (jail.is_directory) ::rmdir(join_path(hierarchy->folder, jail.name).c_str());
      if (::rmdir(hierarchy->folder.c_str()) == 0 || errno != EBUSY) break;
      ::usleep(2'000);
    }
  }
}

Result<std::unique_ptr<JailGroup>> JailGroups::create(const std::string& name,
                                                      const JailSpec& spec) {
  std::erase_if(*left_, [](const std::string& folder) { return ::rmdir(folder.c_str()) == 0; });
  std::unique_ptr<JailGroup> group(new JailGroup());
  group->left_ = left_;
  auto make = [&](const Hierarchy& hierarchy) -> Result<std::string> {
    std::string folder = join_path(hierarchy.folder, name);
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
      return errno_error("make the control group '" + folder + "'");
    group->folders_.push_back(folder);
    return folder;
  };
  auto join = [&](const std::string& folder) -> Status {
    std::string path = folder + "/cgroup.procs";
    group->joins_.emplace_back(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!group->joins_.back()) return errno_error("open '" + path + "'");
    return {};
  };
  if (!unified_.folder.empty()) {
    ASSAY_ASSIGN(std::string folder, make(unified_));
    group->folder_ = UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!group->folder_) return errno_error("open '" + folder + "'");
    ASSAY_ASSIGN(group->freezer_, group_freezer(folder, ""));
    write_setting(folder + "/pids.max", fmt::format("{}", spec.processes + 1));  // and the keeper
    if (unified_memory_) group->memory_folder_ = folder;
  } else {
    ASSAY_ASSIGN(std::string folder, make(freezer_));
    ASSAY_TRY(join(folder));
    ASSAY_ASSIGN(std::string cpu, make(cpu_));
    ASSAY_TRY(join(cpu));
    ASSAY_ASSIGN(group->freezer_, group_freezer(folder, cpu + "/cpuacct.usage"));
  }
  if (!memory_.folder.empty() && spec.memory_bytes > 0) {
    ASSAY_ASSIGN(group->memory_folder_, make(memory_));
    ASSAY_TRY(join(group->memory_folder_));
  }
  if (spec.memory_bytes == 0) group->memory_folder_.clear();
  if (group->limits_memory()) {
    std::string bytes = fmt::format("{}", spec.memory_bytes);
    const std::string& folder = group->memory_folder_;
    if (unified_memory_) {
      if (!write_setting(folder + "/memory.max", bytes))
        return errno_error("limit a jail's memory");
      write_setting(folder + "/memory.swap.max", "0");  // absent on a kernel without swap
    } else if (!write_setting(folder + "/memory.limit_in_bytes", bytes)) {
      return errno_error("limit a jail's memory");
    }
  }
  return group;
}

std::string JailGroups::describe() const {
  std::string memory = unified_memory_ ? ", memory" : "";
  std::string text = unified_.folder.empty() ? "cgroup 1 (freezer, CPU time"
                                             : "cgroup 2 (freezer, CPU time" + memory;
  if (!memory_.folder.empty())
    text += unified_.folder.empty() ? ", memory" : ") and cgroup 1 (memory";
  return text + ")";
}

}  // namespace assay
