#include "cli/open_run.h"

#include "base/words.h"

namespace assay {
namespace {

void add_runs_below(const Disk& disk, const std::string& folder, std::vector<std::string>& runs) {
  auto entries = disk.list(folder.empty() ? "." : folder);
  if (!entries) return;  // nothing to suggest from what cannot be read
  for (const DirectoryEntry& entry : *entries) {
    std::string path = folder.empty() ? entry.name : join_path(folder, entry.name);
    if (entry.is_directory && RunStore::is_in(disk, path)) runs.push_back(path);
  }
}

}  // namespace

std::vector<std::string> run_folders(const std::string& beginning) {
  std::vector<std::string> runs;
  std::string folder = beginning.substr(0, beginning.find_last_of('/') + 1);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  add_runs_below(system_disk(), folder, runs);
  if (folder.empty()) add_runs_below(system_disk(), "runs", runs);
  std::erase_if(runs, [&](const std::string& run) { return !run.starts_with(beginning); });
  return runs;
}

Result<RunStore> open_run(const std::string& folder) {
  auto store = RunStore::open_to_read(system_disk(), folder);
  if (store || store.error().code != Code::not_found) return store;
  std::vector<std::string> known = run_folders("");
  Error problem = store.error();
  problem.message += did_you_mean(folder, known);
  return std::unexpected(std::move(problem));
}

}  // namespace assay
