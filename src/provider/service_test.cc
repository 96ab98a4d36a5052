// Models over real sockets, and all that comes of them.
#include "provider/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fakes/fake_service.h"
#include "provider/secrets.h"
#include "provider/spend.h"

namespace assay {
namespace {

using Reply = FakeService::Reply;
using Request = FakeService::Request;
using End = Answer::End;

constexpr const char* kHello =
    R"({"model": "small-1", "choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}],)"
    R"( "usage": {"prompt_tokens": 10, "completion_tokens": 5}})";
constexpr const char* kMessage =
    R"({"type": "message", "model": "great-1", "stop_reason": "end_turn", "content":)"
    R"( [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "good "},)"
    R"( {"type": "text", "text": "day"}], "usage": {"input_tokens": 3,)"
    R"( "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 7}})";

std::string chat_error(const std::string& message, const std::string& more = "") {
  return R"({"error": {"message": ")" + message + "\"" + more + "}}";
}

// A question to a service that follows a script, with pauses that are noted and not waited for.
class ServiceTest : public testing::Test {
 protected:
  std::unique_ptr<Provider> open(const std::string& address, const Dialect& dialect) {
    ServiceSetting setting{.endpoint = {.provider = "fake", .address = address},
                           .dialect = &dialect,
                           .model = "small"};
    EXPECT_TRUE(setting.endpoint.add("Authorization", "Bearer marked-key-1234"));
    add_secret("marked-key-1234");
    setting.patience = patience_;
    setting.patience.pause = [this](int64_t ns, const std::atomic<bool>&) {
      const std::lock_guard lock(mutex_);
      pauses_ms_.push_back(ns / 1'000'000);
    };
    setting.patience.random = [] { return 1.0; };
    setting.patience.utc_s = [] { return int64_t{1'700'000'000}; };
    auto opened = open_service(std::move(setting));
    EXPECT_TRUE(opened) << opened.error().describe();
    return std::move(*opened);
  }

  // The answers come in this order; the last again and again.
  Answer ask(std::vector<Reply> replies, const Dialect& dialect = chat_dialect()) {
    FakeService service([&](const Request&, int number) {
      return replies[std::min(static_cast<size_t>(number), replies.size() - 1)];
    });
    const Answer answer = open(service.address(), dialect)->ask(question_, never_);
    requests_ = service.requests();
    return answer;
  }

  Json sent(size_t number) const { return Json::parse(requests_.at(number).body); }

  Question question_{.system = "rules", .prompt = "write", .parameters = {{"temperature", 0.5}}};
  const std::atomic<bool> never_{false};
  Patience patience_;
  std::mutex mutex_;
  std::vector<int64_t> pauses_ms_;
  std::vector<Request> requests_;
};

TEST_F(ServiceTest, AChatIsAskedAndAnswers) {
  const Answer answer = ask({{.body = kHello}});
  EXPECT_EQ(answer.end, End::complete);
  EXPECT_EQ(answer.text, "hello");
  EXPECT_EQ(answer.model, "small-1");
  EXPECT_EQ(answer.usage, (Usage{.input = 10, .output = 5}));
  EXPECT_EQ(answer.calls, 1);
  EXPECT_EQ(answer.of_unknown_cost, 0);
  EXPECT_TRUE(requests_[0].head.starts_with("POST /chat/completions HTTP/1.1"))
      << requests_[0].head;
  EXPECT_TRUE(requests_[0].head.contains("Authorization: Bearer marked-key-1234"));
  EXPECT_EQ(sent(0), Json::parse(R"({"model": "small", "messages": [
      {"role": "system", "content": "rules"}, {"role": "user", "content": "write"}],
      "max_tokens": 16384, "temperature": 0.5})"));
}

TEST_F(ServiceTest, AMessageIsAskedAndAnswers) {
  question_.parameters["reasoning_effort"] = "high";
  const Answer answer = ask({{.body = kMessage}}, messages_dialect());
  EXPECT_EQ(answer.end, End::complete);
  EXPECT_EQ(answer.text, "good day");
  EXPECT_EQ(answer.usage,
            (Usage{.input = 123, .cached_input = 100, .output = 7, .written_input = 20}));
  EXPECT_TRUE(requests_[0].head.starts_with("POST /v1/messages HTTP/1.1"));
  EXPECT_EQ(sent(0), Json::parse(R"({"model": "small", "max_tokens": 16384, "temperature": 0.5,
      "output_config": {"effort": "high"},
      "system": [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}],
      "messages": [{"role": "user", "content": "write"}]})"));
}

