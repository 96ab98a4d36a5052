// `triton:PATH`: public suites of Triton kernels (workload/suite_format.h): a kernel's file, a
// folder of them, or a folder of levels; a task of AgentKernelArena, or a folder of tasks. Without
// a PATH it is the suite that comes with assay. Behind "@tests=" stands a folder with other tests.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/places.h"
#include "workload/all.h"
#include "workload/arena_task.h"
#include "workload/file_names.h"
#include "workload/suite_format.h"
#include "workload/suite_modules.h"

namespace assay {
namespace {

constexpr int kMostDepth = 4;
constexpr std::string_view kKernelBenchXList = "kernelbenchx_v1.json";
constexpr const char* kKernelBenchXSuite = "data/kernelbenchx";  // in its repository
constexpr const char* kArenaTasks = "tasks";                     // in AgentKernelArena's
constexpr size_t kMostListBytes = 32 << 20;  // what is larger is no suite's list

// What a suite says of its kernels beside them (read_suite_list()). What is no such list is passed
// over: results and prompts lie there as well.
void read_lists(const Disk& disk, const std::string& folder, Json& about) {
  auto entries = disk.list(folder);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_file || !(entry.name.ends_with(".json") || entry.name.ends_with(".jsonl")))
      continue;
    const std::string path = absolute_path(join_path(folder, entry.name));
    auto text = disk.read_inside(folder_of(path), last_name(path), kMostListBytes + 1);
    if (!text || text->size() > kMostListBytes) continue;
    const Json list = read_suite_list(*text);
    if (!list.is_object()) continue;
    for (const auto& [name, facts] : list.items()) {
      Json& kept = about[name];
      if (!kept.is_object()) kept = Json::object();
      if (entry.name == kKernelBenchXList) kept[kOfKernelBenchX] = true;
      Json asked = kept.value("asked", Json::array());
      for (const Json& each : facts.value("asked", Json::array())) asked.push_back(each);
      kept.update(facts);
      if (!asked.empty()) kept["asked"] = std::move(asked);
    }
  }
}

bool has_tests_of_others(const Workload& workload) { return workload.path.contains(kOtherTests); }

class Expansion {
 public:
  Expansion(const Disk& disk, std::string suite_folder, std::string tests)
      : disk_(disk), folder_(std::move(suite_folder)), tests_(std::move(tests)) {
    read_lists(disk, folder_, about_);
    read_lists(disk, folder_of(folder_), about_);
  }

  void add_file(const std::string& path, const std::string& level) {
    Workload workload{.path = std::string(kTritonPrefix) + path,
                      .suite = last_name(folder_),
                      .level = level,
                      .name = std::filesystem::path(path).stem().string(),
                      .suite_folder = folder_};
    if (last_name(path) == kArenaFile) workload.name = last_name(folder_of(path));
    workload.has_tests = true;
    if (const std::string other = other_tests_of(level, workload.name + ".py"); !other.empty())
      workload.path += std::string(kOtherTests) + other;
    workload.about = facts_for(about_, last_name(path) == kArenaFile ? folder_of(path) : path);
    found_.push_back(std::move(workload));
  }

  Status add_folder(const std::string& folder, const std::string& level, int depth) {
    ASSAY_ASSIGN(auto entries, disk_.list(folder));
    if (disk_.exists(join_path(folder, kArenaFile))) {
      add_file(join_path(folder, kArenaFile),
               level.substr(0, level.rfind('/')) == level ? "" : level.substr(0, level.rfind('/')));
      return {};
    }
    for (const DirectoryEntry& entry : entries)
      if (entry.is_file && entry.name.ends_with(".py") && !is_hidden(entry.name))
        add_file(join_path(folder, entry.name), level);
    if (depth == kMostDepth) return {};
    for (const DirectoryEntry& entry : entries)
      if (entry.is_directory && !is_hidden(entry.name) && entry.name != kAnswers)
        ASSAY_TRY(add_folder(join_path(folder, entry.name),
                             level.empty() ? entry.name : level + "/" + entry.name, depth + 1));
    return {};
  }

  std::vector<Workload> take() { return std::move(found_); }

 private:
  // In a folder like its own, else in the one that is named. "": there is none.
  std::string other_tests_of(const std::string& level, const std::string& name) const {
    if (tests_.empty()) return "";
    const std::string in_level = join_path(join_path(tests_, level), name);
    if (!level.empty() && disk_.exists(in_level)) return in_level;
    const std::string in_folder = join_path(tests_, name);
    return disk_.exists(in_folder) ? in_folder : "";
  }

