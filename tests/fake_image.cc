// An image that misbehaves on request. As a zygote it serves forks like a real one; its worker does
// what the job's "do" says. With a first argument it misbehaves as a zygote already.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "sandbox/fork_server.h"
#include "sandbox/wire.h"

namespace {

using assay::Json;
namespace wire = assay::wire;

constexpr int kChannel = wire::kChannelFd;

void answer(const Json& message) { wire::send(kChannel, wire::frame(assay::dump_json(message))); }

void answer_finally() { answer(Json{{"final", true}, {"ok", Json::object()}}); }

// Starts a process that leaves its session and its parent, and writes its pid to `path`.
void start_daemon(const std::string& path) {
  if (fork() != 0) {
    while (!std::ifstream(path)) usleep(1000);
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  signal(SIGTERM, SIG_IGN);
  {
    std::ofstream(path + ".new") << getpid();
    rename((path + ".new").c_str(), path.c_str());
  }
  while (true) pause();
}

// Of the process that serves forks.
pid_t served_by = 0;

[[noreturn]] void work() {
  auto received = wire::receive_job(kChannel);
  if (!received) _exit(99);
  Json job = Json::parse(received->body);
  const std::vector<int>& descriptors = received->descriptors;
  std::string what = job["do"];
  if (what == "answer") answer_finally();
  if (what == "whose") answer(Json{{"final", true}, {"ok", {{"pid", served_by}}}});
  if (what == "echo") {
    Json reply{{"final", true}, {"ok", {{"job", job}, {"descriptors", descriptors.size()}}}};
    if (!descriptors.empty()) {
      std::string text = "written by the worker";
      ssize_t written = write(descriptors[0], text.data(), text.size());
      reply["ok"]["written"] = written;
    }
    answer(reply);
  }
  if (what == "messages") {
    for (int i = 0; i < 3; ++i) answer(Json{{"index", i}});
    answer_finally();
  }
  if (what == "converse") {
    // Answers what it is told, until it is told to end.
    answer(Json{{"ready", true}});
    while (auto told = wire::receive_job(kChannel)) {
      Json question = Json::parse(told->body);
      if (question.contains("end")) break;
      if (question.contains("descriptor")) (void)!write(told->descriptors.at(0), "told", 4);
      if (question.contains("hang")) pause();
      answer(Json{{"heard", question}});
    }
    answer_finally();
  }
  if (what == "never read") {
    answer(Json{{"ready", true}});
    while (true) pause();
  }
  if (what == "environment") {
    char folder[4096];
    answer(Json{{"final", true},
                {"ok",
                 {{"folder", getcwd(folder, sizeof folder)},
                  {"tmpdir", getenv("TMPDIR")},
                  {"threads", assay::sandbox::count_threads()},
                  {"secret", getenv("ASSAY_TEST_SECRET") ? "seen" : "hidden"}}}});
  }
  if (what == "hang")
    while (true) pause();
  if (what == "hang deaf") {
    signal(SIGTERM, SIG_IGN);
    while (true) pause();
  }
  if (what == "spin")
    for (volatile unsigned i = 0;;) i = i + 1;
  if (what == "abort") abort();
  if (what == "segfault") raise(SIGSEGV);
  if (what == "exit") _exit(job.value("status", 0));
  if (what == "answer then exit") {
    answer_finally();
    _exit(3);
  }
  if (what == "answer then hang") {
    answer_finally();
    while (true) pause();
  }
  if (what == "flood") {
    std::string line(4095, 'x');
    while (true) puts(line.c_str());
  }
  if (what == "print") {
    std::string text(job["bytes"].get<size_t>(), 'y');
    fputs(text.c_str(), stdout);
    fflush(stdout);
    answer_finally();
  }
  if (what == "huge length") wire::send(kChannel, std::string_view("\xff\xff\xff\xff", 4));
  if (what == "zero length") wire::send(kChannel, std::string_view("\0\0\0\0", 4));
  if (what == "half frame") wire::send(kChannel, std::string_view("\x40\0\0\0{\"final\":", 13));
  if (what == "not json") wire::send(kChannel, wire::frame("this is not JSON"));
  if (what == "not an object") wire::send(kChannel, wire::frame("[1,2,3]"));
  if (what == "deep json") wire::send(kChannel, wire::frame(std::string(100'000, '[')));
  if (what == "answer twice") {
    answer_finally();
    answer_finally();
  }
  if (what == "close early") {
    close(kChannel);
    while (true) pause();
  }
  if (what == "daemon") {
    start_daemon(job["path"]);
    answer_finally();
  }
  if (what == "daemon then hang") {
    start_daemon(job["path"]);
    while (true) pause();
  }
  if (what == "allocate") {
    std::set_new_handler([] {
      answer(Json{{"final", true}, {"failed", {{"class", "out_of_memory"}}}});
      _exit(0);
    });
    size_t bytes = job["bytes"];
    std::vector<char> block(bytes, 1);
    answer(Json{{"final", true}, {"ok", {{"touched", block.size()}}}});
  }
  if (what == "allocate by mapping") {
    void* block = mmap(nullptr, job["bytes"].get<size_t>(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    answer(Json{{"final", true}, {"ok", {{"mapped", block != MAP_FAILED}}}});
  }
  _exit(0);
}

// Serves forks by hand, with workers that claim to speak another version.
void serve_another_version() {
  wire::send(kChannel, wire::frame(R"({"protocol":1,"image":"fake","threads":1})"));
  assay::sandbox::ForkRequest request;
  int fds[4];
  size_t count = 0;
  while (wire::receive(kChannel, &request, sizeof request, fds, 4, &count) == sizeof request) {
    pid_t pid = fork();
    if (pid == 0) {
      wire::send(fds[0], wire::frame(R"({"protocol":9,"worker":true})"));
      while (true) pause();
    }
    assay::sandbox::ForkReply reply{pid, 0};
    wire::send(kChannel, {reinterpret_cast<const char*>(&reply), sizeof reply});
    for (int fd : fds) close(fd);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string how = argc > 1 ? argv[1] : "";
  if (how == "another version") {
    wire::send(kChannel, wire::frame(R"({"protocol":9,"image":"fake","threads":1})"));
    pause();
  }
  if (how == "worker of another version") {
    signal(SIGCHLD, SIG_IGN);
    serve_another_version();
    return 0;
  }
  if (how == "silent") pause();
  if (how == "dies") {
    fprintf(stderr, "fake_image: cannot find its compiler\n");
    return 1;
  }
  if (how == "two threads") {
    std::thread([] { pause(); }).detach();
    usleep(20'000);
  }
  if (how == "once") {
    wire::send(kChannel, wire::frame(R"({"protocol":1,"image":"fake"})"));
    answer(Json{{"final", true}, {"ok", {{"asked", "once"}}}});
    return 0;
  }
  served_by = getpid();
  assay::sandbox::serve_forks(kChannel, "fake", {});
  work();
}
