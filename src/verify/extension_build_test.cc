#include "verify/extension_build.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Flags = std::vector<std::string>;

const Flags kTorch{"/python/include", "/torch/include", "/torch/include/api"};

TEST(ExtensionBuild, OneHeaderIsForAllThatDifferInWhatDoesNotMatter) {
  auto plain = header_flags({"c++", "-I.", "-isystem", "/torch/include", "-fPIC", "-O3"}, kTorch);
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain,
            (Flags{"c++", "-isystem", "/torch/include", "-fPIC", "-O3", "-x", "c++-header"}));
  EXPECT_EQ(plain, header_flags({"c++", "-isystem", "/torch/include", "-DTORCH_EXTENSION_NAME=a",
                                 "-Wall", "-fPIC", "-O2"},
                                kTorch));
  EXPECT_EQ(plain, header_flags({"c++", "-isystem", "/torch/include", "-isystem", "/torch/include",
                                 "-O3", "-fPIC", "-fPIC", "-O1", "-O3"},
                                kTorch))
      << "however often each is said";
}

TEST(ExtensionBuild, NoneIsMadeWithFoldersThatAreNotTorchsOrFlagsThatSayMore) {
  EXPECT_FALSE(header_flags({"c++", "-isystem", "/torch/include", "-isystem", "/x"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-isystem", "/torch/include/../include"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-isystem"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-I/torch/include"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-wrapper", "sh,-c,sleep 9"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-Wp,-include,/x"}, kTorch));
  EXPECT_FALSE(header_flags({"c++", "-isystem", "/torch/include"}, {}));
}

}  // namespace
}  // namespace assay