TEST_F(ServiceTest, TokensThatStandInTheTotalAloneCount) {
  const Answer answer = ask({{.body = R"({"choices": [{"message": {"content": "x"}}],
      "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 205,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 100}}})"}});
  EXPECT_EQ(answer.usage,
            (Usage{.input = 100, .cached_input = 64, .output = 105, .reasoning = 100}));
}

TEST_F(ServiceTest, WithoutUsageTheCostIsUnknown) {
  const Answer answer = ask({{.body = R"({"choices": [{"message": {"content": "x"}}]})"}});
  EXPECT_EQ(answer.end, End::complete);
  EXPECT_FALSE(answer.usage);
  EXPECT_EQ(answer.of_unknown_cost, 1);
}

TEST_F(ServiceTest, WhatMayPassIsTriedTwiceMoreAndLonger) {
  for (const int status : {408, 409, 429, 500, 503, 529}) {
    pauses_ms_.clear();
    const Answer answer = ask({{.status = status, .body = chat_error("busy")}});
    EXPECT_EQ(answer.end, End::failed);
    EXPECT_EQ(answer.calls, 3) << status;
    EXPECT_EQ(answer.of_unknown_cost, 0);
    EXPECT_EQ(answer.why, "status " + std::to_string(status) + ": busy (3 calls)");
    EXPECT_EQ(pauses_ms_, (std::vector<int64_t>{375, 750}));
  }
  EXPECT_EQ(ask({{.status = 529}, {.status = 500}, {.body = kHello}}).text, "hello");
}

TEST_F(ServiceTest, WhatStaysIsTriedOnce) {
  for (const int status : {400, 401, 403, 404, 422}) {
    const bool is_key = status == 401 || status == 403;
    const std::string said = "status " + std::to_string(status) + ": no";
    const Answer answer = ask({{.status = status, .body = chat_error("no")}, {.body = kHello}});
    EXPECT_EQ(answer.end, End::failed);
    EXPECT_EQ(answer.calls, 1) << status;
    EXPECT_EQ(answer.why, is_key ? "fake does not let us in: " + said + "; look at its key" : said);
  }
  EXPECT_EQ(
      ask({{.status = 429, .body = chat_error("x", R"(, "code": "insufficient_quota")")}}).calls,
      1);
}

TEST_F(ServiceTest, TheOtherSideSaysHowLongToWait) {
  const auto pause_after = [&](const std::string& name, const std::string& value) {
    pauses_ms_.clear();
    EXPECT_EQ(ask({{.status = 429, .headers = {{name, value}}}, {.body = kHello}}).text, "hello");
    return pauses_ms_.at(0);
  };
  EXPECT_EQ(pause_after("Retry-After", "7"), 7000);
  EXPECT_EQ(pause_after("retry-after-ms", "1500"), 1500);
  EXPECT_EQ(pause_after("Retry-After", "Tue, 14 Nov 2023 22:13:50 GMT"), 30'000);
  EXPECT_EQ(pause_after("Retry-After", "86400"), 120'000);
  EXPECT_EQ(pause_after("Retry-After", "Tue, 14 Nov 2000 22:13:50 GMT"), 0);
  EXPECT_EQ(pause_after("Retry-After", "soon"), 375);
}

TEST_F(ServiceTest, TheOtherSideSaysWhetherToTryAgain) {
  EXPECT_EQ(
      ask({{.status = 500, .headers = {{"x-should-retry", "false"}}}, {.body = kHello}}).calls, 1);
  EXPECT_EQ(ask({{.status = 400, .headers = {{"x-should-retry", "true"}}}, {.body = kHello}}).calls,
            2);
}

TEST_F(ServiceTest, WhatIsLostMayHaveCostSomething) {
  for (const Reply& lost :
       {Reply{.way = Reply::Way::drop}, Reply{.body = kHello, .way = Reply::Way::half},
        Reply{.body = "{\"choices\": [{]"}, Reply{.body = "{\"choices\": []}"}}) {
    const Answer answer = ask({lost, {.body = kHello}});
    EXPECT_EQ(answer.end, End::complete) << answer.why;
    EXPECT_EQ(answer.calls, 2);
    EXPECT_EQ(answer.of_unknown_cost, 1);
  }
  question_.may_cost_again = [] { return false; };
  const Answer answer = ask({{.way = Reply::Way::drop}, {.body = kHello}});
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.calls, 1);
  EXPECT_TRUE(answer.why.contains("too little may be spent still")) << answer.why;
}

TEST_F(ServiceTest, NobodyIsThere) {
  int port = 0;
  {
    FakeService service([](const Request&, int) { return Reply{}; });
    port = std::stoi(service.address().substr(17));
  }
  const Answer answer =
      open("http://127.0.0.1:" + std::to_string(port), chat_dialect())->ask(question_, never_);
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.calls, 3);
  EXPECT_EQ(answer.of_unknown_cost, 0);
  EXPECT_TRUE(answer.why.starts_with("no answer: ")) << answer.why;
}

