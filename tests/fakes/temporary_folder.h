#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace assay {

// A folder below /tmp that goes with its test.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_("/tmp/assay_test_XXXXXX") {
    if (!::mkdtemp(path_.data())) std::abort();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace assay
