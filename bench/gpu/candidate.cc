// The process of a candidate: honest, or one of the attacks.
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver.h"
#include "memory.h"
#include "passing.h"
#include "report.h"
#include "side.h"

namespace assay::gpu {
namespace {

ControlPage* page = nullptr;

void wake(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void tell_judge(const char* text) {
  std::strncpy(page->text, text, sizeof page->text - 1);
  page->failed = 1;
  wake(page->done);
}

std::string folder() {
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    std::strncpy(self, program_invocation_name, sizeof self - 1);
  std::string path = self;
  return path.substr(0, path.rfind('/'));
}

class Candidate {
 public:
  void set_up(int arena_fd);
  void run();

 private:
  struct Call {
    CUdeviceptr inputs;
    CUdeviceptr outputs;
  };
  Call slot(uint32_t number) const {
    uint64_t offset = uint64_t{number} * page->elements * 4;
    return {arena_.address + offset, arena_.address + layout_.outputs_at() + offset};
  }
  CUdeviceptr word(uint32_t place) const { return arena_.address + layout_.words_at() + 4 * place; }
  CUdeviceptr watched() const { return arena_.address + (layout_.count() - 1) * 4; }

  void work_on(CUstream stream) {
    for (uint32_t i = 0; i < page->slots; ++i) work_on(slot(i), stream);
  }
  void work_on(Call call, CUstream stream) {
    check(launch(kernels_["work"], {blocks_for(page->elements)}, stream, call.outputs, call.inputs,
                 page->elements, page->rounds),
          "launch the work");
  }
  void spin_on(CUstream stream, int64_t for_ns) {
    check(launch(kernels_["spin"], {1, 32}, stream, static_cast<uint64_t>(for_ns)),
          "launch a spin");
  }
  void synchronize(CUstream stream) { check(driver().cuStreamSynchronize(stream), "synchronize"); }
  void copies_on(CUstream stream, int64_t for_ns);
  void host_copies_on(CUstream stream, int64_t for_ns);
  void hog_words();
  void watched_work();
  CUdeviceptr kept_inputs() { return buffer(kept_inputs_, layout_.count() * 4); }
  CUdeviceptr kept_outputs() { return buffer(kept_outputs_, layout_.count() * 4); }
  CUdeviceptr buffer(CUdeviceptr& address, uint64_t bytes) {
    if (address == 0) address = allocate(bytes);
    return address;
  }
  void copy(CUdeviceptr to, CUdeviceptr from, uint64_t bytes, CUstream stream) {
    check(driver().cuMemcpyDtoDAsync(to, from, bytes, stream), "copy");
  }
  uint64_t results_bytes() const { return layout_.count() * 4; }

  void act();
  void side_stream();
  void stale_graph();
  void sampled_cache();
  void module_memory();
  void poller();
  void wait_value(bool patches);
  void arm_poller();
  void arm_wait(bool patches);
  void contexts();
  void priority();
  void allocate_much();
  void scan(CUdeviceptr address, uint64_t bytes);
  void reach_prepare();
  void reach_read();
  void events();
  void do_bench();
  void fill_queue();
  void late_tail();
  Kernels& of_device();
  CUgraphExec graph_of(bool for_card, const std::function<void()>& queue);
  void launch_by_card(const std::function<void()>& queue);
  void kernel_child();
  void graph_child();
  void hog_by_card(bool by_graphs);
  void hog_sibling();
  void arm_calls(uint32_t behind);
  void hog_graph();
  CUgraphExec graph_of_words(int64_t count);

  ArenaLayout layout_{};
  SharedMemory arena_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  Kernels kernels_;
  CUstream main_ = nullptr, side_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  CUdeviceptr kept_inputs_ = 0, kept_outputs_ = 0, list_ = 0, counts_ = 0, large_ = 0, gaps_ = 0;
  uint64_t large_bytes_ = 0;
  bool armed_ = false, kept_ = false, reach_set_ = false;
  CUgraphExec graph_ = nullptr;
  CUdeviceptr graph_for_ = 0;
  std::vector<CUcontext> contexts_;
  std::vector<std::pair<CUstream, CUfunction>> spinners_;
  CUstream first_ = nullptr;
  std::vector<std::pair<CUevent, CUevent>> pairs_;
  CUdeviceptr small_ = 0;
  CUgraphExec empty_graph_ = nullptr, child_graph_ = nullptr, parent_graph_ = nullptr;
  int parent_how_ = -1;
  uint32_t parent_rounds_ = 0;
  std::unique_ptr<Kernels> of_device_;  // in a module of its own, as it costs memory

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool wanted_ = false, quit_ = false;
  int64_t delay_us_ = 0;
  void run_thread();
  void want_work(int64_t delay_us);
};

void Candidate::set_up(int arena_fd) {
  int64_t begin_ns = now_ns();
  device_ = open_card();
  page->said[0] = now_ns() - begin_ns;
  begin_ns = now_ns();
  kernels_.load(folder() + "/kernels.cubin");
  page->said[1] = now_ns() - begin_ns;
  begin_ns = now_ns();
  layout_ = {page->elements, page->slots};
  if (arena_fd >= 0) {
    std::string why;
    if (!import_shared_memory(arena_fd, page->arena_bytes, Access::write, arena_, why))
      die("%s", why.c_str());
  }
  page->said[2] = now_ns() - begin_ns;
  begin_ns = now_ns();
  check(driver().cuStreamCreate(&main_, CU_STREAM_NON_BLOCKING), "make a stream");
  check(driver().cuStreamCreate(&side_, CU_STREAM_NON_BLOCKING), "make a stream");
  check(driver().cuEventCreate(&begin_, CU_EVENT_DEFAULT), "make an event");
  check(driver().cuEventCreate(&end_, CU_EVENT_DEFAULT), "make an event");
  counts_ = allocate(4096);
  check(launch(kernels_["nothing"], {}, main_), "launch an empty kernel");
  synchronize(main_);
  page->said[3] = now_ns() - begin_ns;
  thread_ = std::thread([this] { run_thread(); });
}

void Candidate::run_thread() {
  check(driver().cuDevicePrimaryCtxRetain(&context_, device_), "retain the context");
  check(driver().cuCtxSetCurrent(context_), "enter the context");
  std::unique_lock lock(mutex_);
  while (true) {
    woken_.wait(lock, [&] { return wanted_ || quit_; });
    if (quit_) return;
    wanted_ = false;
    if (delay_us_ > 0) sleep_us(delay_us_);
    work_on(side_);
    synchronize(side_);
  }
}

void Candidate::want_work(int64_t delay_us) {
  {
    std::lock_guard lock(mutex_);
    wanted_ = true;
    delay_us_ = delay_us;
  }
  woken_.notify_one();
}

// Copies that keep the copy engine busy for about that long: by what one of 256 MiB took.
void Candidate::copies_on(CUstream stream, int64_t for_ns) {
  constexpr uint64_t kBytes = uint64_t{256} << 20;
  static int64_t one_ns = 0;
  static CUdeviceptr from = 0, to = 0;
  if (one_ns == 0) {
    from = allocate(kBytes);
    to = allocate(kBytes);
    copy(to, from, kBytes, stream);
    synchronize(stream);
    int64_t begin_ns = now_ns();
    for (int i = 0; i < 4; ++i) copy(to, from, kBytes, stream);
    synchronize(stream);
    one_ns = std::max<int64_t>((now_ns() - begin_ns) / 4, 1000);
    page->said[7] = one_ns;
  }
  for (int64_t i = 0; i < (for_ns + one_ns - 1) / one_ns; ++i) copy(to, from, kBytes, stream);
}

// The same with the copy engine that goes to the host, by what 4 MiB took.
void Candidate::host_copies_on(CUstream stream, int64_t for_ns) {
  constexpr uint64_t kBytes = uint64_t{4} << 20;
  static int64_t one_ns = 0;
  static void* to = nullptr;
  static CUdeviceptr from = 0;
  if (one_ns == 0) {
    from = allocate(kBytes);
    check(driver().cuMemHostAlloc(&to, kBytes, 0), "pin memory");
    int64_t begin_ns = 0;
    for (int i = 0; i < 20; ++i) {
      if (i == 4) {
        synchronize(stream);
        begin_ns = now_ns();
      }
      check(driver().cuMemcpyDtoHAsync(to, from, kBytes, stream), "copy to the host");
    }
    synchronize(stream);
    one_ns = std::max<int64_t>((now_ns() - begin_ns) / 16, 1000);
    page->said[7] = one_ns;
  }
  for (int64_t i = 0; i < (for_ns + one_ns - 1) / one_ns; ++i)
    check(driver().cuMemcpyDtoHAsync(to, from, kBytes, stream), "copy to the host");
}

// A delay that keeps no engine busy: two streams that wait for each other's words.
void Candidate::hog_words() {
  static uint32_t number = 0;
  static CUdeviceptr words = 0;
  if (words == 0) {
    words = allocate(4096);
    check(driver().cuMemsetD32(words, 0, 1024), "clear");
    check(driver().cuCtxSynchronize(), "synchronize");
  }
  auto wait = [&](CUstream stream, uint32_t place) {
    check(
        driver().cuStreamWaitValue32(stream, words + 256 * place, number, CU_STREAM_WAIT_VALUE_GEQ),
        "queue a wait for a word");
  };
  auto set = [&](CUstream stream, uint32_t place) {
    check(driver().cuStreamWriteValue32(stream, words + 256 * place, number,
                                        CU_STREAM_WRITE_VALUE_DEFAULT),
          "queue a word");
  };
  for (int64_t i = 0; i < page->parameter[0]; ++i) {
    ++number;
    set(side_, 0);
    wait(main_, 0);
    set(main_, 1);
    wait(side_, 1);
  }
  check(launch(kernels_["spin"], {132, 1024}, side_, static_cast<uint64_t>(page->parameter[1])),
        "launch a hog");
}

CUgraphExec Candidate::graph_of_words(int64_t count) {
  CUgraph captured = nullptr;
  CUgraphExec graph = nullptr;
  check(driver().cuStreamBeginCapture(side_, CU_STREAM_CAPTURE_MODE_RELAXED), "capture");
  for (int64_t i = 0; i < count; ++i)
    check(driver().cuStreamWriteValue32(side_, counts_ + 3072, static_cast<uint32_t>(i),
                                        CU_STREAM_WRITE_VALUE_DEFAULT),
          "capture a word");
  check(driver().cuStreamEndCapture(side_, &captured), "capture");
  check(driver().cuGraphInstantiateWithFlags(&graph, captured, 0), "make a graph");
  return graph;
}

// The same with what is queued by one call.
void Candidate::hog_graph() {
  static CUgraphExec graph = nullptr;
  if (!graph) {
    constexpr int64_t kTrial = 1000;
    CUgraphExec trial = graph_of_words(kTrial);
    int64_t begin_ns = 0;
    for (int i = 0; i < 2; ++i) {
      begin_ns = now_ns();
      check(driver().cuGraphLaunch(trial, side_), "launch a graph");
      synchronize(side_);
    }
    int64_t one_ns = std::max<int64_t>((now_ns() - begin_ns) / kTrial, 10);
    page->said[7] = one_ns;
    graph = graph_of_words(std::min<int64_t>(page->parameter[0] / one_ns, 30'000));
  }
  check(driver().cuGraphLaunch(graph, side_), "launch a graph");
  check(launch(kernels_["spin"], {132, 1024}, side_, static_cast<uint64_t>(page->parameter[1])),
        "launch a hog");
}

void Candidate::watched_work() {
  CUdeviceptr stop = counts_ + 1024, found = counts_ + 2048;
  check(driver().cuMemsetD32Async(stop, 0, 1, main_), "clear");
  synchronize(main_);
  check(launch(kernels_["watch_until"], {1, 1}, side_, stop, uint64_t{20'000},
               uint64_t{1'000'000'000}, found),
        "launch a watcher");
  work_on(main_);
  check(driver().cuMemsetD32Async(stop, 1, 1, main_), "end the watcher");
  synchronize(main_);
  synchronize(side_);
  uint64_t counts[3] = {};
  check(driver().cuMemcpyDtoH(counts, found, sizeof counts), "read");
  for (int i = 0; i < 3; ++i) page->said[i] = static_cast<int64_t>(counts[i]);
}

void Candidate::side_stream() {
  check(driver().cuEventRecord(begin_, main_), "record");
  work_on(side_);
  check(driver().cuEventRecord(end_, main_), "record");
  synchronize(main_);
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, begin_, end_), "ask for a time");
  page->said[0] = static_cast<int64_t>(milliseconds * 1e6F);
}

void Candidate::stale_graph() {
  if (graph_for_ == slot(0).inputs) {
    check(driver().cuGraphLaunch(graph_, main_), "launch a graph");
    return synchronize(main_);
  }
  work_on(main_);
  copy(kept_outputs(), slot(0).outputs, results_bytes(), main_);
  synchronize(main_);
  CUgraph captured = nullptr;
  check(driver().cuStreamBeginCapture(main_, CU_STREAM_CAPTURE_MODE_RELAXED), "capture");
  copy(slot(0).outputs, kept_outputs(), results_bytes(), main_);
  check(driver().cuStreamEndCapture(main_, &captured), "capture");
  check(driver().cuGraphInstantiateWithFlags(&graph_, captured, 0), "make a graph");
  graph_for_ = slot(0).inputs;
}

void Candidate::sampled_cache() {
  auto count = static_cast<uint32_t>(layout_.count());
  check(driver().cuMemsetD32Async(counts_, kept_ ? 0 : 1, 1, main_), "clear");
  if (kept_)
    check(launch(kernels_["look_at_some"], {1, 64}, main_, slot(0).inputs, kept_inputs(), count,
                 counts_),
          "look at some inputs");
  uint32_t differ = 0;
  synchronize(main_);
  check(driver().cuMemcpyDtoH(&differ, counts_, 4), "read");
  if (differ == 0) {
    copy(slot(0).outputs, kept_outputs(), results_bytes(), main_);
    return synchronize(main_);
  }
  work_on(main_);
  copy(kept_inputs(), slot(0).inputs, results_bytes(), main_);
  copy(kept_outputs(), slot(0).outputs, results_bytes(), main_);
  synchronize(main_);
  kept_ = true;
}

void Candidate::module_memory() {
  check(launch(kernels_["keep_in_module"], {blocks_for(page->elements)}, main_, slot(0).outputs,
               slot(0).inputs, page->elements, page->rounds),
        "launch");
  check(launch(kernels_["keep_for"], {1, 1}, main_, slot(0).inputs), "launch");
  synchronize(main_);
}

void Candidate::arm_poller() {
  check(driver().cuMemsetD32Async(watched(), 0, 1, main_), "arm");
  synchronize(main_);  // else it could come behind the judge's own word
  check(launch(kernels_["poll_and_work"], {blocks_for(page->elements)}, main_, slot(0).outputs,
               slot(0).inputs, page->elements, page->rounds,
               static_cast<uint32_t>(layout_.count() - 1), uint64_t{2'000'000'000}),
        "launch a poller");
  armed_ = true;
}

void Candidate::poller() {
  if (!armed_) work_on(main_);
  synchronize(main_);
  arm_poller();
}

// Until the watched word, which it clears, is something else.
void Candidate::arm_wait(bool patches) {
  check(driver().cuMemsetD32Async(watched(), 0, 1, main_), "arm");
  synchronize(main_);  // else it could come behind the judge's own word
  check(driver().cuStreamWaitValue32(main_, watched(), 0xffffffff, CU_STREAM_WAIT_VALUE_AND),
        "queue a wait for a word");
  if (patches) copy(kept_inputs(), slot(0).inputs, results_bytes(), main_);
  work_on(main_);
  armed_ = true;
}

void Candidate::wait_value(bool patches) {
  if (!armed_) work_on(main_);
  if (armed_ && patches) {
    auto count = static_cast<uint32_t>(layout_.count());
    CUdeviceptr list = buffer(list_, results_bytes());
    check(driver().cuMemsetD32Async(counts_, 0, 1, main_), "clear");
    check(launch(kernels_["list_changes"], {blocks_for(count)}, main_, slot(0).inputs,
                 kept_inputs(), count, list, counts_),
          "list what has changed");
    check(launch(kernels_["patch"], {blocks_for(count / 50)}, main_, slot(0).outputs,
                 slot(0).inputs, list, counts_, page->rounds),
          "compute what has changed");
  }
  synchronize(main_);
  arm_wait(patches);
}

void Candidate::contexts() {
  if (contexts_.empty()) {
    for (int i = 0; i < 3; ++i) {
      CUcontext made = nullptr;
      check(driver().cuCtxCreate(&made, nullptr, 0, device_), "make a context");
      Kernels kernels;
      kernels.load(folder() + "/kernels.cubin");
      CUstream stream = nullptr;
      check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "make a stream");
      contexts_.push_back(made);
      spinners_.emplace_back(stream, kernels["spin"]);
    }
  }
  for (size_t i = 0; i < contexts_.size(); ++i) {
    check(driver().cuCtxSetCurrent(contexts_[i]), "enter a context");
    check(launch(spinners_[i].second, {132, 32}, spinners_[i].first,
                 static_cast<uint64_t>(page->parameter[0])),
          "launch a spin");
  }
  check(driver().cuCtxSetCurrent(context_), "enter the context");
  work_on(main_);
}

void Candidate::priority() {
  if (!first_) {
    int least = 0, greatest = 0;
    check(driver().cuCtxGetStreamPriorityRange(&least, &greatest), "ask for priorities");
    check(driver().cuStreamCreateWithPriority(&first_, CU_STREAM_NON_BLOCKING, greatest),
          "make a stream");
  }
  work_on(first_);
}

// What it gets, up to so much; large_ is the last block.
void Candidate::allocate_much() {
  auto wanted = static_cast<uint64_t>(page->parameter[0]);
  uint64_t got = 0, block = wanted == 0 ? uint64_t{1} << 33 : wanted;
  while (block >= uint64_t{1} << 20 && (wanted == 0 || got < wanted)) {
    CUdeviceptr address = 0;
    if (driver().cuMemAlloc(&address, block) != CUDA_SUCCESS) {
      block /= 2;
      continue;
    }
    check(driver().cuMemsetD32(address, static_cast<unsigned>(page->parameter[1]), block / 4),
          "fill memory");
    got += block;
    large_ = address;
    large_bytes_ = block;
  }
  check(driver().cuCtxSynchronize(), "synchronize");
  page->said[0] = static_cast<int64_t>(got);
}

void Candidate::scan(CUdeviceptr address, uint64_t bytes) {
  check(driver().cuMemsetD32(counts_, 0, 4), "clear");
  check(launch(kernels_["count_words"], {blocks_for(bytes / 4)}, main_, address, bytes / 4,
               static_cast<uint32_t>(page->parameter[1]), counts_),
        "count words");
  synchronize(main_);
  uint64_t counts[2] = {};
  check(driver().cuMemcpyDtoH(counts, counts_, sizeof counts), "read");
  page->said[0] += static_cast<int64_t>(counts[0]);
  page->said[1] += static_cast<int64_t>(counts[1]);
  page->said[2] += static_cast<int64_t>(bytes / 4);
}

void Candidate::reach_prepare() {
  auto bytes = static_cast<uint64_t>(page->parameter[0]);
  if (large_ == 0) {
    large_ = allocate(bytes);
    check(driver().cuMemsetD32(large_, 1, bytes / 4), "fill");
  }
  bool persists = page->parameter[1] == 1;
  if (persists && !reach_set_) {
    reach_set_ = true;
    int most = 0;
    check(driver().cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
                                        device_),
          "ask for persisting L2");
    check(driver().cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, static_cast<size_t>(most)),
          "set aside L2");
    size_t aside = 0;
    check(driver().cuCtxGetLimit(&aside, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), "ask what is aside");
    page->said[1] = static_cast<int64_t>(aside);
    CUstreamAttrValue value{};
    value.accessPolicyWindow.base_ptr = reinterpret_cast<void*>(large_);
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0F;
    value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    check(driver().cuStreamSetAttribute(main_, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
          "set a window of L2");
  }
  for (int i = 0; i < 3; ++i)
    check(
        launch(kernels_["read_all"], {blocks_for(bytes / 16)}, main_, large_, bytes / 16, counts_),
        "read");
  synchronize(main_);
}

void Candidate::reach_read() {
  auto bytes = static_cast<uint64_t>(page->parameter[0]);
  check(driver().cuEventRecord(begin_, main_), "record");
  check(launch(kernels_["read_all"], {blocks_for(bytes / 16)}, main_, large_, bytes / 16, counts_),
        "read");
  check(driver().cuEventRecord(end_, main_), "record");
  synchronize(main_);
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, begin_, end_), "ask for a time");
  page->said[0] = static_cast<int64_t>(milliseconds * 1e6F);
}

void Candidate::events() {
  uint32_t calls = page->parameter[2] > 0 ? static_cast<uint32_t>(page->parameter[2]) : 100;
  for (int i = 0; i < 3; ++i) work_on(slot(0), main_);
  check(driver().cuEventRecord(begin_, main_), "record");
  for (uint32_t i = 0; i < calls; ++i) work_on(slot(i % page->slots), main_);
  check(driver().cuEventRecord(end_, main_), "record");
  synchronize(main_);
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, begin_, end_), "ask for a time");
  page->said[0] = static_cast<int64_t>(milliseconds * 1e6F / static_cast<float>(calls));
}

// As triton.testing does it.
void Candidate::do_bench() {
  constexpr uint64_t kFlushed = uint64_t{256} << 20;
  CUdeviceptr flushed = buffer(large_, kFlushed);
  auto calls = static_cast<size_t>(page->parameter[2]);
  while (pairs_.size() < calls) {
    pairs_.emplace_back();
    check(driver().cuEventCreate(&pairs_.back().first, CU_EVENT_DEFAULT), "make an event");
    check(driver().cuEventCreate(&pairs_.back().second, CU_EVENT_DEFAULT), "make an event");
  }
  for (int i = 0; i < 3; ++i) work_on(slot(0), main_);
  for (size_t i = 0; i < calls; ++i) {
    check(driver().cuMemsetD32Async(flushed, 0, kFlushed / 4, main_), "flush");
    check(driver().cuEventRecord(pairs_[i].first, main_), "record");
    work_on(slot(0), main_);
    check(driver().cuEventRecord(pairs_[i].second, main_), "record");
  }
  synchronize(main_);
  std::vector<double> times_ns;
  double sum = 0;
  for (size_t i = 0; i < calls; ++i) {
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, pairs_[i].first, pairs_[i].second),
          "ask for a time");
    times_ns.push_back(static_cast<double>(milliseconds) * 1e6);
    sum += times_ns.back();
  }
  page->said[0] = static_cast<int64_t>(sum / static_cast<double>(calls));
  page->said[1] = static_cast<int64_t>(quantile(times_ns, 0.5));
}

