// What was computed once and need not be again: shared by all runs of one user.
//
//   objects/ab/<sha256>   bytes under the name of their hash, read-only; result folders hold links
//   entries/<key>.json    what a stage made from exactly these ingredients: its record and objects
//   subjects/<hash>       the key last used for a workload and target, to say what changed since
//
// Only success is kept: a failure may have been the machine's. Every write is whole or absent, so
// several runs may fill one cache at once, and one may be killed at any moment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/attempt.h"

namespace assay {

// All that decides what a stage makes, by name: {"source": "<sha256>", "torch": "2.13.0", ...}.
// Equal ingredients mean equal results.
struct CacheKey {
  std::string subject;  // whose result this is, for people: "compile suites/x.py for a100"
  std::map<std::string, std::string> ingredients;

  std::string hash() const;
};

struct CacheEntry {
  StageRecord record;                   // status ok
  std::vector<ArtifactRecord> objects;  // all present and whole when find() returns them
};

class Cache {
 public:
  Cache(Disk& disk, std::string folder) : disk_(disk), folder_(std::move(folder)) {}

  // Makes the folders and tries to write. Called before any work is done for the cache.
  Status prepare();

  struct Lookup {
    std::optional<CacheEntry> entry;
    std::string reason;  // why it is, or is not, there: one sentence
  };
  // Never fails: what cannot be read is not there, and the reason says so.
  Lookup find(const CacheKey& key) const;
  Status put(const CacheKey& key, const CacheEntry& entry);

  Result<ArtifactRecord> put_object(const std::string& name, std::string_view bytes);
  Result<std::string> read_object(const ArtifactRecord& object) const;
  std::string object_path(const ArtifactRecord& object) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string entry_path(const std::string& hash) const;
  std::string subject_path(const CacheKey& key) const;
  // That an object is there, and whole.
  Status check_object(const ArtifactRecord& object) const;
  std::string reason_for_miss(const CacheKey& key) const;
  // Only explanations depend on it: that it could not be written is no error.
  void remember(const CacheKey& key) const;

  Disk& disk_;
  std::string folder_;
};

}  // namespace assay
