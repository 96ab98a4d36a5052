#include "serve/grade.h"

#include <deque>
#include <functional>

#include "fakes/serving.h"
#include "session/quiet_account.h"

namespace assay {
namespace {

// Requests that are all here, and what is said of them.
class ListedStream final : public LineStream {
 public:
  std::optional<Line> take() override {
    if (next_ == requests.size() || (next_ == held_from && !lets_go())) return std::nullopt;
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
  // From this one on they come once that is so.
  size_t held_from = SIZE_MAX;
  std::function<bool()> lets_go;

 private:
  size_t next_ = 0;
};

// When each was begun.
class Beginnings final : public Events {
 public:
  explicit Beginnings(const ListedStream& stream) : stream_(stream) {}
  void started(const std::string&, Stage, size_t) override {
    said_before.push_back(stream_.said.size());
    last_ns = system_clock().now_ns();
  }
  // The last of so many was begun this long ago.
  bool are(size_t count, int64_t ago_ns) const {
    return said_before.size() >= count && system_clock().now_ns() - last_ns > ago_ns;
  }

  std::vector<size_t> said_before;  // how many were through
  int64_t last_ns = 0;

 private:
  const ListedStream& stream_;
};

class GraderTest : public ServingTest {
 protected:
  Status run() { return grade(settings_, world(beginnings_), stream_); }

  // With the fakes' problem.
  static std::string request(const std::string& id, const std::string& candidate,
                             const std::string& more = "",
                             const std::string& problem = "is sound") {
    return R"({"id": ")" + id + R"(", "problem_code": ")" + problem + R"(", "code": ")" +
           candidate + "\"" + more + "}";
  }
  // Of which one call fills a window: the fake oracle says so.
  static std::string long_request(const std::string& id, const std::string& candidate,
                                  const std::string& more = "") {
    return request(id, candidate, more, "takes long");
  }

  // Interrupts the run after so long, which must end with that, and soon.
  void run_interrupted(int milliseconds) {
    std::thread interrupter([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      ::kill(::getpid(), SIGINT);
    });
    const int64_t begin_ns = system_clock().now_ns();
    Status ran = run();
    interrupter.join();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().code, Code::interrupted);
    EXPECT_LT(system_clock().now_ns() - begin_ns, 20 * kSecond);
  }

  Json said_of(const std::string& id) const {
    for (const Json& each : stream_.said)
      if (each["id"] == id) return each;
    ADD_FAILURE() << "nothing is said of " << id;
    return Json::object();
  }

