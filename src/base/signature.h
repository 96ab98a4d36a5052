// Ed25519 (RFC 8032), by OpenSSL: what is signed can't be changed without its private key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace assay {

// Public keys and signatures are base64, on one line.
class SigningKey {
 public:
  static Result<SigningKey> make();
  // Of a private key in PEM (PKCS #8), without a passphrase.
  static Result<SigningKey> from_pem(const std::string& pem, const std::string& what);
  SigningKey(SigningKey&& other) noexcept;
  SigningKey& operator=(SigningKey&&) = delete;
  ~SigningKey();

  std::string pem() const;
  std::string public_key() const;
  std::string sign(std::string_view bytes) const;

 private:
  explicit SigningKey(void* key) : key_(key) {}
  void* key_;
};

bool is_signed_by(const std::string& public_key, std::string_view bytes,
                  const std::string& signature);

}  // namespace assay
