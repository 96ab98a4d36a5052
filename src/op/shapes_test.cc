#include "op/shapes.h"

#include <gtest/gtest.h>

#include "op/miopen.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

Texts lines(const std::string& name, const std::string& text) {
  auto rows = read_shape_lines(name, text);
  if (!rows) return {rows.error().message};
  Texts found;
  for (const ShapeLine& row : *rows) found.push_back(std::to_string(row.number) + " " + row.text);
  return found;
}

TEST(Shapes, CommaSeparated) {
  EXPECT_EQ(lines("a.csv", "op, m ,\"dtype\"\r\n# skipped\nmatmul,64,f16*f16->f32\n,2^3:2^5,\n"),
            (Texts{"3 op:matmul[m=64,dtype=f16*f16->f32]", "4 op:[m=2^3:2^5]"}));
  EXPECT_EQ(lines("a.csv", "m,n\n1\n"),
            Texts{"a.csv, line 2: it has 1 values, and the first line 2 keys"});
  EXPECT_EQ(lines("a.csv", "m\n\"1\n"), Texts{"a.csv, line 2: a quote is not closed"});
  EXPECT_EQ(lines("a.csv", "m\n\"1,n=2\"\n"), Texts{"a.csv, line 2: '1,n=2' is no value"});
  EXPECT_EQ(lines("a.csv", "m,n\n"), Texts{"a.csv has no row"});
}

TEST(Shapes, AMarkBeforeTheTextIsNoPartOfIt) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(lines("a.csv", mark + "m,n\r\n1,2\r\n"), Texts{"2 op:[m=1,n=2]"});
  EXPECT_EQ(lines("a.csv", mark + "\"m\",n\n1,2\n"), Texts{"2 op:[m=1,n=2]"});
  EXPECT_EQ(lines("a.csv", mark), Texts{"a.csv has no row"});
  EXPECT_EQ(lines("a.json", mark + R"([{"m": 1}])"), Texts{"1 op:[m=1]"});
  EXPECT_EQ(lines("a.jsonl", mark + "{\"m\": 1}\n"), Texts{"1 op:[m=1]"});
  EXPECT_EQ(lines("a.txt", mark + "op:softmax\n"), Texts{"1 op:softmax"});
}

TEST(Shapes, Json) {
  EXPECT_EQ(lines("a.json", R"([{"op": "conv2d", "n": 2}, {"m": "1|2"}])"),
            (Texts{"1 op:conv2d[n=2]", "2 op:[m=1|2]"}));
  EXPECT_EQ(lines("a.jsonl", "{\"m\": 1}\n\n{\"m\": 2}\n"), (Texts{"1 op:[m=1]", "3 op:[m=2]"}));
  EXPECT_EQ(lines("a.json", "{}"), Texts{"a.json holds no list"});
  EXPECT_EQ(lines("a.json", "[3]"), Texts{"a.json, line 1: a row is no object"});
  EXPECT_EQ(lines("a.json", R"([{"m": 1.5}])"),
            Texts{"a.json, line 1: 'm' is no size and no word"});
}

TEST(Shapes, CallsOfMiopenDriver) {
  EXPECT_EQ(lines("a.txt",
                  "op:softmax\n./bin/MIOpenDriver convfp16 -n 16 -c 64 -H 56 -W 28 -k 32 -y 3 -x 1 "
                  "-p 1 -q 0 -u 2 -v 1 -l 1 -j 1 -m conv -g 2 -F 1 -t 1 --in_layout NHWC\n"),
            (Texts{"1 op:softmax",
                   "2 op:conv2d[n=16,c=64,f=32,h=56,w=28,kh=3,kw=1,sh=2,sw=1,ph=1,pw=0,dh=1,dw=1,"
                   "groups=2,dtype=f16,layout=nhwc_hwcf]"}));
  auto refused = [](const std::string& line) { return read_miopen_line(line)->refused; };
  auto wrong = [](const std::string& line) { return read_miopen_line(line).error().message; };
  EXPECT_EQ(refused("MIOpenDriver conv -n 1 -F 2"), "-F 2 is no convolution forward");
  EXPECT_TRUE(refused("MIOpenDriver conv -m trans").starts_with("-m trans -z default: "));
  EXPECT_TRUE(refused("MIOpenDriver conv --pad_mode same").starts_with("-m conv -z same: "));
  EXPECT_EQ(refused("MIOpenDriver pool -n 1"),
            "assay knows no 'pool' of MIOpenDriver, but conv, convfp16 and convbfp16");
  EXPECT_EQ(wrong("MIOpenDriver conv -n"), "'-n' has no value");
  EXPECT_EQ(wrong("conv -n 1"), "'conv -n 1' is no operation");
  EXPECT_TRUE(
      read_miopen_line("MIOpenDriver conv -_ 3 -! 8 -@ 1")->operation.contains("op:conv3d[n=100,"));
}

}  // namespace
}  // namespace assay
