#include "compile/result_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/disk.h"

namespace assay {
bool ResultFile::add(const std::string& name, std::string_view bytes) {
  if (!write_all(fd_, bytes)) return false;
  list_.push_back({{"name", name}, {"bytes", bytes.size()}});
  return true;
}

bool ResultFile::add_from(const std::string& name, const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  char bytes[1 << 16];
  uint64_t total = 0;
  while (true) {
    ssize_t count = ::read(file.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    if (!write_all(fd_, {bytes, static_cast<size_t>(count)})) return false;
    total += static_cast<uint64_t>(count);
  }
  list_.push_back({{"name", name}, {"bytes", total}});
  return true;
}

std::optional<std::string> ResultFile::first() const {
  if (list_.empty()) return std::nullopt;
  std::string bytes(list_[0].at("bytes").get<size_t>(), '\0');
  for (size_t filled = 0; filled < bytes.size();) {
    const ssize_t count =
        ::pread(fd_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    filled += static_cast<size_t>(count);
  }
  return bytes;
}

void ResultFile::clear() {
  list_ = Json::array();
  if (::ftruncate(fd_, 0) == 0) ::lseek(fd_, 0, SEEK_SET);
}

}  // namespace assay
