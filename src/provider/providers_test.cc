// What is named on a command line, set up by the environment and the user's file, and opened.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/rows.h"
#include "fakes/fake_service.h"
#include "fakes/memory_disk.h"
#include "fakes/user_folder.h"
#include "provider/endpoint.h"
#include "provider/provider.h"
#include "provider/replay.h"
#include "provider/secrets.h"
#include "provider/service.h"

namespace assay {
namespace {

using How = Answer::End;

TEST(Secrets, LeaveTheEnvironmentAndTexts) {
  static char variable[] = "ASSAY_TEST_SECRET=marked-secret-7777\n";
  const std::string name = "ASSAY_TEST_SECRET";
  ASSERT_EQ(::putenv(variable), 0);
  EXPECT_EQ(take_secret(name.c_str()), "marked-secret-7777");
  EXPECT_EQ(std::getenv(name.c_str()), nullptr);
  EXPECT_EQ(std::string(variable, sizeof variable).find("marked"), std::string::npos);
  EXPECT_EQ(take_secret(name.c_str()), "marked-secret-7777");
  EXPECT_EQ(without_secrets("a marked-secret-7777, marked-secret-7777."), "a [key], [key].");
  add_secret("marked-secret-7777-and-more");
  EXPECT_EQ(without_secrets("marked-secret-7777-and-more"), "[key]");
  EXPECT_EQ(take_secret("ASSAY_TEST_NO_SUCH"), "");
  add_secret("none");
  EXPECT_EQ(without_secrets("none of it"), "none of it");
}

TEST(ModelName, IsReadOffACommandLine) {
  const auto author = [](const std::string& written) {
    auto model = find_model(written);
    return model ? model->author : model.error().describe();
  };
  EXPECT_EQ(author("openai:gpt-6.1-sol"), "gpt-6.1-sol");
  EXPECT_EQ(author("openai:zai-org/GLM 5.3:free"), "zai-org-GLM-5.3-free");
  EXPECT_EQ(author("command:/usr/bin/ask --now | cat"), "ask");
  EXPECT_EQ(author("command:.hidden"), "hidden");
  EXPECT_EQ(author("command:|"), "command");
  EXPECT_EQ(author("replay:some/where/tour.jsonl"), "tour");
  EXPECT_EQ(author("replay:runs/mine/"), "mine");
  EXPECT_EQ(find_model("openai:a:b")->name, "a:b");
  EXPECT_TRUE(author("opnai:x").contains("did you mean 'openai'?"));
  EXPECT_TRUE(author("gpt-5").contains("assay list providers"));
  EXPECT_TRUE(author("openai:").contains("write openai:MODEL"));
  EXPECT_TRUE(author("command").contains("write command:COMMAND"));
}

class Setup : public testing::Test {
 protected:
  std::string of(const std::string& name) {
    auto said = find_row(provider_types(), name)->setup(disk_);
    return said ? *said : said.error().describe();
  }
  void write_file(const std::string& text) { disk_.files[user_.path() + "/providers.toml"] = text; }

