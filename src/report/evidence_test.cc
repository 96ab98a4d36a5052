#include "report/evidence.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string words(const char* json) { return evidence_in_words(*parse_json(json, "it")); }

TEST(Evidence, FieldsAreReadByTheirNamesAndTypes) {
  EXPECT_EQ(words(R"({"inputs": [{"shape": [4, 8], "dtype": "f32"}, {"scalar": "int"}]})"),
            "    inputs: 4x8 f32, scalar int\n");
  EXPECT_EQ(words(R"({"outputs": [{"shape": [], "dtype": "i64"}]})"), "    outputs: scalar i64\n");
  EXPECT_EQ(words(R"({"parameters": {"count": 2, "bytes": 2048}})"),
            "    parameters: count 2, bytes 2.0 KiB\n");
  EXPECT_EQ(words(R"({"artifact_bytes": 12288, "spent_ns": 1500000000, "dispatches": 3})"),
            "    artifact: 12.0 KiB\n    spent: 1.5 s\n    dispatches: 3\n");
  EXPECT_EQ(words(R"({"passes": [{"name": "loops", "changed": ["lstm", "gru"]}]})"),
            "    passes: name loops, changed lstm, gru\n");
  EXPECT_EQ(words(R"({"fallbacks": [], "shared": true, "dispatches": null})"),
            "    shared: yes\n    dispatches: not known\n");
  EXPECT_EQ(words("null"), "");
  EXPECT_EQ(words("[1]"), "");
}

TEST(Evidence, OfManyNumbersTheirRangeIsSaid) {
  EXPECT_EQ(words(R"({"launches": [1, 2.5, -3, 4, 5, 6, 7, 8, 9]})"),
            "    launches: 9 numbers, -3 to 9\n");
  EXPECT_EQ(words(R"({"of": {"forked_from": [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]}})"),
            "    of: forked from 10 numbers, 1 to 10\n");
  EXPECT_EQ(words(R"({"shape": [1, 2, 3]})"), "    shape: 1, 2, 3\n");
}

TEST(Evidence, LongListsTakeOneLineEach) {
  std::string text = words(
      R"({"flags": ["--iree-opt-level=O3", "--iree-hal-target-device=local",
                    "--iree-llvmcpu-target-cpu=host", "--another-flag=with-a-value"]})");
  EXPECT_TRUE(text.starts_with("    flags:\n      --iree-opt-level=O3\n      --iree-hal-")) << text;
}

TEST(Evidence, StrangersStayText) {
  EXPECT_EQ(words("{\"a\\u001b[2J\": \"x\\ny\\u001b[2J\"}"), "    a\\x1b[2J: x\\ny\\x1b[2J\n");
}

}  // namespace
}  // namespace assay
