#include "store/merge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace assay {
namespace {

// Each value once, in order; the value itself where there is one.
Json combined(const std::vector<Json>& values) {
  Json different = Json::array();
  for (const Json& value : values)
    if (std::ranges::find(different, value) == different.end()) different.push_back(value);
  return different.size() == 1 ? different.front() : different;
}

Json combined_machines(const std::vector<RunStore>& stores) {
  std::vector<Json> all;
  for (const RunStore& store : stores) all.push_back(store.record().machine);
  if (!std::ranges::all_of(all, &Json::is_object)) return combined(all);
  Json machine = Json::object();
  for (const Json& one : all)
    for (const auto& [name, unused] : one.items()) {
      std::vector<Json> values;
      for (const Json& each : all) values.push_back(each.value(name, Json()));
      if (!machine.contains(name)) machine[name] = combined(values);
    }
  return machine;
}

Result<RunRecord> combined_record(const std::vector<RunStore>& stores) {
  RunRecord record = stores.front().record();
  for (const RunStore& store : stores) {
    const RunRecord& other = store.record();
    const std::string both = fmt::format("'{}' and '{}'", stores.front().folder(), store.folder());
    if (record.assay_version != other.assay_version)
      return error(Code::refused,
                   fmt::format("{} were made by assay {} and {}", both, record.assay_version,
                               other.assay_version),
                   "run one of them again, with the same assay as the other");
    if (Status same = same_settings(record.settings, other.settings); !same)
      return error(Code::refused,
                   fmt::format("{} have other settings: {}", both, same.error().message),
                   "runs are merged that were made with the same settings");
    record.created = std::min(record.created, other.created);
  }
  record.machine = combined_machines(stores);
  return record;
}

class Merging {
 public:
  Merging(Disk& disk, RunStore& to) : disk_(disk), to_(to) {}

  Status add(RunStore& from) {
    ASSAY_ASSIGN(auto known, from.known());
    for (const auto& [id, unused] : known) {
      ASSAY_ASSIGN(auto found, from.find(id));
      if (!found)
        return error(Code::refused, fmt::format("{} is gone from '{}'", id, from.folder()),
                     "merge runs that nobody works on");
      ASSAY_ASSIGN(found->windows, from.windows(id));
      ASSAY_TRY(add(from, *found));
    }
    return {};
  }

  Merged merged() const { return merged_; }

 private:
  Status add(const RunStore& from, const Attempt& attempt) {
    if (auto owner = owners_.find(attempt.id); owner != owners_.end()) {
      ASSAY_ASSIGN(auto there, to_.find(attempt.id));
      ASSAY_ASSIGN(there->windows, to_.windows(attempt.id));
      if (*there != attempt)
        return error(Code::refused,
                     fmt::format("{} is in '{}' and in '{}', and is not the same there", attempt.id,
                                 owner->second, from.folder()),
                     "leave one of the runs out, or run them with --filter and --skip so that each "
                     "has attempts of its own");
      ++merged_.twice;
      return {};
    }
    ASSAY_TRY(bring_files(from, attempt));
    ASSAY_TRY(to_.save(attempt));
    owners_[attempt.id] = from.folder();
    ++merged_.attempts;
    return {};
  }

  // Links where that is possible: what is named by its content does not change.
  Status bring_files(const RunStore& from, const Attempt& attempt) {
    const std::string source = from.result_folder(attempt.id);
    const std::string folder = to_.result_folder(attempt.id);
    ASSAY_TRY(disk_.make_directories(folder));
    for (const ArtifactRecord& artifact : attempt.artifacts) {
      const std::string path = join_path(source, artifact.name);
      auto file = disk_.digest(path);
      if (!file || file->sha256 != artifact.sha256)
        return error(
            Code::refused, fmt::format("'{}' is gone, or was changed", path),
            fmt::format("run the `assay run` of '{}' again, which brings it back", from.folder()));
      const std::string to = join_path(folder, artifact.name);
      ASSAY_TRY(disk_.make_directories(to.substr(0, to.find_last_of('/'))));
      ASSAY_TRY(disk_.link_or_copy(path, to));
    }
    return {};
  }

  Disk& disk_;
  RunStore& to_;
  std::map<std::string, std::string> owners_;  // of attempts, by id: the run each came from
  Merged merged_;
};

Result<Merged> merge_into(Disk& disk, const std::string& folder, const RunRecord& record,
                          std::vector<RunStore>& stores,
                          const std::function<Status(RunStore&)>& finish) {
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_write(disk, folder, record));
  Merging merging(disk, store);
  for (RunStore& each : stores) ASSAY_TRY(merging.add(each));
  ASSAY_TRY(finish(store));
  return merging.merged();
}

}  // namespace

Result<Merged> merge_runs(Disk& disk, const std::vector<std::string>& folders,
                          const std::string& given,
                          const std::function<Status(RunStore&)>& finish) {
  const std::string to = absolute_path(given);  // "merged/" is no folder in itself
  const bool is_empty = disk.is_directory(to) && disk.list(to) && disk.list(to)->empty();
  if (disk.exists(to) && !is_empty)
    return error(Code::refused, fmt::format("'{}' is there already", given),
                 "name a new folder with --out");
  std::vector<RunStore> stores;
  for (const std::string& folder : folders) {
    ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(disk, folder));
    stores.push_back(std::move(store));
  }
  ASSAY_ASSIGN(RunRecord record, combined_record(stores));
  const std::string unfinished = fmt::format("{}.merging.{}", to, ::getpid());
  auto merged = merge_into(disk, unfinished, record, stores, finish);
  Status placed = merged ? disk.rename(unfinished, to) : std::unexpected(merged.error());
  if (placed) return merged;
  // What went wrong first is what is told.
  (void)disk.remove_all(unfinished);
  return std::unexpected(placed.error());
}

}  // namespace assay
