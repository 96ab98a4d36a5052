// The tools that a client of the Model Context Protocol is offered, and what it calls them with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "author/candidate.h"
#include "base/json.h"
#include "base/status.h"

namespace assay {

struct McpTool {
  enum class Does { list, get, check, time, submit, feedback, best, budget };
  enum class Takes { no, maybe, yes };  // an argument

  Does does = Does::list;
  std::string_view name;
  std::string_view title;        // for people, in a few words
  std::string_view description;  // for models
  Takes problem = Takes::no, language = Takes::no, code = Takes::no;

  // Its answer comes once a candidate is judged.
  bool judges() const { return code == Takes::yes; }
};
std::span<const McpTool> mcp_tools();
// Null: there is none.
const McpTool* mcp_tool_named(std::string_view name);

// As `tools/list` has it, with the JSON schema of its arguments.
Json to_json(const McpTool& tool);

// What a tool is called with. No path, no seed and no policy: what is no argument is refused.
struct ToolArguments {
  std::string problem{};  // its id; "": none is named
  std::string language{};
  Candidate candidate{};
};
// A candidate's code may have so many bytes.
inline constexpr size_t kMostCodeBytes = size_t{1} << 20;
Result<ToolArguments> read_tool_arguments(const McpTool& tool, const Json& arguments);

}  // namespace assay
