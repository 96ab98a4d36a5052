#include "tune/tuning.h"

#include <utility>

#include "session/store_sink.h"
#include "tune/tune_feed.h"
#include "tune/tuned_files.h"

namespace assay {

Result<std::vector<TuneResult>> run_tuning(const TuneRequest& request, const TuneTools& tools,
                                           TuneEvents& events, World world) {
  // Before anything is spent: what cannot be read could not be kept.
  ASSAY_TRY(read_tuned(world.disk, tools.store.folder()));
  TuneFeed tuning(request, tools, events, world);
  ASSAY_TRY(tuning.begin());
  StoreSink sink(world.disk, world.cache, tools.store, world.events);
  const SessionSetting setting{.jobs = static_cast<size_t>(request.run.jobs),
                               .cores = static_cast<size_t>(request.run.cores),
                               .go_on = "the same command goes on from here: what is known is kept",
                               .folder = tools.store.folder()};
  const Status ran = run_session(tuning, sink, setting, tools.tools, world);
  ASSAY_ASSIGN(const auto lines, tuning.lines());
  ASSAY_TRY(write_tune_log(world.disk, tools.store.folder(), lines));
  // Also of a search that was interrupted: what won by then.
  const auto tuned = std::move(tuning).results();
  ASSAY_TRY(write_tuned(world.disk, tools.store.folder(), tuned));
  ASSAY_TRY(ran);
  std::vector<TuneResult> results;
  for (const TunedOperation& each : tuned) results.push_back(each.result);
  return results;
}

}  // namespace assay
