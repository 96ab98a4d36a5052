// What other programs of this machine print, and files that they write.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "target/machine.h"

namespace assay {

// What it prints. Fails with what it says of itself where it ends with another status than 0.
Result<std::string> output_of(const Machine& machine, const std::vector<std::string>& words);

// Has it write a file: `words... -o FILE`. That appears under `path` whole, with its mode, also
// where two processes have it written at once.
Status write_by(Disk& disk, const Machine& machine, std::vector<std::string> words,
                const std::string& path);

}  // namespace assay