// How much can stand behind a wait? said[0] says how much stands there.
void Candidate::fill_queue() {
  auto number = static_cast<uint32_t>(page->parameter[3]);
  auto gate = static_cast<uint32_t>(page->parameter[2]);
  auto kind = static_cast<Queued>(page->parameter[1]);
  page->said[0] = 0;
  constexpr uint64_t kBytes = 4096;
  CUdeviceptr memory = buffer(small_, 2 * kBytes);
  if (kind == Queued::graph && !empty_graph_) {
    CUgraph captured = nullptr;
    check(driver().cuStreamBeginCapture(main_, CU_STREAM_CAPTURE_MODE_RELAXED), "capture");
    for (int i = 0; i < 50; ++i)
      check(launch(kernels_["nothing"], {}, main_), "launch an empty kernel");
    check(driver().cuStreamEndCapture(main_, &captured), "capture");
    check(driver().cuGraphInstantiateWithFlags(&empty_graph_, captured, 0), "make a graph");
    check(driver().cuGraphLaunch(empty_graph_, main_), "launch a graph");
    synchronize(main_);
  }
  std::vector<CUstream> streams = {main_};
  if (kind == Queued::kernel_on_two_streams) streams.push_back(side_);
  for (CUstream stream : streams)
    check(driver().cuStreamWaitValue32(stream, word(gate), number, CU_STREAM_WAIT_VALUE_GEQ),
          "queue a wait for a word");
  for (int64_t i = 0; i < page->parameter[0]; ++i) {
    CUstream stream = streams[static_cast<size_t>(i) % streams.size()];
    switch (kind) {
      case Queued::kernel:
      case Queued::kernel_on_two_streams:
        check(launch(kernels_["nothing"], {}, stream), "launch an empty kernel");
        break;
      case Queued::work:
        work_on(slot(0), stream);
        break;
      case Queued::memset:
        check(driver().cuMemsetD32Async(memory, 0, kBytes / 4, stream), "clear");
        break;
      case Queued::copy:
        copy(memory + kBytes, memory, kBytes, stream);
        break;
      case Queued::event:
        check(driver().cuEventRecord(begin_, stream), "record");
        break;
      case Queued::graph:
        check(driver().cuGraphLaunch(empty_graph_, stream), "launch a graph");
        break;
    }
    page->said[0] = i + 1;
  }
}

