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

TEST(ExtensionBuild, CodeMayAskForWhatTheCompilerAloneSays) {
  for (const char* code :
       {"int a;", "#include <vector>", "#ifdef _OPENMP\n#include <omp.h>\n#endif",
        "#if defined(__AVX2__) && !defined(__AVX512F__)\n#else\n#endif",
        "# if __cplusplus >= 201703L", "#pragma omp parallel for if(n > 7)", "#if 0",
        "#elif __GNUC__ > 12"})
    EXPECT_FALSE(depends_on_what_is_included({{"a.cpp", code}})) << code;
  for (const char* code :
       {"#ifdef TORCH_VERSION", "#  ifndef GUARD_H", "#if __has_include(<omp.h>)",
        "#if defined(__AVX2__) && AT_PARALLEL_OPENMP", "#if 0 || \\\n X", "#elif defined X",
        "#elifdef X", "int a;\n#if A", "#if __GLIBC__"})
    EXPECT_TRUE(depends_on_what_is_included({{"b.h", "int b;"}, {"a.cpp", code}})) << code;
}

TEST(ExtensionBuild, PunctuationIsMendedByNoHeader) {
  for (const char* printed :
       {"main.cpp:11:43: error: expected ';' before '}' token\n   11 |     y = 1\n",
        "main.cpp:11:43: error: expected \u2018;\u2019 before \u2018}\u2019 token\n",
        "main.cpp:3:1: error: expected '}' at end of input\n",
        "main.cpp:3:1: error: expected ',' or ';' before 'return'\n"})
    EXPECT_TRUE(lacks_only_punctuation(printed)) << printed;
  for (const char* printed :
       {"", "main.cpp:1:1: error: 'Foo' was not declared in this scope\n",
        "a.cpp:1:1: error: 'F' does not name a type\na.cpp:1:2: error: expected ';' before 'x'\n",
        // Without the macro TORCH_LIBRARY.
        "main.cpp:4:14: error: expected constructor, destructor, or type conversion before '('\n",
        "main.cpp:4:14: error: expected primary-expression before '>' token\n",
        "main.cpp:4:14: fatal error: x.h: No such file or directory\n",
        "main.cpp:1:1: error: expected ';' before '}' token\n[... 9 bytes left out ...]\n"})
    EXPECT_FALSE(lacks_only_punctuation(printed)) << printed;
}

}  // namespace
}  // namespace assay