  static constexpr std::string_view kAnswers = "answers";  // beside a suite, of the bundled one
  const Disk& disk_;
  std::string folder_, tests_;
  Json about_ = Json::object();
  std::vector<Workload> found_;
};

// Whether tasks of AgentKernelArena lie in folders of a folder, so many below it.
bool has_arena_tasks(const Disk& disk, const std::string& folder, int depth) {
  auto entries = disk.list(folder);
  return entries && std::ranges::any_of(*entries, [&](const DirectoryEntry& entry) {
           if (!entry.is_directory || is_hidden(entry.name)) return false;
           const std::string below = join_path(folder, entry.name);
           return disk.exists(join_path(below, kArenaFile)) ||
                  (depth > 1 && has_arena_tasks(disk, below, depth - 1));
         });
}

// What a repository of a suite keeps beside its kernels is none.
std::string suite_in_repository(const Disk& disk, const std::string& path) {
  if (const std::string suite = join_path(path, kKernelBenchXSuite); disk.is_directory(suite))
    return suite;
  if (const std::string tasks = join_path(path, kArenaTasks);
      disk.is_directory(tasks) && has_arena_tasks(disk, tasks, kMostDepth))
    return tasks;
  return path;
}

// Of one that other tests are asked for: there have to be some.
Result<std::vector<Workload>> with_tests_found(std::vector<Workload> found,
                                               const std::string& tests) {
  if (tests.empty() || std::ranges::any_of(found, has_tests_of_others)) return found;
  return error(Code::invalid_input,
               fmt::format("--tests: in '{}' is no {}.py, nor one of another kernel here", tests,
                           found.front().name),
               "the tests of a kernel are the file of its name");
}

Result<std::vector<Workload>> expand_suite(const Disk& disk, const std::string& given) {
  auto [written, tests] = suite_name_of(given);
  if (!tests.empty()) {
    tests = absolute_path(tests);
    if (!disk.exists(tests))
      return error(Code::not_found, fmt::format("--tests: there is no '{}'", tests));
    // Of one kernel that is named by its record it is the file itself.
    if (!disk.is_directory(tests)) tests = folder_of(tests);
  }
  if (written.empty()) {
    ASSAY_ASSIGN(const Places places, find_places());
    written = join_path(places.suites, "triton");
  }
  std::filesystem::path path = absolute_path(written);
  if (!disk.exists(path.string()))
    return error(Code::not_found, fmt::format("there is no file or folder '{}'", written),
                 "triton: takes a folder of TritonBench, or one kernel's file of it; alone it is "
                 "the suite that comes with assay");
  if (!path.has_filename()) path = path.parent_path();
  path = suite_in_repository(disk, path.string());
  if (!disk.is_directory(path.string())) {
    if (path.extension() != ".py" && last_name(path.string()) != kArenaFile)
      return error(Code::invalid_input, fmt::format("'{}' is no Python file", written),
                   "a kernel's file is .py, and a task of AgentKernelArena is its config.yaml");
    // What lies below a suite's list is of that suite, also where it is named by itself.
    const std::string folder = folder_of(path.string());
    Json above = Json::object();
    read_lists(disk, folder_of(folder), above);
    Expansion one(disk, above.empty() ? folder : folder_of(folder), tests);
    one.add_file(path.string(), above.empty() ? "" : last_name(folder));
    return with_tests_found(one.take(), tests);
  }
  Expansion all(disk, path.string(), tests);
  ASSAY_TRY(all.add_folder(path.string(), "", 0));
  auto found = all.take();
  if (found.empty())
    return error(Code::invalid_input, fmt::format("'{}' holds no kernel", written),
                 "a suite is a folder of .py files, each a kernel, a line of 146 '#' and tests");
  return with_tests_found(std::move(found), tests);
}

// A kernel's file, with the tests of another one in the place of its own; "": with its own.
Result<std::string> with_other_tests(const Disk& disk, std::string text, const std::string& path,
                                     const std::string& tests) {
  if (tests.empty()) return text;
  ASSAY_ASSIGN(const std::string other, disk.read(tests));
  ASSAY_ASSIGN(const SuiteParts own, split_suite_file(text, path));
  return std::string(own.kernel) + std::string(146, '#') + "\n" + std::string(tests_in(other));
}

