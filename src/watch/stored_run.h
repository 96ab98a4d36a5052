#pragma once

#include "base/disk.h"
#include "report/run_reader.h"
#include "store/run_store.h"

namespace assay {

// Of a run that is open anyway.
class StoredRun final : public RunReader {
 public:
  explicit StoredRun(RunStore& store) : store_(store) {}

  Result<std::vector<WindowRecord>> windows(const std::string& attempt_id) override {
    return store_.windows(attempt_id);
  }
  std::optional<std::string> text(const std::string& path) override {
    auto text = system_disk().read(path);
    return text ? std::optional(*std::move(text)) : std::nullopt;
  }

 private:
  RunStore& store_;
};

}  // namespace assay
