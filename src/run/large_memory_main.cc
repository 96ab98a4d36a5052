// A shared library that is preloaded into programs in Python that are timed, their zygotes and
// IREE's runner: large blocks, aligned as torch asks for them or zeroed as IREE does, come from
// memory of its own.
//
// Blocks lie in huge pages that are there before they are handed out, and are kept when they are
// freed. Fresh pages cost a small operation more than the operation itself; who calls a kernel in
// earnest, again and again, does not pay for them. Where in its first page a block begins is drawn
// each time: two programs that differ in nothing would otherwise differ by where malloc happens to
// put their tensors, by a seventh, in all windows of a process.
//
// It is in the hands of who is timed, and trusted with nothing.
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

// glibc's own, whatever is preloaded.
extern "C" {
void* __libc_calloc(size_t count, size_t each_bytes);
void __libc_free(void* block);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

constexpr size_t kLarge = size_t{512} << 10;  // smaller ones are malloc's
constexpr size_t kHuge = size_t{2} << 20;     // a huge page
constexpr size_t kLine = 64, kLines = 64;     // a block begins in the first 4 KiB of its first page
constexpr size_t kMostBlocks = 1 << 14;       // a power of two

// Of one block; its memory begins at a multiple of kHuge.
struct Block {
  uintptr_t base = 0;
  size_t room = 0;   // of it all, a multiple of kHuge
  size_t bytes = 0;  // that it was asked for with
  bool is_free = false;
};

// By base, in the order of a hash with linear probing; no block ever leaves it. And all of them, in
// the order in which they were made.
Block g_blocks[kMostBlocks];
Block* g_all[kMostBlocks / 2];
size_t g_count = 0;
uintptr_t g_lowest = UINTPTR_MAX, g_highest = 0;
uint64_t g_random = 0;
pid_t g_seeded_by = 0;  // a process; its forks are to have others

class Lock {
 public:
  Lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { flag_.clear(std::memory_order_release); }

 private:
  static inline std::atomic_flag flag_;
};

size_t place_of(uintptr_t base) { return base / kHuge * 0x9E3779B97F4A7C15U >> 50; }

// The block that an address lies in the first page of; null: it is none of ours.
Block* find(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number < g_lowest || number > g_highest) return nullptr;
  const uintptr_t base = number / kHuge * kHuge;
  for (size_t at = place_of(base);; ++at) {
    Block& block = g_blocks[at % kMostBlocks];
    if (block.base == base) return &block;
    if (block.base == 0) return nullptr;
  }
}

// xorshift: nobody has anything of knowing it.
uint64_t random_number() {
  if (const pid_t self = getpid(); g_seeded_by != self) {
    if (getrandom(&g_random, sizeof g_random, 0) != sizeof g_random || g_random == 0) g_random = 1;
    g_seeded_by = self;
  }
  g_random ^= g_random << 13;
  g_random ^= g_random >> 7;
  g_random ^= g_random << 17;
  return g_random;
}

Block* make_block(size_t room) {
  if (g_count >= kMostBlocks / 2) return nullptr;
  void* memory =
      mmap(nullptr, room + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t base = (begin + kHuge - 1) / kHuge * kHuge;
  if (base > begin) munmap(memory, base - begin);
  munmap(reinterpret_cast<void*>(base + room), begin + kHuge - base);
  auto* data = reinterpret_cast<void*>(base);
  madvise(data, room, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
  madvise(data, room, MADV_POPULATE_WRITE);  // where it cannot, pages come when they are touched
#endif
  size_t at = place_of(base);
  while (g_blocks[at % kMostBlocks].base != 0) ++at;
  Block& block = g_blocks[at % kMostBlocks];
  block = {base, room, 0, false};
  g_all[g_count++] = &block;
  g_lowest = std::min(g_lowest, base);
  g_highest = std::max(g_highest, base + kHuge);
  return &block;
}

void* take(size_t bytes) {
  const size_t room = (bytes + kLine * kLines + kHuge - 1) / kHuge * kHuge;
  const Lock lock;
  Block* found = nullptr;  // the smallest that is free and large enough, but not far larger
  for (size_t n = 0; n < g_count; ++n) {
    Block& block = *g_all[n];
    if (block.is_free && block.room >= room && block.room <= 2 * room &&
        (!found || block.room < found->room))
      found = &block;
  }
  if (!found) found = make_block(room);
  if (!found) return nullptr;
  found->is_free = false;
  found->bytes = bytes;
  return reinterpret_cast<void*>(found->base + random_number() % kLines * kLine);
}

bool is_large(size_t alignment, size_t bytes) {
  return bytes >= kLarge && bytes < SIZE_MAX / 2 && alignment <= kLine;
}

}  // namespace

extern "C" {

int posix_memalign(void** place, size_t alignment, size_t bytes) {
  void* block = is_large(alignment, bytes) ? take(bytes) : nullptr;
  if (!block) block = __libc_memalign(alignment, bytes);
  if (!block) return ENOMEM;
  *place = block;
  return 0;
}

void* calloc(size_t count, size_t each_bytes) {
  size_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(count, each_bytes, &bytes);
  void* block = fits && is_large(1, bytes) ? take(bytes) : nullptr;
  return block ? std::memset(block, 0, bytes) : __libc_calloc(count, each_bytes);
}

void free(void* address) {
  if (address != nullptr && g_count > 0) {
    const Lock lock;
    if (Block* block = find(address)) {
      block->is_free = true;
      return;
    }
  }
  __libc_free(address);
}

void* realloc(void* address, size_t bytes) {
  size_t before = 0;
  if (address != nullptr && g_count > 0) {
    const Lock lock;
    if (const Block* block = find(address)) before = block->bytes;
  }
  if (before == 0) return __libc_realloc(address, bytes);
  void* other = __libc_memalign(kLine, bytes);
  if (!other) return nullptr;
  std::memcpy(other, address, std::min(before, bytes));
  free(address);
  return other;
}

}  // extern "C"
