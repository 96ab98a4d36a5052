#include "run/extension.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay {
namespace {

Json request() {
  return Json::parse(R"({
    "digest": "0a1b", "name": "fused_v1",
    "files": [{"name": "main.cpp", "text": "int a;"}, {"name": "a/b.h", "text": ""}],
    "sources": ["main.cpp"], "compile": ["-I.", "-O3"], "link": ["-lgomp"]})");
}

TEST(Extension, IsReadAsItIsAskedFor) {
  auto read = extension_from_json(request());
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->digest, "0a1b");
  EXPECT_EQ(read->name, "fused_v1");
  EXPECT_EQ(read->device, "");
  ASSERT_EQ(read->files.size(), 2u);
  EXPECT_EQ(read->files[0].name, "main.cpp");
  EXPECT_EQ(read->files[0].text, "int a;");
  EXPECT_EQ(read->files[1].name, "a/b.h");
  EXPECT_EQ(read->sources, std::vector<std::string>{"main.cpp"});
  EXPECT_EQ(read->compile_flags, (std::vector<std::string>{"-I.", "-O3"}));
  EXPECT_EQ(read->link_flags, std::vector<std::string>{"-lgomp"});
}

TEST(Extension, ForADeviceHasNoFiles) {
  auto read =
      extension_from_json(Json::parse(R"({"digest": "1", "name": "fused", "device": "cuda"})"));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->device, "cuda");
  EXPECT_TRUE(read->files.empty());
}

using Wrong = std::pair<std::string, std::string>;  // a field, and what it says
class WrongExtension : public testing::TestWithParam<Wrong> {};
TEST_P(WrongExtension, IsRefused) {
  Json asked = request();
  asked[GetParam().first] = Json::parse(GetParam().second);
  EXPECT_FALSE(extension_from_json(asked));
}
INSTANTIATE_TEST_SUITE_P(
    Extension, WrongExtension,
    testing::Values(Wrong{"digest", "7"}, Wrong{"digest", R"("")"}, Wrong{"digest", R"("../x")"},
                    Wrong{"name", R"("a b")"}, Wrong{"name", R"("")"}, Wrong{"device", R"("a b")"},
                    Wrong{"files", "{}"}, Wrong{"files", "[7]"}, Wrong{"files", "[]"},
                    Wrong{"files", R"([{"name": "main.cpp"}])"},
                    Wrong{"files", R"([{"name": "../main.cpp", "text": ""}])"},
                    Wrong{"files", R"([{"name": "a/../../main.cpp", "text": ""}])"},
                    Wrong{"files", R"([{"name": "/main.cpp", "text": ""}])"},
                    Wrong{"files", R"([{"name": "a//main.cpp", "text": ""}])"},
                    Wrong{"files", R"([{"name": "a/", "text": ""}])"},
                    Wrong{"files", R"([{"name": "a/.b/main.cpp", "text": ""}])"},
                    Wrong{"files", R"([{"name": "-o", "text": ""}])"},
                    Wrong{"files", R"([{"name": "..", "text": ""}])"}, Wrong{"sources", "[]"},
                    Wrong{"sources", R"(["other.cpp"])"}, Wrong{"compile", R"("-O3")"},
                    Wrong{"compile", "[1]"}, Wrong{"link", "null"}));

TEST(Extension, IsOfALimitedSize) {
  Json many = request();
  for (int i = 0; i < 100; ++i)
    many["files"].push_back({{"name", std::to_string(i) + ".h"}, {"text", ""}});
  EXPECT_FALSE(extension_from_json(many));
  Json flags = request();
  for (int i = 0; i < 1000; ++i) flags["compile"].push_back("-DX");
  EXPECT_FALSE(extension_from_json(flags));
}

}  // namespace
}  // namespace assay
