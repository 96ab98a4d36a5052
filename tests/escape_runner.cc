// Plays the judge for one attack of tests/escapes, at one level, as one user, and prints what it
// saw as one line of JSON. A process of its own, because it may have to be another user.
//
//   escape_runner LEVEL UID LAUNCHER ATTACK [freeze] [unsealed]
//
// With the level "control" there is no jail: the attack runs as a plain child and should succeed.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/words.h"
#include "fakes/numbers.h"
#include "sandbox/process_spawner.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;
namespace fs = std::filesystem;

// Memory that the attack shares with us: [2] of 64 bits counts, [8] of 32 bits is our signals.
uint64_t* shared_page = nullptr;

void note_signal(int) { reinterpret_cast<volatile uint32_t*>(shared_page)[8] = 1; }

std::string own_links(const char* folder) {
  std::string text;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code gone;
    text += fs::read_symlink(entry.path(), gone).string().substr(0, 8) + " ";
  }
  return text;
}

int count_running(const std::string& program) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path() / "exe", gone) == program) ++count;
  }
  return count;
}

void kill_below() {
  while (true) {
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    for (pid_t pid = 0; children >> pid;) {
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
    }
    if (waitpid(-1, nullptr, WNOHANG) < 0) return;
    usleep(1000);
  }
}

int memory_file(const char* name, int seals) {
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return -1;
  if (pwrite(fd, "untouched", 9, 0) != 9 || fcntl(fd, F_ADD_SEALS, seals) != 0) return -1;
  return fd;
}

// What the judge has that an attack may want.
struct Judge {
  std::string folder;  // ours; "outside" in it is for everybody
  std::vector<int> files;
  int listener = -1, abstract = -1;
  const char* input = nullptr;
  Json job;

  explicit Judge(bool sealing) {
    char name[] = "/tmp/assay-escape-XXXXXX";
    folder = mkdtemp(name);
    chmod(folder.c_str(), 0755);
    fs::create_directory(folder + "/outside");
    chmod((folder + "/outside").c_str(), 0777);
    std::ofstream(folder + "/secret") << "hunter2";
    chmod((folder + "/secret").c_str(), 0600);
    int size = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    files.push_back(memory_file("page", 0));
    files.push_back(memory_file("sealed", sealing ? F_SEAL_WRITE | size : 0));
    files.push_back(memory_file("output", sealing ? size : 0));
    files.push_back(memory_file("input", 0));
    shared_page = static_cast<uint64_t*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0));
    shared_page[2] = shared_page[4] = 0;
    // Mapped to write before it is sealed: as the judge writes each window's inputs.
    input = static_cast<const char*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[3], 0));
    constexpr int kFutureWrite = 0x10;
    if (sealing) fcntl(files[3], F_ADD_SEALS, kFutureWrite | size);

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
    listen(listener, 4);
    socklen_t length = sizeof address;
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
    abstract = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::string word = "assay-escape-" + std::to_string(getpid());
    memcpy(local.sun_path + 1, word.data(), word.size());
    auto used = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + word.size());
    if (bind(abstract, reinterpret_cast<sockaddr*>(&local), used) != 0) std::abort();
    listen(abstract, 4);

    signal(SIGURG, note_signal);
    setenv("ASSAY_TEST_SECRET", "hunter2", 1);
    job = Json{{"judge", getpid()},
               {"address", reinterpret_cast<intptr_t>(input)},
               {"secret_file", folder + "/secret"},
               {"outside", folder + "/outside"},
               {"port", ntohs(address.sin_port)},
               {"abstract", word},
               {"other_cpu", 1}};
  }

  bool intact() const {
    char text[9] = {};
    struct stat info{};
    return memcmp(input, "untouched", 9) == 0 && pread(files[1], text, 9, 0) == 9 &&
           memcmp(text, "untouched", 9) == 0 && fstat(files[2], &info) == 0 && info.st_size == 4096;
  }
  bool nothing_planted() const {
    for (const auto& entry : fs::directory_iterator("/dev/shm"))
      if (entry.path().filename().string().starts_with("assay-fill")) return false;
    struct stat info{};
    stat((folder + "/secret").c_str(), &info);
    return fs::is_empty(folder + "/outside") && (info.st_mode & 0777) == 0600;
  }
  void close_all() {
    for (int fd : files) close(fd);
    close(listener);
    close(abstract);
  }
};

