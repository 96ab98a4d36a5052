// Drives every attempt through its stages: takes lanes from a feed, gives what is over to a sink.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/disk.h"
#include "base/memory_gauge.h"
#include "sandbox/spawner.h"
#include "session/events.h"
#include "session/feed.h"
#include "setup/tools.h"
#include "store/cache.h"
#include "verify/native_libraries.h"

namespace assay {

struct SessionSetting {
  size_t jobs = 1;
  size_t cores = 1;            // that this process may use
  bool tracks_memory = false;  // --track-memory
  bool force = false;          // compute again, whatever the cache holds
  std::string go_on{};         // what becomes of the rest when it is interrupted
  std::string folder{};        // of a run: who shows it stands still while windows are open
};

// What a session works with. All must outlive it.
struct World {
  Disk& disk;
  const MemoryGauge& memory;
  const Clock& clock;
  Spawner& spawner;
  Cache& cache;
  NativeLibraries& libraries;
  Events& events;
};

// Until the feed has ended and all is over, or until the user interrupts: then fails with
// Code::interrupted, with everything finished so far in the sink. Any other error is an inability
// of assay or the machine; what was finished is in the sink, too. No child is left. Lanes are begun
// in the order in which they come. Who is to be timed waits until all that has begun is through or
// waits as well, and nothing is begun before all of these have been timed, one after the other: so
// nobody is overtaken for ever.
Status run_session(Feed& feed, Sink& sink, const SessionSetting& setting, const Tools& tools,
                   World world);

}  // namespace assay
