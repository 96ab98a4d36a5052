// Children as a procedure that runs on a thread of its own sees them.
#pragma once

#include <memory>
#include <vector>

#include "sandbox/spawner.h"

namespace assay {

// The spawner belongs to the thread that made it; this carries what other threads want of it. Each
// child belongs to the procedure that started it. All calls block, and fail with Code::interrupted
// once the user interrupts: the procedure then unwinds.
class Children {
 public:
  virtual ~Children() = default;
  // Has an image begin to come up (Spawner::start_image).
  virtual void start_image(const Image& image) = 0;
  virtual Result<ChildId> start(const Image& image, const Limits& limits, const Job& job) = 0;
  // A further frame for a child, with descriptors that stay the caller's.
  virtual Status send(ChildId child, const Json& body, const std::vector<int>& descriptors) = 0;
  // The child's next message, or its end; after `patience_ns` an event of kind `nothing`. Fails
  // for a child whose end has been told.
  virtual Result<Event> next(ChildId child, int64_t patience_ns) = 0;
  // Ends it. Its end still comes through next(); whoever does not want it calls forget().
  virtual void stop(ChildId child) = 0;
  // Ends it, and nobody waits for what it still says.
  virtual void forget(ChildId child) = 0;
  // What stops and continues all that the child runs. Null where nothing can.
  virtual std::shared_ptr<Freezer> freezer(ChildId child) = 0;
  // When it was forked, and from what (Spawner::fork_of).
  virtual Fork fork_of(ChildId child) = 0;
  // Its worker's memory (Spawner::open_memory).
  virtual Result<ProcessMemory> open_memory(ChildId child) = 0;
};

}  // namespace assay
