#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/escape.h"
#include "base/hash.h"
#include "workload/graph_file.h"
#include "workload/source.h"

namespace assay {
namespace {

// Two suites of one name become NAME and NAME_2, in the order of their folders: whichever was named
// first.
void name_suites(std::vector<Workload>& workloads) {
  std::map<std::pair<std::string, std::string>, std::string>
      names;  // (suite, folder) -> its name here
  for (const Workload& each : workloads) names[{each.suite, each.suite_folder}] = "";
  std::set<std::string> taken;
  for (auto& [suite, name] : names) {
    name = suite.first;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{}_{}", suite.first, number);
  }
  for (Workload& each : workloads) each.suite = names[{each.suite, each.suite_folder}];
}

// "19_ReLU": 19.
std::optional<int> number_of(const std::string& name) {
  int number = 0;
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_whole = end == name.data() + name.size() || *end == '_';
  return failed == std::errc() && is_whole ? std::optional(number) : std::nullopt;
}

// So many: one of each group in turn until there are enough, groups being levels and what they hold
// of one shared name. Which of a group come first is drawn by their paths, so it is the same each
// time.
std::vector<Workload> sampled(std::vector<Workload> workloads, size_t count) {
  if (workloads.size() <= count) return workloads;
  using Group = std::tuple<std::string, std::string, std::string>;
  std::map<Group, std::vector<std::pair<std::string, size_t>>> groups;  // by what is drawn
  for (size_t i = 0; i < workloads.size(); ++i) {
    const Workload& each = workloads[i];
    groups[{each.suite, each.level, each.shared_name}].emplace_back(sha256(each.path), i);
  }
  for (auto& [group, members] : groups) std::ranges::sort(members);
  std::set<size_t> chosen;
  for (size_t turn = 0; chosen.size() < count; ++turn)
    for (const auto& [group, members] : groups)
      if (turn < members.size() && chosen.size() < count) chosen.insert(members[turn].second);
  std::vector<Workload> kept;
  for (size_t i : chosen) kept.push_back(std::move(workloads[i]));
  return kept;
}

}  // namespace

Result<std::vector<Workload>> find_workloads(const Disk& disk,
                                             const std::vector<std::string>& given,
                                             std::vector<std::string>* left_out) {
  std::vector<Workload> all;
  std::map<std::string, size_t> places;  // in `all`, by path
  for (const std::string& each : given) {
    ASSAY_ASSIGN(auto found, source_of(each).expand(disk, each));
    for (Workload& workload : found) {
      if (!workload.cannot_be.empty()) {
        const std::string why = fmt::format("{}: {}", workload.path, workload.cannot_be);
        if (!left_out) return error(Code::invalid_input, why);
        left_out->push_back(why);
        continue;
      }
      auto [place, is_new] = places.try_emplace(workload.path, all.size());
      if (is_new)
        all.push_back(std::move(workload));
      else if (all[place->second].level.empty())
        all[place->second] = std::move(workload);
    }
  }
  name_suites(all);
  return all;
}

Result<std::vector<std::string>> expand_globs(const Disk& disk,
                                              const std::vector<std::string>& given) {
  std::vector<std::string> expanded;
  for (const std::string& path : given) {
    const auto graph = graph_file_of(path);  // its brackets are no pattern
    if (!source_of(path).is_on_disk || !is_glob(graph.value_or(path)) || disk.exists(path)) {
      expanded.push_back(path);
      continue;
    }
    const std::vector<std::string> found = expand_glob(disk, path);
    if (found.empty())
      return error(Code::not_found, fmt::format("'{}' matches no file or folder", path));
    expanded.insert(expanded.end(), found.begin(), found.end());
  }
  return expanded;
}

std::string Workload::selection_path() const {
  return suite + "/" + (level.empty() ? "" : level + "/") + name;
}

std::vector<std::string> Workload::other_names(std::string_view configuration) const {
  if (other_name.empty()) return {};
  if (configuration.empty()) return {other_name};
  return {other_name, fmt::format("{}_{}", other_name, configuration)};
}

namespace {

// A pattern that means nothing but what is not here any more is answered with what stands in for
// that, and not with a name that looks alike.
Status refuse_gone(const std::vector<Workload>& workloads, const Selection& selection,
                   const std::vector<std::string>& paths,
                   const std::vector<std::vector<std::string>>& others) {
  for (const std::string& pattern : selection.filter.wanted) {
    const PathFilter alone{{pattern}, {}};
    bool is_there = false;
    for (size_t i = 0; i < paths.size() && !is_there; ++i)
      is_there = alone.admits(paths[i], others[i]);
    if (is_there) continue;
    for (const auto& [name, told] : selection.gone)
      if (std::ranges::any_of(workloads, [&](const Workload& workload) {
            const auto names = workload.other_names(name);
            return !names.empty() && matches_glob(pattern, names.back());
          }))
        return error(
            Code::invalid_input,
            fmt::format("--filter '{}' matches nothing: {}", printable(pattern, false), told),
            "filter by that one");
  }
  return {};
}

}  // namespace

Result<std::vector<Workload>> select_workloads(std::vector<Workload> workloads,
                                               const Selection& selection) {
  if (!selection.filter.empty()) {
    std::vector<std::string> paths;
    std::vector<std::vector<std::string>> others;
    for (const Workload& workload : workloads)
      for (const std::string& configuration : selection.configurations) {
        paths.push_back(workload.selection_path());
        others.push_back(workload.other_names(configuration));
      }
    if (!selection.gone.empty()) ASSAY_TRY(refuse_gone(workloads, selection, paths, others));
    const size_t ways = selection.configurations.size();
    ASSAY_ASSIGN(auto selected,
                 select_paths(selection.filter, paths, ways == 1 ? "workload" : "attempt", others));
    size_t kept = 0;
    for (size_t i = 0; i < workloads.size(); ++i) {
      const auto first = selected.begin() + static_cast<ptrdiff_t>(i * ways);
      if (std::any_of(first, first + static_cast<ptrdiff_t>(ways), std::identity()))
        std::swap(workloads[kept++], workloads[i]);
    }
    workloads.resize(kept);
  }
  if (!selection.ids.empty()) {
    std::erase_if(workloads, [&](const Workload& workload) {
      const std::optional<int> id = number_of(workload.name);
      return !id || std::ranges::none_of(selection.ids, [&](const auto& range) {
        return range.first <= *id && *id <= range.second;
      });
    });
    if (workloads.empty())
      return error(Code::not_found, "--ids: no workload's name begins with such a number",
                   "19 stands for 19_NAME, as KernelBench numbers its problems");
  }
  if (selection.sample > 0) workloads = sampled(std::move(workloads), selection.sample);
  if (selection.limit > 0 && workloads.size() > selection.limit) workloads.resize(selection.limit);
  return workloads;
}

}  // namespace assay
