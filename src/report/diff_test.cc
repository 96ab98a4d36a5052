#include "report/diff.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

// What patch(1) makes of it.
std::string patched(const std::string& before, const std::string& diff) {
  std::string result;
  size_t at = 0, line_at = 0;
  auto take = [&] {
    const size_t end = before.find('\n', at);
    std::string line = before.substr(at, end - at);
    at = end + 1;
    ++line_at;
    return line;
  };
  size_t begin = 0;
  while (begin < diff.size()) {
    const size_t end = diff.find('\n', begin);
    const std::string line = diff.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("@@ -")) {
      const size_t comma = line.find(',');
      const size_t first = std::stoul(line.substr(4)), count = std::stoul(line.substr(comma + 1));
      while (line_at + (count == 0 ? 0 : 1) < first) result += take() + "\n";
    } else if (line[0] == '+') {
      result += line.substr(1) + "\n";
    } else {
      EXPECT_EQ(take(), line.substr(1));
      if (line[0] == ' ') result += line.substr(1) + "\n";
    }
  }
  return result + before.substr(std::min(at, before.size()));
}

std::string numbers(int first, int last, int step = 1) {
  std::string text;
  for (int i = first; i <= last; i += step) text += std::to_string(i) + "\n";
  return text;
}

TEST(Diff, SaysNothingOfWhatIsTheSame) {
  EXPECT_EQ(unified_diff("", ""), "");
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n"), "");
}

TEST(Diff, ShowsAChangeWithWhatIsAroundIt) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
}

TEST(Diff, MakesTheSecondTextOfTheFirst) {
  const std::string texts[] = {
      "",
      numbers(1, 3),
      numbers(1, 40),
      numbers(1, 40, 2),
      numbers(1, 10) + numbers(31, 40),
      "0\n" + numbers(1, 20) + "x\n" + numbers(21, 27) + "y\n" + numbers(28, 40),
      numbers(5000, 12000) + numbers(1, 3)};
  for (const std::string& before : texts)
    for (const std::string& after : texts)
      EXPECT_EQ(patched(before, unified_diff(before, after)), after) << before << "\n" << after;
}

// 100,000 lines, most of them alike, as MLIR has them; changes at both ends and in between.
TEST(Diff, OfALargeProgramSaysWhatChanged) {
  std::string before = "begin\n", after = "BEGIN\n";
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = i % 7 == 0 ? "  }\n" : "  %" + std::to_string(i) + " = add\n";
    before += line;
    if (i % 20'000 != 10'000) after += line;
    if (i % 20'000 == 5'000) after += "  %new = mul\n";
  }
  before += "end\n";
  after += "END\n";
  const std::string diff = unified_diff(before, after);
  EXPECT_EQ(patched(before, diff), after);
  size_t changed = 0;
  for (size_t at = 0; at < diff.size(); at = diff.find('\n', at) + 1)
    changed += diff[at] == '+' || diff[at] == '-' ? 1 : 0;
  EXPECT_EQ(changed, 4u + 5u + 5u);
}

TEST(Diff, OfLargeProgramsWithoutALineInCommonIsBothOfThem) {
  const std::string before = numbers(1, 9000), after = numbers(10'000, 19'000);
  EXPECT_EQ(patched(before, unified_diff(before, after)), after);
}

TEST(Diff, HunksThatTouchAreOne) {
  const std::string before = numbers(1, 30);
  std::string after = before;
  after.replace(after.find("10\n"), 3, "ten\n");
  after.replace(after.find("16\n"), 3, "sixteen\n");
  const std::string near = unified_diff(before, after);
  EXPECT_EQ(near.find("@@ -"), near.rfind("@@ -")) << near;
  after.replace(after.find("28\n"), 3, "last\n");
  const std::string far = unified_diff(before, after);
  EXPECT_NE(far.find("@@ -"), far.rfind("@@ -")) << far;
}

}  // namespace
}  // namespace assay
