#pragma once

#include <memory>
#include <string>

#include "session/cached_libraries.h"
#include "session/session.h"

namespace assay {

// What a session works with on this machine, made and owned: the user's cache, and a place for
// children.
class Workplace {
 public:
  // Finds out whether the cache can be written. The tools must outlive it.
  static Result<std::unique_ptr<Workplace>> create(const Tools& tools,
                                                   CachedLibraries::Use libraries);

  // Before anything else: `scratch` is a folder for the children's files, which goes with it.
  Status have_children_in(const std::string& scratch);
  Spawner& spawner() { return *spawner_; }
  World world(Events& events);

 private:
  Workplace(const std::string& cache_folder, const Tools& tools, CachedLibraries::Use libraries);

  Cache cache_;
  SystemMemory memory_;
  CachedLibraries libraries_;
  std::unique_ptr<Spawner> spawner_;
};

}  // namespace assay
