#include "base/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/hash.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

// Written beside its final place, so that the rename stays within one file system. The process id
// keeps two runs apart that fill one cache.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.{}.{}.tmp", path, ::getpid(), counter++);
}

Status rename_into_place(const std::string& temporary, const std::string& path) {
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  auto failed = errno_error("put '" + path + "' in place");
  ::unlink(temporary.c_str());
  return failed;
}

// Gives the owner all rights to the folders of a tree. Links are not followed.
void allow_all(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
  ::chmod(path.c_str(), 0700);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path, failed)) allow_all(entry.path().string());
}

struct OpenFile {
  UniqueFd fd;
  size_t bytes = 0;  // now; a file of /proc says 0
};

// Of what open() gave, with the errno that it left.
Result<OpenFile> regular(UniqueFd fd, const std::string& path) {
  if (!fd) {
    if (errno == ENOENT) return error(Code::not_found, "there is no file '" + path + "'");
    return errno_error("read '" + path + "'");
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return errno_error("read '" + path + "'");
  if (!S_ISREG(info.st_mode))
    return error(Code::invalid_input, "'" + path + "' is no regular file");
  return OpenFile{std::move(fd), static_cast<size_t>(info.st_size)};
}

// Opening a pipe would wait for somebody to write to it.
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

Result<OpenFile> open_regular(const std::string& path) {
  return regular(UniqueFd(::open(path.c_str(), kToRead)), path);
}

Result<OpenFile> open_inside(const std::string& folder, const std::string& name) {
  const std::string path = join_path(folder, name);
  UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (size_t begin = 0; at;) {
    const size_t end = name.find('/', begin);
    const std::string part = name.substr(begin, end - begin);
    if (part.empty() || part == "..")
      return error(Code::not_found, fmt::format("there is no file '{}' in '{}'", name, folder));
    if (end == std::string::npos)
      return regular(UniqueFd(::openat(at.get(), part.c_str(), kToRead | O_NOFOLLOW)), path);
    at = UniqueFd(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    begin = end + 1;
  }
  return errno_error("read '" + path + "'");
}

// Calls `take` with the file's bytes, piece by piece, until it fails.
template <class Take>
Status read_pieces(const OpenFile& file, const std::string& path, Take take) {
  char buffer[1 << 16];
  while (true) {
    ssize_t count = ::read(file.fd.get(), buffer, sizeof buffer);
    if (count == 0) return {};
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("read '" + path + "'");
    ASSAY_TRY(take(std::string_view(buffer, static_cast<size_t>(count))));
  }
}

class SystemFile final : public NewFile {
 public:
  SystemFile(std::string path, std::string temporary, UniqueFd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;
  ~SystemFile() override {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  Status append(std::string_view bytes) override {
    if (!write_all(fd_.get(), bytes)) return errno_error("write '" + path_ + "'");
    return {};
  }
  Status commit() override { return rename_into_place(std::exchange(temporary_, ""), path_); }

 private:
  std::string path_, temporary_;
  UniqueFd fd_;
};

class SystemDisk final : public Disk {
 public:
  Result<std::string> read(const std::string& path) const override {
    ASSAY_ASSIGN(OpenFile file, open_regular(path));
    std::string bytes;
    bytes.reserve(file.bytes);
    ASSAY_TRY(read_pieces(file, path, [&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    }));
    return bytes;
  }

  Result<std::string> read_inside(const std::string& folder, const std::string& name,
                                  size_t most_bytes) const override {
    ASSAY_ASSIGN(OpenFile file, open_inside(folder, name));
    std::string bytes(std::min(file.bytes, most_bytes), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      ssize_t count = ::read(file.fd.get(), bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno_error("read '" + join_path(folder, name) + "'");
      if (count == 0) break;  // it has become shorter
      done += static_cast<size_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }

  Result<Digest> digest(const std::string& path) const override {
    ASSAY_ASSIGN(OpenFile file, open_regular(path));
    Digest digest;
    Sha256 hash;
    ASSAY_TRY(read_pieces(file, path, [&](std::string_view piece) -> Status {
      digest.bytes += piece.size();
      hash.add(piece);
      return {};
    }));
    digest.sha256 = hash.finish();
    return digest;
  }

  Result<std::unique_ptr<NewFile>> create(const std::string& path, bool read_only) override {
    std::string temporary = temporary_name(path);
    mode_t mode = read_only ? 0444 : 0644;
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd) return errno_error("write '" + path + "'");
    return std::make_unique<SystemFile>(path, temporary, std::move(fd));
  }

  Status make_directories(const std::string& path) override {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (!failed) return {};
    errno = failed.value();
    return errno_error("create the folder '" + path + "'");
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& path) const override {
    std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
    if (!folder) return errno_error("list the folder '" + path + "'");
    std::vector<DirectoryEntry> entries;
    while (dirent* entry = ::readdir(folder.get())) {
      std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat info{};
      bool known = ::fstatat(::dirfd(folder.get()), name.c_str(), &info, 0) == 0;
      entries.push_back({name, known && S_ISDIR(info.st_mode), !known || S_ISREG(info.st_mode)});
    }
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    return entries;
  }

  bool exists(const std::string& path) const override {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0;
  }

  bool is_directory(const std::string& path) const override {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }

  Status link_or_copy(const std::string& from, const std::string& to) override {
    std::string temporary = temporary_name(to);
    if (::link(from.c_str(), temporary.c_str()) != 0) {
      ASSAY_ASSIGN(OpenFile file, open_regular(from));
      ASSAY_ASSIGN(std::unique_ptr<NewFile> copy, create(to, /*read_only=*/true));
      ASSAY_TRY(
          read_pieces(file, from, [&](std::string_view piece) { return copy->append(piece); }));
      return copy->commit();
    }
    Status placed = rename_into_place(temporary, to);
    // rename(2) of two names of one file does nothing and leaves both.
    ::unlink(temporary.c_str());
    return placed;
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return errno_error("rename '" + from + "' to '" + to + "'");
  }

  Status remove_all(const std::string& path) override {
    std::error_code failed;
    fs::remove_all(path, failed);
    if (failed) {
      // A folder whose owner forbade himself to write to it: what a hostile problem leaves behind.
      allow_all(path);
      fs::remove_all(path, failed);
    }
    if (!failed) return {};
    errno = failed.value();
    return errno_error("remove '" + path + "'");
  }
};

}  // namespace

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Status Disk::write(const std::string& path, std::string_view bytes, bool read_only) {
  ASSAY_ASSIGN(std::unique_ptr<NewFile> file, create(path, read_only));
  ASSAY_TRY(file->append(bytes));
  return file->commit();
}

Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  fs::path resolved = fs::weakly_canonical(fs::absolute(path, failed), failed);
  if (failed) resolved = fs::path(path).lexically_normal();
  std::string text = resolved.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string join_path(std::string_view folder, std::string_view name) {
  return (fs::path(folder) / name).string();
}

std::string path_beside(std::string_view file, std::string_view relative) {
  return (fs::path(file).parent_path() / relative).string();
}

UniqueFd lock_named(const std::string& path, int flags, int how) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  struct stat held{}, named{};
  if (!fd) return fd;
  int failed = 0;
  do failed = ::flock(fd.get(), how);
  while (failed != 0 && errno == EINTR);
  if (failed != 0 || ::fstat(fd.get(), &held) != 0 || ::stat(path.c_str(), &named) != 0) return {};
  if (held.st_ino == named.st_ino) return fd;
  errno = ENOENT;
  return {};
}

Result<UniqueFd> lock_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return errno_error("open the lock '" + path + "'");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK)
    return error(Code::refused, "'" + path + "' is locked by another process");
  return errno_error("lock '" + path + "'");
}

bool is_locked(const std::string& path) {
  // Shared with others that look: they do not take each other for the one at work.
  return !lock_named(path, O_RDONLY, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

}  // namespace assay
