#include "report/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

using Lines = std::vector<std::string_view>;

struct Edit {
  char kind;  // ' ', '-' or '+'
  std::string_view line;
};

// By the longest common subsequence of what lies between the lines that both begin and end with.
// Of texts with too many lines for that it is all of one, and then all of the other.
std::vector<Edit> edits(const Lines& before, const Lines& after) {
  size_t same = 0, same_end = 0;
  const size_t least = std::min(before.size(), after.size());
  while (same < least && before[same] == after[same]) ++same;
  while (same_end < least - same &&
         before[before.size() - 1 - same_end] == after[after.size() - 1 - same_end])
    ++same_end;
  const size_t rows = before.size() - same - same_end, columns = after.size() - same - same_end;
  std::vector<Edit> found;
  for (size_t i = 0; i < same; ++i) found.push_back({' ', before[i]});
  constexpr size_t kMostCells = size_t{1} << 24;
  std::vector<uint32_t> longest;  // of what is left from a row and a column on
  const size_t width = columns + 1;
  const bool is_compared = (rows + 1) * width <= kMostCells;
  if (is_compared) {
    longest.assign((rows + 1) * width, 0);
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;)
        longest[i * width + j] =
            before[same + i] == after[same + j]
                ? longest[(i + 1) * width + j + 1] + 1
                : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  }
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (is_compared && i < rows && j < columns && before[same + i] == after[same + j]) {
      found.push_back({' ', before[same + i]});
      ++i, ++j;
    } else if (i < rows && (j == columns || !is_compared ||
                            longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      found.push_back({'-', before[same + i++]});
    } else {
      found.push_back({'+', after[same + j++]});
    }
  }
  for (size_t at = before.size() - same_end; at < before.size(); ++at)
    found.push_back({' ', before[at]});
  return found;
}

// "12,3": where a hunk begins, from 1, and how many lines it has.
std::string range(size_t first, size_t count) {
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after) {
  constexpr size_t kAround = 3;
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const std::vector<Edit> all = edits(old_lines, new_lines);
  std::string text;
  size_t at = 0, old_line = 0, new_line = 0;
  auto pass = [&](size_t end) {
    for (; at < end; ++at) {
      old_line += all[at].kind == '+' ? 0 : 1;
      new_line += all[at].kind == '-' ? 0 : 1;
    }
  };
  auto is_change = [](const Edit& edit) { return edit.kind != ' '; };
  while (true) {
    const auto next = static_cast<size_t>(
        std::find_if(all.begin() + static_cast<long>(at), all.end(), is_change) - all.begin());
    if (next == all.size()) return text;
    pass(next - std::min(next - at, kAround));
    // Changes whose surroundings touch are one hunk.
    size_t end = at;
    for (size_t i = next; i < all.size() && i < std::max(end, next + 1) + 2 * kAround; ++i)
      if (is_change(all[i])) end = i + 1;
    end = std::min(end + kAround, all.size());
    const size_t old_first = old_line, new_first = new_line;
    std::string lines;
    for (size_t i = at; i < end; ++i) lines += fmt::format("{}{}\n", all[i].kind, all[i].line);
    pass(end);
    text += fmt::format("@@ -{} +{} @@\n{}", range(old_first, old_line - old_first),
                        range(new_first, new_line - new_first), lines);
  }
}

CutText cut_text(std::string text, size_t most) {
  const size_t size = std::min(text.size(), most);
  CutText cut{.text = std::move(text)};
  cut.cut = cut.text.size() - size;
  cut.text.resize(size);
  return cut;
}

}  // namespace assay