  UserFolder user_;
  MemoryDisk disk_;
};

// Keys that were taken stay for as long as the process is there: so this is one test.
TEST_F(Setup, SaysWhatThereIsAndWhatToSet) {
  EXPECT_EQ(of("openai"),
            "openai is not set up: it has no key\n"
            "  set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of a server of yours");
  EXPECT_EQ(of("anthropic"),
            "anthropic is not set up: it has no key\n"
            "  set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN");
  EXPECT_TRUE(of("gateway").starts_with("gateway is not set up: it has no address"))
      << of("gateway");

  ::setenv("OPENAI_BASE_URL", "http://me:word@localhost:8000/v1/", 1);
  EXPECT_EQ(of("openai"), "http://localhost:8000/v1, no key");
  ::setenv("OPENAI_BASE_URL", "http://me:marked-word@localhost/v1/?version=2026-01-31&key=marked-9",
           1);
  EXPECT_EQ(of("openai"), "http://localhost/v1, no key");
  EXPECT_EQ(without_secrets("marked-word, marked-9 of 2026-01-31"), "[key], [key] of 2026-01-31");
  ::setenv("OPENAI_BASE_URL", "localhost:8000", 1);
  EXPECT_TRUE(of("openai").starts_with("OPENAI_BASE_URL: 'localhost:8000' is no address"));
  ::unsetenv("OPENAI_BASE_URL");
  ::setenv("OPENAI_API_KEY", "marked-openai-key", 1);
  EXPECT_EQ(of("openai"), "https://api.openai.com/v1, key from OPENAI_API_KEY");
  EXPECT_EQ(std::getenv("OPENAI_API_KEY"), nullptr);

  ::setenv("ANTHROPIC_AUTH_TOKEN", "marked-token-1", 1);
  EXPECT_EQ(of("anthropic"), "https://api.anthropic.com, key from ANTHROPIC_AUTH_TOKEN");
  ::setenv("ANTHROPIC_API_KEY", "marked-key-22", 1);
  EXPECT_EQ(of("anthropic"), "https://api.anthropic.com, key from ANTHROPIC_API_KEY");

  write_file(
      "[gateway]\nurl = \"https://gate.example/${ASSAY_TEST_TEAM}\"\nkey_header = \"X-Key\"\n"
      "[gateway.headers]\nX-Who = \"${ASSAY_TEST_WHO} and me\"\n");
  EXPECT_TRUE(
      of("gateway").contains("providers.toml:2:7: 'url': the environment has no variable "
                             "ASSAY_TEST_TEAM"))
      << of("gateway");
  ::setenv("ASSAY_TEST_TEAM", "kernels", 1);
  ::setenv("ASSAY_TEST_WHO", "marked-person", 1);
  EXPECT_TRUE(of("gateway").starts_with("https://gate.example/kernels, key from "))
      << of("gateway");
  EXPECT_EQ(without_secrets("marked-person and me"), "[key]");
  write_file("[gatway]\n");
  EXPECT_TRUE(of("gateway").contains("did you mean 'gateway'?")) << of("gateway");
  write_file("[gateway]\ndialect = \"french\"\n");
  EXPECT_TRUE(of("gateway").contains("'french' is no dialect")) << of("gateway");
  write_file("[gateway]\nurl = \"https://g\"\n[gateway.headers]\n\"a b\" = \"x\"\n");
  EXPECT_TRUE(of("gateway").contains("'a b' is no header's name")) << of("gateway");
}

TEST(EndpointTest, AQueryStandsBehindThatOfAPath) {
  const Endpoint endpoint{.provider = "fake", .address = "http://x", .query = "a=1&b=2"};
  EXPECT_EQ(endpoint.url("/models"), "http://x/models?a=1&b=2");
  EXPECT_EQ(endpoint.url("/models?limit=9"), "http://x/models?limit=9&a=1&b=2");
}

// Asked by a service at an address like this one, whatever that has behind it.
std::unique_ptr<Provider> at(std::string address, std::string query = "") {
  ServiceSetting setting{
      .endpoint = {.provider = "fake", .address = std::move(address), .query = std::move(query)},
      .dialect = &chat_dialect(),
      .model = "small"};
  setting.patience.retries = 0;
  auto opened = open_service(std::move(setting));
  EXPECT_TRUE(opened) << opened.error().describe();
  return std::move(*opened);
}

TEST(EndpointTest, AQueryIsSentAndAWebPageIsNoAnswer) {
  FakeService service([](const FakeService::Request&, int) {
    return FakeService::Reply{.body = "\n<!doctype html><title>Sign in</title>"};
  });
  const std::atomic<bool> never{false};
  const Answer answer = at(service.address() + "/deployments/small", "api-version=2024-10-21")
                            ->ask({.system = "", .prompt = "write"}, never);
  EXPECT_TRUE(service.requests().at(0).head.starts_with(
      "POST /deployments/small/chat/completions?api-version=2024-10-21 "))
      << service.requests().at(0).head;
  EXPECT_EQ(answer.end, How::failed);
  EXPECT_TRUE(answer.why.starts_with("it answers with a web page")) << answer.why;
}

TEST(EndpointTest, WhoIsInAnAddressIsNotShown) {
  FakeService service(
      [](const FakeService::Request&, int) { return FakeService::Reply{.status = 404}; });
  const std::string address = service.address();
  const auto said = at("http://me:word@" + address.substr(7))->check();
  ASSERT_FALSE(said);
  EXPECT_TRUE(said.error().message.contains("at " + address)) << said.error().message;
  EXPECT_FALSE(said.error().message.contains("word")) << said.error().message;
}

TEST(EndpointTest, WhatIsNoAddressIsShownWithoutItsKeys) {
  const UserFolder user;
  const MemoryDisk disk;
  ::setenv("OPENAI_BASE_URL", "me:word@host/v1?key=word", 1);
  const auto found = find_endpoint(
      disk, {.provider = "openai", .own_address = "", .address_variable = "OPENAI_BASE_URL"});
  ::unsetenv("OPENAI_BASE_URL");
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().message.contains("'host/v1' is no address")) << found.error().message;
}

TEST(EndpointTest, AHeaderIsOneLine) {
  Endpoint endpoint{.provider = "fake", .address = "http://x"};
  EXPECT_FALSE(endpoint.add("X-A", "b\r\nX-C: d"));
  EXPECT_FALSE(endpoint.add("X-A: b\r\nX", "c"));
  EXPECT_FALSE(endpoint.add("", "c"));
  EXPECT_TRUE(endpoint.add("X-A", "b"));
  EXPECT_TRUE(endpoint.add("x-a", "c"));
  EXPECT_EQ(endpoint.headers.size(), 1u);
  EXPECT_TRUE(endpoint.has("X-a"));
}

// A zombie, until whoever adopted it looks, is gone as well.
bool comes_to_its_end(int process) {
  for (int i = 0; i < 5000; ++i) {
    auto status = system_disk().read("/proc/" + std::to_string(process) + "/stat");
    if (!status || status->contains(") Z")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class CommandTest : public testing::Test {
 protected:
  CommandTest() { std::signal(SIGPIPE, SIG_IGN); }  // as assay does

  Answer ask(const std::string& command) {
    auto model = find_model("command:" + command);
    EXPECT_TRUE(model);
    auto provider = open_provider(disk_, *model);
    EXPECT_TRUE(provider);
    return (*provider)->ask(question_, stop_);
  }

  MemoryDisk disk_;
  Question question_{
      .system = "rules", .prompt = "write it\n", .parameters = {{"seed", 1}}, .node = "p/1"};
  std::atomic<bool> stop_{false};
};

TEST_F(CommandTest, AnswersOnItsOutput) {
  Answer answer = ask("cat; echo $ASSAY_NODE $ASSAY_PARAMETERS");
  EXPECT_EQ(answer.end, How::complete) << answer.why;
  EXPECT_EQ(answer.text, "rules\n\nwrite it\np/1 {\"seed\":1}\n");
  EXPECT_FALSE(answer.usage);
  EXPECT_EQ(answer.of_unknown_cost, 1);
  question_.prompt = std::string(3 << 20, 'x');
  question_.system = "";
  EXPECT_EQ(ask("cat").text, question_.prompt);
  EXPECT_EQ(ask("echo does not read").text, "does not read\n");
}

TEST_F(CommandTest, SaysHowItFailed) {
  Answer answer = ask("echo first >&2; echo the reason >&2; exit 3");
  EXPECT_EQ(answer.end, How::failed);
  EXPECT_EQ(answer.why, "it ended with status 3: the reason");
  EXPECT_EQ(ask("kill -9 $$").why, "it ended by signal 9");
  EXPECT_TRUE(ask("/no/such/program").why.starts_with("it ended with status 127: "));
  EXPECT_EQ(ask("yes").why, "it said more than 32.0 MiB");
}

TEST_F(CommandTest, WhatItLeavesBehindEndsWithIt) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(ask("sleep 100 & echo done").text, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(CommandTest, IsStoppedWithAllThatItStarted) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/pid";
  Answer answer;
  std::thread asking([&] { answer = ask("sleep 1000 & echo $! > " + file + "; wait"); });
  std::string pid;
  while (pid.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (auto text = system_disk().read(file)) pid = *text;
  }
  stop_.store(true);
  asking.join();
  EXPECT_EQ(answer.end, How::stopped);
  EXPECT_TRUE(comes_to_its_end(std::stoi(pid)));
}

TEST_F(CommandTest, EndsWithAssayWhateverItHasStarted) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/pid";
  const pid_t assay = ::fork();
  if (assay == 0) {
    (void)ask("sleep 1000 & echo $! > " + file + "; wait; true");
    ::_exit(0);
  }
  std::string pid;
  while (!pid.ends_with('\n')) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (auto text = system_disk().read(file)) pid = *text;
  }
  ::kill(assay, SIGKILL);
  ASSERT_EQ(::waitpid(assay, nullptr, 0), assay);
  EXPECT_TRUE(comes_to_its_end(std::stoi(pid)));
}

TEST(ReplayTest, AnswersByNode) {
  MemoryDisk disk;
  const Answer recorded{
      .end = How::truncated,
      .text = "x\ny",
      .why = "it met the limit of tokens",
      .usage =
          Usage{.input = 3, .cached_input = 1, .output = 2, .reasoning = 1, .written_input = 1},
      .model = "m"};
  disk.files["r.jsonl"] = recorded_line("a", recorded) + "\n\n" + R"({"node": "b", "text": "t"})";
  auto provider = open_provider(disk, *find_model("replay:r.jsonl"));
  ASSERT_TRUE(provider) << provider.error().describe();
  const std::atomic<bool> stop{false};
  Question question{.node = "a"};
  const Answer answer = (*provider)->ask(question, stop);
  EXPECT_EQ(answer.end, How::truncated);
  EXPECT_EQ(answer.text, "x\ny");
  EXPECT_EQ(answer.why, recorded.why);
  EXPECT_EQ(answer.usage, recorded.usage);
  EXPECT_EQ(answer.model, "m");
  question.node = "b";
  EXPECT_EQ((*provider)->ask(question, stop).end, How::complete);
  question.node = "c";
  EXPECT_EQ((*provider)->ask(question, stop).why, "the recording has no answer for 'c'");
}

TEST(ReplayTest, TheAnswersOfARunAreBroughtAlong) {
  MemoryDisk disk;
  disk.files["run/assay.sqlite"] = "";
  EXPECT_FALSE(open_provider(disk, *find_model("replay:run")));
  auto provider = open_provider(disk, *find_model("replay:run"), [](const std::string& folder) {
    return Recording{{"a", {.end = How::complete, .text = "of " + folder}}};
  });
  ASSERT_TRUE(provider);
  const std::atomic<bool> stop{false};
  EXPECT_EQ((*provider)->ask({.node = "a"}, stop).text, "of run");
}

TEST(ReplayTest, WhatIsNoRecordingIsRefused) {
  MemoryDisk disk;
  for (const char* text :
       {"x", "[]", "{}", R"({"node": 3})", R"({"node": "a", "end": "never"})",
        R"({"node": "a", "usage": {"input": -1}})", "{\"node\": \"a\"}\n{\"node\": \"a\"}"}) {
    disk.files["r"] = text;
    EXPECT_FALSE(open_provider(disk, *find_model("replay:r"))) << text;
  }
}

}  // namespace
}  // namespace assay
