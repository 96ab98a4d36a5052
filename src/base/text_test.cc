// escape.h, words.h, hash.h, json.h, text.h: what becomes of text.
#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "base/escape.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/words.h"

namespace assay {
namespace {

TEST(Text, LettersOfAsciiAreMadeSmall) {
  EXPECT_EQ(lower_case("Content-TYPE: x-9"), "content-type: x-9");
  EXPECT_EQ(lower_case("\xc3\x84@[`{"), "\xc3\x84@[`{");
  EXPECT_EQ(lower_case(""), "");
}

TEST(Text, BlanksAtEitherEndGo) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Escape, ComponentsAreSafeFileNames) {
  EXPECT_EQ(escape_component("1_matmul-v2.x"), "1_matmul-v2.x");
  EXPECT_EQ(escape_component("a b/c"), "a%20b%2Fc");
  EXPECT_EQ(escape_component(".."), "%2E.");
  EXPECT_EQ(escape_component("50%"), "50%25");
  EXPECT_EQ(escape_component("\n\xc3\xa9"), "%0A%C3%A9");
  EXPECT_NE(escape_component(""), "");
  std::string one, two;
  for (int i = 0; i < 100; ++i) one += "\xe9\x87\x8f";
  two = one + "x";
  EXPECT_LE(escape_component(one).size(), 200u);
  EXPECT_NE(escape_component(one), escape_component(two));
}

TEST(Escape, StrangersCannotMoveTheCursor) {
  EXPECT_EQ(printable("\x1b[2Jx\ty\nz", false), "\\x1b[2Jx\\x09y\\nz");
  EXPECT_EQ(printable("x\ty\nz\r", true), "x\ty\nz\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m \xe2\x80\xae \xc3\xa9",
                      true),
            "\\xc2\\x9b"
            "1m \\xe2\\x80\\xae \xc3\xa9");
}

TEST(Escape, ShellWordsAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_quote("a/b-c.py"), "a/b-c.py");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a\nb'c"), "$'a\\x0ab\\'c'");
  EXPECT_EQ(shell_quote("\u00e9 "), "'\u00e9 '");
  EXPECT_EQ(shell_quote("\u202eb"), "$'\\xe2\\x80\\xaeb'") << "what a terminal would turn around";
  EXPECT_EQ(shell_quote("\xff"), "$'\\xff'");
}

TEST(Words, TypingSlipsFindTheirWord) {
  std::vector<std::string> known{"local", "a100", "vulkan"};
  EXPECT_EQ(suggestion("locl", known), " (did you mean 'local'?)");
  EXPECT_EQ(suggestion("zzzzzz", known), "; known are: local, a100, vulkan");
}

TEST(Hash, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Json, StrictReadingNamesTheField) {
  auto json = parse_json(R"({"a": 1, "b": "x", "c": null, "d": 1.5})", "it");
  ASSERT_TRUE(json);
  JsonReader fields(*json, "it");
  EXPECT_EQ(fields.integer("a"), 1);
  EXPECT_EQ(fields.text("b"), "x");
  EXPECT_FALSE(fields.optional_text("c"));
  EXPECT_TRUE(fields.status());
  fields.integer("d");
  EXPECT_EQ(fields.status().error().message, "it: 'd' is not an integer");
}

TEST(Json, HostileTextIsRefused) {
  EXPECT_FALSE(parse_json("", "it"));
  EXPECT_FALSE(parse_json("{", "it"));
  EXPECT_FALSE(parse_json("{} {}", "it"));
  EXPECT_FALSE(parse_json(std::string(100'000, '['), "it"));
  EXPECT_FALSE(parse_json("\"\xff\"", "it"));
  auto number = parse_json(R"({"a": 18446744073709551615})", "it");
  ASSERT_TRUE(number);
  JsonReader fields(*number, "it");
  fields.integer("a");
  EXPECT_FALSE(fields.status());
}

TEST(Json, BytesThatAreNoTextAreWrittenAllTheSame) {
  EXPECT_EQ(dump_json(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

TEST(Text, Utf8ReplacesWhatIsNoCharacter) {
  const std::string replaced = "\xef\xbf\xbd";
  for (const char* valid : {"", "abc", "\u00e9", "\u91cf", "\U0001f600", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(utf8(valid), valid);
  EXPECT_EQ(utf8("a\xff"
                 "b"),
            "a" + replaced + "b");
  EXPECT_EQ(utf8("\xc3"), replaced);
  EXPECT_EQ(utf8("\xc0\x80"), replaced + replaced) << "overlong";
  EXPECT_EQ(utf8("\xed\xa0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(utf8("\xf4\x90\x80\x80"), replaced + replaced + replaced + replaced);
  EXPECT_EQ(utf8("\xe2\x82"
                 "a"),
            replaced + replaced + "a");
}

TEST(Json, SomeValuesOutOfAText) {
  constexpr std::array<std::string_view, 1> kKeys{"n"};
  auto find = [&](std::string_view text) { return values_in_json(text, kKeys)[0]; };
  EXPECT_EQ(find(R"({"n":5})"), "5");
  EXPECT_EQ(find(R"({"a":{"n":1},"b":["n",{"n":2}],"c":"\"n\":3","n" : -4 , "d":1})"), "-4");
  EXPECT_EQ(find(R"({"a":"n","n":7})"), "7") << "a value is no key";
  EXPECT_EQ(find(R"({"n": {"n": [1, "}"]} })"), R"({"n": [1, "}"]})");
  EXPECT_EQ(find(R"({"n":"a,b\"}","m":1})"), R"("a,b\"}")");
  EXPECT_EQ(find(R"({"n":[],"n":2})"), "[]") << "the first";
  for (const char* none : {"", "{", "{}", R"({"n"})", R"({"n":5)", R"({"m":5})", R"(["n",5])",
                           R"("n":5)", R"({"n)", R"({"n\)"})
    EXPECT_EQ(find(none), "") << none;
  constexpr std::array<std::string_view, 3> kThree{"c", "x", "a"};
  EXPECT_EQ(values_in_json(R"({"a":1,"b":2,"c":[3]})", kThree),
            (std::vector<std::string_view>{"[3]", "", "1"}));
}

}  // namespace
}  // namespace assay
