// The native runner: loads one shared library that exports assay_kernel and calls it window by
// window. Started fresh for each launch by assay-launch, inside the jail; nothing in here is
// trusted once the library is loaded.
#include <assay/kernel.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "base/json.h"
#include "model/device.h"
#include "model/tensor.h"
#include "run/control_page.h"
#include "run/cuda/called_on_card.h"
#include "run/dispatch_library.h"
#include "sandbox/futex.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

// What rides on the job's frame, in this order (run/candidate_process.cc).
// On a card there is one more: of memory there.
enum Place { kSheet, kPage, kInputs, kOutputs, kInout, kConstants, kCandidate, kPlaces };

[[noreturn]] void end(int status) { ::_exit(status); }

void answer(const Json& message) {
  if (!wire::send(wire::kChannelFd, wire::frame(dump_json(message)))) end(1);
}

[[noreturn]] void fail(const char* failure_class, const std::string& error) {
  answer({{"final", true}, {"failed", {{"class", failure_class}, {"error", error}}}});
  end(0);
}

// It is not for this runner.
[[noreturn]] void decline(const std::string& why) {
  answer({{"final", true}, {"unsupported", {{"reason", why}}}});
  end(0);
}

size_t size_of(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) end(1);
  return static_cast<size_t>(info.st_size);
}

// All of a file in memory.
std::byte* map(int fd, bool writable) {
  int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* data = ::mmap(nullptr, size_of(fd), protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) end(1);
  return static_cast<std::byte*>(data);
}

Json read_sheet(int fd) {
  // Read, not mapped: kernels before 6.7 refuse a shared mapping of what is sealed against writing.
  auto text = read_memory_file(UniqueFd(fd));
  auto sheet = text ? parse_json(*text, "the job's sheet") : std::unexpected(text.error());
  if (!sheet) end(1);
  return std::move(*sheet);
}

// The tensors of one list of the sheet as the kernel gets them. Lives as long as the process.
struct Tensors {
  std::vector<TensorSpec> specs;
  std::vector<std::string> names;
  std::vector<assay_tensor> passed;
};

void add(Tensors& tensors, const Json& json, std::byte* memory, assay_memory whose) {
  auto spec = tensor_from_json(json);
  if (!spec) end(1);
  if (spec->strides.empty()) {
    spec->strides.resize(spec->shape.size());
    int64_t stride = 1;
    for (size_t i = spec->shape.size(); i-- > 0; stride *= spec->shape[i])
      spec->strides[i] = stride;
  }
  tensors.specs.push_back(std::move(*spec));
  tensors.names.push_back(json.value("name", ""));
  assay_tensor passed{};
  passed.data = memory + json["offset"].get<uint64_t>();
  passed.memory = whose;
  tensors.passed.push_back(passed);
}

void point(Tensors& tensors) {
  for (size_t i = 0; i < tensors.passed.size(); ++i) {
    assay_tensor& passed = tensors.passed[i];
    passed.shape = tensors.specs[i].shape.data();
    passed.strides = tensors.specs[i].strides.data();
    passed.rank = static_cast<int32_t>(tensors.specs[i].shape.size());
    passed.dtype = static_cast<int32_t>(tensors.specs[i].dtype);
    passed.name = tensors.names[i].c_str();
  }
}

assay_scalar scalar(const Json& json) {
  assay_scalar result{};
  if (json.is_boolean()) {
    result.integer = json.get<bool>() ? 1 : 0;
    result.number = static_cast<double>(result.integer);
    result.is_integer = 1;
  } else if (json.is_number_integer()) {
    result.integer = json.get<int64_t>();
    result.number = static_cast<double>(result.integer);
    result.is_integer = 1;
  } else if (json.is_string()) {
    result.number = std::strtod(json.get<std::string>().c_str(), nullptr);  // inf, -inf, nan
  } else {
    result.number = json.get<double>();
  }
  return result;
}

