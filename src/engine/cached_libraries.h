// Libraries of candidates, kept in the cache that all runs of one user share.
#pragma once

#include "engine/request.h"
#include "store/cache.h"
#include "verify/native_libraries.h"

namespace assay {

class CachedLibraries final : public NativeLibraries {
 public:
  // With `force` nothing is taken from there. All must outlive it.
  CachedLibraries(Cache& cache, const Tools& tools, bool force)
      : cache_(cache), tools_(tools), force_(force) {}

  std::optional<NativeBuild> find(const NativeJob& job, std::string& why_not) override;
  Status keep(const NativeJob& job, const NativeBuild& build) override;

 private:
  CacheKey key(const NativeJob& job) const;

  Cache& cache_;
  const Tools& tools_;
  bool force_;
};

}  // namespace assay
