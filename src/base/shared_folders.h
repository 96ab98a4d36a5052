// A few large folders that the processes of one user share: the one that was not used for longest
// gives way to a new one, and none does that somebody uses.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

struct FolderInUse {
  std::string path;  // "": there is none
  UniqueFd lock{};   // as long as it is held nobody removes the folder
};

// PARENT/IDENTITY/NAME, and a lock beside each. Of other identities no folder is of use any more.
class SharedFolders {
 public:
  SharedFolders(Disk& disk, std::string parent, const std::string& identity, size_t most)
      : disk_(disk), parent_(std::move(parent)), own_(join_path(parent_, identity)), most_(most) {}

  FolderInUse find(const std::string& name) const;
  // Has `fill` make a new one, whole or not at all; or finds what another has made meanwhile.
  Result<FolderInUse> add(const std::string& name,
                          const std::function<Status(const std::string& folder)>& fill);

 private:
  struct Old {
    std::string path;
    int64_t used_ns = 0;  // when it was found last
  };
  std::vector<Old> folders_in(const std::string& identity) const;
  Status make_room();
  Result<bool> remove(const std::string& folder);

  Disk& disk_;
  std::string parent_, own_;
  size_t most_;
};

}  // namespace assay
