#include "serve/rpc_message.h"

#include <utility>

namespace assay {
namespace {

bool is_id(const Json& json) { return json.is_string() || json.is_number_integer(); }

}  // namespace

Json RpcMessage::progress_token() const {
  if (!params.contains("_meta") || !params["_meta"].is_object()) return nullptr;
  const Json& meta = params["_meta"];
  const auto token = meta.find("progressToken");
  return token != meta.end() && is_id(*token) ? *token : Json(nullptr);
}

std::expected<RpcMessage, RpcError> read_rpc_message(std::string_view line,
                                                     const std::string& where) {
  auto json = parse_json(line, where);
  if (!json) return std::unexpected(RpcError{nullptr, RpcErrorCode::no_json, json.error().message});
  RpcMessage message;
  auto none = [&](const std::string& why) {
    return std::unexpected(RpcError{message.id, RpcErrorCode::no_request, where + ": " + why});
  };
  if (json->is_array()) return none("it is a list, and messages come one a line");
  if (!json->is_object()) return none("it is no JSON object");
  const bool has_id = json->contains("id");
  if (has_id && is_id((*json)["id"])) message.id = (*json)["id"];
  if (!json->contains("jsonrpc") || (*json)["jsonrpc"] != "2.0")
    return none("'jsonrpc' is not \"2.0\"");
  if (!json->contains("method")) {
    if (json->contains("result") || json->contains("error")) return message;
    return none("it has no 'method'");
  }
  if (!(*json)["method"].is_string()) return none("'method' is no text");
  if (has_id && message.id.is_null()) return none("'id' is neither a text nor a whole number");
  message.kind = has_id ? RpcMessage::Kind::request : RpcMessage::Kind::notification;
  message.method = (*json)["method"].get<std::string>();
  if (json->contains("params")) {
    if (!(*json)["params"].is_object())
      return std::unexpected(
          RpcError{message.id, RpcErrorCode::wrong_params, where + ": 'params' is no object"});
    message.params = std::move((*json)["params"]);
  }
  return message;
}

std::string rpc_result(const Json& id, Json result) {
  return dump_json({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string rpc_error(const RpcError& error) {
  return dump_json(
      {{"jsonrpc", "2.0"},
       {"id", error.id},
       {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}});
}

std::string rpc_notification(std::string_view method, Json params) {
  return dump_json({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

}  // namespace assay