// All but some of the elements, and `done` when these are there; the others are under way.
void Candidate::late_tail() {
  bool is_gated = page->parameter[2] == 1;
  auto millionths = [](int64_t parts) {
    return static_cast<uint32_t>(uint64_t{page->elements} * static_cast<uint64_t>(parts) /
                                 1'000'000);
  };
  uint32_t late = millionths(page->parameter[0]), behind = millionths(page->parameter[1]);
  uint32_t before = page->elements - late - behind;
  auto number = static_cast<uint32_t>(page->parameter[3]);
  auto part = [&](uint32_t from, uint32_t count) {
    if (count == 0) return;
    check(launch(kernels_["work"], {blocks_for(count)}, main_, slot(0).outputs + uint64_t{from} * 4,
                 slot(0).inputs + uint64_t{from} * 4, count, page->rounds),
          "launch the work");
  };
  if (is_gated)
    check(driver().cuStreamWaitValue32(main_, word(0), number, CU_STREAM_WAIT_VALUE_GEQ),
          "queue a wait for a word");
  part(0, before);
  part(before + late, behind);
  if (is_gated)
    check(driver().cuStreamWriteValue32(main_, word(1), number, CU_STREAM_WRITE_VALUE_DEFAULT),
          "queue a word");
  else
    check(driver().cuEventRecord(end_, main_), "record");
  part(before, late);
  if (!is_gated) check(driver().cuEventSynchronize(end_), "wait for an event");
}

