#include "cli/selection.h"

#include <charconv>

namespace assay {
namespace {

PathFilter path_filter(const Arguments& arguments) {
  return {arguments.list("--filter"), arguments.list("--skip")};
}

}  // namespace

Result<Selection> parse_selection(const Arguments& arguments) {
  Selection selection{path_filter(arguments), 0};
  const std::string& text = arguments.text("--limit");
  if (text.empty()) return selection;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), selection.limit);
  if (failed != std::errc() || end != text.data() + text.size() || selection.limit == 0)
    return error(Code::invalid_input, "--limit '" + text + "' is no number above zero");
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