TEST_F(ServiceTest, EndsAreToldApart) {
  const auto chat = [](const std::string& finish, const std::string& message) {
    return Reply{.body = R"({"choices": [{"finish_reason": ")" + finish + R"(", "message": )" +
                         message + R"(}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})"};
  };
  Answer answer = ask({chat("length", R"({"content": "half of it"})")});
  EXPECT_EQ(answer.end, End::truncated);
  EXPECT_EQ(answer.text, "half of it");
  EXPECT_EQ(ask({chat("content_filter", R"({"content": null})")}).end, End::refused);
  answer = ask({chat("stop", R"({"content": null, "refusal": "I will not"})")});
  EXPECT_EQ(answer.end, End::refused);
  EXPECT_EQ(answer.why, "I will not");
  EXPECT_EQ(
      ask({chat("stop", R"({"content": [{"type": "text", "text": "a"}, {"text": "b"}]})")}).text,
      "ab");
  answer = ask({{.status = 400, .body = chat_error("no", R"(, "code": "content_filter")")}});
  EXPECT_EQ(answer.end, End::refused);
  EXPECT_EQ(answer.calls, 1);

  const auto message = [](const std::string& reason) {
    return Reply{.body = R"({"content": [{"type": "text", "text": "t"}], "stop_reason": ")" +
                         reason + "\"}"};
  };
  EXPECT_EQ(ask({message("max_tokens")}, messages_dialect()).end, End::truncated);
  EXPECT_EQ(ask({message("model_context_window_exceeded")}, messages_dialect()).end,
            End::truncated);
  EXPECT_EQ(ask({message("refusal")}, messages_dialect()).end, End::refused);
}

TEST_F(ServiceTest, APromptThatDoesNotFitIsNotSentAgain) {
  for (const char* message :
       {"This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it"}) {
    const Answer answer = ask({{.status = 400, .body = chat_error(message)}, {.body = kHello}});
    EXPECT_EQ(answer.end, End::too_long) << message;
    EXPECT_EQ(answer.calls, 1);
  }
  EXPECT_EQ(ask({{.status = 413}}).end, End::too_long);
}

TEST_F(ServiceTest, WhatAModelDoesNotTakeIsLeftOutFromThenOn) {
  FakeService service([](const Request& request, int) {
    const Json body = Json::parse(request.body);
    if (body.contains("max_tokens"))
      return Reply{.status = 400,
                   .body = chat_error("Unsupported parameter: 'max_tokens' is not supported with "
                                      "this model. Use 'max_completion_tokens' instead.",
                                      R"(, "param": "max_tokens")")};
    if (body.contains("temperature"))
      return Reply{.status = 400,
                   .body = chat_error("Unsupported value: 'temperature' does not support 0.5 with "
                                      "this model.")};
    return Reply{.body = kHello};
  });
  auto provider = open(service.address(), chat_dialect());
  Answer answer = provider->ask(question_, never_);
  EXPECT_EQ(answer.end, End::complete) << answer.why;
  EXPECT_EQ(answer.calls, 3);
  EXPECT_EQ(answer.left_out, "temperature");
  answer = provider->ask(question_, never_);
  EXPECT_EQ(answer.calls, 1);
  EXPECT_EQ(answer.left_out, "temperature");
  const Json last = Json::parse(service.requests().back().body);
  EXPECT_EQ(last["max_completion_tokens"], 16384);
}

