// Policies: what a run asks for beside assay's verdict, and what it has rules do, in one TOML file
// each (docs/formats.md).
#pragma once

#include <optional>
#include <string>

#include "base/disk.h"
#include "judge/rule.h"
#include "model/other_check.h"

namespace assay {

struct PolicyFile {
  std::optional<OtherCheck> check;
  Severities severities;
};

// Fails with what is wrong, and in which line.
Result<PolicyFile> read_policy(const Disk& disk, const std::string& path);

}  // namespace assay
