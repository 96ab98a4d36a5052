// What services say besides an answer: errors that are none, and what those that are cost.
#include "provider/dialect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "fakes/fake_service.h"
#include "provider/service.h"

namespace assay {
namespace {

constexpr const char* kUsage = R"("usage": {"prompt_tokens": 2000, "completion_tokens": 500})";
constexpr const char* kChoices =
    R"("choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}])";

TEST(DialectTest, WhatStandsForNoErrorIsNone) {
  for (const char* none : {"null", "false", "\"\"", "{}", "[]", "0"}) {
    const ReadAnswer read =
        chat_dialect().read(fmt::format(R"({{{}, {}, "error": {}}})", kChoices, kUsage, none));
    EXPECT_FALSE(read.is_error) << none;
    EXPECT_EQ(read.malformed, "") << none;
    EXPECT_EQ(read.answer.text, "hello") << none;
    const ReadAnswer message = messages_dialect().read(
        fmt::format(R"({{"content": [{{"type": "text", "text": "day"}}], "error": {}}})", none));
    EXPECT_EQ(message.answer.text, "day") << none;
  }
  for (const char* one : {"true", "1", "\"no\"", R"({"code": 502})", "[1]"})
    EXPECT_TRUE(chat_dialect().read(fmt::format(R"({{{}, "error": {}}})", kChoices, one)).is_error)
        << one;
}

TEST(DialectTest, AnErrorMayHaveCostSomething) {
  const ReadAnswer told =
      chat_dialect().read(fmt::format(R"({{"error": {{"code": 502}}, {}}})", kUsage));
  EXPECT_EQ(told.answer.usage, (Usage{.input = 2000, .output = 500}));
  EXPECT_FALSE(told.has_begun);
  const ReadAnswer half =
      chat_dialect().read(fmt::format(R"({{"error": {{"code": 502}}, {}}})", kChoices));
  EXPECT_FALSE(half.answer.usage);
  EXPECT_TRUE(half.has_begun);
}

// Asked once by a provider of its own, whose service answers with these, the last again and again.
Answer asked(const std::vector<std::string>& bodies, std::function<bool()> may_cost_again = {}) {
  FakeService service([&](const FakeService::Request&, int number) {
    const size_t last = bodies.size() - 1;
    return FakeService::Reply{.body = bodies[std::min(static_cast<size_t>(number), last)]};
  });
  ServiceSetting setting{.endpoint = {.provider = "fake", .address = service.address()},
                         .dialect = &chat_dialect(),
                         .model = "small"};
  setting.patience.pause = [](int64_t, const std::atomic<bool>&) {};
  auto opened = open_service(std::move(setting));
  EXPECT_TRUE(opened);
  Question question{.prompt = "write"};
  question.may_cost_again = std::move(may_cost_again);
  const std::atomic<bool> never{false};
  return (*opened)->ask(question, never);
}

TEST(DialectTest, AllCallsAreCounted) {
  const std::string error = fmt::format(R"({{"error": {{"code": 502}}, {}}})", kUsage);
  const std::string fine = fmt::format(R"({{{}, {}}})", kChoices, kUsage);
  const Answer answer = asked({error, error, fine});
  EXPECT_EQ(answer.end, AnswerEnd::complete) << answer.why;
  EXPECT_EQ(answer.calls, 3);
  EXPECT_EQ(answer.usage, (Usage{.input = 6000, .output = 1500}));
  EXPECT_EQ(answer.of_unknown_cost, 0);
  const Answer half = asked({fmt::format(R"({{"error": {{"code": 502}}, {}}})", kChoices)});
  EXPECT_EQ(half.end, AnswerEnd::failed);
  EXPECT_EQ(half.of_unknown_cost, half.calls);
}

TEST(DialectTest, WhatHasCostSomethingIsNotAskedAgainWithoutLeave) {
  const std::string error = fmt::format(R"({{"error": {{"code": 502}}, {}}})", kUsage);
  EXPECT_EQ(asked({error}, [] { return false; }).calls, 1);
  EXPECT_EQ(asked({R"({"error": {"code": 502}})"}, [] { return false; }).calls, 3) << "it is free";
}

}  // namespace
}  // namespace assay
