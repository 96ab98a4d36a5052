#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

// Keeps the beginning and the end of a stream that may be long, and counts all of it.
class Capture {
 public:
  explicit Capture(size_t keep_each = 32 * 1024) : keep_each_(keep_each) {}

  void add(std::string_view bytes);
  uint64_t total_bytes() const { return total_; }
  // "beginning\n[... 123 bytes left out ...]\nend".
  std::string text() const;

 private:
  size_t keep_each_;
  uint64_t total_ = 0;
  std::string head_;
  std::string tail_;  // may hold up to twice what is kept, so that trimming is rare
};

}  // namespace assay
