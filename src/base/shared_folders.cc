#include "base/shared_folders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace assay {
namespace {

constexpr std::string_view kLock = ".lock";
constexpr std::string_view kUnfinished = ".new";

std::string lock_of(const std::string& folder) { return folder + std::string(kLock); }

}  // namespace

FolderInUse SharedFolders::find(const std::string& name) const {
  std::string folder = join_path(own_, name);
  UniqueFd lock = lock_named(lock_of(folder), O_RDWR, LOCK_SH | LOCK_NB);
  if (!lock || !disk_.is_directory(folder)) return {};
  // Used now: to the nanosecond, where the kernel itself would say to a tick.
  timespec now[2]{};
  ::clock_gettime(CLOCK_REALTIME, &now[0]);
  now[1] = now[0];
  ::futimens(lock.get(), now);
  return {std::move(folder), std::move(lock)};
}

Result<FolderInUse> SharedFolders::add(
    const std::string& name, const std::function<Status(const std::string& folder)>& fill) {
  ASSAY_TRY(disk_.make_directories(own_));
  const std::string all = join_path(parent_, "lock");
  const UniqueFd adding = lock_named(all, O_RDWR | O_CREAT, LOCK_EX);
  if (!adding) return errno_error("lock '" + all + "'");
  if (FolderInUse found = find(name); !found.path.empty()) return found;
  ASSAY_TRY(make_room());
  ASSAY_TRY(disk_.make_directories(own_));  // the removal of others may have taken it
  const std::string folder = join_path(own_, name);
  const std::string unfinished = folder + std::string(kUnfinished);
  ASSAY_TRY(disk_.remove_all(unfinished));
  ASSAY_TRY(fill(unfinished));
  ASSAY_TRY(disk_.write(lock_of(folder), ""));
  ASSAY_TRY(disk_.rename(unfinished, folder));
  return find(name);
}

std::vector<SharedFolders::Old> SharedFolders::folders_in(const std::string& identity) const {
  std::vector<Old> found;
  auto entries = disk_.list(identity);
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_directory) continue;
    std::string path = join_path(identity, entry.name);
    struct stat lock{};
    const bool has_lock = ::stat(lock_of(path).c_str(), &lock) == 0;
    const int64_t used_ns =
        has_lock ? lock.st_mtim.tv_sec * int64_t{1'000'000'000} + lock.st_mtim.tv_nsec : 0;
    found.push_back({std::move(path), used_ns});
  }
  std::ranges::sort(found, {}, &Old::used_ns);
  return found;
}

// Where all are in use there is one more for a while.
Status SharedFolders::make_room() {
  ASSAY_ASSIGN(auto identities, disk_.list(parent_));
  for (const DirectoryEntry& entry : identities) {
    if (!entry.is_directory) continue;
    const std::string identity = join_path(parent_, entry.name);
    const std::vector<Old> folders = folders_in(identity);
    const size_t kept = identity == own_ ? most_ - 1 : 0;
    size_t left = folders.size();
    for (const Old& folder : folders) {
      if (left <= kept) break;
      ASSAY_ASSIGN(const bool removed, remove(folder.path));
      if (removed) --left;
    }
    if (identity != own_ && left == 0) ASSAY_TRY(disk_.remove_all(identity));
  }
  return {};
}

// False: somebody uses it.
Result<bool> SharedFolders::remove(const std::string& folder) {
  const UniqueFd lock = lock_named(lock_of(folder), O_RDWR | O_CREAT, LOCK_EX | LOCK_NB);
  if (!lock) return false;
  // At once: killed in between, nobody takes the rest for a whole one.
  const std::string unfinished = folder + std::string(kUnfinished);
  ASSAY_TRY(disk_.remove_all(unfinished));
  ASSAY_TRY(disk_.rename(folder, unfinished));
  ASSAY_TRY(disk_.remove_all(unfinished));
  ASSAY_TRY(disk_.remove_all(lock_of(folder)));
  return true;
}

}  // namespace assay
