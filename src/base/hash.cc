#include "base/hash.h"

#include <openssl/evp.h>

#include <cassert>

namespace assay {

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  assert(done == 1 && size == 32);
  (void)done;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace assay
