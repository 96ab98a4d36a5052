// Words in memory that two processes share, and sleep on. No dependency beyond the C library.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace assay::sandbox {

// None is FUTEX_PRIVATE_FLAG: the other end is another process. Both return 0 or an errno.

inline int wake_all(std::atomic<uint32_t>& word) {
  return ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0) < 0 ? errno : 0;
}

// Sleeps while the word has this value, `patience_ns` at most (negative: for ever). May also return
// for nothing: look at the word again.
inline int sleep_while(std::atomic<uint32_t>& word, uint32_t value, int64_t patience_ns = -1) {
  timespec patience{patience_ns / 1'000'000'000, patience_ns % 1'000'000'000};
  const timespec* limit = patience_ns < 0 ? nullptr : &patience;
  return ::syscall(SYS_futex, &word, FUTEX_WAIT, value, limit, nullptr, 0) < 0 ? errno : 0;
}

}  // namespace assay::sandbox
