#include "cli/dump.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cores.h"
#include "cli/replay.h"
#include "cli/run_place.h"
#include "report/format.h"
#include "session/run.h"
#include "verify/dump.h"

namespace assay {
namespace {

Status check_can_be_dumped(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  if (deciding && deciding->stage == Stage::verify && !attempt.seed.empty()) return {};
  return error(
      Code::invalid_input,
      fmt::format("{} has no mismatch to write: {}", attempt.id, verdict_in_words(attempt)),
      "--dump is for what was rejected, or failed, when it was verified");
}

}  // namespace

Status dump_mismatch(const RunStore& store, const std::string& run, const Attempt& attempt,
                     const std::string& folder, Output& output) {
  ASSAY_TRY(check_can_be_dumped(attempt));
  Disk& disk = system_disk();
  Replayed replayed{attempt, store.record(), {absolute_path(run), attempt.id, {}}};
  replayed.run.settings.timing.reset();  // it is about what is right
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(Request request, replay_request(replayed, places));
  request.cores = usable_cores(disk);
  request.folder = join_path(absolute_path(folder), ".replay");
  ASSAY_ASSIGN(Plan plan, make_plan(request, this_machine()));
  ASSAY_TRY(disk.remove_all(request.folder));
  auto replay = [&]() -> Result<std::optional<Attempt>> {
    ASSAY_ASSIGN(auto opened, open_run_place(places, request, true, false));
    ASSAY_TRY(prepare_emulated(places, plan, output));
    opened->tools.verify.dump = absolute_path(folder);
    Events nobody;
    ASSAY_TRY(run_plan(request, opened->tools, std::move(plan), *opened->store,
                       opened->place->world(nobody)));
    return opened->store->find(attempt.id);
  };
  auto now = replay();
  ASSAY_TRY(disk.remove_all(request.folder));
  if (!now) return std::unexpected(now.error());
  if (*now) output.write(outcome_in_words(attempt, **now));
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries)
    if (entry.name.ends_with(".npy") || entry.name == kDumpedWeights) names.push_back(entry.name);
  if (names.empty())
    return error(Code::unavailable,
                 "this time no round shows anything, so there is nothing to write",
                 "a candidate that races need not repeat itself: try again");
  std::ranges::sort(names);
  for (const std::string& name : names) output.write(join_path(folder, name) + "\n");
  return {};
}

}  // namespace assay
