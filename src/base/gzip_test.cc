#include "base/gzip.h"

#include <gtest/gtest.h>

#include "read_gzip.h"

namespace assay {
namespace {

TEST(Gzip, IsReadAsWhatItWas) {
  std::string text;
  for (size_t size : {0, 1, 2, 3, 4, 1000, 100'000}) {
    text.resize(size, static_cast<char>(size * 7));
    for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i >> 3);
    const std::string written = gzip_as_base64(text);
    EXPECT_EQ(written.size() % 4, 0u);
    EXPECT_EQ(written.find_first_of("<>&\"\n"), std::string::npos) << "a page holds it as it is";
    EXPECT_EQ(read_gzip(written), text) << size;
  }
}

TEST(Gzip, OfManyBytesThatAreAlikeIsSmall) {
  EXPECT_LT(gzip_as_base64(std::string(1 << 20, 'x')).size(), 4000u);
}

}  // namespace
}  // namespace assay
