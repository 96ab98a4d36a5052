// What a window costs in which nothing is done: go, done, frozen; at every level that this machine
// gives. Also from the request for a jailed worker to its hello.
//
//   window_bench [WINDOWS]
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "run/control_page.h"
#include "sandbox/futex.h"
#include "sandbox/process_spawner.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

constexpr int64_t kSecond = 1'000'000'000;

int64_t now() { return system_clock().now_ns(); }

bool wait_while(std::atomic<uint32_t>& word, uint32_t value, int64_t until_ns) {
  while (word.load() == value) {
    sandbox::sleep_while(word, value, kSecond);
    if (now() > until_ns) return false;
  }
  return true;
}

ControlPage* map_page(int fd) {
  void* page = ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return page == MAP_FAILED ? nullptr : static_cast<ControlPage*>(page);
}

int serve_windows() {
  auto job = wire::receive_job(wire::kChannelFd);
  ControlPage* page = job ? map_page(job->descriptors.at(0)) : nullptr;
  if (!page || !wire::send(wire::kChannelFd, wire::frame(R"({"ready":true})"))) return 1;
  for (uint32_t window = 0;;) {
    if (!wait_while(page->go, window, INT64_MAX)) return 1;
    window = page->go.load();
    page->done = window;
    sandbox::wake_all(page->done);
  }
}

double microseconds(std::vector<int64_t>& times, double part) {
  std::ranges::sort(times);
  return static_cast<double>(
             times[static_cast<size_t>(static_cast<double>(times.size() - 1) * part)]) /
         1e3;
}

void say(const Json& figures) { std::printf("%s\n", dump_json(figures).c_str()); }

void measure(Isolation level, const std::string& self, const std::string& launcher, int windows) {
  std::string_view word = to_word(kIsolationWords, level);
  auto spawner = ProcessSpawner::create("/tmp/assay-window-bench-" + std::to_string(::getpid()));
  int memory = ::memfd_create("control", MFD_CLOEXEC);
  if (!spawner || ::ftruncate(memory, ControlPage::kBytes) != 0) return;
  ControlPage* page = map_page(memory);
  Limits limits;
  limits.timeout_ns = 20 * kSecond;
  limits.conversation = true;
  limits.messages = 2;
  JailSpec jail;
  jail.level = level;
  jail.read_only = {"/usr", "/bin", "/lib", "/lib64", self};
  jail.environment = {"PATH=/usr/bin:/bin"};
  jail.may_exec = true;
  jail.memory_bytes = uint64_t{1} << 30;
  limits.jail = jail;
  Image image{"launch", {launcher, self, "serve"}, {"PATH=/usr/bin:/bin"}, 20 * kSecond};
  std::vector<int64_t> starts;
  ChildId last = 0;
  for (int start = 0; start < 20; ++start) {
    if (last) (*spawner)->stop(last);
    page->go = 0;
    page->done = 0;
    int64_t begin = now();
    auto child = (*spawner)->start(image, limits, {Json::object(), {memory}});
    while (child) {
      auto event = (*spawner)->next(30 * kSecond);
      if (!event) return;
      if (event->child == *child && event->kind == Event::Kind::ended)
        return say({{"level", word}, {"error", event->ending.message}});
      if (event->child == *child && event->kind == Event::Kind::message) break;
    }
    if (start > 0) starts.push_back(now() - begin);
    last = *child;
  }
  auto freezer = (*spawner)->freezer(last);
  std::vector<int64_t> whole, handshakes, clocks;
  std::string problem;
  std::thread judge([&] {
    for (int i = 1; i <= windows && problem.empty(); ++i) {
      if (auto frozen = freezer->freeze(); !frozen) problem = frozen.error().describe();
      auto before = freezer->cpu_ns();
      int64_t begin = now();
      page->go = static_cast<uint32_t>(i);
      if (auto thawed = freezer->thaw(); !thawed) problem = thawed.error().describe();
      sandbox::wake_all(page->go);
      if (!wait_while(page->done, static_cast<uint32_t>(i - 1), now() + kSecond)) problem = "late";
      int64_t done = now();
      if (auto frozen = freezer->freeze(); !frozen) problem = frozen.error().describe();
      whole.push_back(now() - begin);
      handshakes.push_back(done - begin);
      int64_t clock = now();
      (void)freezer->cpu_ns();
      clocks.push_back(now() - clock);
    }
  });
  judge.join();
  if (!problem.empty()) return say({{"level", word}, {"error", problem}});
  say({{"level", word},
       {"null_window_us", microseconds(whole, 0.5)},
       {"null_window_p99_us", microseconds(whole, 0.99)},
       {"until_done_us", microseconds(handshakes, 0.5)},
       {"cpu_clock_us", microseconds(clocks, 0.5)},
       {"ready_ms", microseconds(starts, 0.5) / 1e3}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "serve") == 0) return serve_windows();
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  std::string path = self;
  std::string launcher = path.substr(0, path.rfind("/bin/")) + "/libexec/assay/assay-launch";
  int windows = argc > 1 ? std::atoi(argv[1]) : 2000;
  for (const IsolationTrial& trial : isolation().trials) {
    if (trial.works)
      measure(trial.level, path, launcher, windows);
    else
      say({{"level", to_word(kIsolationWords, trial.level)}, {"error", trial.missing}});
  }
  return 0;
}