TEST_F(ServiceTest, ALimitThatIsNeededIsNeverLeftOut) {
  const Answer answer =
      ask({{.status = 400, .body = chat_error("max_tokens: 16384 is not supported")},
           {.body = kMessage}},
          messages_dialect());
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.calls, 1);
}

TEST_F(ServiceTest, AValueThatIsWrongIsSaidAndNotLeftOut) {
  const Answer answer =
      ask({{.status = 400,
            .body = chat_error("temperature must be at most 1", R"(, "param": "temperature")")},
           {.body = kHello}});
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.why, "status 400: temperature must be at most 1");
}

TEST_F(ServiceTest, WhatAssaySaysItselfIsNoParameter) {
  question_.parameters["n"] = 4;
  const Answer answer = ask({{.body = kHello}});
  EXPECT_EQ(answer.calls, 0);
  EXPECT_TRUE(answer.why.contains("'n'")) << answer.why;
}

TEST_F(ServiceTest, AKeyThatIsSentBackIsNowhere) {
  Answer answer = ask({{.status = 401, .body = chat_error("bad key marked-key-1234\\nAsk again")}});
  EXPECT_EQ(answer.why,
            "fake does not let us in: status 401: bad key [key] Ask again; look at its key");
  EXPECT_TRUE(answer.is_shut_out);
  answer = ask({{.status = 500, .body = "<html>\n\nmarked-key-1234 " + std::string(5000, 'x')}});
  EXPECT_TRUE(answer.why.starts_with("status 500: <html> [key] xxx")) << answer.why;
  EXPECT_LT(answer.why.size(), 400u);
  answer = ask({{.body = R"({"model": "marked-key-1234", "choices": [{"message":)"
                         R"( {"content": "marked-key-1234"}}]})"}});
  EXPECT_EQ(answer.text, "[key]");
  EXPECT_EQ(answer.model, "[key]");
}

// Who refuses one prompt may have the status of a wrong key for that.
TEST_F(ServiceTest, AWrongKeyIsNoRefusal) {
  const Answer wrong_key = ask({{.status = 403, .body = chat_error("no access")}});
  EXPECT_EQ(wrong_key.end, End::failed);
  EXPECT_TRUE(wrong_key.is_shut_out);
  const Answer flagged = ask({{.status = 403, .body = chat_error("your input was flagged")}});
  EXPECT_EQ(flagged.end, End::refused);
  EXPECT_FALSE(flagged.is_shut_out);
}

TEST_F(ServiceTest, NobodySendsUsElsewhere) {
  FakeService elsewhere([](const Request&, int) { return Reply{.body = kHello}; });
  const Answer answer =
      ask({{.status = 307, .headers = {{"Location", elsewhere.address() + "/chat/completions"}}}});
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_TRUE(answer.why.contains(elsewhere.address())) << answer.why;
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(ServiceTest, AnErrorMayHaveTheStatusOfAnAnswer) {
  const Answer answer = ask(
      {{.body = R"({"error": {"message": "upstream is full", "code": 429}})"}, {.body = kHello}});
  EXPECT_EQ(answer.text, "hello");
  EXPECT_EQ(answer.calls, 2);
  EXPECT_EQ(answer.of_unknown_cost, 0);
}

TEST_F(ServiceTest, WhoTakesTooLongIsLeft) {
  patience_.retries = 0;
  patience_.times.total_ns = 100'000'000;
  const Answer answer = ask({{.way = Reply::Way::hang}});
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.of_unknown_cost, 1);
  EXPECT_TRUE(answer.why.contains("timed out")) << answer.why;
}

// As of a service that is loaded: nothing is asked twice.
TEST_F(ServiceTest, AnAnswerMayComeByteByByte) {
  const Answer answer = ask({{.body = kHello, .headers = {{"X-A", "b"}}, .way = Reply::Way::slow}});
  EXPECT_EQ(answer.end, End::complete) << answer.why;
  EXPECT_EQ(answer.calls, 1);
}

