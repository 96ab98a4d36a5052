#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.h"

namespace assay {

// A setting of the kernel that makes timing scatter, and what it should be.
struct TimingMend {
  std::string path;
  std::string from, to;
};

// Governors to `performance`, huge pages for who asks, and no boost: where these files are, and say
// otherwise.
std::vector<TimingMend> timing_mends(const Disk& disk);

// Writes a file of the kernel's in place: such files cannot be replaced. Takes root's rights.
Status write_setting(const std::string& path, const std::string& value);

using WriteSetting = std::function<Status(const std::string& path, const std::string& value)>;

// Changes one, and looks whether it has changed.
Status apply(const TimingMend& mend, const Disk& disk, const WriteSetting& write);

}  // namespace assay
