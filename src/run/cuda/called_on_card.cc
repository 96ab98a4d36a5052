#include "run/cuda/called_on_card.h"

#include <utility>

namespace assay::cuda {

Result<CalledOnCard> CalledOnCard::create(const Json& layout, int fd) {
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  ASSAY_ASSIGN(SharedMemory memory, SharedMemory::import(fd, layout["bytes"].get<uint64_t>()));
  CalledOnCard made(cuda, std::move(memory), layout);
  // In order with the default stream, which a kernel is queued on that is given none.
  ASSAY_TRY(checked(*cuda, cuda->stream_create(&made.stream_, 0), "make a stream"));
  return made;
}

std::byte* CalledOnCard::begin_of(const char* memory) const {
  return reinterpret_cast<std::byte*>(memory_.address() + layout_[memory].get<uint64_t>());
}

Address CalledOnCard::word(uint64_t number) const {
  return memory_.address() + layout_["words"].get<uint64_t>() + 4 * number;
}

Result<std::byte*> CalledOnCard::copied(std::span<const std::byte> host) {
  ASSAY_ASSIGN(PrivateMemory memory, PrivateMemory::create(host.size()));
  ASSAY_TRY(checked(*cuda_,
                    cuda_->copy_to_device(memory.address(), host.data(), host.size(), stream_),
                    "copy parameters to it"));
  ASSAY_TRY(checked(*cuda_, cuda_->stream_synchronize(stream_), "copy parameters to it"));
  auto* begin = reinterpret_cast<std::byte*>(memory.address());
  copies_.push_back(std::move(memory));
  return begin;
}

Status CalledOnCard::around(uint32_t gate, const std::function<void()>& calls) const {
  if (gate == 0) {
    calls();
    return checked(*cuda_, cuda_->stream_synchronize(stream_), "finish what was queued");
  }
  constexpr unsigned kAtLeast = 0;
  ASSAY_TRY(checked(*cuda_, cuda_->stream_wait_value(stream_, word(0), gate, kAtLeast),
                    "wait for a gate"));
  calls();
  return checked(*cuda_, cuda_->stream_write_value(stream_, word(1), gate, 0), "end a window");
}

void CalledOnCard::profiled(const std::function<void()>& calls) const {
  // Where nobody profiles these do nothing, and what they answer says nothing.
  cuda_->profiler_start();
  calls();
  cuda_->profiler_stop();
}

}  // namespace assay::cuda
