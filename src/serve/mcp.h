// A server of the Model Context Protocol: an agent looks at problems, and has kernels checked,
// timed and judged (`assay serve --mcp`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/prompt.h"
#include "serve/line_stream.h"
#include "serve/served.h"
#include "workload/workload.h"

namespace assay {

// What an agent may have judged. Nothing: without a limit.
struct CallLimits {
  std::optional<int64_t> calls{};
  std::optional<int64_t> wall_ns{};
};

struct McpSettings {
  GradeSettings grade;  // with one target
  std::vector<Workload> problems{};
  std::vector<std::string> allowed{};  // labels that are no reason not to count
  CallLimits limits{};
  PromptSetting prompts{};  // by what it is told how kernels are written; of any language
};

// Until the stream has ended and all calls are answered. A line that is no message is told so, and
// costs nothing else. Fails where a problem cannot be read; then ends as run_session() does.
Status serve_mcp(const McpSettings& settings, World world, LineStream& stream);

}  // namespace assay
