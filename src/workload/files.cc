// KernelBench-format files: a file, a folder of files, or a folder of levels, each a folder of
// files. Files and folders whose names begin with "_" or "." are left out, and so is what is not
// *.py. A program *.mlir is taken where it is named; NAME.py or NAME.npz beside it says what is
// right. So is a graph *.onnx or *.pt2 (graph_file.h).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/units.h"
#include "workload/all.h"
#include "workload/file_names.h"
#include "workload/graph_file.h"
#include "workload/graph_file_source.h"

namespace assay {
namespace {

bool is_problem(const DirectoryEntry& entry) {
  return entry.is_file && !is_hidden(entry.name) && entry.name.ends_with(".py");
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// "level1", "level_2": a level of the folder that it lies in, however it is given.
bool is_level_name(std::string_view name) {
  constexpr std::string_view kLevel = "level";
  if (!name.starts_with(kLevel)) return false;
  name.remove_prefix(kLevel.size());
  if (name.starts_with('_') || name.starts_with('-')) name.remove_prefix(1);
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

Workload problem_in(const std::string& folder, const std::string& level_folder,
                    const std::string& file) {
  const std::string suite = last_name(folder);
  return {.path = join_path(level_folder.empty() ? folder : level_folder, file),
          .suite = suite.empty() ? "root" : suite,
          .level = level_folder.empty() ? "" : last_name(level_folder),
          .name = stem(file),
          .suite_folder = folder};
}

// So an attempt's id does not depend on how its path was written: kb and kb/level1/19.py are of the
// suite kb.
Workload problem_at(const std::string& folder, const std::string& file) {
  const std::string above = folder_of(folder);
  if (is_level_name(last_name(folder)) && above != folder && !last_name(above).empty())
    return problem_in(above, folder, file);
  return problem_in(folder, "", file);
}

constexpr std::string_view kProgramEnding = ".mlir", kProblemEnding = ".py",
                           kResultsEnding = ".npz";
// What the worker knows the sources by that are made of them.
constexpr std::string_view kResultsMark = "# assay: inputs and results, ",
                           kLoneMark = "# assay: a program alone, {}\n";

std::string beside(const std::string& program, std::string_view ending) {
  return program.substr(0, program.size() - kProgramEnding.size()).append(ending);
}

// Where the file lies that says what is right; "": there is none.
std::string truth_beside(const Disk& disk, const std::string& program) {
  for (const std::string_view ending : {kProblemEnding, kResultsEnding})
    if (std::string file = beside(program, ending); disk.exists(file) && !disk.is_directory(file))
      return file;
  return "";
}

Truth truth_in(const std::string& file) {
  if (file.empty()) return Truth::nobody;
  return file.ends_with(kResultsEnding) ? Truth::saved : Truth::problem;
}

// As python/assay_worker/graph_file.py takes it.
Result<LoadedWorkload> of_saved_results(const std::string& file, const std::string& program,
                                        const std::string& content) {
  if (content.size() > kMostGraphBytes)
    return error(Code::invalid_input,
                 fmt::format("'{}' has {}", file, format_bytes(content.size())),
                 fmt::format("saved results are taken up to {}", format_bytes(kMostGraphBytes)));
  LoadedWorkload loaded{fmt::format("{}{}\n{}{}", kResultsMark,
                                    dump_json({{"program_bytes", program.size()}}), program,
                                    content)};
  loaded.shown = fmt::format("# {}: inputs and results, of {}.\n", last_name(file),
                             format_bytes(content.size()));
  return loaded;
}

Result<LoadedWorkload> load_program(const Disk& disk, const std::string& path) {
  ASSAY_ASSIGN(std::string program, disk.read(path));
  const std::string file = truth_beside(disk, path);
  LoadedWorkload loaded;
  const Truth truth = truth_in(file);
  if (truth == Truth::nobody) {
    loaded.python = std::string(kLoneMark) + program;
    loaded.shown = program;
  } else {
    ASSAY_ASSIGN(loaded.python, disk.read(file));
    if (truth == Truth::saved) {
      ASSAY_ASSIGN(loaded, of_saved_results(file, program, loaded.python));
    }
  }
  loaded.truth = truth;
  loaded.program = {std::move(program), {}, {}};
  return loaded;
}

Workload program_at(const Disk& disk, const std::string& path) {
  Workload workload = problem_at(folder_of(path), last_name(path));
  workload.truth = truth_in(truth_beside(disk, path));
  workload.precision = Precision::f32;  // its types are written in it
  return workload;
}

Result<std::vector<Workload>> workloads_below(const Disk& disk, const std::string& folder) {
  std::vector<Workload> found;
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries)
    if (is_problem(entry)) found.push_back(problem_at(folder, entry.name));
  for (const DirectoryEntry& level : entries) {
    if (!level.is_directory || is_hidden(level.name)) continue;
    std::string level_folder = join_path(folder, level.name);
    auto files = disk.list(level_folder);
    if (!files)
      return error(files.error().code, files.error().message,
                   "a suite is taken whole: make it readable, or name its other levels");
    for (const DirectoryEntry& entry : *files)
      if (is_problem(entry)) found.push_back(problem_in(folder, level_folder, entry.name));
  }
  return found;
}

Result<std::vector<Workload>> expand_path(const Disk& disk, const std::string& given) {
  std::string path = absolute_path(given);
  if (const auto file = graph_file_of(path);
      file && disk.exists(*file) && !disk.is_directory(*file))
    return graph_workloads(disk, given, problem_at(folder_of(*file), last_name(*file)));
  if (!disk.exists(path))
    return error(Code::not_found, fmt::format("there is no file or folder '{}'", given),
                 "`assay list workloads` shows the suites that come with assay");
  if (!disk.is_directory(path)) {
    if (path.ends_with(kProgramEnding)) return std::vector{program_at(disk, path)};
    if (!path.ends_with(".py"))
      return error(Code::invalid_input, fmt::format("'{}' is no Python file", given),
                   "a problem is a .py file with Model and get_inputs(), a graph in .onnx or .pt2, "
                   "or a program for the IREE compiler, .mlir");
    return std::vector{problem_at(folder_of(path), last_name(path))};
  }
  std::filesystem::path folder(path);
  if (!folder.has_filename()) folder = folder.parent_path();  // "kb/"
  ASSAY_ASSIGN(auto found, workloads_below(disk, folder.string()));
  if (found.empty())
    return error(Code::invalid_input, fmt::format("'{}' holds no problem", given),
                 "a suite is a folder of .py files, or a folder of such folders (levels)");
  return found;
}

Result<LoadedWorkload> load_file(const Disk& disk, const Workload& workload) {
  if (graph_file_of(workload.path)) return load_graph(disk, workload.path);
  if (workload.path.ends_with(kProgramEnding)) return load_program(disk, workload.path);
  ASSAY_ASSIGN(std::string text, disk.read(workload.path));
  return LoadedWorkload{std::move(text)};
}

}  // namespace

Source file_source() {
  return {.prefix = "",
          .name = "PATH",
          .title = "a problem's file, a folder of them, or a folder of levels",
          .expand = expand_path,
          .load = load_file,
          .is_on_disk = true};
}

}  // namespace assay
