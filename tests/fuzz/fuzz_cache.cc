// Entries of the cache, which whatever runs as this user may have written: what is found is a
// success whose objects are whole, however the entry and the object were bent.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/hash.h"
#include "fakes/memory_disk.h"
#include "store/cache.h"

extern "C" int fuzz_cache(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const CacheKey key{"compile p for t", {{"source", "1"}}};
  const std::string object = "bytes";
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  disk.files[cache.object_path({"artifact.vmfb", sha256(object), object.size()})] = object;
  // Under the name of this key, and as what was made before for its subject.
  disk.files["/cache/entries/" + key.hash() + ".json"] = text;
  if (auto found = cache.find(key); found.entry) {
    if (found.entry->record.status != StageStatus::ok) abort();
    for (const ArtifactRecord& each : found.entry->objects)
      if (!cache.read_object(each)) abort();
  } else if (found.reason.empty()) {
    abort();
  }
  const CacheKey changed{key.subject, {{"source", "2"}}};
  disk.files["/cache/subjects/" + sha256(key.subject)] = key.hash();
  if (cache.find(changed).reason.empty()) abort();
  return 0;
}
