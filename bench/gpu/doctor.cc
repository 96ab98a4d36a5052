// What a machine with a card gives a judge: costs, jails, sharing, leaks, recovery.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "experiments.h"
#include "judge.h"
#include "levels.h"
#include "passing.h"

namespace assay::gpu {
namespace {

constexpr uint32_t kElements = 1U << 18;

double ms(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
double mib(size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

size_t free_bytes() {
  size_t free = 0, total = 0;
  check(driver().cuMemGetInfo(&free, &total), "ask for free memory");
  return free;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  while (!all.empty() && (all.back() == '\n' || all.back() == ' ')) all.pop_back();
  return all;
}

void repeat(const char* name, const char* with, int trials, const std::function<int64_t()>& run) {
  std::vector<int64_t> times;
  for (int i = 0; i < trials; ++i) times.push_back(run());
  Row("operation")
      .text("of", name)
      .text("with", with)
      .whole("trials", trials)
      .spread_us("us", times)
      .print();
}

void card_row(int64_t first_context_ns) {
  CUdevice device = 0;
  check(driver().cuDeviceGet(&device, 0), "find a card");
  char name[256] = {};
  check(driver().cuDeviceGetName(name, sizeof name, device), "ask for a name");
  int version = 0;
  check(driver().cuDriverGetVersion(&version), "ask for a version");
  Row row("card");
  row.text("name", name).whole("driver_api", version);
  struct Named {
    const char* name;
    CUdevice_attribute attribute;
  };
  for (const Named& named : std::initializer_list<Named>{
           {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
           {"l2_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
           {"persisting_l2_bytes", CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE},
           {"compute_preemption", CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED},
           {"copy_engines", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
           {"memory_by_descriptor",
            CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED},
           {"compute_mode", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
           {"clock_khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE}}) {
    int value = -1;
    if (driver().cuDeviceGetAttribute(&value, named.attribute, device) != CUDA_SUCCESS) value = -1;
    row.whole(named.name, value);
  }
  row.number("first_context_ms", ms(first_context_ns))
      .number("free_mib", mib(free_bytes()))
      .print();
}

void reading_row(const char* when, Judge& judge) {
  int64_t begin_ns = now_ns();
  CardReading reading = read_card();
  int64_t took_ns = now_ns() - begin_ns;
  Row("reading")
      .text("when", when)
      .whole("sm_mhz", reading.sm_mhz)
      .whole("memory_mhz", reading.memory_mhz)
      .whole("throttle_reasons", reading.throttle_reasons)
      .whole("temperature_c", reading.temperature_c)
      .whole("power_mw", reading.power_mw)
      .number("sm_mhz_by_cycles", judge.sm_mhz())
      .number("took_us", static_cast<double>(took_ns) / 1e3)
      .print();
}

JailOptions jail_of_few_nodes() {
  JailOptions jail;
  jail.namespaces = jail.user_namespace = jail.become_user = true;
  jail.read_only = folders_of_cuda();
  for (const std::string& node : nodes_of_cards())
    if (node == "/dev/nvidiactl" || node == "/dev/nvidia-uvm" ||
        (node.size() > 11 && std::isdigit(static_cast<unsigned char>(node[11])) != 0))
      jail.devices.push_back(node);
  return jail;
}

// With a filter that refuses what assay's does, but for these.
JailOptions filtered_jail(const std::map<std::string, int>& answers) {
  JailOptions jail = jail_of_few_nodes();
  jail.no_capabilities = jail.filter = true;
  jail.answers = answers;
  return jail;
}

}  // namespace

std::string counts_of(const std::map<std::string, int>& seen) {
  std::string list;
  for (const auto& [name, count] : seen)
    list += (list.empty() ? "" : " ") + name + "*" + std::to_string(count);
  return list;
}

std::vector<Level> filtered_levels() {
  return {{"filter", filtered_jail({})},
          {"filter, may make and bind sockets", filtered_jail({{"socket", 0}, {"bind", 0}})},
          {"filter, may make, bind and listen to sockets",
           filtered_jail({{"socket", 0}, {"bind", 0}, {"listen", 0}})},
          {"filter, may make, bind, listen to and connect sockets",
           filtered_jail({{"socket", 0}, {"bind", 0}, {"listen", 0}, {"connect", 0}})},
          {"filter that allows all", filtered_jail({{"*", 0}})}};
}

JailOptions full_jail(Judge& judge, std::string& name) {
  for (const Level& level : filtered_levels()) {
    name = level.name;
    if (judge.start_side(level.jail)->problem().empty()) return level.jail;
  }
  name = "none works";
  return {};
}

void costs() {
  check(driver().cuInit(0), "cuInit");
  int64_t begin_ns = now_ns();
  open_card();
  int64_t context_ns = now_ns() - begin_ns;
  card_row(context_ns);
  Judge judge(kElements, 1);
  reading_row("idle", judge);
  judge.warm_up();
  reading_row("warm", judge);
  repeat("reading", "nvml", 20, [] {
    int64_t from_ns = now_ns();
    read_card();
    return now_ns() - from_ns;
  });
  repeat("null_kernel", "no candidate", 500, [&] { return judge.null_ns(); });
  repeat("sample_kernel", "no candidate", 500, [&] { return judge.sample_ns(); });
  repeat("read_4k_to_host", "no candidate", 500, [&] { return judge.read_back_ns(); });
  std::vector<std::unique_ptr<Side>> sides;
  for (int i = 0; i < 3; ++i) {
    size_t before = free_bytes();
    sides.push_back(judge.start_honest_side());
    Side& side = *sides.back();
    ControlPage& page = side.page();
    Row("candidate")
        .number("ready_ms", ms(side.ready_ns()))
        .number("context_ms", ms(page.said[0]))
        .number("kernels_ms", ms(page.said[1]))
        .number("import_ms", ms(page.said[2]))
        .number("first_launch_ms", ms(page.said[3]))
        .number("context_mib", mib(before - free_bytes()))
        .print();
  }
  repeat("null_kernel", "idle candidates", 500, [&] { return judge.null_ns(); });
  repeat("sample_kernel", "idle candidates", 500, [&] { return judge.sample_ns(); });
  Side& side = *sides.front();
  repeat("null_kernel", "candidate has just run", 200, [&] {
    side.call(Act::null_kernel);
    return judge.null_ns();
  });
  repeat("stop", "idle candidate", 200, [&] {
    side.thaw();
    int64_t from_ns = now_ns();
    side.freeze();
    return now_ns() - from_ns;
  });
  side.thaw();
  WindowPlan never, before, engine, engine_never;
  never.freeze = engine_never.freeze = false;
  engine.end = engine_never.end = End::engine;
  engine.freeze_late = true;
  for (Act act : {Act::nothing, Act::null_kernel, Act::honest}) {
    for (const auto& [name, plan] : {std::pair{"kernel end, never frozen", never},
                                     {"kernel end, frozen before", before},
                                     {"engine end, never frozen", engine_never},
                                     {"engine end, frozen behind", engine}}) {
      WindowPlan asked = plan;
      asked.act = act;
      side.thaw();
      Tally tally;
      for (int i = 0; i < 220; ++i) {
        Window window = judge.window(side, asked);
        if (i >= 20) tally.add(window);
      }
      Row row("window");
      row.text("act", name_of(act)).text("kind", name);
      tally.print_to(row);
      row.print();
    }
  }
  for (End end : {End::kernel, End::engine}) {
    side.thaw();
    Tally gated;
    for (int i = 0; i < 120; ++i) {
      Window window = judge.gated_window(side, end);
      if (i >= 20) gated.add(window);
    }
    Row row("window");
    row.text("act", "honest")
        .text("kind", end == End::kernel ? "gated, kernel end" : "gated, engine end");
    gated.print_to(row);
    row.print();
  }
  reading_row("after", judge);
}

void jails() {
  Judge judge(kElements, 1);
  judge.warm_up(50);
  std::string nodes;
  for (const std::string& node : nodes_of_cards()) nodes += (nodes.empty() ? "" : " ") + node;
  std::string folders;
  for (const std::string& folder : folders_of_cuda())
    folders += (folders.empty() ? "" : " ") + folder;
  Row("machine").text("nodes", nodes).text("folders", folders).print();

  std::vector<Level> levels;
  levels.push_back({"plain", {}});
  JailOptions user;
  user.drop_user = true;
  levels.push_back({"uid 65534", user});
  JailOptions few = jail_of_few_nodes();
  JailOptions all = few;
  all.devices = nodes_of_cards();
  all.sys = true;
  for (const char* node : {"/dev/null", "/dev/zero", "/dev/urandom"}) all.devices.push_back(node);
  levels.push_back({"user namespace, all nodes, sys", all});
  auto without_user_namespace = [](JailOptions jail) {
    jail.user_namespace = jail.become_user = false;
    jail.drop_user = true;
    return jail;
  };
  levels.push_back({"namespaces, uid 65534, all nodes, sys", without_user_namespace(all)});
  levels.push_back({"user namespace, few nodes", few});
  JailOptions root = few;
  root.become_user = false;
  levels.push_back({"user namespace, its root, few nodes", root});
  root.no_capabilities = true;
  levels.push_back({"user namespace, its root, few nodes, no capabilities", root});
  JailOptions other = few;
  other.no_capabilities = true;
  levels.push_back({"user namespace, few nodes, no capabilities", other});
  other = few;
  other.proc = false;
  levels.push_back({"user namespace, few nodes, no proc", other});
  other = few;
  other.proc_of_tasks = true;
  levels.push_back({"user namespace, few nodes, proc of tasks", other});
  for (size_t i = 0; i < few.devices.size(); ++i) {
    other = few;
    other.devices.erase(other.devices.begin() + static_cast<ptrdiff_t>(i));
    levels.push_back({"user namespace, without " + few.devices[i], other});
  }
  for (Level& level : filtered_levels()) {
    levels.push_back({"user namespace, " + level.name, level.jail});
    levels.push_back({"namespaces, uid 65534, " + level.name, without_user_namespace(level.jail)});
  }
  for (Level& level : levels) {
    auto side = judge.start_side(level.jail);
    Row row("jail");
    row.text("level", level.name).number("ready_ms", ms(side->ready_ns()));
    bool works = side->problem().empty();
    if (works) {
      Tally tally;
      WindowPlan plan;
      for (int i = 0; i < 22; ++i) {
        Window window = judge.window(*side, plan);
        if (i >= 2) tally.add(window);
      }
      row.number("context_ms", ms(side->page().said[0]));
      tally.print_to(row);
      side->thaw();
      side->page().parameter[0] = 64 << 20;
      row.text("pins_memory", side->try_call(Act::pinned) ? "ok" : side->problem());
    } else {
      row.text("problem", side->problem());
    }
    row.flag("works", works);
    side->kill();
    Seen seen = side->seen();
    if (level.jail.filter)
      row.text("refused_calls", counts_of(seen.refused))
          .text("noted_calls", counts_of(seen.allowed));
    row.print();
  }
}

// Which files a CUDA program opens, and which descriptors of the driver would pass on.
void files() {
  Judge judge(kElements, 1);
  JailOptions watched;
  watched.note_paths = true;
  auto side = judge.start_side(watched);
  std::string problem = side->problem();
  side->kill();
  std::string paths;
  for (const auto& [path, count] : side->seen().paths)
    if (path.find(".so") == std::string::npos)
      paths += (paths.empty() ? "" : " ") + path + "*" + std::to_string(count);
  Row("opened").text("paths", paths).text("problem", problem).print();
  int held = 0, passed_on = 0;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (dirent* entry = ::readdir(folder)) {
      char target[512] = {};
      std::string path = std::string("/proc/self/fd/") + entry->d_name;
      if (::readlink(path.c_str(), target, sizeof target - 1) < 0 || !std::strstr(target, "nvidia"))
        continue;
      ++held;
      int flags = ::fcntl(std::atoi(entry->d_name), F_GETFD);
      passed_on += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    ::closedir(folder);
  }
  Row("descriptors").whole("of_the_driver", held).whole("without_close_on_exec", passed_on).print();
}

void groups() {
  std::string why;
  std::string mounts;
  std::ifstream table("/proc/mounts");
  for (std::string line; std::getline(table, line);)
    if (line.find("cgroup") != std::string::npos) mounts += line + "; ";
  Row("cgroups")
      .text("mounts", mounts)
      .text("controllers", text_of("/sys/fs/cgroup/cgroup.controllers"))
      .text("enabled", text_of("/sys/fs/cgroup/cgroup.subtree_control"))
      .print();
  std::string path = make_cgroup("assay-gpu-memory", why);
  if (path.empty()) {
    Row("memory_group").text("problem", why).print();
    return;
  }
  Judge judge(kElements, 1);
  std::ofstream("/sys/fs/cgroup/cgroup.subtree_control") << "+memory\n" << std::flush;
  for (const char* most : {"max", "536870912"}) {
    std::ofstream(path + "/memory.max") << most << std::flush;
    JailOptions jail;
    jail.cgroup = path;
    auto side = judge.start_side(jail);
    Row row("memory_group");
    row.text("memory_max", text_of(path + "/memory.max"))
        .text("problem", side->problem())
        .text("current_when_ready", text_of(path + "/memory.current"));
    if (side->problem().empty()) {
      side->page().parameter[0] = int64_t{1} << 30;
      bool pinned = side->try_call(Act::pinned);
      row.text("pins_1_gib", pinned ? "ok" : side->problem())
          .text("current_when_pinned", text_of(path + "/memory.current"))
          .text("events", text_of(path + "/memory.events"));
    }
    side->kill();
    row.print();
  }
  std::string freezer = make_cgroup("assay-gpu-freezer", why);
  JailOptions jail;
  jail.cgroup = freezer;
  auto side = judge.start_side(jail);
  if (!side->problem().empty()) die("no candidate: %s", side->problem().c_str());
  side->freeze_by(Freeze::cgroup, freezer);
  Tally tally;
  WindowPlan plan;
  plan.act = Act::null_kernel;
  for (int i = 0; i < 220; ++i) {
    Window window = judge.window(*side, plan);
    if (i >= 20) tally.add(window);
  }
  Row row("window_by_cgroup");
  tally.print_to(row);
  row.print();
  side->thaw();
  side->call(Act::nothing);
}

// A context in a process forked from one that has the driver open.
void forks() {
  auto child = [](const char* name) {
    int64_t begin_ns = now_ns();
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUresult result = driver().cuInit(0);
    int64_t init_ns = now_ns() - begin_ns;
    if (result == CUDA_SUCCESS) result = driver().cuDeviceGet(&device, 0);
    if (result == CUDA_SUCCESS) result = driver().cuDevicePrimaryCtxRetain(&context, device);
    if (result == CUDA_SUCCESS) result = driver().cuCtxSetCurrent(context);
    if (result == CUDA_SUCCESS) result = driver().cuCtxSynchronize();
    Row("fork")
        .text("kind", name)
        .text("result", name_of(result))
        .number("init_ms", ms(init_ns))
        .number("ready_ms", ms(now_ns() - begin_ns))
        .print();
    ::_exit(0);
  };
  auto fork_one = [&](const char* name, int namespaces, bool own_proc = false) {
    pid_t pid = ::fork();
    if (pid == 0) {
      // The child of one that has entered a namespace of pids is the first in it.
      if (namespaces != 0 && ::unshare(namespaces) != 0) {
        Row("fork").text("kind", name).text("result", std::strerror(errno)).print();
        ::_exit(0);
      }
      pid_t inner = namespaces != 0 ? ::fork() : 0;
      if (inner == 0) {
        if (own_proc && (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                         ::mount("proc", "/proc", "proc", 0, nullptr) != 0)) {
          Row("fork").text("kind", name).text("result", std::strerror(errno)).print();
          ::_exit(0);
        }
        child(name);
      }
      ::waitpid(inner, nullptr, 0);
      ::_exit(0);
    }
    ::waitpid(pid, nullptr, 0);
  };
  driver();
  for (int i = 0; i < 2; ++i) fork_one("driver open, not initialised", 0);
  constexpr int kNamespaces = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC;
  fork_one("the same, in namespaces of its own", kNamespaces);
  for (int i = 0; i < 3; ++i)
    fork_one("the same, in namespaces of its own, with their proc", kNamespaces, true);
  check(driver().cuInit(0), "cuInit");
  fork_one("behind cuInit", 0);
  open_card();
  fork_one("behind a context", 0);
  size_t free = free_bytes();
  Row("parent_after_forks").number("free_mib", mib(free)).print();
}

void sharing() {
  Judge judge(kElements, 1);
  std::string level;
  JailOptions jail = full_jail(judge, level);
  // Does it help that the judge itself maps memory read-only?
  constexpr uint32_t kFew = 1U << 16;
  SharedMemory mine = make_shared_memory(ArenaLayout{kFew, 1}.bytes(), Access::read);
  Side::Plan plan;
  plan.elements = kFew;
  plan.arena_fd = mine.fd;
  plan.jail = jail;
  {
    Side side(plan);
    Row row("read_only_by_exporter");
    row.text("jail", level).text("problem", side.problem());
    if (side.problem().empty()) {
      bool wrote = side.try_call(Act::write_inputs);
      std::vector<uint32_t> words = judge.read(mine.address, 16);
      row.text("candidate_writes", wrote ? "ok" : side.problem())
          .flag("judge_sees_it", words[0] == 7 && words[15] == 7);
    }
    row.print();
  }
  free_shared_memory(mine);

  auto jailed = judge.start_side(jail);
  if (!jailed->problem().empty()) die("no candidate: %s", jailed->problem().c_str());
  jailed->call(Act::honest);
  Window window = judge.gated_window(*jailed);
  Row("wait_value_on_imported_memory")
      .text("jail", level)
      .flag("works", window.wrong == 0)
      .number("card_us", static_cast<double>(window.card_ns) / 1e3)
      .print();
  jailed->kill();
}

void leaks() {
  constexpr uint32_t kPattern = 0x5ec4e7a5;
  Judge judge(kElements, 1);
  auto print = [](const char* kind, Side& side) {
    Row("leak")
        .text("kind", kind)
        .whole("words", side.page().said[2])
        .whole("not_zero", side.page().said[0])
        .whole("of_the_pattern", side.page().said[1])
        .print();
  };
  auto scan = [&](const char* kind) {
    auto side = judge.start_honest_side();
    side->page().parameter[0] = int64_t{60} << 30;
    side->page().parameter[1] = kPattern;
    if (!side->try_call(Act::scan)) {
      Row("leak").text("kind", kind).text("problem", side->problem()).print();
      return;
    }
    print(kind, *side);
  };
  constexpr uint64_t kBytes = uint64_t{4} << 30;
  CUdeviceptr mine = allocate(kBytes);
  check(driver().cuMemsetD32(mine, kPattern, kBytes / 4), "fill");
  check(driver().cuCtxSynchronize(), "synchronize");
  check(driver().cuMemFree(mine), "free");
  scan("freed by the judge");
  SharedMemory shared = make_shared_memory(kBytes);
  check(driver().cuMemsetD32(shared.address, kPattern, kBytes / 4), "fill");
  check(driver().cuCtxSynchronize(), "synchronize");
  free_shared_memory(shared);
  scan("shared memory freed by the judge");
  for (bool killed : {false, true}) {
    auto side = judge.start_honest_side();
    side->page().parameter[0] = int64_t{32} << 30;
    side->page().parameter[1] = kPattern;
    side->call(Act::allocate);
    if (!killed) side->call(Act::end);
    side->kill();
    scan(killed ? "of a process that was killed" : "of a process that ended");
  }
  auto side = judge.start_honest_side();
  side->page().parameter[0] = int64_t{1} << 30;
  side->page().parameter[1] = kPattern;
  side->call(Act::scan_again);
  print("freed by the same process", *side);

  constexpr unsigned kShared = 224 * 1024;
  CUfunction fill = judge.kernel("fill_shared");
  check(driver().cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kShared),
        "ask for shared memory");
  check(launch(fill, {132, 256, kShared}, judge.stream(), kPattern, kShared / 4, uint64_t{50'000}),
        "fill shared memory");
  judge.synchronize();
  side->call(Act::shared_scan);
  print("shared memory of the judge's kernel", *side);
  side->call(Act::shared_fill);
  side->call(Act::shared_scan);
  print("shared memory of an own kernel", *side);
  side->call(Act::shared_fill);
  judge.null_ns();
  side->call(Act::shared_scan);
  print("shared memory of an own kernel, the judge's between", *side);
}

void recovery() {
  Judge judge(kElements, 1);
  judge.warm_up(100);
  size_t empty = free_bytes();
  for (int i = 0; i < 3; ++i) {
    auto side = judge.start_honest_side();
    side->page().parameter[0] = int64_t{8} << 30;
    side->call(Act::allocate);
    size_t with = free_bytes();
    side->call(Act::hog_compute);
    sleep_us(20'000);
    int64_t probe_ns = judge.null_ns();
    int64_t begin_ns = now_ns();
    side->kill();
    int64_t gone_ns = now_ns() - begin_ns;
    int64_t null_ns = judge.null_ns();
    int64_t after_null_ns = now_ns() - begin_ns;
    while (free_bytes() + (uint64_t{1} << 30) < empty && now_ns() - begin_ns < 20'000'000'000)
      sleep_us(1000);
    Row("killed_in_an_endless_kernel")
        .number("held_mib", mib(empty - with))
        .number("null_beside_it_us", static_cast<double>(probe_ns) / 1e3)
        .number("process_gone_ms", ms(gone_ns))
        .number("next_null_us", static_cast<double>(null_ns) / 1e3)
        .number("null_works_after_ms", ms(after_null_ns))
        .number("memory_back_after_ms", ms(now_ns() - begin_ns))
        .number("not_back_mib", mib(empty) - mib(free_bytes()))
        .print();
  }
  // A stopped process, killed.
  {
    auto side = judge.start_honest_side();
    side->call(Act::hog_compute);
    side->freeze();
    sleep_us(10'000);
    int64_t begin_ns = now_ns();
    side->kill();
    int64_t gone_ns = now_ns() - begin_ns;
    Row("killed_while_stopped")
        .number("process_gone_ms", ms(gone_ns))
        .number("next_null_us", static_cast<double>(judge.null_ns()) / 1e3)
        .print();
  }
  auto other = judge.start_honest_side();
  for (Act act : {Act::fault_address, Act::fault_trap}) {
    auto side = judge.start_honest_side();
    int64_t begin_ns = now_ns();
    bool lived = side->try_call(act);
    int64_t told_ns = now_ns() - begin_ns;
    int64_t null_ns = judge.null_ns();
    WindowPlan plan;
    Window window = judge.window(*other, plan);
    other->thaw();
    Row("fault")
        .text("act", name_of(act))
        .text("candidate", lived ? "lives" : side->problem())
        .number("told_ms", ms(told_ns))
        .number("next_null_us", static_cast<double>(null_ns) / 1e3)
        .flag("other_candidate_right", window.wrong == 0 && window.wrong_sample == 0)
        .number("next_window_us", static_cast<double>(window.wall_ns) / 1e3)
        .print();
  }
}

void exhaustion() {
  Judge judge(kElements, 1);
  judge.warm_up(100);
  auto other = judge.start_honest_side();
  size_t empty = free_bytes();
  auto hog = judge.start_honest_side();
  hog->page().parameter[0] = 0;
  hog->page().parameter[1] = 1;
  hog->call(Act::allocate);
  size_t left = free_bytes();
  CUdeviceptr address = 0;
  CUresult small = driver().cuMemAlloc(&address, 64 << 20);
  WindowPlan plan;
  Window window = judge.window(*other, plan);
  other->thaw();
  auto late = judge.start_side();
  Row("exhausted")
      .number("free_before_mib", mib(empty))
      .number("taken_mib", mib(static_cast<size_t>(hog->page().said[0])))
      .number("left_mib", mib(left))
      .text("judge_allocates_64_mib", name_of(small))
      .number("null_us", static_cast<double>(judge.null_ns()) / 1e3)
      .flag("window_of_another_right", window.wrong == 0)
      .text("new_candidate", late->problem().empty() ? "starts" : late->problem())
      .print();
  late->kill();
  int64_t begin_ns = now_ns();
  hog->kill();
  int64_t gone_ns = now_ns() - begin_ns;
  while (free_bytes() + (uint64_t{1} << 30) < empty && now_ns() - begin_ns < 20'000'000'000)
    sleep_us(1000);
  Row("exhaustion_over")
      .number("process_gone_ms", ms(gone_ns))
      .number("memory_back_after_ms", ms(now_ns() - begin_ns))
      .print();
}

// A Python process with torch, plain and jailed, that uses the judge's memory as tensors.
void torch_jails() {
  const char* python = ::getenv("GPU_PROBE_PYTHON");
  const char* script = ::getenv("GPU_PROBE_TORCH_CHILD");
  if (!python || !script) die("GPU_PROBE_PYTHON and GPU_PROBE_TORCH_CHILD name what to run");
  constexpr uint32_t kAll = 1U << 24;  // behind the first results, a pool for torch
  Judge judge(kAll, 1);
  constexpr uint64_t kPoolBytes = uint64_t{kAll} * 2;
  const uint64_t pool_at = judge.layout().outputs_at() + kPoolBytes;
  std::string name;
  JailOptions jailed = full_jail(judge, name);
  for (const char* node : {"/dev/null", "/dev/zero", "/dev/urandom"})
    jailed.devices.push_back(node);
  std::string place = script;
  jailed.read_only.push_back(place.substr(0, place.rfind('/')));
  for (const Level& level : std::initializer_list<Level>{{"plain", {}}, {name, jailed}}) {
    std::vector<uint32_t> numbers(kElements);
    for (uint32_t i = 0; i < kElements; ++i) numbers[i] = 3 * i + 5;
    check(driver().cuMemcpyHtoD(judge.inputs(), numbers.data(), numbers.size() * 4), "write");
    judge.poison_outputs();
    judge.synchronize();
    size_t before = free_bytes();
    int channel[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) die("socketpair");
    Row row("torch");
    row.text("level", level.name);
    int64_t begin_ns = now_ns();
    Jailed child = Jailed::start(
        level.jail,
        {python, script, "share", std::to_string(judge.arena().bytes), std::to_string(kElements),
         std::to_string(judge.layout().outputs_at()), std::to_string(pool_at),
         std::to_string(kPoolBytes), std::to_string(judge.layout().words_at())},
        {channel[1]});
    ::close(channel[1]);
    timeval patience{90, 0};
    if (::setsockopt(channel[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0)
      die("setsockopt");
    uint64_t offset = 0;  // of a result in the pool, as the child has it
    bool told = child.problem().empty() && send_descriptor(channel[0], judge.arena().fd) &&
                ::read(channel[0], &offset, sizeof offset) == sizeof offset;
    bool in_pool = told && offset >= pool_at && offset - pool_at <= kPoolBytes - kElements * 4;
    uint64_t wrong_in_pool = kElements;
    if (in_pool) {
      std::vector<uint32_t> pooled = judge.read(judge.arena().address + offset, kElements);
      wrong_in_pool = 0;
      for (uint32_t i = 0; i < kElements; ++i) wrong_in_pool += pooled[i] != numbers[i] + 2;
    }
    std::vector<uint32_t> results = judge.read(judge.outputs(), kElements);
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < kElements; ++i) wrong += results[i] != numbers[i] + 1;
    row.text("problem", child.problem())
        .flag("told", told)
        .whole("wrong_elements", static_cast<int64_t>(wrong))
        .flag("allocator_in_shared_memory", in_pool)
        .whole("wrong_in_pool", static_cast<int64_t>(wrong_in_pool))
        .number("ready_ms", ms(now_ns() - begin_ns))
        .number("context_mib", mib(before - free_bytes()));
    ::close(channel[0]);
    if (child.pid() > 0) {
      int status = 0;
      for (int i = 0; i < 200 && ::waitpid(child.pid(), &status, WNOHANG) == 0; ++i)
        sleep_us(50'000);
      ::kill(child.pid(), SIGKILL);
      row.whole("status", status);
    }
    Seen seen = child.seen();
    row.text("refused_calls", counts_of(seen.refused)).text("noted_calls", counts_of(seen.allowed));
    row.print();
  }
}

}  // namespace assay::gpu
