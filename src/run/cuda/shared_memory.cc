#include "run/cuda/shared_memory.h"

#include <utility>

namespace assay::cuda {

namespace {

constexpr int kDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

}  // namespace

Result<SharedMemory> SharedMemory::create(uint64_t bytes) {
  constexpr int kRecommended = 1;
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  SharedMemory made;
  made.cuda_ = cuda;
  const AllocationKind kind;
  size_t granularity = 0;
  ASSAY_TRY(checked(*cuda, cuda->granularity(&granularity, &kind, kRecommended),
                    "ask in what pieces memory comes"));
  made.bytes_ = (bytes + granularity - 1) / granularity * granularity;
  ASSAY_TRY(checked(*cuda, cuda->create(&made.handle_, made.bytes_, &kind, 0),
                    "make memory for tensors"));
  made.is_made_ = true;
  int fd = -1;
  ASSAY_TRY(checked(*cuda, cuda->export_handle(&fd, made.handle_, kDescriptor, 0),
                    "share memory for tensors"));
  made.fd_ = UniqueFd(fd);
  ASSAY_TRY(made.map());
  return made;
}

Result<SharedMemory> SharedMemory::import(int fd, uint64_t bytes) {
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  SharedMemory made;
  made.cuda_ = cuda;
  made.bytes_ = bytes;
  void* descriptor = reinterpret_cast<void*>(static_cast<uintptr_t>(fd));
  ASSAY_TRY(checked(*cuda, cuda->import_handle(&made.handle_, descriptor, kDescriptor),
                    "take memory for tensors"));
  made.is_made_ = true;
  ASSAY_TRY(made.map());
  return made;
}

Status SharedMemory::map() {
  ASSAY_TRY(
      checked(*cuda_, cuda_->reserve(&address_, bytes_, 0, 0, 0), "reserve addresses for tensors"));
  ASSAY_TRY(checked(*cuda_, cuda_->map(address_, bytes_, 0, handle_, 0), "map memory for tensors"));
  is_mapped_ = true;
  const Access access;
  return checked(*cuda_, cuda_->set_access(address_, bytes_, &access, 1),
                 "open memory for tensors");
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : cuda_(other.cuda_),
      handle_(other.handle_),
      address_(std::exchange(other.address_, 0)),
      bytes_(other.bytes_),
      is_made_(std::exchange(other.is_made_, false)),
      is_mapped_(std::exchange(other.is_mapped_, false)),
      fd_(std::move(other.fd_)) {}

SharedMemory::~SharedMemory() {
  if (cuda_ == nullptr || !enter_context()) return;
  if (is_mapped_) cuda_->unmap(address_, bytes_);
  if (address_ != 0) cuda_->unreserve(address_, bytes_);
  if (is_made_) cuda_->release(handle_);
}

Result<PrivateMemory> PrivateMemory::create(uint64_t bytes) {
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  Address address = 0;
  ASSAY_TRY(checked(*cuda, cuda->allocate(&address, bytes), "make memory of the judge's"));
  return PrivateMemory(cuda, address);
}

PrivateMemory::~PrivateMemory() {
  if (address_ != 0 && enter_context()) cuda_->free(address_);
}

Result<PinnedMemory> PinnedMemory::create(uint64_t bytes) {
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  void* data = nullptr;
  ASSAY_TRY(checked(*cuda, cuda->allocate_host(&data, bytes, 0), "pin memory"));
  return PinnedMemory(cuda, static_cast<std::byte*>(data));
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr && enter_context()) cuda_->free_host(data_);
}

}  // namespace assay::cuda
