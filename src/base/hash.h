#pragma once

#include <string>
#include <string_view>

namespace assay {

// SHA-256 as 64 lower-case hexadecimal digits. Names what the cache holds, some of it written by
// people who would like one kernel to be taken for another: so a cryptographic hash, not a fast
// one.
std::string sha256(std::string_view bytes);

// The same of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();
  void add(std::string_view bytes);
  std::string finish();  // once

 private:
  void* state_;
};

}  // namespace assay
