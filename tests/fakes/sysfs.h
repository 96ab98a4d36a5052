// What the kernel says of machines that are not at hand: tests/data/machines.
#pragma once

#include <filesystem>
#include <string>

#include "base/disk.h"
#include "built.h"
#include "fakes/memory_disk.h"

namespace assay {

// All files below tests/data/machines/NAME, which stands for `/`.
inline MemoryDisk sysfs(const std::string& name) {
  const std::string folder = std::string(built::kSourceFolder) + "/tests/data/machines/" + name;
  MemoryDisk disk;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      disk.files[entry.path().string().substr(folder.size())] =
          system_disk().read(entry.path().string()).value();
  return disk;
}

}  // namespace assay