  ListedStream stream_;
  Beginnings beginnings_{stream_};
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

// Whatever a source of assay's names is a problem, and the paths of files as they are written.
TEST_F(GraderTest, AProblemIsNamedAsForARun) {
  const std::string file = folder_.path() + "/sound.py", all = folder_.path() + "/all";
  ASSERT_TRUE(system_disk().write(file, "is sound"));
  ASSERT_TRUE(system_disk().make_directories(all));
  for (const char* name : {"/a.py", "/b.py"})
    ASSERT_TRUE(system_disk().write(all + name, "is sound"));
  auto named = [](const std::string& id, const std::string& problem, const std::string& more = "") {
    return R"({"id": ")" + id + R"(", "problem": ")" + problem + R"(", "code": "on cpu")" + more +
           "}";
  };
  const std::string softmax = "op:softmax[rows=8,columns=64]";
  stream_.requests = {named("file", file),
                      named("folder", all),
                      named("operation", softmax),
                      named("typed", softmax, R"(, "precision": "bf16")"),
                      named("several", "op:softmax[rows=8|9,columns=64]"),
                      named("unknown", "op:sofmax[rows=8,columns=64]"),
                      named("gone", folder_.path() + "/gone.py")};
  ASSERT_TRUE(run());
  EXPECT_EQ(said_of("file")["verdict"], "accepted") << said_of("file");
  EXPECT_EQ(said_of("file")["path"], absolute_path(file));
  auto is_refused_for = [&](const char* id, const std::string& why) {
    const std::string said = said_of(id).value("invalid", "it is no invalid one");
    EXPECT_TRUE(said.contains(why)) << id << ": " << said;
  };
  is_refused_for("folder", "is 2 problems, and a request is of one");
  is_refused_for("typed", "'precision' does not apply to op:softmax[");
  is_refused_for("several", "is 2 problems, and a request is of one");
  is_refused_for("unknown", "line 6: 'problem': ");
  is_refused_for("gone", "line 7: 'problem': there is no file or folder");
  EXPECT_EQ(said_of("operation")["path"].get<std::string>().substr(0, 11), "op:softmax[")
      << said_of("operation");
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

TEST_F(GraderTest, WhatIsForATargetThatNobodyNamedIsToldWhichThereAre) {
  settings_.targets.push_back(target_named("a100"));
  settings_.targets.back().gpu = Gpu{};
  stream_.requests = {request("other", "on cpu", R"(, "target": "h100")"),
                      request("timed", "on cpu", R"(, "target": "a100", "time": true)"),
                      request("here", "on cpu", R"(, "target": "local")")};
  ASSERT_TRUE(run());
  EXPECT_EQ(said_of("other")["invalid"],
            "line 1: 'target' is 'h100', and assay serve was started with --on local,a100");
  EXPECT_EQ(said_of("timed")["invalid"],
            "line 2: 'time' is true, and code for a100 is not run here");
  EXPECT_EQ(said_of("here")["verdict"], "accepted");
  EXPECT_EQ(said_of("here")["target"], "local");
}

TEST_F(GraderTest, WhereNobodyReadsNothingIsBegun) {
  for (int i = 0; i < 6; ++i) stream_.requests.push_back(request(std::to_string(i), "on cpu"));
  stream_.read_until = 1;
  run_interrupted(4000);
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

TEST_F(GraderTest, WhatIsRightIsTimed) {
  time_against_eager();
  stream_.requests = {long_request("good", "on cpu"), long_request("bad", "wrong"),
                      long_request("verified", "on cpu", R"(, "time": false)")};
  ASSERT_TRUE(run());
  const Json good = said_of("good");
  EXPECT_EQ(good["verdict"], "accepted") << good;
  EXPECT_EQ(good["reached"], "timed") << good;
  ASSERT_TRUE(good["timing"].is_object()) << good;
  EXPECT_EQ(good["timing"]["provisional"], true);
  ASSERT_EQ(good["timing"]["speedups"].size(), 1u);
  EXPECT_EQ(good["timing"]["speedups"][0]["baseline"], "eager");
  EXPECT_EQ(good["outcome"], good["timing"]["speedups"][0]["outcome"]);
  EXPECT_EQ(good["stages"].back()["stage"], "judge");
  // Of each launch, candidate and baseline.
  const Json measured = good["stages"][good["stages"].size() - 2]["evidence"]["measured"];
  ASSERT_EQ(measured["forked_from"].size(), measured["launches"]);
  for (const Json& launch : measured["forked_from"]) {
    ASSERT_EQ(launch.size(), 2u);
    EXPECT_GT(launch[0], 0);
    EXPECT_GT(launch[1], 0);
  }

  EXPECT_EQ(said_of("bad")["reason"], "wrong");
  EXPECT_TRUE(said_of("bad")["timing"].is_null());
  EXPECT_EQ(said_of("verified")["outcome"], "correct");
  EXPECT_TRUE(said_of("verified")["timing"].is_null());
}

TEST_F(GraderTest, WhoAsksForTimesWhereNoneAreTakenIsToldSo) {
  stream_.requests = {request("a", "on cpu", R"(, "time": true)"),
                      request("b", "on cpu", R"(, "time": false)")};
  ASSERT_TRUE(run());
  EXPECT_EQ(said_of("a")["invalid"],
            "line 1: 'time' is true, and assay serve was started without --against");
  EXPECT_EQ(said_of("b")["outcome"], "correct");
}

TEST_F(GraderTest, OthersAreBegunWhileSomeWaitToBeTimedAndNoMoreThanCanWait) {
  time_against_eager();
  settings_.jobs = 3;
  const size_t count = QuietAccount::kMostWaiting + 4;
  for (size_t i = 0; i < count; ++i)
    stream_.requests.push_back(long_request(std::to_string(i), "on cpu"));
  ASSERT_TRUE(run());
  EXPECT_EQ(stream_.said.size(), count);
  const std::vector<size_t>& said_before = beginnings_.said_before;
  ASSERT_EQ(said_before.size(), count);
  EXPECT_EQ(said_before[3], 0u) << "the first three are ready, or nearly so";
  // Those that could not wait any more were timed first, one after the other.
  EXPECT_GE(said_before[count - 1], 3u);
}

// Of one that hangs, and of one behind it.
TEST_F(GraderTest, WhatIsCancelledEndsAndIsToldSo) {
  settings_.jobs = 1;
  stream_.requests = {request("hangs", "hangs"),
                      request("behind", "on cpu"),
                      request("last", "on cpu"),
                      R"({"id": "behind", "cancel": true})",
                      R"({"id": "hangs", "cancel": true})",
                      R"({"id": "over", "cancel": true})"};
  stream_.held_from = 3;
  stream_.lets_go = [&] { return beginnings_.are(1, kSecond); };
  const int64_t begin_ns = system_clock().now_ns();
  ASSERT_TRUE(run());
  EXPECT_LT(system_clock().now_ns() - begin_ns, 50 * kSecond) << "its time limit is 60 s";
  EXPECT_EQ(stream_.said.size(), 3u);
  const Json behind{{"id", "behind"}, {"cancelled", true}},
      hangs{{"id", "hangs"}, {"cancelled", true}};
  EXPECT_EQ(said_of("behind"), behind);
  EXPECT_EQ(said_of("hangs"), hangs);
  EXPECT_EQ(said_of("last")["verdict"], "accepted");
}

// Wherever its measurement is, the next one can be timed.
TEST_F(GraderTest, WhatIsCancelledWhileItIsTimedGivesTheMachineBack) {
  time_against_eager();
  settings_.jobs = 2;
  for (int64_t after_ns : {kSecond / 5, kSecond / 2, 2 * kSecond}) {
    stream_ = {};
    beginnings_.said_before.clear();
    stream_.requests = {long_request("first", "on cpu"), long_request("second", "on cpu"),
                        R"({"id": "first", "cancel": true})"};
    stream_.held_from = 2;
    stream_.lets_go = [&] { return beginnings_.are(2, after_ns); };
    ASSERT_TRUE(run());
    EXPECT_EQ(said_of("second")["reached"], "timed");
    EXPECT_EQ(stream_.said.size(), 2u);
  }
}

TEST_F(GraderTest, IsInterruptedWhileSomebodyWaitsToBeTimed) {
  time_against_eager();
  stream_.requests = {long_request("waits", "on cpu"), long_request("long", "hangs")};
  run_interrupted(2000);
  EXPECT_TRUE(stream_.said.empty());
}

TEST_F(GraderTest, IsInterruptedWhereverAMeasurementIs) {
  for (int milliseconds : {200, 500, 900}) {
    spawner_.reset();
    SetUp();
    time_against_eager();
    settings_.run.timing->quick = false;
    settings_.run.timing->budget_ns = 60 * kSecond;
    stream_ = {};
    // Nobody is faster: there is much to be timed.
    for (int i = 0; i < 50; ++i)
      stream_.requests.push_back(long_request(std::to_string(i), "takes long"));
    run_interrupted(milliseconds);
    EXPECT_LT(stream_.said.size(), 50u);
  }
}

}  // namespace
}  // namespace assay
