#include "workload/suite_modules.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kMostModules = 32;
constexpr size_t kMostModuleBytes = size_t{1} << 20;

// "import a.b as c, d" and "from a.b import c" name a, d and a.
std::vector<std::string> imported_in(std::string_view python) {
  std::vector<std::string> names;
  for (const std::string_view each : lines_of(python)) {
    std::string_view line = trimmed(each);
    const bool is_from = line.starts_with("from ");
    if (!is_from && !line.starts_with("import ")) continue;
    line.remove_prefix(is_from ? 5 : 7);
    if (is_from) line = line.substr(0, line.find(' '));
    while (!line.empty()) {
      const std::string_view part = trimmed(line.substr(0, line.find(',')));
      line.remove_prefix(std::min(line.find(','), line.size() - 1) + 1);
      const auto* end = std::ranges::find_if_not(
          part, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
      if (end != part.begin()) names.emplace_back(part.begin(), end);
    }
  }
  return names;
}

}  // namespace

std::vector<SuiteModule> modules_imported(const Disk& disk, std::string_view tests,
                                          const std::vector<std::string>& folders,
                                          std::string_view own) {
  std::vector<SuiteModule> found;
  std::vector<std::string> wanted = imported_in(tests);
  for (size_t at = 0; at < wanted.size() && found.size() < kMostModules; ++at) {
    const std::string name = wanted[at];
    if (name == own || std::ranges::find(found, name, &SuiteModule::name) != found.end()) continue;
    for (const std::string& folder : folders) {
      auto text = disk.read_inside(folder, name + ".py", kMostModuleBytes + 1);
      if (!text || text->size() > kMostModuleBytes) continue;
      for (std::string& next : imported_in(*text)) wanted.push_back(std::move(next));
      found.push_back({name, std::move(*text)});
      break;
    }
  }
  return found;
}

}  // namespace assay
