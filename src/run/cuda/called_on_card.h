// A card as the native runner has it: the judge's memory there, and the stream that calls are to be
// queued on. In the process of the candidate: nothing in here is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/json.h"
#include "run/cuda/shared_memory.h"

namespace assay::cuda {

class CalledOnCard {
 public:
  // `layout`: the sheet's "card" (Mirror::layout); `fd`: of the memory that it speaks of.
  static Result<CalledOnCard> create(const Json& layout, int fd);

  // Where one of the memories of the sheet begins on the card: "inputs", "inout", "outputs".
  std::byte* begin_of(const char* memory) const;
  // A copy of what lies in the host's memory. Lives as long as this.
  Result<std::byte*> copied(std::span<const std::byte> host);
  void* stream() const { return stream_; }

  // What queues calls, behind a gate of the judge's where there is one; without one until the card
  // has done it all. An error is the candidate's: what it has queued broke.
  Status around(uint32_t gate, const std::function<void()>& calls) const;
  // Tells a profiler, where there is one, that what is queued by `calls` is to be looked at.
  void profiled(const std::function<void()>& calls) const;

 private:
  CalledOnCard(const Driver* cuda, SharedMemory memory, Json layout)
      : cuda_(cuda), memory_(std::move(memory)), layout_(std::move(layout)) {}
  Address word(uint64_t number) const;

  const Driver* cuda_;
  SharedMemory memory_;
  Json layout_;
  std::vector<PrivateMemory> copies_;
  Stream stream_ = nullptr;
};

}  // namespace assay::cuda
