#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

struct DirectoryEntry {
  std::string name;
  // After following links. A link to nowhere counts as a file, so that reading it says what is
  // wrong; sockets and pipes are neither.
  bool is_directory = false;
  bool is_file = false;
};

// A file's size, and SHA-256 of its bytes.
struct Digest {
  uint64_t bytes = 0;
  std::string sha256;
};

// A file that is being written. It appears under its name, whole, with commit(); without it nothing
// stays.
class NewFile {
 public:
  virtual ~NewFile() = default;
  virtual Status append(std::string_view bytes) = 0;
  virtual Status commit() = 0;
};

// The file system as assay uses it. An interface so that tests can fill the disk, refuse a write
// and see what was read. Paths are as the operating system takes them. Every error names the path.
class Disk {
 public:
  virtual ~Disk() = default;

  virtual Result<std::string> read(const std::string& path) const = 0;
  // The first bytes of a regular file in `folder`, or in sub-folders that `name` has in it ("a/b").
  // For names that others have chosen: fails on "..", and follows no link.
  virtual Result<std::string> read_inside(const std::string& folder, const std::string& name,
                                          size_t most_bytes) const = 0;
  // Of a file as large as may be: it is never in memory as a whole.
  virtual Result<Digest> digest(const std::string& path) const = 0;
  // Written beside `path`, then renamed over it.
  virtual Result<std::unique_ptr<NewFile>> create(const std::string& path,
                                                  bool read_only = false) = 0;
  // The bytes appear under `path` whole or not at all.
  Status write(const std::string& path, std::string_view bytes, bool read_only = false);
  // Creates `path` with its parents. An existing directory is fine.
  virtual Status make_directories(const std::string& path) = 0;
  // Sorted by name. `.` and `..` are left out.
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;
  // Makes `to` hold what `from` holds, replacing it whole: a hard link, or a copy where links
  // are impossible (another file system).
  virtual Status link_or_copy(const std::string& from, const std::string& to) = 0;
  // Gives a file or a folder another name, at once. A folder takes the place of an empty one alone.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // Removes a file or a whole tree. A missing path is fine.
  virtual Status remove_all(const std::string& path) = 0;
};

// Writes all bytes to a descriptor. False leaves the reason in errno.
bool write_all(int fd, std::string_view bytes);

// The operating system's disk. Lives as long as the process.
Disk& system_disk();

// The absolute path without `.`, `..` and links where the path exists; else lexically.
std::string absolute_path(const std::string& path);

// "a/b" + "c" = "a/b/c".
std::string join_path(std::string_view folder, std::string_view name);

// Whether `path` is `folder` or lies in it, by their texts.
bool lies_in(std::string_view path, std::string_view folder);

// What a relative path written in a file means: "a/b.toml" + "c" = "a/c".
std::string path_beside(std::string_view file, std::string_view relative);

// Holds a lock that vanishes with the process, however it ends. `path` is created; it stays.
// Fails with Code::refused when another process holds it.
Result<UniqueFd> lock_file(const std::string& path);

// Whether another process holds that lock. Looks, and holds it no longer than that; what is not
// there is held by nobody.
bool is_locked(const std::string& path);

// Opens what has this name, with `flags` of open(), and locks it as flock() has it. For what others
// remove while they hold its lock: what was removed between the two is not returned. None, with
// errno: EWOULDBLOCK where another holds it, ENOENT where it is gone.
UniqueFd lock_named(const std::string& path, int flags, int how);

}  // namespace assay
