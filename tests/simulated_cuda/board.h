// Queues of work, and what of them processes share: it lies behind the memory, in the same file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace simulated {

// What a stream does, one after the other. All addresses are those of who does it.
struct Operation {
  enum class Kind : uint32_t { copy, fill, wait, write, record, launch };
  Kind kind = Kind::copy;
  uint32_t value = 0;                       // of a word, or to fill with; of `launch`: a Kernel
  uint32_t flags = 0;                       // of `wait`
  bool to_host = false, from_host = false;  // and not the card's memory
  uint64_t to = 0, from = 0;
  uint64_t to_pitch = 0, from_pitch = 0;
  uint64_t width_bytes = 0, rows = 1;
  uint64_t microseconds = 0;

  uint64_t to_bytes() const { return rows == 0 ? 0 : (rows - 1) * to_pitch + width_bytes; }
  uint64_t from_bytes() const { return rows == 0 ? 0 : (rows - 1) * from_pitch + width_bytes; }
};

// A stream. Words are futexes.
struct Queue {
  static constexpr uint32_t kCapacity = 1024;
  std::atomic<uint32_t> submitted;
  std::atomic<uint32_t> done;
  std::atomic<uint32_t> closed;  // nothing more comes
  Operation operations[kCapacity];
};

// An event: when it was come to, as often as it was recorded.
struct Moment {
  std::atomic<uint32_t> asked;
  std::atomic<uint32_t> done;
  std::atomic<int64_t> ns;
};

// Between who made memory, and does the work, and who has imported it.
struct Board {
  static constexpr uint64_t kMagic = 0x64657461'6c756d69;
  static constexpr uint32_t kQueues = 8;
  static constexpr uint64_t kOwnBytes = 64 << 20;  // for the importer's own memory
  uint64_t magic;
  uint64_t owner;  // where who made it has mapped the file
  uint64_t memory_bytes;
  std::atomic<uint64_t> own_used;
  std::atomic<uint32_t> queue_count;
  std::atomic<uint32_t> stop;
  std::atomic<uint32_t> fault;  // of the importer
  Queue queues[kQueues];
};
inline constexpr uint64_t kBoardBytes = (sizeof(Board) + 4095) / 4096 * 4096;

}  // namespace simulated
