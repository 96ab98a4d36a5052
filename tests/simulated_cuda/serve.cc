// A stream's thread.
#include <time.h>

#include <algorithm>
#include <cstring>

#include "process.h"
#include "sandbox/futex.h"

namespace simulated {
namespace {

constexpr int64_t kLookNs = 10'000'000;

void rest(int64_t ns) {
  timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
  ::nanosleep(&time, nullptr);
}

bool is_reached(uint32_t word, uint32_t value, uint32_t flags) {
  switch (flags & 3) {
    case 0:
      return static_cast<int32_t>(word - value) >= 0;
    case 1:
      return word == value;
    case 2:
      return (word & value) != 0;
    default:
      return ~(word | value) != 0;
  }
}

class Doing {
 public:
  Doing(const Operation& operation, const Side& side) : operation_(operation), side_(side) {}

  void all() {
    switch (operation_.kind) {
      case Operation::Kind::copy:
        return copy();
      case Operation::Kind::fill:
        return fill();
      case Operation::Kind::wait:
        return wait();
      case Operation::Kind::write:
        return write();
      case Operation::Kind::record:
        return record();
      case Operation::Kind::launch:
        return launch();
    }
  }

 private:
  // Memory stays until the lock goes.
  std::shared_lock<std::shared_mutex> hold() {
    return side_.guard != nullptr ? std::shared_lock(*side_.guard)
                                  : std::shared_lock<std::shared_mutex>();
  }
  // Null: a fault.
  std::byte* place(bool is_host, uint64_t address, uint64_t bytes) {
    if (is_host) return reinterpret_cast<std::byte*>(address);
    std::byte* found = side_.place(address, bytes);
    if (found == nullptr) side_.fault(kIllegalAddress);
    return found;
  }
  std::byte* to() { return place(operation_.to_host, operation_.to, operation_.to_bytes()); }
  std::byte* from() {
    return place(operation_.from_host, operation_.from, operation_.from_bytes());
  }
  std::atomic<uint32_t>* word() { return reinterpret_cast<std::atomic<uint32_t>*>(to()); }

  void copy() {
    const auto held = hold();
    std::byte* into = to();
    const std::byte* out_of = from();
    if (into == nullptr || out_of == nullptr) return;
    for (uint64_t row = 0; row < operation_.rows; ++row)
      std::memmove(into + row * operation_.to_pitch, out_of + row * operation_.from_pitch,
                   operation_.width_bytes);
  }
  void fill() {
    const auto held = hold();
    if (std::byte* into = to())
      for (uint64_t at = 0; at + 4 <= operation_.width_bytes; at += 4)
        std::memcpy(into + at, &operation_.value, 4);
  }
  bool is_through() {
    const auto held = hold();
    const std::atomic<uint32_t>* at = word();
    return at != nullptr && is_reached(at->load(), operation_.value, operation_.flags);
  }
  void wait() {
    int64_t pause_ns = 20'000;
    while (!side_.is_over() && !side_.is_faulty() && !is_through()) {
      rest(pause_ns);
      pause_ns = std::min<int64_t>(pause_ns + 10'000, 500'000);
    }
  }
  void write() {
    const auto held = hold();
    if (std::atomic<uint32_t>* at = word()) at->store(operation_.value);
  }
  void record() {
    const auto held = hold();
    auto* moment = reinterpret_cast<Moment*>(to());
    if (moment == nullptr) return;
    moment->ns.store(monotonic_ns());
    moment->done.fetch_add(1);
  }
  void compute() {
    const auto held = hold();
    auto* y = reinterpret_cast<float*>(to());
    const auto* x = reinterpret_cast<const float*>(from());
    if (y == nullptr || x == nullptr) return;
    for (uint64_t i = 0; i < operation_.width_bytes / sizeof *x; ++i) y[i] = 2 * x[i] + 1;
  }
  void launch() {
    switch (static_cast<Kernel>(operation_.value)) {
      case Kernel::compute:
        return compute();
      case Kernel::rest:
        return rest(static_cast<int64_t>(operation_.microseconds) * 1000);
      case Kernel::never_end:
        while (!side_.is_over() && !side_.is_faulty()) rest(1'000'000);
        return;
      case Kernel::wrong_address:
        return side_.fault(kIllegalAddress);
    }
  }

  const Operation& operation_;
  const Side& side_;
};

}  // namespace

int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

void serve(Queue& queue, const Side& side) {
  uint32_t done = queue.done.load();
  while (!side.is_over()) {
    if (queue.submitted.load(std::memory_order_acquire) == done) {
      if (queue.closed.load() != 0) return;
      assay::sandbox::sleep_while(queue.submitted, done, kLookNs);
      continue;
    }
    const Operation operation = queue.operations[done % Queue::kCapacity];
    // An event that is never come to could not be used again when a test has mended the fault.
    const bool is_dropped = side.is_faulty() && operation.kind != Operation::Kind::record;
    if (!is_dropped) Doing(operation, side).all();
    queue.done.store(++done, std::memory_order_release);
    assay::sandbox::wake_all(queue.done);
  }
}

}  // namespace simulated
