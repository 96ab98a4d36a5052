// What a client of the Model Context Protocol sends.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/mcp_tool.h"
#include "serve/rpc_message.h"

namespace {

bool is_id(const assay::Json& json) { return json.is_string() || json.is_number_integer(); }

// It is refused, or has all that the tool takes.
void hold_arguments(const assay::McpTool& tool, const assay::Json& arguments) {
  const auto read = read_tool_arguments(tool, arguments);
  if (!read) return;
  if (!arguments.is_object()) abort();
  if (tool.judges() != (read->candidate.code != nullptr)) abort();
  if (tool.judges() && read->candidate.code->size() > assay::kMostCodeBytes) abort();
  if (tool.judges() && read->language.empty()) abort();
}

}  // namespace

extern "C" int fuzz_rpc(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto message = read_rpc_message(text, "a line");
  if (!message) {
    if (!message.error().id.is_null() && !is_id(message.error().id)) abort();
    if (!parse_json(rpc_error(message.error()), "an error")) abort();
    return 0;
  }
  if (!message->params.is_object()) abort();
  const bool is_request = message->kind == RpcMessage::Kind::request;
  if (is_request && (!is_id(message->id) || rpc_result(message->id, {}).contains('\n'))) abort();
  const Json token = message->progress_token();
  if (!token.is_null() && !is_id(token)) abort();
  for (const McpTool& tool : mcp_tools()) {
    hold_arguments(tool, message->params);
    if (message->params.contains("arguments")) hold_arguments(tool, message->params["arguments"]);
  }
  return 0;
}
