#include "measure/watchers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

void until(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "waited in vain";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// 'S' sleeps, 'T' is stopped.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  return text.empty() ? 'X' : text[text.rfind(')') + 2];
}

// A process that does `work`, and then sleeps until it is killed.
class Forked {
 public:
  explicit Forked(const std::function<void()>& work) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    process_ = ::fork();
    if (process_ == 0) {
      work();
      (void)!::write(ends[1], "x", 1);
      while (true) ::pause();
    }
    char ready = 0;
    ::close(ends[1]);
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
  }
  ~Forked() { kill(); }
  pid_t process() const { return process_; }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

class Watchers : public testing::Test {
 protected:
  void take_place() {
    place_.emplace(WatcherPlace::take(folder_.path()));
    if (!*place_) std::abort();
  }

  TemporaryFolder folder_;
  std::optional<Result<WatcherPlace>> place_;
};

TEST_F(Watchers, StandStillWhileSomebodyTimes) {
  EXPECT_EQ(StoppedWatchers::stop(folder_.path()).count(), 0u) << "nobody ever watched";
  Forked first([&] { take_place(); }), second([&] { take_place(); }), other([] {});
  {
    const StoppedWatchers stopped = StoppedWatchers::stop(folder_.path());
    EXPECT_EQ(stopped.count(), 2u);
    until([&] { return state_of(first.process()) == 'T' && state_of(second.process()) == 'T'; });
    EXPECT_NE(state_of(other.process()), 'T');
  }
  until([&] { return state_of(first.process()) != 'T' && state_of(second.process()) != 'T'; });
  second.kill();
  EXPECT_EQ(StoppedWatchers::stop(folder_.path()).count(), 1u) << "its place went with it";
}

TEST_F(Watchers, GoOnWhenWhoTimedWasKilled) {
  Forked watcher([&] { take_place(); });
  std::optional<StoppedWatchers> stopped;
  Forked judge([&] { stopped.emplace(StoppedWatchers::stop(folder_.path())); });
  until([&] { return state_of(watcher.process()) == 'T'; });
  std::atomic<bool> is_over = false;
  std::thread parent([&] {
    wait_until_nobody_times(folder_.path());
    is_over = true;
    ::kill(watcher.process(), SIGCONT);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_over);
  judge.kill();
  parent.join();
  until([&] { return state_of(watcher.process()) != 'T'; });
}

}  // namespace
}  // namespace assay
