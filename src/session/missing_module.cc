#include "session/missing_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/escape.h"

namespace assay {
namespace {

constexpr std::string_view kSaid = "ModuleNotFoundError: No module named '";
// How an error may begin; a verification says whose code it was.
constexpr std::array<std::string_view, 2> kBefore{"", "the problem: "};

// Packages that are not called as what they bring.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kPackages{
    {{"PIL", "pillow"},
     {"cv2", "opencv-python"},
     {"sklearn", "scikit-learn"},
     {"skimage", "scikit-image"},
     {"yaml", "pyyaml"},
     {"flash_attn", "flash-attn"},
     {"torch_geometric", "torch_geometric"},
     {"attr", "attrs"}}};

// The name comes from the problem's own process.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

bool lies_beside(const Disk& disk, const std::string& file, const std::string& module) {
  if (!file.starts_with('/')) return false;
  const std::string beside = file.substr(0, file.rfind('/') + 1) + module;
  return disk.exists(beside + ".py") || disk.is_directory(beside);
}

}  // namespace

std::string_view package_of(std::string_view module) {
  auto found =
      std::ranges::find(kPackages, module, &std::pair<std::string_view, std::string_view>::first);
  return found == kPackages.end() ? module : found->second;
}

void explain_missing_module(const Disk& disk, const std::string& python, const Attempt& attempt,
                            StageRecord& stage) {
  std::string& error = stage.error;
  const size_t said = error.find(kSaid);
  if (stage.status != StageStatus::failed || said == std::string::npos) return;
  if (std::ranges::find(kBefore, std::string_view(error).substr(0, said)) == kBefore.end()) return;
  const size_t begin = said + kSaid.size(), end = error.find('\'', begin);
  if (end == std::string::npos) return;
  const std::string module = error.substr(begin, end - begin);
  // What is told already, perhaps by the user's own code. And a.b is said of an `a` that is there:
  // to install that once more mends nothing.
  if (!is_name(module) || error.compare(end + 1, 2, ": ") == 0) return;
  const std::string author = attempt.origin.author;
  const bool is_beside =
      lies_beside(disk, attempt.path, module) ||
      (author.starts_with("file:") && lies_beside(disk, author.substr(5), module));
  error.insert(end + 1,
               is_beside ? fmt::format(": the file beside it takes no part, as a problem and a "
                                       "candidate are one file each: put what is in '{}' into it",
                                       module)
                         : fmt::format(": `{} -m pip install {}` brings it", shell_quote(python),
                                       package_of(module)));
}

}  // namespace assay
