#include "sandbox/capture.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

void Capture::add(std::string_view bytes) {
  total_ += bytes.size();
  size_t to_head = std::min(bytes.size(), keep_each_ - head_.size());
  head_ += bytes.substr(0, to_head);
  tail_ += bytes.substr(to_head);
  if (tail_.size() > 2 * keep_each_) tail_.erase(0, tail_.size() - keep_each_);
}

std::string Capture::text() const {
  std::string_view tail = tail_;
  if (tail.size() > keep_each_) tail.remove_prefix(tail.size() - keep_each_);
  uint64_t left_out = total_ - head_.size() - tail.size();
  if (left_out == 0) return head_ + std::string(tail);
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", head_, left_out, tail);
}

}  // namespace assay
