// Files that live in memory and travel to a worker as descriptors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// A file holding `bytes` that nobody can change any more, whoever holds a descriptor. `name` shows
// in /proc.
Result<UniqueFd> sealed_memory_file(const char* name, std::string_view bytes);

// An empty file for a worker to write its result into.
Result<UniqueFd> empty_memory_file(const char* name);

// A result larger than this is a runaway. Workers get it as the limit of any file they write.
inline constexpr uint64_t kMaxResultBytes = uint64_t{1} << 30;

// What a worker wrote into one, by reference: for what may be too large to copy. Made when the
// worker is gone; sealed first, so that nobody who may still hold a descriptor can pull it away.
class MappedFile {
 public:
  static Result<MappedFile> map(const UniqueFd& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* data_;
  size_t size_;
};

// All that has been written, up to kMaxResultBytes.
Result<std::string> read_memory_file(const UniqueFd& file);

}  // namespace assay