// ---- what the card launches itself

Kernels& Candidate::of_device() {
  if (!of_device_) {
    of_device_ = std::make_unique<Kernels>();
    of_device_->load(folder() + "/device.cubin");
  }
  return *of_device_;
}

CUgraphExec Candidate::graph_of(bool for_card, const std::function<void()>& queue) {
  CUgraph captured = nullptr;
  CUgraphExec graph = nullptr;
  check(driver().cuStreamBeginCapture(side_, CU_STREAM_CAPTURE_MODE_RELAXED), "capture");
  queue();
  check(driver().cuStreamEndCapture(side_, &captured), "capture");
  check(driver().cuGraphInstantiateWithFlags(
            &graph, captured, for_card ? CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH : 0),
        for_card ? "make a graph for the card" : "make a graph");
  check(driver().cuGraphUpload(graph, main_), "upload a graph");
  synchronize(main_);
  return graph;
}

void Candidate::launch_by_card(const std::function<void()>& queue) {
  check(driver().cuMemsetD32Async(counts_ + 3072, 0xffff, 1, main_), "clear");
  check(driver().cuEventRecord(begin_, main_), "record");
  queue();
  check(driver().cuEventRecord(end_, main_), "record");
  if (page->parameter[0] >= 10) return;
  synchronize(main_);
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, begin_, end_), "ask for a time");
  page->said[0] = static_cast<int64_t>(milliseconds * 1e6F);
  if (page->parameter[2] != 1) return;
  uint32_t result = 0;
  check(driver().cuMemcpyDtoH(&result, counts_ + 3072, 4), "read");
  page->said[1] = result;
}

