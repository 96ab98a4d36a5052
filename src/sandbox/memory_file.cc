#include "sandbox/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/disk.h"
#include "base/units.h"

namespace assay {

Result<UniqueFd> empty_memory_file(const char* name) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return errno_error("make a file in memory");
  return file;
}

Result<UniqueFd> sealed_memory_file(const char* name, std::string_view bytes) {
  ASSAY_ASSIGN(UniqueFd file, empty_memory_file(name));
  if (!write_all(file.get(), bytes)) return errno_error("fill a file in memory");
  ::lseek(file.get(), 0, SEEK_SET);
  int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(file.get(), F_ADD_SEALS, seals) != 0) return errno_error("seal a file in memory");
  return file;
}

Result<MappedFile> MappedFile::map(const UniqueFd& file) {
  // Refused while somebody has it mapped to write to: then the worker left something behind.
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return errno_error("seal a file in memory");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return errno_error("read a file in memory");
  if (info.st_size == 0) return MappedFile("", 0);
  auto size = static_cast<size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return errno_error("read a file in memory");
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(other.data_), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<char*>(data_), size_);
}

Result<std::string> read_memory_file(const UniqueFd& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return errno_error("read a file in memory");
  auto size = static_cast<uint64_t>(info.st_size);
  if (size > kMaxResultBytes)
    return error(Code::corrupt, fmt::format("a result of {} is longer than the {} it may be",
                                            format_bytes(size), format_bytes(kMaxResultBytes)));
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    ssize_t count =
        ::pread(file.get(), bytes.data() + filled, size - filled, static_cast<off_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("read a file in memory");
    if (count == 0) break;  // it was cut while we read
    filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace assay
