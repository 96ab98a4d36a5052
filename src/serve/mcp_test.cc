#include "serve/mcp.h"

#include <fmt/format.h>

#include <deque>

#include "fakes/serving.h"

namespace assay {
namespace {

// A client that says each line once it has heard so many.
class Conversation final : public LineStream {
 public:
  std::optional<Line> take() override {
    if (lines_.empty() || heard.size() < lines_.front().first) return std::nullopt;
    Line line{lines_.front().second, "line"};
    lines_.pop_front();
    return line;
  }
  Status check() const override { return {}; }
  bool has_ended() const override { return lines_.empty(); }
  void put(const std::string& line) override {
    auto json = parse_json(line, "what is said");
    ASSERT_TRUE(json) << line;
    ASSERT_EQ((*json)["jsonrpc"], "2.0");
    heard.push_back(*json);
  }
  bool is_clogged() const override { return false; }

  void say(std::string line, size_t once_heard = 0) {
    lines_.emplace_back(once_heard, std::move(line));
  }

  std::vector<Json> heard;

 private:
  std::deque<std::pair<size_t, std::string>> lines_;
};

class McpTest : public ServingTest {
 protected:
  void SetUp() override {
    ServingTest::SetUp();
    file_ = folder_.path() + "/suite/sum.py";
    ASSERT_TRUE(system_disk().make_directories(folder_.path() + "/suite"));
    ASSERT_TRUE(system_disk().write(file_, "is sound"));
    mcp_.problems = *find_workloads(system_disk(), {file_});
  }

  Status run() {
    mcp_.grade = settings_;
    Events nobody;
    return serve_mcp(mcp_, world(nobody), client_);
  }

