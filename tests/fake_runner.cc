// A runner that holds fakes: its candidate's file is the name of one. It serves the CPU, and an
// asynchronous device without a device (fake_device.h). What it computes is y = 2 x + w, by rows,
// and some candidates, and some ways of running them, are wrong in one thing each.
#include <assay/kernel.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "fake_device.h"
#include "model/device.h"
#include "model/tensor.h"
#include "run/control_page.h"
#include "sandbox/futex.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

enum Place { kSheet, kPage, kInputs, kOutputs, kInout, kConstants, kCandidate, kPlaces };

void answer(const Json& message) { wire::send(wire::kChannelFd, wire::frame(dump_json(message))); }

struct Memory {
  std::byte* data;
  size_t size;
};

Memory map(int fd, int protection) {
  struct stat info{};
  fstat(fd, &info);
  auto size = static_cast<size_t>(info.st_size);
  return {static_cast<std::byte*>(mmap(nullptr, size, protection, MAP_SHARED, fd, 0)), size};
}

// --- kernels: y = 2 x + w ---

struct Sum {
  const float *x, *w;
  float* y;
  int64_t rows, columns;

  void compute() const {
    for (int64_t i = 0; i < rows * columns; ++i) y[i] = 2 * x[i] + w[i % columns];
  }
};

Sum sum_of(const assay_call& call) {
  const assay_tensor& x = call.inputs[0];
  return {static_cast<const float*>(x.data), static_cast<const float*>(call.constants[0].data),
          static_cast<float*>(call.outputs[0].data), x.shape[0], x.shape[1]};
}

fake::Stream& stream_of(const assay_call& call) { return *static_cast<fake::Stream*>(call.stream); }

fake::Stream& own_stream() {
  static auto* stream = new fake::Stream;
  return *stream;
}

using Kernel = int (*)(const assay_call*);

int on_cpu(const assay_call* call) {
  sum_of(*call).compute();
  return 0;
}

// Half a millisecond or so: plainly more than a window itself costs.
int takes_long(const assay_call* call) {
  volatile int times = 0;
  while (times < 20'000) {
    sum_of(*call).compute();
    const int more = times + 1;
    times = more;
  }
  return 0;
}

int wrong(const assay_call* call) {
  Sum sum = sum_of(*call);
  sum.compute();
  sum.y[sum.rows * sum.columns - 1] += 1;
  return 0;
}

int is_off(const assay_call& call, int roundings) {
  Sum sum = sum_of(call);
  sum.compute();
  float& largest = *std::max_element(sum.y, sum.y + sum.rows * sum.columns);
  largest *= 1 + static_cast<float>(roundings) * 0x1p-23F;
  return 0;
}
int is_off_by_60_roundings(const assay_call* call) { return is_off(*call, 60); }
int is_off_by_1000_roundings(const assay_call* call) { return is_off(*call, 1000); }

int forgets_the_last(const assay_call* call) {
  Sum sum = sum_of(*call);
  --sum.rows;
  sum.compute();
  return 0;
}

int writes_too_far(const assay_call* call) {
  Sum sum = sum_of(*call);
  sum.compute();
  sum.y[sum.rows * sum.columns] = 1;
  return 0;
}

int differs_from_call_to_call(const assay_call* call) {
  sum_of(*call).compute();
  sum_of(*call).y[0] += static_cast<float>(getpid()) * 1e-9F;
  return 0;
}

// On the device, as kernel.h asks for it.
int queued(const assay_call* call) {
  bool on_device =
      call->inputs[0].memory == ASSAY_DEVICE && call->outputs[0].memory == ASSAY_DEVICE;
  if (!on_device || !call->stream) return 1;
  stream_of(*call).queue([sum = sum_of(*call)] { sum.compute(); });
  return 0;
}

// Its output comes on a stream that nobody waits for.
int on_another_stream(const assay_call* call) {
  own_stream().queue([sum = sum_of(*call)] { sum.compute(); });
  return 0;
}

// Reads its input on a stream that is not ordered behind the one it comes on, but in its first
// call.
int reads_too_early(const assay_call* call) {
  static auto* staged = new std::vector<float>;
  static bool first = true;
  if (first) stream_of(*call).synchronize();
  first = false;
  Sum sum = sum_of(*call);
  own_stream().queue([sum] { staged->assign(sum.x, sum.x + sum.rows * sum.columns); });
  own_stream().synchronize();
  sum.x = staged->data();
  stream_of(*call).queue([sum] { sum.compute(); });
  return 0;
}

int never_completes(const assay_call* call) {
  stream_of(*call).queue([] {
    while (true) pause();
  });
  return 0;
}

int writes_too_far_on_the_device(const assay_call* call) {
  queued(call);
  stream_of(*call).queue([sum = sum_of(*call)] { sum.y[sum.rows * sum.columns] = 1; });
  return 0;
}

int dies_with_work_queued(const assay_call* call) {
  queued(call);
  raise(SIGSEGV);
  return 0;
}

