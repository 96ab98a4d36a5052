// Libraries of candidates, kept in the cache that all runs of one user share.
#pragma once

#include "session/request.h"
#include "store/cache.h"
#include "verify/native_libraries.h"

namespace assay {

class CachedLibraries final : public NativeLibraries {
 public:
  enum class Use {
    all,
    replace,  // nothing is taken from there: --force
    headers,  // and nothing else: libraries would pile up
  };
  // All must outlive it.
  CachedLibraries(Disk& disk, Cache& cache, const Tools& tools, Use use)
      : disk_(disk), cache_(cache), tools_(tools), use_(use) {}

  std::optional<NativeBuild> find(const NativeJob& job, std::string& why_not) override;
  Status keep(const NativeJob& job, const NativeBuild& build) override;
  FolderInUse find_header(const NativeJob& job) override;
  Result<FolderInUse> keep_header(const NativeJob& job, const UniqueFd& precompiled) override;

 private:
  CacheKey key(const NativeJob& job) const;
  // <cache>/headers/IDENTITY/HASH/torch holds extension.h and extension.h.gch. The identity is that
  // of compiler, Python packages and machine: others' headers are of no use any more.
  SharedFolders headers() const;

  Disk& disk_;
  Cache& cache_;
  const Tools& tools_;
  Use use_;
};

}  // namespace assay
