#include "report/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

using Lines = std::span<const std::string_view>;

struct Edit {
  char kind;  // ' ', '-' or '+'
  std::string_view line;
};

void add_all(char kind, Lines lines, std::vector<Edit>& found) {
  for (const std::string_view line : lines) found.push_back({kind, line});
}

// By the longest common subsequence, whose table has a cell for each pair of lines.
constexpr size_t kMostCells = size_t{1} << 24;
void add_by_table(Lines before, Lines after, std::vector<Edit>& found) {
  const size_t rows = before.size(), columns = after.size(), width = columns + 1;
  // Of what is left from a row and a column on.
  std::vector<uint32_t> longest((rows + 1) * width, 0);
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      longest[i * width + j] = before[i] == after[j] ? longest[(i + 1) * width + j + 1] + 1
                                                     : std::max(longest[(i + 1) * width + j],
                                                                longest[i * width + j + 1]);
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      found.push_back({' ', before[i]});
      ++i, ++j;
    } else if (i < rows &&
               (j == columns || longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      found.push_back({'-', before[i++]});
    } else {
      found.push_back({'+', after[j++]});
    }
  }
}

// Where a line stands in one text and in the other.
struct Pair {
  size_t before = 0, after = 0;
};

// Lines that each of the texts has once, as many as stand in the same order in both.
std::vector<Pair> anchors(Lines before, Lines after) {
  struct Seen {
    size_t in_before = 0, in_after = 0;  // how often
    size_t at = 0;                       // in the first text
  };
  std::unordered_map<std::string_view, Seen> seen;
  for (size_t i = 0; i < before.size(); ++i) {
    Seen& line = seen[before[i]];
    ++line.in_before;
    line.at = i;
  }
  for (const std::string_view line : after)
    if (auto known = seen.find(line); known != seen.end()) ++known->second.in_after;
  // The longest rising sequence of places in the first text: `ends` has the last pair of the best
  // one of each length.
  std::vector<Pair> pairs;
  std::vector<size_t> ends, previous;
  for (size_t j = 0; j < after.size(); ++j) {
    auto known = seen.find(after[j]);
    if (known == seen.end() || known->second.in_before != 1 || known->second.in_after != 1)
      continue;
    const size_t at = known->second.at;
    const auto place =
        std::ranges::lower_bound(ends, at, {}, [&](size_t end) { return pairs[end].before; });
    previous.push_back(place == ends.begin() ? SIZE_MAX : *std::prev(place));
    const size_t own = pairs.size();
    pairs.push_back({at, j});
    if (place == ends.end())
      ends.push_back(own);
    else
      *place = own;
  }
  std::vector<Pair> found;
  for (size_t at = ends.empty() ? SIZE_MAX : ends.back(); at != SIZE_MAX; at = previous[at])
    found.push_back(pairs[at]);
  std::ranges::reverse(found);
  return found;
}

// What both begin and end with stays. Of texts with too many lines for a table, what lies between
// lines that each has once is compared in its turn; where there are none, it is all of one, and
// then all of the other.
void add_edits(Lines before, Lines after, std::vector<Edit>& found) {
  size_t same = 0, same_end = 0;
  const size_t least = std::min(before.size(), after.size());
  while (same < least && before[same] == after[same]) ++same;
  while (same_end < least - same &&
         before[before.size() - 1 - same_end] == after[after.size() - 1 - same_end])
    ++same_end;
  add_all(' ', before.first(same), found);
  const Lines end = before.last(same_end);
  before = before.subspan(same, before.size() - same - same_end);
  after = after.subspan(same, after.size() - same - same_end);
  if ((before.size() + 1) * (after.size() + 1) <= kMostCells) {
    add_by_table(before, after, found);
  } else if (const std::vector<Pair> both = anchors(before, after); both.empty()) {
    add_all('-', before, found);
    add_all('+', after, found);
  } else {
    Pair from;
    for (const Pair& each : both) {
      add_edits(before.subspan(from.before, each.before - from.before),
                after.subspan(from.after, each.after - from.after), found);
      found.push_back({' ', before[each.before]});
      from = {each.before + 1, each.after + 1};
    }
    add_edits(before.subspan(from.before), after.subspan(from.after), found);
  }
  add_all(' ', end, found);
}

// "12,3": where a hunk begins, from 1, and how many lines it has.
std::string range(size_t first, size_t count) {
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after) {
  constexpr size_t kAround = 3;
  std::vector<Edit> all;
  add_edits(lines_of(before), lines_of(after), all);
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