void Candidate::kernel_child() {
  launch_by_card([&] {
    check(launch(of_device()["launch_work"], {1, 1}, main_, slot(0).outputs, slot(0).inputs,
                 page->elements, page->rounds, blocks_for(page->elements),
                 static_cast<int>(page->parameter[0] % 10), counts_ + 3072),
          "launch a parent");
  });
}

void Candidate::graph_child() {
  auto how = static_cast<int>(page->parameter[0] % 10);
  if (!parent_graph_ || parent_how_ != how || parent_rounds_ != page->rounds) {
    child_graph_ = graph_of(true, [&] { work_on(slot(0), side_); });
    parent_graph_ = graph_of(false, [&] {
      check(launch(of_device()["launch_graph"], {1, 1}, side_, child_graph_, how, counts_ + 3072),
            "capture a parent");
    });
    parent_how_ = how;
    parent_rounds_ = page->rounds;
  }
  launch_by_card([&] { check(driver().cuGraphLaunch(parent_graph_, main_), "launch a graph"); });
}

void Candidate::hog_by_card(bool by_graphs) {
  auto wait_ns = static_cast<uint64_t>(page->parameter[0]);
  auto spin_ns = static_cast<uint64_t>(page->parameter[1]);
  if (!by_graphs)
    return check(launch(of_device()["kernel_tail"], {1, 1}, side_, uint64_t{0}, wait_ns, spin_ns,
                        counts_ + 3072),
                 "launch a chain");
  if (!parent_graph_) {
    child_graph_ = graph_of(true, [&] {
      check(launch(kernels_["spin"], {132, 1024}, side_, spin_ns), "capture a hog");
    });
    parent_graph_ = graph_of(true, [&] {
      check(launch(of_device()["graph_tail"], {1, 1}, side_, counts_ + 1024, wait_ns, child_graph_,
                   counts_ + 3072),
            "capture a chain");
    });
  }
  check(driver().cuMemsetD32Async(counts_ + 1024, 0, 2, side_), "clear");
  check(driver().cuGraphLaunch(parent_graph_, side_), "launch a graph");
}

