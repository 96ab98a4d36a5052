#include "engine/suite.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace assay {
namespace {

bool hidden(const std::string& name) { return name.starts_with('.') || name.starts_with('_'); }

bool is_problem(const DirectoryEntry& entry) {
  return entry.is_file && !hidden(entry.name) && entry.name.ends_with(".py");
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Result<std::vector<Workload>> workloads_below(const Disk& disk, const std::string& folder,
                                              const std::string& suite) {
  std::vector<Workload> found;
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries)
    if (is_problem(entry))
      found.push_back({join_path(folder, entry.name), suite, "", stem(entry.name)});
  for (const DirectoryEntry& level : entries) {
    if (!level.is_directory || hidden(level.name)) continue;
    std::string level_folder = join_path(folder, level.name);
    auto files = disk.list(level_folder);
    if (!files)
      return error(files.error().code, files.error().message,
                   "a suite is taken whole: make it readable, or name its other levels");
    for (const DirectoryEntry& entry : *files)
      if (is_problem(entry))
        found.push_back({join_path(level_folder, entry.name), suite, level.name, stem(entry.name)});
  }
  return found;
}

// The suite of all operations; its levels are their kinds.
constexpr const char* kOpSuite = "op";

Result<std::vector<Workload>> generated_workloads(const std::string& text) {
  std::vector<Workload> found;
  ASSAY_ASSIGN(auto operations, expand_op(text));
  for (const OpWorkload& each : operations)
    found.push_back({each.spelled(), kOpSuite, std::string(each.operation->kind), each.name()});
  return found;
}

// What a pattern's components match below `folder`, component by component.
void expand_below(const Disk& disk, const std::string& folder, const std::string& pattern,
                  std::vector<std::string>& found) {
  size_t slash = pattern.find('/');
  std::string first = pattern.substr(0, slash);
  std::string rest = slash == std::string::npos ? "" : pattern.substr(slash + 1);
  auto go_on = [&](const std::string& name) {
    std::string path = folder.empty() ? name : join_path(folder, name);
    if (rest.empty()) {
      if (disk.exists(path)) found.push_back(path);
    } else {
      expand_below(disk, path, rest, found);
    }
  };
  if (!is_glob(first)) return go_on(first);
  auto entries = disk.list(folder.empty() ? "." : folder);
  if (!entries) return;  // no folder, or none that can be read: nothing matches there
  for (const DirectoryEntry& entry : *entries)
    if (::fnmatch(first.c_str(), entry.name.c_str(), FNM_PERIOD) == 0) go_on(entry.name);
}

}  // namespace

Result<std::vector<Workload>> find_workloads(const Disk& disk,
                                             const std::vector<std::string>& paths) {
  std::vector<Workload> all;
  std::map<std::string, std::string> suite_of_folder;  // absolute folder -> suite
  std::set<std::string> suites;
  std::set<std::string> taken;  // files already in; a path given twice counts once
  for (const std::string& given : paths) {
    if (given.starts_with(kOpPrefix)) {
      suites.insert(kOpSuite);
      ASSAY_ASSIGN(auto generated, generated_workloads(given));
      for (Workload& workload : generated)
        if (taken.insert(workload.path).second) all.push_back(std::move(workload));
      continue;
    }
    std::string path = absolute_path(given);
    if (!disk.exists(path))
      return error(Code::not_found, fmt::format("there is no file or folder '{}'", given),
                   "`assay list workloads` shows the suites that come with assay");
    bool is_folder = disk.is_directory(path);
    if (!is_folder && !path.ends_with(".py"))
      return error(Code::invalid_input, fmt::format("'{}' is no Python file", given),
                   "a problem is a .py file with Model and get_inputs()");
    std::string folder = is_folder ? path : std::filesystem::path(path).parent_path().string();
    std::string& suite = suite_of_folder[folder];
    if (suite.empty()) {
      suite = file_name(folder).empty() ? "root" : file_name(folder);
      std::string base = suite;
      for (int number = 2; !suites.insert(suite).second; ++number)
        suite = fmt::format("{}_{}", base, number);
    }
    std::vector<Workload> found;
    if (is_folder) {
      ASSAY_ASSIGN(found, workloads_below(disk, path, suite));
    } else {
      found.push_back({path, suite, "", stem(path)});
    }
    if (found.empty())
      return error(Code::invalid_input, fmt::format("'{}' holds no problem", given),
                   "a suite is a folder of .py files, or a folder of such folders (levels)");
    for (Workload& workload : found)
      if (taken.insert(workload.path).second) all.push_back(std::move(workload));
  }
  return all;
}

Result<std::string> source_of(const Disk& disk, const Workload& workload) {
  if (!workload.is_generated()) return disk.read(workload.path);
  ASSAY_ASSIGN(OpProgram program, generated_program(workload));
  return std::move(program.python);
}

Result<OpProgram> generated_program(const Workload& workload) {
  ASSAY_ASSIGN(auto operations, expand_op(workload.path));
  return operations.front().operation->make(operations.front().arguments);
}

Result<std::optional<Precision>> own_precision(const Workload& workload) {
  if (!workload.is_generated()) return std::optional<Precision>{};
  ASSAY_ASSIGN(OpProgram program, generated_program(workload));
  bool is_double = std::ranges::any_of(
      program.inputs, [](const TensorSpec& input) { return input.dtype == Dtype::f64; });
  return is_double ? Precision::f64 : Precision::f32;
}

Result<std::vector<std::string>> expand_globs(const Disk& disk,
                                              const std::vector<std::string>& paths) {
  std::vector<std::string> expanded;
  for (const std::string& path : paths) {
    if (path.starts_with(kOpPrefix) || !is_glob(path) || disk.exists(path)) {
      expanded.push_back(path);
      continue;
    }
    bool absolute = path.starts_with('/');
    size_t before = expanded.size();
    expand_below(disk, absolute ? "/" : "", absolute ? path.substr(1) : path, expanded);
    if (expanded.size() == before)
      return error(Code::not_found, fmt::format("'{}' matches no file or folder", path));
  }
  return expanded;
}

Result<std::vector<Workload>> select_workloads(std::vector<Workload> workloads,
                                               const Selection& selection) {
  if (!selection.filter.empty()) {
    std::vector<std::string> paths;
    for (const Workload& workload : workloads)
      paths.push_back(workload.suite + "/" + (workload.level.empty() ? "" : workload.level + "/") +
                      workload.name);
    ASSAY_ASSIGN(auto selected, select_paths(selection.filter, paths, "workload"));
    size_t kept = 0;
    for (size_t i = 0; i < workloads.size(); ++i)
      if (selected[i]) std::swap(workloads[kept++], workloads[i]);
    workloads.resize(kept);
  }
  if (selection.limit > 0 && workloads.size() > selection.limit) workloads.resize(selection.limit);
  return workloads;
}

}  // namespace assay
