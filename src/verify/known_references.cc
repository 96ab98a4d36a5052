#include "verify/known_references.h"

namespace assay {

std::optional<std::string> KnownReferences::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto at = why_not_.find(key);
  return at == why_not_.end() ? std::nullopt : std::optional(at->second);
}

void KnownReferences::keep(const std::string& key, const std::string& why_not) {
  const std::scoped_lock lock(mutex_);
  why_not_[key] = why_not;
}

KnownReferences& known_references() {
  static KnownReferences references;
  return references;
}

}  // namespace assay
