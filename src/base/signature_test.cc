#include "base/signature.h"

#include <gtest/gtest.h>

#include "base/gzip.h"

namespace assay {
namespace {

TEST(Signature, HoldsForTheBytesAndTheKey) {
  auto key = SigningKey::make();
  ASSERT_TRUE(key) << key.error().describe();
  const std::string signature = key->sign("what was said");
  EXPECT_TRUE(is_signed_by(key->public_key(), "what was said", signature));
  EXPECT_FALSE(is_signed_by(key->public_key(), "what was sajd", signature));
  EXPECT_FALSE(is_signed_by(SigningKey::make()->public_key(), "what was said", signature));
  std::string other = signature;
  other[3] = other[3] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(is_signed_by(key->public_key(), "what was said", other));
  for (const char* bad : {"", "AAAA", "not base64!", "===="}) {
    EXPECT_FALSE(is_signed_by(bad, "what was said", signature)) << bad;
    EXPECT_FALSE(is_signed_by(key->public_key(), "what was said", bad)) << bad;
  }
}

// The first test vector of RFC 8032.
TEST(Signature, IsThatOfTheStandard) {
  const std::string pem =
      "-----BEGIN PRIVATE KEY-----\n"
      "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
      "-----END PRIVATE KEY-----\n";
  auto key = SigningKey::from_pem(pem, "the test's key");
  ASSERT_TRUE(key) << key.error().describe();
  EXPECT_EQ(key->pem(), pem);
  EXPECT_EQ(key->public_key(), "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
  EXPECT_EQ(
      key->sign(""),
      "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==");
}

TEST(Signature, WhatIsNoKeyIsOneClearError) {
  for (const char* bad :
       {"", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}) {
    auto key = SigningKey::from_pem(bad, "key.pem");
    ASSERT_FALSE(key);
    EXPECT_TRUE(key.error().message.contains("key.pem is no private key"));
  }
}

TEST(Base64, WhatIsWrittenIsRead) {
  for (const char* bytes : {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xff\x80 "})
    EXPECT_EQ(bytes_of_base64(base64(bytes)), bytes);
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  for (const char* bad :
       {"Zg", "Zg=", "Zh==", "Z===", "====", "Zm9v=", "Zg==Zg==", "Zm 9", "Zm9\n"})
    EXPECT_EQ(bytes_of_base64(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace assay
