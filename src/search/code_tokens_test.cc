#include "search/code_tokens.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

bool same(std::string_view a, std::string_view b, bool python) {
  return hash_of_tokens(a, python) == hash_of_tokens(b, python);
}

TEST(CodeTokens, CommentsAndLayoutOfCAreNothing) {
  EXPECT_TRUE(same("int f(int a) { return a + 1; }",
                   "// adds one\nint f( int a )\n{\n  /* a\n  b */ return a+1;\n}\n", false));
  EXPECT_TRUE(same("#define N 4\nint a[N];", "#define   N  4  // so many\n\nint a[N];\n", false));
}

TEST(CodeTokens, WhatMeansSomethingStaysDifferent) {
  const std::pair<const char*, const char*> different[] = {
      {"int a;", "inta;"},
      {"a + +b", "a++ b"},
      {"a - -b", "a-- b"},
      {"x = \"a // b\";", "x = \"a \";"},
      {"x = \"a  b\";", "x = \"a b\";"},
      {"#define N 4\nint a;", "#define N 4 int a;"},
      {"#define F (x)", "#define F(x)"},
      {"return 1;", "return 2;"},
      {"a / *p", "a /* p"},
  };
  for (const auto& [a, b] : different) EXPECT_FALSE(same(a, b, false)) << a << " | " << b;
}

TEST(CodeTokens, PythonKeepsItsIndent) {
  EXPECT_TRUE(same("def f(x):\n    return x + 1\n",
                   "# adds one\ndef f( x ):\n\n    return x+1  # so\n", true));
  EXPECT_FALSE(same("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", true));
  EXPECT_FALSE(same("x = '# a'\n", "x = '# b'\n", true));
  EXPECT_FALSE(same("x = \"\"\"\n# a\n\"\"\"\n", "x = \"\"\"\n\"\"\"\n", true));
}

TEST(CodeTokens, TextsThatAreNotClosedEndSomewhere) {
  for (const char* code : {"\"", "'", "\"\"\"", "/*", "\"\\", "#", "a\\\n", "'a\n\"b"})
    for (bool python : {true, false}) EXPECT_EQ(hash_of_tokens(code, python).size(), 64u) << code;
}

}  // namespace
}  // namespace assay