// A task whose tests are those of ROCm's benchmark, in its one source: that is so in both schemas.
// What else checks a task is a program of its own, which would have to be run.
Result<LoadedWorkload> load_arena(const Disk& disk, const Workload& workload,
                                  const std::string& path, const std::string& tests) {
  ASSAY_ASSIGN(const std::string config, disk.read(path));
  ASSAY_ASSIGN(const ArenaTask arena, read_arena_task(config, path));
  if (!arena.skipped.empty()) return error(Code::invalid_input, path + ": " + arena.skipped);
  const auto is_not_run = [&] {
    return error(
        Code::invalid_input,
        fmt::format("{}: a task of type {} that is checked by '{}' is none that assay runs", path,
                    arena.type.empty() ? "(none)" : arena.type,
                    arena.checks.empty() ? "" : arena.checks.front()),
        "taken are tasks of Triton whose source has its tests of pytest below a line of 146 '#'");
  };
  const bool is_checked_by_it =
      arena.schema == 2 || std::ranges::any_of(arena.checks, [](const std::string& each) {
        return each.contains("pytest");
      });
  if (!is_checked_by_it || !arena.is_triton) return is_not_run();
  const std::string folder = folder_of(path);
  const std::string source = join_path(folder, arena.sources.front());
  ASSAY_ASSIGN(std::string text, disk.read(source));
  if (!split_suite_file(text, source)) return is_not_run();
  ASSAY_ASSIGN(text, with_other_tests(disk, std::move(text), source, tests));
  ASSAY_ASSIGN(SuiteTask task, read_suite_file(text, workload.name, workload.about, source));
  if (task.category.empty()) task.category = arena.type;
  task.modules = modules_imported(disk, task.tests, {folder, folder_of(source)},
                                  std::filesystem::path(source).stem().string());
  LoadedWorkload loaded{std::move(text)};
  loaded.tests = std::move(task);
  return loaded;
}

// Where tests of KernelBench-X look for what they import: utils/ beside its data, three folders
// above a kernel's. Of a copy of the data alone, nearer ones.
std::vector<std::string> folders_of_modules(const std::string& path) {
  std::vector<std::string> folders;
  std::string folder = folder_of(path);
  for (int above = 0; above <= 3; ++above, folder = folder_of(folder))
    folders.insert(folders.begin(), join_path(folder, "utils"));
  return folders;
}

Result<LoadedWorkload> load_suite(const Disk& disk, const Workload& workload) {
  const auto [path, tests] = suite_name_of(workload.path);
  if (last_name(path) == kArenaFile) return load_arena(disk, workload, path, tests);
  ASSAY_ASSIGN(std::string text, disk.read(path));
  ASSAY_ASSIGN(text, with_other_tests(disk, std::move(text), path, tests));
  ASSAY_ASSIGN(SuiteTask task, read_suite_file(text, workload.name, workload.about, path));
  if (task.category.empty()) task.category = workload.level;
  if (task.format == kOfKernelBenchX)
    task.modules = modules_imported(disk, task.tests, folders_of_modules(path), task.name);
  LoadedWorkload loaded{std::move(text)};
  loaded.tests = std::move(task);
  return loaded;
}

std::vector<NameBeginning> beginnings_of_suites() {
  return {{std::string(kTritonPrefix), "a suite of Triton kernels with tests"}};
}

}  // namespace

Result<std::string> with_tests_of(const std::string& given, const std::string& folder) {
  if (!given.starts_with(kTritonPrefix))
    return error(Code::invalid_input, fmt::format("--tests: '{}' brings no tests along", given),
                 "it is for suites of kernels with tests: triton:PATH");
  return given + std::string(kOtherTests) + folder;
}

std::vector<std::string> asked_of(const Workload& workload) {
  return workload.about.is_object() && workload.about.contains("asked")
             ? workload.about["asked"].get<std::vector<std::string>>()
             : std::vector<std::string>{};
}

std::string note_of_own_tests(std::span<const Workload> workloads) {
  const auto own = std::ranges::count_if(
      workloads, [](const Workload& each) { return each.has_tests && !has_tests_of_others(each); });
  if (own == 0) return "";
  return fmt::format("--tests has no file for {} of {} kernels, which keep their own tests", own,
                     workloads.size());
}

Source triton_source() {
  return {.prefix = kTritonPrefix,
          .name = "triton:PATH",
          .title = "kernels in Triton with tests of their own: a folder of TritonBench and others",
          .expand = expand_suite,
          .load = load_suite,
          .beginnings = beginnings_of_suites};
}

}  // namespace assay
