#include "base/signature.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/gzip.h"

namespace assay {
namespace {

constexpr size_t kKeyBytes = 32, kSignatureBytes = 64;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

EVP_PKEY* as_key(void* key) { return static_cast<EVP_PKEY*>(key); }

// Nobody is asked for a passphrase.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

Result<SigningKey> SigningKey::make() {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  if (!key)
    return error(Code::unavailable, "this machine's OpenSSL makes no keys for Ed25519",
                 "its configuration may allow other algorithms alone");
  return SigningKey(key);
}

Result<SigningKey> SigningKey::from_pem(const std::string& pem, const std::string& what) {
  Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) throw std::bad_alloc();
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED25519) return SigningKey(key.release());
  return error(Code::invalid_input,
               what + " is no private key for Ed25519, in PEM and without a passphrase",
               "`assay receipt --new-key` makes one");
}

SigningKey::SigningKey(SigningKey&& other) noexcept : key_(std::exchange(other.key_, nullptr)) {}

SigningKey::~SigningKey() { EVP_PKEY_free(as_key(key_)); }

std::string SigningKey::pem() const {
  Owned<BIO> bio(BIO_new(BIO_s_mem()));
  if (!bio ||
      PEM_write_bio_PrivateKey(bio.get(), as_key(key_), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    throw std::bad_alloc();
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<size_t>(size)};
}

std::string SigningKey::public_key() const {
  std::string bytes(kKeyBytes, '\0');
  size_t size = bytes.size();
  if (EVP_PKEY_get_raw_public_key(as_key(key_), reinterpret_cast<unsigned char*>(bytes.data()),
                                  &size) != 1 ||
      size != kKeyBytes)
    throw std::bad_alloc();
  return base64(bytes);
}

std::string SigningKey::sign(std::string_view bytes) const {
  std::string signature(kSignatureBytes, '\0');
  size_t size = signature.size();
  Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, as_key(key_)) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes_of(bytes), bytes.size()) != 1 ||
      size != kSignatureBytes)
    throw std::bad_alloc();
  return base64(signature);
}

bool is_signed_by(const std::string& public_key, std::string_view bytes,
                  const std::string& signature) {
  const auto key_bytes = bytes_of_base64(public_key);
  const auto signature_bytes = bytes_of_base64(signature);
  if (!key_bytes || key_bytes->size() != kKeyBytes || !signature_bytes ||
      signature_bytes->size() != kSignatureBytes)
    return false;
  Owned<EVP_PKEY> key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*key_bytes),
                                                  key_bytes->size()));
  Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(*signature_bytes), signature_bytes->size(),
                          bytes_of(bytes), bytes.size()) == 1;
}

}  // namespace assay
