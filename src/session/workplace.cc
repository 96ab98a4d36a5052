#include "session/workplace.h"

#include "base/places.h"
#include "sandbox/process_spawner.h"

namespace assay {

Workplace::Workplace(const std::string& cache_folder, const Tools& tools,
                     CachedLibraries::Use libraries)
    : cache_(system_disk(), cache_folder),
      memory_(system_disk()),
      libraries_(system_disk(), cache_, tools, libraries) {}

Result<std::unique_ptr<Workplace>> Workplace::create(const Tools& tools,
                                                     CachedLibraries::Use libraries) {
  ASSAY_ASSIGN(std::string cache_folder, find_cache_folder());
  std::unique_ptr<Workplace> place(new Workplace(cache_folder, tools, libraries));
  ASSAY_TRY(place->cache_.prepare());
  return place;
}

Status Workplace::have_children_in(const std::string& scratch) {
  ASSAY_ASSIGN(spawner_, ProcessSpawner::create(scratch));
  return {};
}

World Workplace::world(Events& events) {
  return {system_disk(), memory_, system_clock(), *spawner_, cache_, libraries_, events};
}

}  // namespace assay
