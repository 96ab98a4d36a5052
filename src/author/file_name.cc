#include "author/file_name.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

namespace assay {
namespace {

constexpr std::string_view kNumberMark = "__s";

// Of files that hold answers; others are of a form.
struct AnswerEnding {
  std::string_view ending;
  Content content;
};
constexpr AnswerEnding kAnswerEndings[] = {{".md", Content::answer},
                                           {".txt", Content::answer},
                                           {".jsonl", Content::answers},
                                           {".json", Content::answers}};

// All of a text as a number from `least` on.
std::optional<int> whole_number(std::string_view text, int least) {
  int number = 0;
  auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool all = failed == std::errc() && last == text.data() + text.size();
  if (!all || number < least || number > kMostNumber) return std::nullopt;
  return number;
}

// Takes `word`, digits and what is behind them off the beginning of a text: "level_1_" of
// "level_1_problem".
std::optional<int> take_number(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  size_t end = text.find('_', word.size());
  if (end == std::string_view::npos) return std::nullopt;
  auto number = whole_number(text.substr(word.size(), end - word.size()), 0);
  if (number) text.remove_prefix(end + 1);
  return number;
}

// level_1_problem_19_sample_0_kernel
bool take_kernelbench(std::string_view stem, FileName& name) {
  auto level = take_number(stem, "level_");
  auto problem = level ? take_number(stem, "problem_") : std::nullopt;
  auto sample = problem ? take_number(stem, "sample_") : std::nullopt;
  if (!sample || stem != "kernel") return false;
  name.key = {"", "", level, problem};
  name.number = *sample + 1;
  name.has_number = true;
  return true;
}

// The number at the beginning of "19_ReLU".
std::optional<int> leading_number(std::string_view name) {
  size_t end = name.find('_');
  return end == std::string_view::npos ? std::nullopt : whole_number(name.substr(0, end), 0);
}

// That at the end of "level1" or "level_1".
std::optional<int> level_number(std::string_view level) {
  size_t end = level.find_last_not_of("0123456789");
  return whole_number(level.substr(end == std::string_view::npos ? 0 : end + 1), 0);
}

// Whether a path ends with another one, folder by folder.
bool ends_with_folders(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  path.remove_suffix(end.size());
  return path.empty() || path.ends_with('/');
}

}  // namespace

bool ProblemKey::matches(std::string_view suite, std::string_view problem_level,
                         std::string_view problem_name) const {
  if (!name.empty() && name != problem_name) return false;
  if (number && leading_number(problem_name) != number) return false;
  std::string_view its_level = problem_level.empty() ? suite : problem_level;
  const std::string whole = problem_level.empty()
                                ? std::string(suite)
                                : std::string(suite) + "/" + std::string(problem_level);
  if (!level.empty() && level != its_level && !ends_with_folders(whole, level)) return false;
  return !this->level_number || assay::level_number(its_level) == this->level_number;
}

std::optional<FileName> read_file_name(const std::string& path) {
  std::filesystem::path file(path);
  std::string full = file.filename().string();
  if (full.starts_with("_") || full.starts_with(".")) return std::nullopt;
  const std::string ending = file.extension().string();
  FileName name{.key = {}};
  const auto* answer = std::ranges::find(kAnswerEndings, ending, &AnswerEnding::ending);
  if (answer != std::end(kAnswerEndings))
    name.content = answer->content;
  else if (const Form* form = form_of_ending(ending))
    name.form = form;
  else
    return std::nullopt;
  std::string stem = file.stem().string();
  if (take_kernelbench(stem, name)) return name;
  if (size_t mark = stem.rfind(kNumberMark); mark != std::string::npos)
    if (auto number = whole_number(std::string_view(stem).substr(mark + kNumberMark.size()), 1)) {
      name.number = *number;
      name.has_number = true;
      stem.resize(mark);
    }
  name.key.name = stem;
  return name;
}

std::optional<FileName> read_sample_name(std::string_view name) {
  const std::string as_file = std::string(name) + (name.ends_with("_kernel") ? "" : "_kernel");
  FileName read{.key = {}};
  return take_kernelbench(as_file, read) ? std::optional(read) : std::nullopt;
}

std::optional<int> trailing_number(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  const size_t begin = end == std::string_view::npos ? 0 : end + 1;
  const std::string_view before = name.substr(0, begin);
  const bool is_sample = before.ends_with("sample_") || before.ends_with("sample");
  auto number = whole_number(name.substr(begin), is_sample ? 0 : 1);
  if (number && is_sample) ++*number;
  return number;
}

std::string known_endings() {
  std::string text;
  auto add = [&](std::string_view ending) {
    text += (text.empty() ? "" : ", ") + std::string(ending);
  };
  for (const Form* form : forms())
    for (std::string_view ending : form->endings) add(ending);
  for (const AnswerEnding& each : kAnswerEndings) add(each.ending);
  return text;
}

}  // namespace assay
