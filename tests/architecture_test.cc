// The arrows between the folders of src/ (docs/architecture.md), proven by walking the includes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "built.h"

namespace {

// From top to bottom: a folder may include itself and what stands after it. `model` holds the
// records and may be used by all but `base` and `sandbox`. Folders that do not exist yet keep their
// place.
const std::vector<std::string> kLayers{
    "cli",   "watch", "serve",    "report",  "search", "tune",    "session",  "setup",
    "store", "judge", "measure",  "verify",  "author", "compile", "workload", "target",
    "run",   "op",    "provider", "sandbox", "model",  "base"};
// These stand side by side.
const std::vector<std::pair<std::string, std::string>> kApart{
    {"report", "search"}, {"report", "session"}, {"report", "tune"},
    {"search", "tune"},   {"sandbox", "model"},  {"op", "sandbox"}};

size_t layer(const std::string& folder) {
  return static_cast<size_t>(std::ranges::find(kLayers, folder) - kLayers.begin());
}

bool allowed(const std::string& from, const std::string& to) {
  for (const auto& [a, b] : kApart)
    if (from == a && to == b) return false;
  return layer(from) <= layer(to);
}

struct Include {
  std::string file, from, to, header;
};

const std::string kSource = std::string(assay::built::kSourceFolder) + "/src";

// Of a file below src/: its folder there, whatever lies between.
std::string folder_of(const std::filesystem::path& file) {
  const std::filesystem::path below = file.lexically_relative(kSource);
  return below.begin()->string();
}

std::vector<Include> includes() {
  std::vector<Include> found;
  const std::regex pattern("^#include \"([a-z_]+)/([^\"]+)\"");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    std::string path = entry.path().string();
    if (!entry.is_regular_file()) continue;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (line.starts_with('#') && std::regex_search(line, match, pattern))
        found.push_back({path, folder_of(entry.path()), match[1], match[2]});
    }
  }
  return found;
}

TEST(Architecture, ArrowsPointDown) {
  auto all = includes();
  ASSERT_GT(all.size(), 100u) << "the walk found no includes";
  for (const Include& include : all) {
    if (include.to == "fakes") {
      EXPECT_TRUE(include.file.ends_with("_test.cc")) << include.file;
      continue;
    }
    EXPECT_LT(layer(include.from), kLayers.size()) << include.file << " is in no layer";
    EXPECT_LT(layer(include.to), kLayers.size()) << include.file << " includes " << include.to;
    EXPECT_TRUE(allowed(include.from, include.to))
        << include.file << " includes " << include.to << "/" << include.header;
  }
}

TEST(Architecture, TheRuleRefusesAnArrowThatPointsUp) {
  EXPECT_FALSE(allowed("base", "model"));
  EXPECT_FALSE(allowed("sandbox", "run"));
  EXPECT_FALSE(allowed("store", "session"));
  EXPECT_FALSE(allowed("report", "session"));
  EXPECT_TRUE(allowed("session", "store"));
  EXPECT_TRUE(allowed("cli", "report"));
}

// Only cli/ prints. The images' programs speak to assay through their error output.
TEST(Architecture, OnlyCliPrints) {
  const std::regex printing("\\b(printf|fprintf|puts|std::cout|std::cerr|fmt::print)\\b");
  // Most lines have none of these, which is seen faster.
  auto may_print = [](const std::string& line) {
    return std::ranges::any_of(std::array{"print", "puts", "std::c"}, [&](const char* part) {
      return line.find(part) != std::string::npos;
    });
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    std::string path = entry.path().string();
    std::string folder = folder_of(entry.path());
    if (!entry.is_regular_file() || folder == "cli" || path.ends_with("_main.cc")) continue;
    std::ifstream file(path);
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
      EXPECT_FALSE(may_print(line) && std::regex_search(line, printing))
          << path << ":" << number << ": " << line;
  }
}

// A file that is not readable in one sitting has two subjects.
TEST(Architecture, FilesStayReadable) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    EXPECT_LT(lines, 450) << entry.path();
  }
}

}  // namespace
