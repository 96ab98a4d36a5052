// config.yaml of a task of AgentKernelArena, as far as it is needed: of both schemas there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

// A task is a file of this name.
inline constexpr std::string_view kArenaFile = "config.yaml";

struct ArenaTask {
  int schema = 1;
  std::vector<std::string> sources;  // that a candidate stands in the place of
  std::vector<std::string> kernels;  // functions in them
  std::vector<std::string> checks;   // commands that say whether it is right
  std::string type;                  // "triton2triton"
  bool is_triton = false;            // candidates are in Triton
  std::string skipped;               // why it is not to be run; "": it is
};

// Fails where it is of no schema that is known, or names no source.
Result<ArenaTask> read_arena_task(std::string_view text, const std::string& where);

}  // namespace assay
