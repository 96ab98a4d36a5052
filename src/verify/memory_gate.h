#pragma once

#include <cstdint>
#include <utility>

#include "base/status.h"

namespace assay {

// Where a verification asks for the machine's memory before it takes it. Many pass at once, as long
// as there is enough for all; the others wait.
class MemoryGate {
 public:
  virtual ~MemoryGate() = default;
  // Blocks until so many bytes may be taken, and returns `bytes`. Fewer: so many is all that there
  // ever is. Fails with Code::interrupted once the user interrupts. From any thread.
  virtual Result<uint64_t> enter(uint64_t bytes) = 0;
  // What enter() has let in is free again.
  virtual void leave(uint64_t bytes) = 0;
};

// Leaves by itself.
class MemoryPass {
 public:
  MemoryPass() = default;
  MemoryPass(MemoryGate& gate, uint64_t bytes) : gate_(&gate), bytes_(bytes) {}
  MemoryPass(MemoryPass&& other) noexcept
      : gate_(std::exchange(other.gate_, nullptr)), bytes_(other.bytes_) {}
  MemoryPass& operator=(MemoryPass&& other) noexcept {
    std::swap(gate_, other.gate_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryPass() {
    if (gate_ != nullptr) gate_->leave(bytes_);
  }

 private:
  MemoryGate* gate_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace assay