TEST_F(ServiceTest, AnAnswerWithoutEndIsCut) {
  patience_.retries = 0;
  const Answer answer = ask({{.body = std::string(33 << 20, ' ')}});
  EXPECT_EQ(answer.end, End::failed);
  EXPECT_EQ(answer.why, "no answer: the answer is larger than 32.0 MiB");
}

TEST_F(ServiceTest, IsStoppedAtOnce) {
  FakeService service([](const Request&, int) { return Reply{.way = Reply::Way::hang}; });
  auto provider = open(service.address(), chat_dialect());
  std::atomic<bool> stop{false};
  const auto begun = std::chrono::steady_clock::now();
  Answer answer;
  std::thread asking([&] { answer = provider->ask(question_, stop); });
  while (service.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop.store(true);
  asking.join();
  EXPECT_EQ(answer.end, End::stopped);
  EXPECT_EQ(answer.of_unknown_cost, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST_F(ServiceTest, SaysWhetherItAnswers) {
  const auto check = [&](const Reply& reply) {
    FakeService service([&](const Request&, int) { return reply; });
    auto said = open(service.address(), chat_dialect())->check();
    EXPECT_TRUE(service.requests().at(0).head.starts_with("GET /models "));
    return said ? *said : said.error().describe();
  };
  EXPECT_EQ(check({.body = R"({"data": [{"id": "small"}, {"id": "x"}]})"}), "2 models");
  EXPECT_EQ(check({.body = R"({"data": [{"id": "x"}]})"}), "1 model, and not 'small'");
  EXPECT_EQ(check({.status = 401, .body = chat_error("no such key: marked-key-1234")}),
            "fake refuses: status 401: no such key: [key]\n  look at the key");
}

// Who has no list of models is asked nothing: that is refused, unless nobody is there at all.
TEST_F(ServiceTest, WithoutAListOfModelsTheAddressIsTried) {
  const auto check = [&](int status) {
    FakeService service([&](const Request& request, int) {
      return Reply{.status = request.head.starts_with("POST") ? status : 404,
                   .body = chat_error("which model?")};
    });
    auto said = open(service.address(), chat_dialect())->check();
    EXPECT_EQ(service.requests().at(1).body, "{}");
    return said ? *said : said.error().describe();
  };
  EXPECT_EQ(check(400), "lists no models");
  EXPECT_EQ(check(422), "lists no models");
  EXPECT_TRUE(check(404).contains("/chat/completions (status 404)\n  look at the address"));
  EXPECT_TRUE(check(401).contains("look at the key"));
  EXPECT_TRUE(check(200).contains("no such service")) << "who answers nothing with 200 is no API";
}

// What the service counted is what the account has, to the token: of what it answered what it says,
// of what was lost what was reserved.
TEST_F(ServiceTest, SpendingIsExact) {
  constexpr int kThreads = 8;
  constexpr int kQuestions = 25;
  std::atomic<int64_t> counted{0};
  std::atomic<int> lost{0};
  FakeService service([&](const Request& request, int number) {
    if (number % 7 == 3) return Reply{.status = 429};
    if (number % 11 == 5) {
      ++lost;
      return Reply{.body = kHello, .way = number % 2 == 0 ? Reply::Way::drop : Reply::Way::half};
    }
    const int64_t input = static_cast<int64_t>(request.body.size());
    counted += input + number;
    return Reply{.body =
                     R"({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": )" +
                     std::to_string(input) + R"(, "completion_tokens": )" + std::to_string(number) +
                     "}}"};
  });
  auto provider = open(service.address(), chat_dialect());
  const Prices prices;
  Spend spend(*parse_spend("100M-tokens"));
  question_.parameters = {{"max_tokens", 100}};
  const Cost most = most_of(question_, "small", prices);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < kQuestions; ++i) {
        Cost held = most;
        ASSERT_EQ(spend.wait_for(most, never_), Spend::Grant::granted);
        Question question = question_;
        question.may_cost_again = [&] {
          if (spend.reserve(most) != Spend::Grant::granted) return false;
          held += most;
          return true;
        };
        const Answer answer = provider->ask(question, never_);
        spend.settle(held, cost_of(answer, most, "small", prices));
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(spend.spent().tokens, counted + lost * most.tokens);
  EXPECT_EQ(spend.reserved().tokens, 0);
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace assay
