// Memory on the card that the judge makes, and a candidate's process maps as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/unique_fd.h"
#include "run/cuda/context.h"

namespace assay::cuda {

class SharedMemory {
 public:
  // At least so much, mapped in this process. `fd` names it to others.
  static Result<SharedMemory> create(uint64_t bytes);
  // What another process has made, by its descriptor, which stays the caller's; so large it is.
  static Result<SharedMemory> import(int fd, uint64_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  Address address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  int fd() const { return fd_.get(); }

 private:
  SharedMemory() = default;
  Status map();

  const Driver* cuda_ = nullptr;
  Handle handle_ = 0;
  Address address_ = 0;
  uint64_t bytes_ = 0;
  bool is_made_ = false, is_mapped_ = false;
  UniqueFd fd_;
};

// The judge's own.
class PrivateMemory {
 public:
  static Result<PrivateMemory> create(uint64_t bytes);
  PrivateMemory(PrivateMemory&& other) noexcept
      : cuda_(other.cuda_), address_(std::exchange(other.address_, 0)) {}
  PrivateMemory& operator=(PrivateMemory&&) = delete;
  ~PrivateMemory();
  Address address() const { return address_; }

 private:
  PrivateMemory(const Driver* cuda, Address address) : cuda_(cuda), address_(address) {}
  const Driver* cuda_;
  Address address_;
};

// Memory of the host that the card copies to and from by itself.
class PinnedMemory {
 public:
  static Result<PinnedMemory> create(uint64_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept
      : cuda_(other.cuda_), data_(std::exchange(other.data_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory();
  std::byte* data() const { return data_; }

 private:
  PinnedMemory(const Driver* cuda, std::byte* data) : cuda_(cuda), data_(data) {}
  const Driver* cuda_;
  std::byte* data_;
};

}  // namespace assay::cuda