  static std::string request(int id, const std::string& method, Json params = Json::object()) {
    return dump_json({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  }
  static std::string call(int id, const std::string& tool, Json arguments = Json::object(),
                          Json meta = nullptr) {
    Json params{{"name", tool}, {"arguments", std::move(arguments)}};
    if (!meta.is_null()) params["_meta"] = std::move(meta);
    return request(id, "tools/call", std::move(params));
  }
  static Json kernel(const std::string& name) {
    return {{"problem", "suite/sum"}, {"language", "python"}, {"code", name}};
  }

  Json heard_of(int id) const {
    for (const Json& each : client_.heard)
      if (each.value("id", Json()) == id) return each;
    return Json::object();
  }
  Json result_of(int id) const { return heard_of(id).value("result", Json::object()); }
  Json fields_of(int id) const { return result_of(id).value("structuredContent", Json()); }
  std::string text_of(int id) const {
    const Json result = result_of(id);
    return result.contains("content") ? result["content"][0]["text"].get<std::string>() : "";
  }

  std::string file_;  // the problem's
  McpSettings mcp_;
  Conversation client_;
};

TEST_F(McpTest, AgreesOnARevisionAndOffersItsTools) {
  client_.say(request(1, "initialize", {{"protocolVersion", "2025-06-18"}}));
  client_.say(request(2, "initialize", {{"protocolVersion", "1999-01-01"}}));
  client_.say(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})");
  client_.say(request(3, "ping"));
  client_.say(request(4, "tools/list"));
  client_.say(request(5, "server/discover"));
  client_.say("no message");
  client_.say(R"({"jsonrpc": "2.0", "id": 9, "result": {}})");
  ASSERT_TRUE(run());
  EXPECT_EQ(result_of(1)["protocolVersion"], "2025-06-18");
  EXPECT_EQ(result_of(2)["protocolVersion"], "2025-11-25");
  EXPECT_FALSE(result_of(1)["instructions"].get<std::string>().contains("`time`"));
  EXPECT_EQ(heard_of(3)["result"], Json::object());
  std::vector<std::string> names;
  const Json offered = result_of(4);
  for (const Json& tool : offered["tools"]) {
    names.push_back(tool["name"]);
    EXPECT_EQ(tool["inputSchema"]["additionalProperties"], false);
  }
  // Nothing is timed: then there is no `time`.
  EXPECT_EQ(names, (std::vector<std::string>{"list", "get", "check", "submit", "feedback", "best",
                                             "budget"}));
  EXPECT_EQ(heard_of(5)["error"]["code"], -32601);
  EXPECT_EQ(client_.heard.back()["error"]["code"], -32700);
  EXPECT_EQ(client_.heard.size(), 6u);
}

TEST_F(McpTest, WhatIsNotOfferedIsRefused) {
  const Json sound = kernel("on cpu");
  auto with = [&](const char* name, const Json& value) {
    Json changed = sound;
    changed[name] = value;
    return changed;
  };
  client_.say(call(1, "no_such_tool"));
  client_.say(request(2, "tools/call", {{"name", 7}}));
  client_.say(call(3, "get", {{"problem", "../../etc/passwd"}}));
  client_.say(call(4, "check", with("problem", folder_.path() + "/suite/sum.py")));
  client_.say(call(5, "submit", with("seed", std::string(64, '7'))));
  client_.say(call(6, "submit", with("policy", "kernelbench")));
  client_.say(call(7, "check", with("language", "fortran")));
  client_.say(call(8, "check", with("code", 7)));
  client_.say(call(9, "check", with("code", std::string((1 << 20) + 1, ' '))));
  client_.say(call(10, "list", {{"path", "/"}}));
  client_.say(request(11, "tools/call", {{"name", "list"}, {"arguments", {1, 2}}}));
  client_.say(call(12, "check", {{"problem", "suite/sum"}}));
  ASSERT_TRUE(run());
  for (int id : {1, 2}) EXPECT_EQ(heard_of(id)["error"]["code"], -32602) << id;
  for (int id = 3; id <= 12; ++id) EXPECT_EQ(result_of(id)["isError"], true) << heard_of(id);
  EXPECT_EQ(text_of(3), "there is no problem '../../etc/passwd'; `list` has the ids");
  EXPECT_EQ(text_of(5), "submit: it takes no 'seed'; it takes problem, language, code");
  EXPECT_EQ(text_of(10), "list: it takes no arguments, and is given 'path'");
}

TEST_F(McpTest, AnAgentChecksIsToldWhatIsWrongAndSubmits) {
  client_.say(call(1, "list"));
  client_.say(call(2, "get", {{"problem", "suite/sum"}}));
  client_.say(call(3, "feedback"));
  client_.say(request(4, "tools/call", {{"name", "best"}, {"arguments", nullptr}}));
  client_.say(call(5, "check", kernel("wrong")), 4);
  client_.say(call(6, "feedback", {{"problem", "sum"}}), 5);  // the end of its id
  client_.say(call(7, "submit", kernel("wrong")), 6);
  client_.say(call(8, "submit", kernel("on cpu")), 7);
  client_.say(call(9, "best", {{"problem", "suite/sum"}}), 8);
  client_.say(call(10, "budget"), 9);
  ASSERT_TRUE(run());
  EXPECT_EQ(fields_of(1)["problems"], Json::array({"suite/sum"}));
  EXPECT_EQ(fields_of(2)["source"], "is sound");
  EXPECT_TRUE(text_of(2).ends_with("is sound"));
  EXPECT_EQ(text_of(3), "nothing was judged yet");
  EXPECT_EQ(text_of(4), "no submission counts yet");
  EXPECT_EQ(fields_of(5)["verdict"], "rejected");
  EXPECT_EQ(fields_of(5)["reason"], "wrong");
  EXPECT_FALSE(fields_of(5).contains("submission"));
  EXPECT_TRUE(text_of(6).starts_with("check of suite/sum: ")) << text_of(6);
  EXPECT_EQ(fields_of(7)["counts"], false);
  EXPECT_EQ(fields_of(8)["verdict"], "accepted");
  EXPECT_EQ(fields_of(8)["outcome"], "correct");
  EXPECT_EQ(fields_of(8)["submission"], 2);
  EXPECT_EQ(fields_of(8)["counts"], true);
  ASSERT_EQ(fields_of(9)["best"].size(), 1u);
  EXPECT_EQ(fields_of(9)["best"][0]["submission"], 2);
  EXPECT_EQ(fields_of(9)["best"][0]["code"], "on cpu");
  EXPECT_EQ(fields_of(10)["calls_made"], 3);
  // Neither where anything lies, nor what inputs are drawn from.
  for (const Json& each : client_.heard) {
    EXPECT_FALSE(each.dump().contains(folder_.path())) << each;
    EXPECT_FALSE(each.dump().contains("seed")) << each;
  }
}

TEST_F(McpTest, TimesAreProvisionalAndSubmissionsAreNot) {
  ASSERT_TRUE(system_disk().write(file_, "takes long"));
  time_against_eager();
  settings_.run.timing->quick = false;
  client_.say(request(1, "tools/list"));
  client_.say(call(2, "time", kernel("on cpu")));
  client_.say(call(3, "submit", kernel("on cpu")), 2);
  ASSERT_TRUE(run());
  EXPECT_EQ(result_of(1)["tools"].size(), 8u);
  EXPECT_EQ(fields_of(2)["provisional"], true) << heard_of(2);
  EXPECT_EQ(fields_of(2)["speedups"].size(), 1u);
  EXPECT_EQ(fields_of(3)["provisional"], false) << heard_of(3);
  EXPECT_TRUE(text_of(3).contains("its outcome is that of one of 1 submission, by Holm's"))
      << text_of(3);
}

TEST_F(McpTest, WhatWaitsCanBeCancelledAndCostsNothing) {
  settings_.jobs = 1;
  mcp_.limits.calls = 3;
  client_.say(call(1, "check", kernel("on cpu")));
  client_.say(call(2, "check", kernel("on cpu")));
  client_.say(call(3, "check", kernel("on cpu")));
  client_.say(call(4, "check", kernel("on cpu")));  // too many
  client_.say(
      R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})");
  client_.say(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}})");
  client_.say(call(5, "budget"));
  ASSERT_TRUE(run());
  EXPECT_EQ(fields_of(1)["verdict"], "accepted");
  EXPECT_EQ(fields_of(2)["verdict"], "accepted");
  EXPECT_TRUE(heard_of(3).empty());
  EXPECT_EQ(text_of(4), "the budget is spent: no call is left");
  EXPECT_EQ(fields_of(5)["calls_left"], 1);
}

TEST_F(McpTest, WhatIsCancelledAtWorkEndsUnansweredAndProgressIsTold) {
  client_.say(call(1, "check", kernel("hangs"), {{"progressToken", "t"}}));
  client_.say(
      R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})", 1);
  client_.say(call(2, "check", kernel("on cpu")), 1);
  ASSERT_TRUE(run());
  const Json& progress = client_.heard.front();
  EXPECT_EQ(progress["method"], "notifications/progress");
  EXPECT_EQ(progress["params"]["progressToken"], "t");
  EXPECT_GT(progress["params"]["progress"], 0);
  EXPECT_TRUE(heard_of(1).empty());
  EXPECT_EQ(fields_of(2)["verdict"], "accepted");
  EXPECT_EQ(client_.heard.size(), 2u);
}

TEST_F(McpTest, TimeThatIsUpIsTold) {
  mcp_.limits.wall_ns = 1;
  client_.say(call(1, "check", kernel("on cpu")));
  client_.say(call(2, "budget"));
  ASSERT_TRUE(run());
  EXPECT_EQ(text_of(1), "the budget is spent: no time is left");
  EXPECT_EQ(fields_of(2)["seconds_left"], 0.0);
}

}  // namespace
}  // namespace assay
