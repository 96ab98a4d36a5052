#include "serve/rpc_message.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(RpcMessage, EachLineIsOneMessageOrHasItsError) {
  using Kind = RpcMessage::Kind;
  struct Line {
    std::string text;
    std::variant<Kind, RpcErrorCode> what;
    Json id = nullptr;
  };
  const Line lines[] = {
      {R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})", Kind::request, 1},
      {R"({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {}})", Kind::request, "a"},
      {R"({"jsonrpc": "2.0", "method": "notifications/initialized"})", Kind::notification},
      {R"({"jsonrpc": "2.0", "id": 1, "result": {}})", Kind::answer, 1},
      {R"({"jsonrpc": "2.0", "id": 1, "error": {}})", Kind::answer, 1},
      {"", RpcErrorCode::no_json},
      {"{\"jsonrpc\"", RpcErrorCode::no_json},
      {std::string(1000, '['), RpcErrorCode::no_json},
      {"7", RpcErrorCode::no_request},
      {R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])", RpcErrorCode::no_request},
      {R"({"id": 1, "method": "ping"})", RpcErrorCode::no_request, 1},
      {R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})", RpcErrorCode::no_request, 1},
      {R"({"jsonrpc": "2.0", "id": 1})", RpcErrorCode::no_request, 1},
      {R"({"jsonrpc": "2.0", "id": 1, "method": 7})", RpcErrorCode::no_request, 1},
      {R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", RpcErrorCode::no_request},
      {R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})", RpcErrorCode::no_request},
      {R"({"jsonrpc": "2.0", "id": [], "method": "ping"})", RpcErrorCode::no_request},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})", RpcErrorCode::wrong_params,
       1},
  };
  for (const Line& line : lines) {
    const auto message = read_rpc_message(line.text, "line 1");
    EXPECT_EQ(message ? message->id : message.error().id, line.id) << line.text;
    ASSERT_EQ(message.has_value(), std::holds_alternative<Kind>(line.what)) << line.text;
    if (message)
      EXPECT_EQ(message->kind, std::get<Kind>(line.what)) << line.text;
    else
      EXPECT_EQ(message.error().code, std::get<RpcErrorCode>(line.what)) << line.text;
  }
}

TEST(RpcMessage, WhoAsksForProgressNamesATextOrANumber) {
  auto token = [](const std::string& meta) {
    const auto message = read_rpc_message(
        R"({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"_meta": )" + meta + "}}", "");
    return message ? message->progress_token() : Json("no message");
  };
  EXPECT_EQ(token(R"({"progressToken": 3})"), 3);
  EXPECT_EQ(token(R"({"progressToken": "t"})"), "t");
  EXPECT_EQ(token(R"({"progressToken": 0.5})"), nullptr);
  EXPECT_EQ(token("{}"), nullptr);
  EXPECT_EQ(token("7"), nullptr);
}

TEST(RpcMessage, WhatIsSaidIsALine) {
  EXPECT_EQ(rpc_result(7, {{"a", "two\nlines"}}),
            R"({"jsonrpc":"2.0","id":7,"result":{"a":"two\nlines"}})");
  EXPECT_EQ(rpc_error({nullptr, RpcErrorCode::no_json, "why"}),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"why"}})");
  EXPECT_EQ(rpc_notification("n", {{"a", 1}}),
            R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
}

}  // namespace
}  // namespace assay