uint64_t counted() { return static_cast<volatile uint64_t*>(shared_page)[2]; }

// Stops and continues it three times; what it counts meanwhile must stand still.
template <class Stop, class GoOn>
void freeze_and_look(Json& seen, Stop stop, GoOn go_on) {
  bool moved = false, ran = true;
  for (int round = 0; round < 3; ++round) {
    uint64_t before = counted();
    usleep(20'000);
    ran = ran && counted() != before;
    stop();
    uint64_t frozen_at = counted();
    usleep(30'000);
    moved = moved || counted() != frozen_at;
    go_on();
  }
  seen["ran"] = ran;
  seen["outcome"] = moved ? "escaped" : "held";
  seen["text"] = moved ? "ran while it was stopped" : "stood still while it was stopped";
}

void take_answer(const Json& message, Json& seen) {
  for (const char* word : {"escaped", "held"})
    if (message.contains(word)) {
      seen["outcome"] = word;
      seen["text"] = message[word];
    }
}

void run_control(Judge& judge, const std::string& attack, bool freeze, Json& seen) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_t child = fork();
  if (child == 0) {
    setsid();
    if (chdir((judge.folder + "/outside").c_str()) != 0) _exit(95);
    setenv("TMPDIR", (judge.folder + "/outside").c_str(), 1);
    // By way of higher numbers: where one of them already had its number, dup2 would do nothing and
    // leave it close-on-exec, and which numbers they have depends on what this process inherited.
    int channel = fcntl(ends[1], F_DUPFD_CLOEXEC, 64);
    int left_open = fcntl(judge.listener, F_DUPFD_CLOEXEC, 64);  // as happens
    if (dup2(channel, 3) < 0 || dup2(left_open, 9) < 0) _exit(95);
    execl(attack.c_str(), attack.c_str(), nullptr);
    _exit(94);
  }
  close(ends[1]);
  wire::send(ends[0], wire::frame(dump_json(judge.job)), judge.files);
  wire::Decoder decoder;
  char bytes[4096];
  pollfd watched{ends[0], POLLIN, 0};
  while (true) {
    int ready = poll(&watched, 1, 15'000);
    if (ready < 0 && errno == EINTR) continue;  // by the attack's signal
    if (ready <= 0) break;
    ssize_t size = recv(ends[0], bytes, sizeof bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    decoder.feed({bytes, static_cast<size_t>(size)});
    auto body = decoder.next();
    if (!body) continue;
    Json message = Json::parse(*body);
    take_answer(message, seen);
    if (message.contains("ready") && freeze)
      freeze_and_look(seen, [&] { kill(child, SIGSTOP); }, [&] { kill(child, SIGCONT); });
    break;
  }
  usleep(200'000);
  seen["survivors"] = count_running(attack);
  close(ends[0]);
  kill_below();
}

void run_jailed(Judge& judge, Isolation level, const std::string& launcher,
                const std::string& attack, bool freeze, Json& seen) {
  auto spawner = ProcessSpawner::create(judge.folder + "/scratch");
  if (!spawner) {
    seen["text"] = spawner.error().describe();
    return;
  }
  Limits limits;
  limits.timeout_ns = 20 * kSecond;
  limits.messages = 3;
  JailSpec jail;
  jail.level = level;
  jail.read_only = {"/usr", "/bin", "/lib", "/lib64", fs::path(attack).parent_path()};
  jail.environment = {"PATH=/usr/bin:/bin"};
  jail.may_exec = true;
  jail.processes = 32;
  jail.memory_bytes = 256 << 20;
  jail.file_bytes = 8 << 20;
  jail.disk_bytes = 16 << 20;
  jail.cpus = {0};
  limits.jail = jail;
  Image image{"launch", {launcher, attack}, {"PATH=/usr/bin:/bin"}, 20 * kSecond};
  auto child = (*spawner)->start(image, limits, {judge.job, judge.files});
  while (child) {
    auto event = (*spawner)->next(30 * kSecond);
    if (!event || event->kind == Event::Kind::interrupted) break;
    if (event->kind == Event::Kind::message) {
      take_answer(event->message, seen);
      if (!event->message.contains("ready") || !freeze) continue;
      auto freezer = (*spawner)->freezer(*child);
      std::thread judges_thread([&] {
        freeze_and_look(
            seen,
            [&] {
              if (auto stopped = freezer->freeze(); !stopped)
                seen["problem"] = stopped.error().describe();
            },
            [&] {
              if (auto gone_on = freezer->thaw(); !gone_on)
                seen["problem"] = gone_on.error().describe();
            });
        seen["cpu_ns"] = freezer->cpu_ns().value_or(-1);
      });
      judges_thread.join();
      (*spawner)->stop(*child);
    }
    if (event->kind == Event::Kind::ended) {
      constexpr Word<EndKind> kWords[] = {{EndKind::answered, "answered"},
                                          {EndKind::exited, "exited"},
                                          {EndKind::crashed, "crashed"},
                                          {EndKind::out_of_memory, "out_of_memory"},
                                          {EndKind::timed_out, "timed_out"},
                                          {EndKind::output_limit, "output_limit"},
                                          {EndKind::protocol, "protocol"},
                                          {EndKind::stopped, "stopped"},
                                          {EndKind::lost, "lost"}};
      seen["end"] = to_word(kWords, event->ending.kind);
      seen["message"] = event->ending.message + " " + event->ending.output;
      seen["in_force"] = to_word(kIsolationWords, event->ending.isolation);
      break;
    }
  }
  seen["survivors"] = count_running(attack);
}

bool groups_left() {
  std::string name = "assay-" + std::to_string(getpid()) + "-";
  std::error_code skipped;
  for (auto at = fs::recursive_directory_iterator(
           "/sys/fs/cgroup", fs::directory_options::skip_permission_denied, skipped);
       at != fs::recursive_directory_iterator(); at.increment(skipped))
    if (at->path().filename().string().starts_with(name)) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::string level = argv[1], launcher = argv[3], attack = argv[4];
  auto user = static_cast<uid_t>(std::stoul(argv[2]));
  auto given = [&](const char* word) {
    return std::any_of(argv + 5, argv + argc, [&](char* text) { return strcmp(text, word) == 0; });
  };
  if (user != geteuid()) {
    if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 ||
        setresuid(user, user, user) != 0) {
      puts(R"({"skip":"only root can become another user"})");
      return 0;
    }
    prctl(PR_SET_DUMPABLE, 1);
  }
  // One at a time of each attack: its survivors, and its signals, are told by its name.
  int lock = open(attack.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) return 2;
  Json seen = Json::object();
  if (level != "control") {
    IsolationReport report = probe_isolation("");
    for (const IsolationTrial& trial : report.trials)
      if (to_word(kIsolationWords, trial.level) == level && !trial.works)
        seen["skip"] = trial.missing;
  }
  if (!seen.contains("skip")) {
    std::string before = own_links("/proc/self/fd");
    Judge judge(!given("unsealed"));
    if (level == "control")
      run_control(judge, attack, given("freeze"), seen);
    else
      run_jailed(judge, *from_word(kIsolationWords, level), launcher, attack, given("freeze"),
                 seen);
    seen["intact"] = judge.intact();
    seen["nothing_planted"] = judge.nothing_planted();
    seen["groups_left"] = groups_left();
    seen["folders_left"] = fs::exists(judge.folder + "/scratch");
    judge.close_all();
    seen["descriptors_same"] = own_links("/proc/self/fd").size() == before.size();
    fs::remove_all(judge.folder);
  }
  puts(dump_json(seen).c_str());
  return 0;
}
