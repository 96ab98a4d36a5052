#include "report/user_files.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace assay {
namespace {

constexpr std::string_view kFile = "file:";

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "/mine/answers.jsonl#3" of one of an author's; "" of what is made of the problem.
std::string_view reference_of(const Attempt& attempt) {
  const std::string_view author = attempt.origin.author;
  return author.starts_with(kFile) ? author.substr(kFile.size()) : std::string_view();
}

// The same without the number behind it.
std::string_view candidate_path(const Attempt& attempt) {
  std::string_view path = reference_of(attempt);
  const size_t mark = path.rfind('#');
  if (mark == std::string_view::npos || mark + 1 == path.size()) return path;
  const bool is_number = path.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
  return is_number ? path.substr(0, mark) : path;
}

// Whose file a place names; "": nobody's that is known.
std::string_view path_of(std::string_view name, const Attempt& attempt, const StageRecord& stage) {
  const std::string_view candidate = candidate_path(attempt), problem = attempt.path;
  const bool may_be_candidate = stage.stage != Stage::export_ && last_part(candidate) == name;
  const bool may_be_problem = problem.starts_with('/') && last_part(problem) == name;
  if (may_be_candidate && may_be_problem)  // the traceback knows
    return stage.detail.contains(fmt::format("File \"{}\"", candidate)) ? candidate : problem;
  return may_be_candidate ? candidate : may_be_problem ? problem : std::string_view();
}

}  // namespace

std::string error_with_path(const Attempt& attempt, const StageRecord& stage,
                            const std::string& folder) {
  const std::string& error = stage.error;
  const size_t open = error.rfind(" (");
  if (open == std::string::npos || !error.ends_with(')')) return error;
  const std::string_view place(error.data() + open + 2, error.size() - open - 3);
  const size_t colon = place.find(':');
  if (colon == std::string_view::npos) return error;
  std::string_view path = path_of(place.substr(0, colon), attempt, stage);
  if (path.empty()) return error;
  if (path.starts_with(folder + "/")) path.remove_prefix(folder.size() + 1);
  return fmt::format("{} ({}{})", error.substr(0, open), path, place.substr(colon));
}

std::string candidate_file(const Attempt& attempt) { return std::string(candidate_path(attempt)); }

std::string file_beside_id(const Attempt& attempt) {
  const std::string_view path = candidate_path(attempt);
  const std::string name(last_part(path));
  if (path.empty() || name == attempt.author) return "";
  std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
  const std::string numbered = fmt::format("{}__s{}", attempt.workload, attempt.candidate);
  if (stem == attempt.workload || stem == numbered) return "";
  return std::string(last_part(reference_of(attempt)));
}

}  // namespace assay