Device device_of(const Json& sheet) {
  auto asked = device_from_json(sheet["device"]);
  if (!asked) end(1);
  if (*asked == Device{} || asked->kind == kCudaDevice) return *asked;
  decline(fmt::format("native candidates are called on {}, not on {}", in_words(Device{}),
                      in_words(*asked)));
}

// The card that calls are made on; nothing: they are made on the CPU.
std::optional<cuda::CalledOnCard> open_card(const Json& sheet, const std::vector<int>& fds) {
  if (!sheet.contains("card")) return std::nullopt;
  if (fds.size() != kPlaces + 1) end(1);
  auto card = cuda::CalledOnCard::create(sheet["card"], fds[kPlaces]);
  if (!card) decline(card.error().message);
  return std::move(*card);
}

using Fence = void (*)(const volatile void*, size_t);

// With AddressSanitizer in this process (--sanitize): all of a file's memory but its tensors is out
// of bounds, for reading, too.
void fence(std::byte* memory, int fd, const std::vector<const Tensors*>& lists) {
  auto forbid = reinterpret_cast<Fence>(::dlsym(RTLD_DEFAULT, "__asan_poison_memory_region"));
  auto allow = reinterpret_cast<Fence>(::dlsym(RTLD_DEFAULT, "__asan_unpoison_memory_region"));
  struct stat info{};
  if (!forbid || !allow || ::fstat(fd, &info) != 0) return;
  const auto bytes = static_cast<size_t>(info.st_size);
  forbid(memory, bytes);
  for (const Tensors* list : lists)
    for (size_t i = 0; i < list->specs.size(); ++i) {
      auto* data = static_cast<std::byte*>(list->passed[i].data);
      if (data >= memory && data < memory + bytes) allow(data, list->specs[i].span_bytes());
    }
}

using Kernel = int (*)(const assay_call*);

void* load(int fd) {
  // By the descriptor: in the jail the file has no name.
  std::string path = fmt::format("/proc/self/fd/{}", fd);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::string why = ::dlerror();
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    fail("load", fmt::format("the library does not load: {}", why));
  }
  return library;
}

Kernel kernel_of(void* library) {
  void* symbol = ::dlsym(library, "assay_kernel");
  if (!symbol) fail("load", "the library exports no assay_kernel: see include/assay/kernel.h");
  return reinterpret_cast<Kernel>(symbol);
}

void report(ControlPage& page, const Tensors& outputs) {
  page.output_count = static_cast<uint32_t>(outputs.specs.size());
  for (size_t i = 0; i < outputs.specs.size() && i < ControlPage::kMaxOutputs; ++i) {
    ReportedOutput& reported = page.outputs[i];
    reported = {};
    reported.dtype = static_cast<uint32_t>(outputs.specs[i].dtype);
    reported.rank = static_cast<int32_t>(outputs.specs[i].shape.size());
    std::copy(outputs.specs[i].shape.begin(), outputs.specs[i].shape.end(), reported.shape);
  }
}

// What the kernel gets in each of a window's calls.
struct Slot {
  std::vector<assay_tensor> inputs, outputs;
};

// The same tensors, each so far behind those of the first slot as its memory's slots lie apart.
std::vector<assay_tensor> in_slot(std::vector<assay_tensor> tensors, const Json& leaves,
                                  const Json& sheet, size_t slot) {
  size_t next = 0;
  for (const Json& leaf : leaves) {
    if (!leaf.contains("dtype")) continue;
    const auto apart = sheet["slot_bytes"][leaf["memory"].get<std::string>()].get<uint64_t>();
    assay_tensor& tensor = tensors[next++];
    tensor.data = static_cast<std::byte*>(tensor.data) + slot * apart;
  }
  return tensors;
}

// What the kernel has not written holds this byte, where there is one: memory of malloc's, and what
// its stack will be. Who reads it has other results than who leans on zeros.
class Perturbation {
 public:
  explicit Perturbation(int byte) : byte_(byte) {
    // glibc fills with the complement. Cached blocks it would not fill: the jail's environment says
    // that there are none.
    if (byte_ != 0 && ::mallopt(M_PERTURB, byte_ ^ 0xff) != 1) end(1);
  }
  [[gnu::noinline]] void fill_stack() const {
    if (byte_ == 0) return;
    constexpr size_t kStackBytes = size_t{256} << 10;
    std::byte below[kStackBytes];
    std::memset(below, byte_, sizeof below);
    asm volatile("" : : "r"(below) : "memory");  // it is not left out as what nobody reads
  }

