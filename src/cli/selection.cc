#include "cli/selection.h"

#include <charconv>

namespace assay {
namespace {

PathFilter path_filter(const Arguments& arguments) {
  return {arguments.list("--filter"), arguments.list("--skip")};
}

// "19", or "1-40".
Result<std::pair<int, int>> parse_range(const std::string& text) {
  std::pair<int, int> range;
  const char* end = text.data() + text.size();
  auto [middle, failed] = std::from_chars(text.data(), end, range.first);
  range.second = range.first;
  bool is_good = failed == std::errc();
  if (is_good && middle != end) {
    is_good = *middle == '-';
    auto [last, bad] = std::from_chars(middle + 1, end, range.second);
    is_good = is_good && bad == std::errc() && last == end;
  }
  if (!is_good || range.first < 0 || range.second < range.first)
    return error(Code::invalid_input, "--ids '" + text + "' is no number, and no range as 1-40");
  return range;
}

// 0: it is not given.
Result<size_t> count_of_problems(const char* option, const Arguments& arguments) {
  const std::string& text = arguments.text(option);
  if (text.empty()) return size_t{0};
  size_t count = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size() || count == 0)
    return error(Code::invalid_input,
                 std::string(option) + " '" + text + "' is no number above zero");
  return count;
}

}  // namespace

Result<Selection> parse_selection(const Arguments& arguments) {
  Selection selection{.filter = path_filter(arguments)};
  for (const std::string& each : arguments.list("--ids")) {
    ASSAY_ASSIGN(auto range, parse_range(each));
    selection.ids.push_back(range);
  }
  ASSAY_ASSIGN(selection.limit, count_of_problems("--limit", arguments));
  ASSAY_ASSIGN(selection.sample, count_of_problems("--sample", arguments));
  return selection;
}

Status keep_selected(const Arguments& arguments, std::vector<Attempt>& attempts) {
  PathFilter filter = path_filter(arguments);
  if (filter.empty()) return {};
  std::vector<std::string> ids;
  for (const Attempt& attempt : attempts) ids.push_back(attempt.id);
  ASSAY_ASSIGN(auto selected, select_paths(filter, ids, "attempt"));
  size_t at = 0;
  std::erase_if(attempts, [&](const Attempt&) { return !selected[at++]; });
  return {};
}

}  // namespace assay
