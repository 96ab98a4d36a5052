// The control groups of jails (level L3): versions 1 and 2, and both at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/unique_fd.h"
#include "sandbox/freezer.h"
#include "sandbox/jail.h"

namespace assay {

// One jail's group, or one in each hierarchy that is needed. Removed with the object, or by the
// next create() where its last process is still on its way out.
class JailGroup {
 public:
  ~JailGroup();
  JailGroup(const JailGroup&) = delete;
  JailGroup& operator=(const JailGroup&) = delete;

  // To be cloned into; -1 where there is no version 2.
  int folder() const { return folder_.get(); }
  // Which a process joins by a write.
  const std::vector<UniqueFd>& joins() const { return joins_; }
  bool limits_memory() const { return !memory_folder_.empty(); }
  const std::shared_ptr<Freezer>& freezer() const { return freezer_; }
  // Processes in it that the kernel ended because it took more memory than it may.
  uint64_t out_of_memory_kills() const;

 private:
  friend class JailGroups;
  JailGroup() = default;

  UniqueFd folder_;
  std::shared_ptr<std::vector<std::string>> left_;  // folders that could not be removed yet
  std::vector<UniqueFd> joins_;
  std::vector<std::string> folders_;
  std::string memory_folder_;
  std::shared_ptr<Freezer> freezer_;
};

// Where this process may make groups. Below its own ones, so that their limits hold for jails too.
class JailGroups {
 public:
  // Fails, saying why, where it may not, or where no way to freeze exists. Removes what a killed
  // assay has left.
  static Result<std::unique_ptr<JailGroups>> find();
  ~JailGroups();

  Result<std::unique_ptr<JailGroup>> create(const std::string& name, const JailSpec& spec);

  // What they are made of: "cgroup 2 (freeze, CPU time), cgroup 1 (memory)".
  std::string describe() const;

 private:
  JailGroups() = default;
  struct Hierarchy {
    std::string folder;  // ours, above those of jails; empty: none
    UniqueFd lock;       // held while we live: it is not left behind
  };
  Status add(Hierarchy& hierarchy, const std::string& mounted, const std::string& own_path);

  Hierarchy unified_, freezer_, cpu_, memory_;
  bool unified_memory_ = false;
  std::shared_ptr<std::vector<std::string>> left_ = std::make_shared<std::vector<std::string>>();
};

}  // namespace assay