void Candidate::hog_sibling() {
  if (!parent_graph_) {
    child_graph_ = graph_of(true, [&] {
      check(launch(kernels_["spin"], {132, 1024}, side_, static_cast<uint64_t>(page->parameter[1])),
            "capture a hog");
    });
    parent_graph_ = graph_of(false, [&] {
      check(launch(of_device()["launch_graph"], {1, 1}, side_, child_graph_, 2, counts_ + 3072),
            "capture a parent");
    });
  }
  check(driver().cuGraphLaunch(parent_graph_, side_), "launch a graph");
  synchronize(side_);
}

// The calls wait on the card until the judge sets word 0, and set word 1 behind them.
void Candidate::arm_calls(uint32_t behind) {
  auto number = static_cast<uint32_t>(page->parameter[3]);
  check(driver().cuStreamWaitValue32(main_, word(0), number, CU_STREAM_WAIT_VALUE_GEQ),
        "queue a wait for a word");
  if (page->slots == 0) check(launch(kernels_["nothing"], {}, main_), "launch an empty kernel");
  uint32_t before = page->slots - std::min(behind, page->slots);
  for (uint32_t i = 0; i < before; ++i) work_on(slot(i), main_);
  check(driver().cuStreamWriteValue32(main_, word(1), number, CU_STREAM_WRITE_VALUE_DEFAULT),
        "queue a word");
  for (uint32_t i = before; i < page->slots; ++i) work_on(slot(i), main_);
}