int declines(const assay_call*) { return 7; }
int declines_zeros(const assay_call* call) {
  Sum sum = sum_of(*call);
  if (std::all_of(sum.x, sum.x + sum.rows * sum.columns, [](float x) { return x == 0; })) return 7;
  return on_cpu(call);
}
int declines_the_first_call(const assay_call* call) {
  static bool first = true;
  return std::exchange(first, false) ? 7 : on_cpu(call);
}
int dies(const assay_call*) { _exit(3); }
int hangs(const assay_call*) {
  while (true) pause();
}

const std::map<std::string, Kernel> kKernels = {
    {"on cpu", on_cpu},
    {"takes long", takes_long},
    {"wrong", wrong},
    {"is off by 60 roundings", is_off_by_60_roundings},
    {"is off by 1000 roundings", is_off_by_1000_roundings},
    {"forgets the last", forgets_the_last},
    {"writes too far", writes_too_far},
    {"differs from call to call", differs_from_call_to_call},
    {"queued", queued},
    {"at once", on_cpu},  // on the device: as though what lies there were its already
    {"on another stream", on_another_stream},
    {"reads too early", reads_too_early},
    {"never completes", never_completes},
    {"writes too far on the device", writes_too_far_on_the_device},
    {"dies with work queued", dies_with_work_queued},
    {"declines", declines},
    {"declines zeros", declines_zeros},
    {"declines the first call", declines_the_first_call},
    {"dies", dies},
    {"hangs", hangs},
};

// --- lies ---

// What it says first, where that is not that it is ready. False: it has nothing else to say.
bool lie_at_first(const std::string& candidate, Json& ready) {
  if (candidate == "is through at once") ready = {{"final", true}, {"ok", Json::object()}};
  if (candidate == "is ready in words") ready["ready"] = "yes";
  if (candidate == "is on another device") ready["device"]["index"] = 1;
  if (candidate == "is on no device") ready.erase("device");
  if (candidate == "counts its parameters") ready["parameters"] = 3;
  if (candidate == "says much") ready["why"] = std::string(100'000, 'x');
  if (candidate == "says what nobody asked") ready["rounds"] = Json::array({1, 2});
  if (candidate == "has no device") {
    answer({{"final", true}, {"unsupported", {{"reason", "there is no such device"}}}});
    _exit(0);
  }
  answer(ready);
  if (candidate == "is ready twice") answer(ready);
  return candidate != "is through at once";
}

// What it leaves in the control page, instead of the truth.
void lie_in_page(const std::string& candidate, ControlPage& page) {
  ReportedOutput& first = page.outputs[0];
  if (candidate == "counts too many outputs") page.output_count = 4'000'000'000;
  if (candidate == "counts no outputs") page.output_count = 0;
  if (candidate == "has a text without end") {
    std::memset(page.text, 'x', sizeof page.text);
    page.text_bytes = 4'000'000'000;
    page.outcome = static_cast<uint32_t>(WindowOutcome::raised);
  }
  if (candidate == "has a text that is none") {
    std::memset(page.text, '\xff', 64);
    page.text[3] = '\0';
    page.text[5] = '\x1b';
    page.text_bytes = 64;
    page.outcome = static_cast<uint32_t>(WindowOutcome::raised);
  }
  if (candidate == "raises in silence") page.outcome = static_cast<uint32_t>(WindowOutcome::raised);
  if (candidate == "has an outcome that is none") page.outcome = 77;
  if (candidate == "has a rank of a million") first.rank = 1'000'000;
  if (candidate == "has a dtype that is none") first.dtype = 4'000'000'000;
  if (candidate == "has a negative shape") first.shape[0] = -1;
  if (candidate == "shares memory with an input") first.aliased_input = 1;
  if (candidate == "shares memory with nobody") first.aliased_input = 4'000'000'000;
  if (candidate == "has odd results") {
    first.dtype = ASSAY_F16;
    page.outcome = static_cast<uint32_t>(WindowOutcome::odd);
  }
  if (candidate == "opens the next window") page.go = page.go + 1;
  if (candidate == "talks in a window") answer({{"final", true}, {"ok", Json::object()}});
}

// --- the runner ---

struct Tensors {
  std::vector<TensorSpec> specs;
  std::vector<assay_tensor> passed;

  void add(const Json& json, std::byte* host, std::byte* device) {
    specs.push_back(*tensor_from_json(json));
    assay_tensor tensor{};
    bool on_device = json["memory_kind"] == "device";
    tensor.data = (on_device ? device : host) + json["offset"].get<uint64_t>();
    tensor.memory = on_device ? ASSAY_DEVICE : ASSAY_HOST;
    tensor.name = "";
    passed.push_back(tensor);
  }
  const assay_tensor* all() {
    for (size_t i = 0; i < passed.size(); ++i) {
      passed[i].shape = specs[i].shape.data();
      passed[i].rank = static_cast<int32_t>(specs[i].shape.size());
      passed[i].dtype = static_cast<int32_t>(specs[i].dtype);
    }
    return passed.data();
  }
};

void tell(ControlPage& page, const Tensors& outputs, int status) {
  page.status = status;
  page.outcome =
      static_cast<uint32_t>(status == 0 ? WindowOutcome::finished : WindowOutcome::declined);
  page.output_count = static_cast<uint32_t>(outputs.specs.size());
  for (size_t i = 0; i < outputs.specs.size(); ++i) {
    page.outputs[i] = {};
    page.outputs[i].dtype = static_cast<uint32_t>(outputs.specs[i].dtype);
    page.outputs[i].rank = static_cast<int32_t>(outputs.specs[i].shape.size());
    std::ranges::copy(outputs.specs[i].shape, page.outputs[i].shape);
  }
}

}  // namespace

