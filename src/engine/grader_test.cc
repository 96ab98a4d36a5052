#include "engine/grader.h"

#include <deque>

#include "base/memory_gauge.h"
#include "fakes/verification.h"

namespace assay {
namespace {

// Requests that are all here, and what is said of them.
class ListedStream final : public GradeStream {
 public:
  std::optional<Line> take() override {
    if (next_ == requests.size()) return std::nullopt;
    ++next_;
    return Line{requests[next_ - 1], "line " + std::to_string(next_)};
  }
  Status check() const override { return {}; }
  bool has_ended() const override { return next_ == requests.size(); }
  void put(const std::string& line) override {
    auto json = parse_json(line, "what is said");
    ASSERT_TRUE(json) << line;
    said.push_back(*json);
  }
  // Only a few are left unread.
  bool is_clogged() const override { return said.size() >= read_until; }

  std::vector<std::string> requests;
  std::vector<Json> said;
  size_t read_until = SIZE_MAX;

 private:
  size_t next_ = 0;
};

class GraderTest : public VerificationTest {
 protected:
  void SetUp() override {
    VerificationTest::SetUp();
    settings_.tools.verify = tools_;
    settings_.tools.verify.python_runner = tools_.native_runner;
    settings_.run.timeout_ns = 60 * kSecond;
    settings_.run.memory_bytes = uint64_t{1} << 30;
    settings_.jobs = 2;
  }

  Status run() {
    return grade(settings_, {system_disk(), memory_, system_clock(), *spawner_, libraries_},
                 stream_);
  }

  // With the fakes' problem.
  static std::string request(const std::string& id, const std::string& candidate,
                             const std::string& more = "") {
    return R"({"id": ")" + id + R"(", "problem_code": "is sound", "code": ")" + candidate + "\"" +
           more + "}";
  }

  Json said_of(const std::string& id) const {
    for (const Json& each : stream_.said)
      if (each["id"] == id) return each;
    ADD_FAILURE() << "nothing is said of " << id;
    return Json::object();
  }

  GradeSettings settings_;
  SystemMemory memory_{system_disk()};
  ListedStream stream_;
};

TEST_F(GraderTest, SaysOfEachWhatBecameOfIt) {
  stream_.requests = {request("good", "on cpu"), request("bad", "wrong"), request("dead", "dies"),
                      "no request", request("later", "on cpu")};
  ASSERT_TRUE(run());
  EXPECT_EQ(stream_.said.size(), 5u);
  EXPECT_EQ(said_of("good")["verdict"], "accepted") << said_of("good");
  EXPECT_EQ(said_of("bad")["verdict"], "rejected");
  EXPECT_EQ(said_of("bad")["reason"], "wrong");
  EXPECT_EQ(said_of("dead")["class"], "crash");
  EXPECT_EQ(said_of("later")["verdict"], "accepted");
  EXPECT_EQ(said_of("later")["seed"].get<std::string>().size(), 64u);
}

TEST_F(GraderTest, LimitsAreThoseOfTheRequestWithinThoseOfTheServer) {
  stream_.requests = {request("quick", "hangs", R"(, "timeout_s": 0.5)"),
                      request("long", "on cpu", R"(, "timeout_s": 61)"),
                      request("large", "on cpu", R"(, "memory_bytes": 1073741825)")};
  ASSERT_TRUE(run());
  EXPECT_EQ(said_of("quick")["class"], "timeout") << said_of("quick");
  EXPECT_EQ(said_of("long")["invalid"], "line 2: 'timeout_s' is more than --timeout, 1m 00s");
  EXPECT_EQ(said_of("large")["invalid"],
            "line 3: 'memory_bytes' is more than --memory, 1073741824");
}

TEST_F(GraderTest, WhereNobodyReadsNothingIsBegun) {
  for (int i = 0; i < 6; ++i) stream_.requests.push_back(request(std::to_string(i), "on cpu"));
  stream_.read_until = 1;
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    ::kill(::getpid(), SIGINT);
  });
  Status ran = run();
  interrupter.join();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::interrupted);
  // Those that had begun when the first was said.
  EXPECT_LE(stream_.said.size(), settings_.jobs);
  EXPECT_GE(stream_.said.size(), 1u);
}

TEST_F(GraderTest, TheSameSeedGivesTheSameInputs) {
  const std::string seed(64, '7');
  stream_.requests = {request("a", "wrong", R"(, "seed": ")" + seed + "\""),
                      request("b", "wrong", R"(, "seed": ")" + seed + "\"")};
  ASSERT_TRUE(run());
  EXPECT_EQ(said_of("a")["seed"], seed);
  EXPECT_EQ(said_of("a")["error"], said_of("b")["error"]);
}

}  // namespace
}  // namespace assay