 private:
  int byte_;
};

// The outcome of as many calls as the window has, each with the next slot.
int call_all(Kernel kernel, assay_call& call, std::vector<Slot>& slots, uint32_t calls,
             const Perturbation& perturbation) {
  for (uint32_t n = 0; n < calls && n < slots.size(); ++n) {
    perturbation.fill_stack();
    call.inputs = slots[n].inputs.data();
    call.outputs = slots[n].outputs.data();
    if (int status = kernel(&call); status != 0) return status;
  }
  return 0;
}

void raise(ControlPage& page, const std::string& why) {
  page.text_bytes = static_cast<uint32_t>(std::min(why.size(), ControlPage::kMaxTextBytes));
  std::memcpy(page.text, why.data(), page.text_bytes);
  page.outcome = static_cast<uint32_t>(WindowOutcome::raised);
}

// Window by window; `call_all` makes so many calls, and gives what became of them. `card`: that
// they are queued on; null: none.
template <class CallAll>
void serve(ControlPage& page, const Tensors& outputs, const cuda::CalledOnCard* card,
           CallAll call_all) {
  report(page, outputs);
  uint32_t last = 0;
  while (true) {
    uint32_t number = page.go.load(std::memory_order_acquire);
    if (number == last) {
      sandbox::sleep_while(page.go, last);
      continue;
    }
    if (number == ControlPage::kEnd) return;
    const bool is_call = page.kind.load(std::memory_order_relaxed) == WindowKind::call;
    const uint32_t calls = page.calls.load(std::memory_order_relaxed);
    int status = 0;
    auto call = [&] { status = is_call ? call_all(calls) : 0; };
    Status on_card;
    if (card)
      on_card = card->around(page.gate.load(std::memory_order_relaxed), call);
    else
      call();
    page.status = status;
    page.text_bytes = 0;
    page.outcome =
        static_cast<uint32_t>(status == 0 ? WindowOutcome::finished : WindowOutcome::declined);
    if (!on_card) raise(page, on_card.error().message);
    last = number;
    page.done.store(number, std::memory_order_release);
    sandbox::wake_all(page.done);
  }
}

// Of a slot's tensors, where each begins and ends. What has gaps is no memory of IREE's.
std::vector<DispatchLibrary::Memory> memory_of(const std::vector<assay_tensor>& passed,
                                               const std::vector<TensorSpec>& specs) {
  std::vector<DispatchLibrary::Memory> all;
  for (size_t i = 0; i < passed.size(); ++i) {
    if (specs[i].span_bytes() != specs[i].elements() * bytes_of(specs[i].dtype))
      decline("an input or a result has gaps");
    all.push_back({static_cast<std::byte*>(passed[i].data), specs[i].span_bytes()});
  }
  return all;
}

// What IREE compiled, whose one function is called as the sheet says.
void serve_dispatch(ControlPage& page, const Json& sheet, void* library,
                    const std::vector<Slot>& slots, const Tensors& inputs, const Tensors& outputs) {
  auto dispatch = DispatchLibrary::open(library, sheet["dispatch"]);
  if (!dispatch) decline(dispatch.error());
  std::vector<std::vector<void*>> bindings;
  for (const Slot& slot : slots) {
    auto of_slot = dispatch->bindings(memory_of(slot.inputs, inputs.specs),
                                      memory_of(slot.outputs, outputs.specs));
    if (!of_slot) decline(of_slot.error());
    bindings.push_back(std::move(*of_slot));
  }
  flush_denormals();
  answer({{"ready", true}, {"device", to_json(Device{})}});
  serve(page, outputs, nullptr, [&](uint32_t calls) {
    for (uint32_t n = 0; n < calls && n < bindings.size(); ++n)
      if (int status = dispatch->call(bindings[n]); status != 0) return status;
    return 0;
  });
}

}  // namespace