int main() {
  auto job = wire::receive_job(wire::kChannelFd);
  if (!job || job->descriptors.size() != kPlaces) return 1;
  const std::vector<int>& fds = job->descriptors;
  Json sheet = Json::parse(*read_memory_file(UniqueFd(fds[kSheet])));
  std::string candidate = *read_memory_file(UniqueFd(fds[kCandidate]));
  Device device = *device_from_json(sheet["device"]);
  auto& page = *reinterpret_cast<ControlPage*>(map(fds[kPage], PROT_READ | PROT_WRITE).data);
  Memory given = map(fds[kInputs], PROT_READ);
  Memory inout = map(fds[kInout], PROT_READ | PROT_WRITE);
  Memory written = map(fds[kOutputs], PROT_READ | PROT_WRITE);
  Memory constants = map(fds[kConstants], PROT_READ);

  auto& stream = *new fake::Stream;
  fake::Copy given_there(given.data, given.size), inout_there(inout.data, inout.size),
      written_there(written.data, written.size), constants_there(constants.data, constants.size);
  constants_there.queue_to_device(stream);

  Tensors inputs, state, outputs;
  for (const Json& each : sheet["inputs"]) {
    bool changed = each["memory"] == "inout";
    inputs.add(each, changed ? inout.data : given.data,
               changed ? inout_there.on_device() : given_there.on_device());
  }
  for (const Json& each : sheet["constants"])
    state.add(each, constants.data, constants_there.on_device());
  for (const Json& each : sheet["outputs"])
    outputs.add(each, written.data, written_there.on_device());
  void* kept = nullptr;
  assay_call call{};
  call.abi = ASSAY_KERNEL_ABI;
  call.threads = 1;
  call.input_count = static_cast<int32_t>(inputs.specs.size());
  call.constant_count = static_cast<int32_t>(state.specs.size());
  call.output_count = static_cast<int32_t>(outputs.specs.size());
  call.inputs = inputs.all();
  call.constants = state.all();
  call.outputs = outputs.all();
  call.kept = &kept;
  call.device = device.kind.c_str();
  call.device_index = device.index;
  bool is_queued = device.stream == StreamOrder::queued;
  if (is_queued) call.stream = &stream;

  bool early = candidate == "queued, and says done at once";
  auto known = kKernels.find(early ? "queued" : candidate);
  Kernel kernel = known == kKernels.end() ? on_cpu : known->second;
  Json ready{{"ready", true}, {"device", to_json(device)}};
  if (candidate == "is never come to") return 1;
  page.begun.store(1);
  if (!lie_at_first(candidate, ready)) return 0;

  uint32_t last = 0;
  while (true) {
    uint32_t number = page.go.load(std::memory_order_acquire);
    if (number == last) {
      sandbox::sleep_while(page.go, last);
      continue;
    }
    if (number == ControlPage::kEnd) {
      answer({{"final", true}, {"ok", Json::object()}});
      return 0;
    }
    const WindowKind kind = page.kind.load();
    if (kind != WindowKind::call && kind != WindowKind::watched) {
      tell(page, outputs, 0);
      last = number;
      page.done.store(number, std::memory_order_release);
      sandbox::wake_all(page.done);
      continue;
    }
    if (early) stream.synchronize();  // what it owes from the window before
    if (is_queued)
      for (fake::Copy* each : {&given_there, &inout_there, &written_there})
        each->queue_to_device(stream);
    int status = kernel(&call);
    if (is_queued) {
      page.submitted.store(number, std::memory_order_release);
      written_there.queue_back(stream);
      inout_there.queue_back(stream);
      if (!early) stream.synchronize();
    }
    tell(page, outputs, status);
    for (size_t i = 0; i < outputs.passed.size(); ++i)
      page.addresses[i] = reinterpret_cast<uint64_t>(outputs.passed[i].data);
    lie_in_page(candidate, page);
    last = number;
    page.done.store(candidate == "ends another window" ? number + 1 : number,
                    std::memory_order_release);
    sandbox::wake_all(page.done);
  }
}
