// assay-watcher RUN HOST PORT: serves the page of a run, until it is asked to end. A process of its
// own, at the lowest priority, which the judge stops while it times. The first line on standard
// output says where it listens, or why it can't: {"port", "token"}, or {"error", "next"}.
#include <openssl/rand.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/disk.h"
#include "base/json.h"
#include "measure/watchers.h"
#include "watch/server.h"

namespace {

using namespace assay;

constexpr int kCannotWork = 2;
constexpr auto kMostToTell = std::chrono::seconds(1);

void say(const Json& line) { (void)write_all(STDOUT_FILENO, dump_json(line) + "\n"); }

int fail(const Error& error) {
  say({{"error", error.message}, {"next", error.next}});
  return kCannotWork;
}

std::string drawn_token() {
  unsigned char bytes[16];
  std::string token;
  if (RAND_bytes(bytes, sizeof bytes) != 1) std::abort();
  for (unsigned char each : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    token += kDigits[each >> 4];
    token += kDigits[each & 15];
  }
  return token;
}

uint64_t drawn_number() {
  uint64_t number = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) != 1) std::abort();
  return number;
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

int run(const std::string& folder, const std::string& host, int port) {
  auto place = WatcherPlace::take(folder);
  if (!place) return fail(place.error());
  PageAccess access{.host = host, .machine_name = machine_name(), .token = {}};
  if (!is_loopback(host)) access.token = drawn_token();
  LiveRun live(folder, drawn_number());
  WatchServer server(access, live);
  auto bound = server.bind(port);
  if (!bound) return fail(bound.error());

  sigset_t ends;
  ::sigemptyset(&ends);
  for (int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&ends, number);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // of all threads that follow
  std::thread([&] { server.serve(); }).detach();
  live.look();
  say({{"port", *bound}, {"token", access.token}});
  while (true) {
    const auto pause = std::chrono::nanoseconds(live.pause()).count();
    const timespec most{pause / 1'000'000'000, pause % 1'000'000'000};
    if (::sigtimedwait(&ends, nullptr, &most) > 0) break;
    live.look();
  }
  // What the run has stored last is told before this ends.
  live.look();
  live.end();
  server.wait_for_readers(kMostToTell);
  // Connections that are idle have threads that wait for what nobody will ask.
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_NAME, "assay-watcher");
  (void)::setpriority(PRIO_PROCESS, 0, 19);
  int port = 0;
  if (argc != 4) return kCannotWork;
  const char* end = argv[3] + std::strlen(argv[3]);
  if (auto [at, failed] = std::from_chars(argv[3], end, port); failed != std::errc() || at != end)
    return kCannotWork;
  return run(argv[1], argv[2], port);
}