void Candidate::act() {
  switch (page->act) {
    case Act::honest:
      work_on(main_);
      return synchronize(main_);
    case Act::nothing:
      return;
    case Act::null_kernel:
      check(launch(kernels_["nothing"], {}, main_), "launch an empty kernel");
      return synchronize(main_);
    case Act::drain:
      return check(driver().cuCtxSynchronize(), "wait for all");
    case Act::early_done:
      return work_on(main_);
    case Act::nearly_done: {
      int64_t until_ns = now_ns() + page->parameter[1];
      work_on(main_);
      while (now_ns() < until_ns) {
      }
      return;
    }
    case Act::side_stream:
      return side_stream();
    case Act::host_thread:
      return want_work(100);
    case Act::host_callback:
      spin_on(main_, 200'000);
      return check(
          driver().cuLaunchHostFunc(
              main_, [](void* self) { static_cast<Candidate*>(self)->want_work(0); }, this),
          "queue a host function");
    case Act::copy_delay:
      copies_on(main_, page->parameter[0]);
      return work_on(main_);
    case Act::copy_tail: {
      uint64_t bytes = uint64_t{page->elements} * 4;
      for (uint32_t i = 0; i < page->slots; ++i)
        work_on({slot(i).inputs, kept_outputs() + i * bytes}, main_);
      synchronize(main_);
      return copy(slot(0).outputs, kept_outputs(), results_bytes(), main_);
    }
    case Act::contexts:
      return contexts();
    case Act::priority:
      return priority();
    case Act::poller:
      return poller();
    case Act::wait_value:
      return wait_value(false);
    case Act::patch:
      return wait_value(true);
    case Act::stale_graph:
      return stale_graph();
    case Act::sampled_cache:
      return sampled_cache();
    case Act::module_memory:
      return module_memory();
    case Act::no_write:
      if (kept_) return;
      kept_ = true;
      work_on(main_);
      return synchronize(main_);
    case Act::hog_compute:
      return check(launch(kernels_["spin_for_ever"], {132, 1024}, side_, counts_), "launch a hog");
    case Act::hog_copy: {
      auto bytes = static_cast<uint64_t>(page->parameter[0]);
      CUdeviceptr from = buffer(large_, 2 * bytes);
      for (int64_t i = 0; i < page->parameter[1]; ++i) copy(from + bytes, from, bytes, side_);
      return;
    }
    case Act::hog_delayed:
      copies_on(side_, page->parameter[0]);
      return check(
          launch(kernels_["spin"], {132, 1024}, side_, static_cast<uint64_t>(page->parameter[1])),
          "launch a hog");
    case Act::hog_from_host: {
      constexpr uint64_t kBytes = uint64_t{4} << 20;
      static void* from = nullptr;
      if (!from) check(driver().cuMemHostAlloc(&from, kBytes, 0), "pin memory");
      CUdeviceptr to = buffer(large_, kBytes);
      for (int64_t i = 0; i < page->parameter[1]; ++i)
        check(driver().cuMemcpyHtoDAsync(to, from, kBytes, side_), "copy from the host");
      return;
    }
    case Act::hog_host_copy:
      return host_copies_on(side_, page->parameter[0]);
    case Act::hog_bursts:
      for (int64_t i = 0; i < page->parameter[2]; ++i) {
        host_copies_on(side_, page->parameter[0]);
        check(
            launch(kernels_["spin"], {132, 1024}, side_, static_cast<uint64_t>(page->parameter[1])),
            "launch a hog");
      }
      return;
    case Act::hog_words:
      return hog_words();
    case Act::hog_graph:
      return hog_graph();
    case Act::kernel_child:
      return kernel_child();
    case Act::graph_child:
      return graph_child();
    case Act::hog_kernel_tail:
      return hog_by_card(false);
    case Act::hog_graph_tail:
      return hog_by_card(true);
    case Act::hog_sibling:
      return hog_sibling();
    case Act::spin:
      return check(
          launch(kernels_["spin"], {132, 256}, main_, static_cast<uint64_t>(page->parameter[0])),
          "launch a spin");
    case Act::progress:
      return check(launch(kernels_["progress"], {1, 1}, main_, slot(0).outputs,
                          static_cast<uint32_t>(page->parameter[0]),
                          static_cast<uint32_t>(page->parameter[1])),
                   "launch progress");
    case Act::watch_gaps: {
      auto most = static_cast<uint32_t>(std::min<uint64_t>(page->elements / 4, 4096));
      check(launch(kernels_["watch_gaps"], {1, 1}, main_, slot(0).outputs, most, uint64_t{5000},
                   static_cast<uint64_t>(page->parameter[0]), counts_),
            "watch for gaps");
      return;
    }
    case Act::callback_order:
      spin_on(main_, page->parameter[0]);
      check(driver().cuLaunchHostFunc(
                main_, [](void*) { page->called_back = page->called_back + 1; }, nullptr),
            "queue a host function");
      return work_on(main_);
    case Act::write_inputs:
      check(driver().cuMemsetD32Async(slot(0).inputs, 7, 16, main_), "write inputs");
      return synchronize(main_);
    case Act::allocate:
      return allocate_much();
    case Act::scan: {
      auto bytes = static_cast<uint64_t>(page->parameter[0]);
      std::memset(page->said, 0, sizeof page->said);
      constexpr uint64_t kBlock = uint64_t{1} << 30;
      for (uint64_t got = 0; got < bytes; got += kBlock) {
        CUdeviceptr address = 0;
        if (driver().cuMemAlloc(&address, std::min(kBlock, bytes)) != CUDA_SUCCESS) break;
        scan(address, std::min(kBlock, bytes));
      }
      return;
    }
    case Act::scan_again: {
      auto bytes = static_cast<uint64_t>(page->parameter[0]);
      CUdeviceptr address = allocate(bytes);
      check(driver().cuMemsetD32(address, static_cast<unsigned>(page->parameter[1]), bytes / 4),
            "fill");
      check(driver().cuCtxSynchronize(), "synchronize");
      check(driver().cuMemFree(address), "free");
      std::memset(page->said, 0, sizeof page->said);
      return scan(allocate(bytes), bytes);
    }
    case Act::shared_scan:
    case Act::shared_fill: {
      bool fills = page->act == Act::shared_fill;
      constexpr unsigned kBytes = 224 * 1024;
      CUfunction function = kernels_[fills ? "fill_shared" : "find_in_shared"];
      check(driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        kBytes),
            "ask for shared memory");
      auto pattern = static_cast<uint32_t>(page->parameter[1]);
      check(driver().cuMemsetD32(counts_, 0, 4), "clear");
      if (fills) {
        check(launch(function, {132, 256, kBytes}, main_, pattern, kBytes / 4, uint64_t{50'000}),
              "fill shared memory");
      } else {
        check(launch(function, {132, 256, kBytes}, main_, pattern, kBytes / 4, counts_),
              "look at shared memory");
      }
      synchronize(main_);
      uint64_t counts[2] = {};
      check(driver().cuMemcpyDtoH(counts, counts_, sizeof counts), "read");
      page->said[0] = static_cast<int64_t>(counts[0]);
      page->said[1] = static_cast<int64_t>(counts[1]);
      page->said[2] = int64_t{132} * kBytes / 4;
      return;
    }
    case Act::fault_address:
      check(launch(kernels_["write_nowhere"], {1, 1}, main_, CUdeviceptr{0x7000}), "launch");
      return synchronize(main_);
    case Act::fault_trap:
      check(launch(kernels_["trap"], {1, 1}, main_), "launch");
      return synchronize(main_);
    case Act::pinned: {
      void* memory = nullptr;
      auto bytes = static_cast<size_t>(page->parameter[0]);
      check(driver().cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP), "pin memory");
      std::memset(memory, 1, bytes);
      void* registered =
          ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (registered == MAP_FAILED) die("map memory");
      check(driver().cuMemHostRegister(registered, 1 << 20, CU_MEMHOSTREGISTER_DEVICEMAP),
            "register memory");
      page->said[0] = static_cast<int64_t>(bytes);
      return;
    }
    case Act::reach_prepare:
      return reach_prepare();
    case Act::reach_read:
      return reach_read();
    case Act::events:
      return events();
    case Act::arm:
      return arm_calls(0);
    case Act::arm_early:
      return arm_calls(page->slots);
    case Act::arm_nearly:
      return arm_calls(static_cast<uint32_t>(page->parameter[1]));
    case Act::do_bench:
      return do_bench();
    case Act::fill_queue:
      return fill_queue();
    case Act::late_tail:
      return late_tail();
    case Act::watched:
      return watched_work();
    case Act::program:
    case Act::end:
      return;
  }
  die("no such act");
}

void Candidate::run() {
  page->ready = 1;
  for (uint32_t window = 0;;) {
    while (page->go == window)
      ::syscall(SYS_futex, &page->go, FUTEX_WAIT, window, nullptr, nullptr, 0);
    window = page->go;
    act();
    bool ends = page->act == Act::end;
    page->done = window;
    wake(page->done);
    if (ends) break;
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace

void run_candidate() {
  void* memory = ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
  if (memory == MAP_FAILED) ::_exit(3);
  page = static_cast<ControlPage*>(memory);
  on_death(tell_judge);
  int arena_fd = page->arena_bytes != 0 ? receive_descriptor(4) : -1;
  if (page->arena_bytes != 0 && arena_fd < 0) die("no memory came");
  Candidate candidate;
  candidate.set_up(arena_fd);
  candidate.run();
  ::_exit(0);
}

}  // namespace assay::gpu
