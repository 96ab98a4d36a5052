// Messages of JSON-RPC 2.0, one a line, as the Model Context Protocol has them.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

enum class RpcErrorCode {
  no_json = -32700,
  no_request = -32600,
  unknown_method = -32601,
  wrong_params = -32602,
};

// Why a message is not served. Its id is null where nobody knows it.
struct RpcError {
  Json id;
  RpcErrorCode code = RpcErrorCode::no_request;
  std::string message;
};

struct RpcMessage {
  enum class Kind {
    request,
    notification,  // nothing is said of it
    answer,        // to a request of ours, of which there are none
  };
  Kind kind = Kind::answer;
  Json id{};  // of a request: a text or a whole number
  std::string method{};
  Json params = Json::object();

  // What news of its progress is told by: a text or a whole number. Null: nobody asks for any.
  Json progress_token() const;
};

// `where` names the line in errors.
std::expected<RpcMessage, RpcError> read_rpc_message(std::string_view line,
                                                     const std::string& where);

// Each is a line, without its end.
std::string rpc_result(const Json& id, Json result);
std::string rpc_error(const RpcError& error);
std::string rpc_notification(std::string_view method, Json params);

}  // namespace assay
