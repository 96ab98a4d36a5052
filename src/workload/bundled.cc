#include "workload/bundled.h"

#include <algorithm>

#include "base/words.h"
#include "workload/all.h"

namespace assay {
namespace {

// What a suite of kernels with tests says of each, and no other suite has.
constexpr std::string_view kSuiteList = "suite.json";

}  // namespace

std::string suite_path(const Disk& disk, const Places& places, const std::string& name_or_path) {
  std::string shipped = join_path(places.suites, name_or_path);
  bool is_name = !name_or_path.empty() && !name_or_path.contains('/') && !disk.exists(name_or_path);
  return is_name && disk.is_directory(shipped) ? named_suite(disk, shipped) : name_or_path;
}

std::string named_suite(const Disk& disk, const std::string& folder) {
  const bool has_tests = disk.exists(join_path(folder, kSuiteList));
  return has_tests ? std::string(triton_source().prefix) + folder : folder;
}

Result<std::vector<Workload>> find_named_workloads(const Disk& disk, const Places& places,
                                                   const std::vector<std::string>& paths,
                                                   std::vector<std::string>* left_out) {
  auto found = find_workloads(disk, paths, left_out);
  if (found || found.error().code != Code::not_found) return found;
  std::vector<std::string> suites;
  if (auto entries = disk.list(places.suites))
    for (const DirectoryEntry& entry : *entries)
      if (entry.is_directory) suites.push_back(entry.name);
  Error problem = found.error();
  auto missing = std::ranges::find_if(paths, [&](const auto& path) { return !disk.exists(path); });
  if (missing != paths.end()) problem.message += did_you_mean(*missing, suites);
  return std::unexpected(std::move(problem));
}

}  // namespace assay