int main() {
  auto job = wire::receive_job(wire::kChannelFd);
  if (!job || job->descriptors.size() < kPlaces) end(1);
  const std::vector<int>& fds = job->descriptors;
  Json sheet = read_sheet(fds[kSheet]);
  const Device device = device_of(sheet);
  std::optional<cuda::CalledOnCard> card = open_card(sheet, fds);
  if (!card && fds.size() != kPlaces) end(1);
  auto* page = reinterpret_cast<ControlPage*>(map(fds[kPage], true));
  std::byte* given = map(fds[kInputs], false);
  std::byte* inout = map(fds[kInout], true);
  std::byte* written = map(fds[kOutputs], true);
  std::byte* kept_values = map(fds[kConstants], false);
  if (card) {
    given = card->begin_of("inputs");
    inout = card->begin_of("inout");
    written = card->begin_of("outputs");
    auto copied = card->copied({kept_values, size_of(fds[kConstants])});
    if (!copied) decline(copied.error().message);
    kept_values = *copied;
  }

  const assay_memory whose = card ? ASSAY_DEVICE : ASSAY_HOST;
  Tensors inputs, outputs, constants;
  for (const Json& each : sheet["inputs"])
    if (each.contains("dtype")) add(inputs, each, each["memory"] == "inout" ? inout : given, whose);
  for (const Json& each : sheet["outputs"]) add(outputs, each, written, whose);
  for (const Json& each : sheet["constants"]) add(constants, each, kept_values, whose);
  point(inputs);
  point(outputs);
  point(constants);
  const std::vector<const Tensors*> lists{&inputs, &outputs, &constants};
  for (auto [memory, place] : {std::pair{given, kInputs}, std::pair{inout, kInout},
                               std::pair{written, kOutputs}, std::pair{kept_values, kConstants}})
    if (!card) fence(memory, fds[place], lists);
  std::vector<assay_scalar> scalars;
  for (const Json& each : sheet["scalars"]) scalars.push_back(scalar(each));

  void* kept = nullptr;
  assay_call call{};
  call.abi = ASSAY_KERNEL_ABI;
  call.threads = sheet["threads"].get<int32_t>();
  call.input_count = static_cast<int32_t>(inputs.passed.size());
  call.constant_count = static_cast<int32_t>(constants.passed.size());
  call.output_count = static_cast<int32_t>(outputs.passed.size());
  call.scalar_count = static_cast<int32_t>(scalars.size());
  call.constants = constants.passed.data();
  call.scalars = scalars.data();
  call.kept = &kept;
  call.device = device.kind.c_str();
  call.device_index = device.index;
  call.stream = card ? card->stream() : nullptr;

  std::vector<Slot> slots(sheet["slots"].get<size_t>());
  for (size_t n = 0; n < slots.size(); ++n)
    slots[n] = {in_slot(inputs.passed, sheet["inputs"], sheet, n),
                in_slot(outputs.passed, sheet["outputs"], sheet, n)};

  const Perturbation perturbation(sheet.value("perturb", 0));
  // Nobody flushes: the process is ended from outside.
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  void* library = load(fds[kCandidate]);
  if (sheet.contains("dispatch")) {
    serve_dispatch(*page, sheet, library, slots, inputs, outputs);
  } else {
    Kernel kernel = kernel_of(library);
    answer({{"ready", true}, {"device", to_json(device)}});
    // The first call sets up what later ones have: a profiler is to see only those.
    bool is_profiled = false;
    serve(*page, outputs, card ? &*card : nullptr, [&](uint32_t calls) {
      int status = 0;
      auto call_them = [&] { status = call_all(kernel, call, slots, calls, perturbation); };
      if (is_profiled)
        card->profiled(call_them);
      else
        call_them();
      is_profiled = card && sheet.contains("profiled");
      return status;
    });
  }
  answer({{"final", true}, {"ok", Json::object()}});
  return 0;
}
