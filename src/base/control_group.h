#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"

namespace assay {

// The folders of the control groups (version 2) that this process is in, from its own up to the
// root: a limit of any of them holds for it. Empty where there are none.
std::vector<std::string> control_groups(const Disk& disk);

// The number that follows `name` at the beginning of a line, as the kernel writes its statistics.
std::optional<uint64_t> number_after(const std::string& text, std::string_view name);

}  // namespace assay
