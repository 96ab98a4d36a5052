// Why the suites' own code does not run here, file by file: asked once in a process, and not for
// each answer that fails.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace assay {

class KnownReferences {
 public:
  std::optional<std::string> find(const std::string& key);
  void keep(const std::string& key, const std::string& why_not);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> why_not_;  // "": it runs
};

KnownReferences& known_references();

}  // namespace assay
