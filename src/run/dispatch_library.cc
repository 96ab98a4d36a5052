#include "run/dispatch_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <sys/auxv.h>
#endif

namespace assay {
namespace iree_executable {

// Of the runtime's interface of executables, version 6: what a library that is loaded shows, and
// what its functions are given. Sizes are checked where they could come out otherwise.
constexpr uint32_t kLibraryVersion = 6;
constexpr size_t kPageBytes = 4096, kBindingAlignment = 64;

struct Header {
  uint32_t version;
  const char* name;
  uint32_t features, sanitizer;
};

struct Environment {
  const uint32_t* constants;
  void* import_thunk;
  const void* const* import_functions;
  const void* const* import_contexts;
  std::array<uint64_t, 8> processor;
};

struct DispatchState {
  uint32_t workgroup_size_x, workgroup_size_y;
  uint16_t workgroup_size_z, constant_count;
  uint32_t workgroup_count_x, workgroup_count_y;
  uint16_t workgroup_count_z;
  uint8_t max_concurrency, binding_count;
  const uint32_t* constants;
  void* const* binding_pointers;
  const size_t* binding_lengths;
};
static_assert(sizeof(DispatchState) == 48 || sizeof(void*) != 8);

struct WorkgroupState {
  uint32_t workgroup_id_x, workgroup_id_y;
  uint16_t workgroup_id_z, reserved;
  uint32_t processor_id;
  void* local_memory;
  uint32_t local_memory_bytes;
};

using DispatchFunction = int (*)(const Environment*, const DispatchState*, const WorkgroupState*);

struct Attributes {
  uint64_t flags;
  uint16_t local_memory_pages;
  uint8_t constant_count, binding_count;
  uint32_t workgroup_size_x, workgroup_size_y;
  uint16_t workgroup_size_z, parameter_count;
  std::array<uint64_t, 5> reserved;
};
static_assert(sizeof(Attributes) == 64);

struct Library {
  const Header* header;
  struct {
    uint32_t count;
    const char* const* symbols;
  } imports;
  struct {
    uint32_t count;
    const DispatchFunction* functions;
    const Attributes* attributes;
    const void* parameters;
    const void* occupancies;
    const char* const* names;
  } exports;
};

using Query = const Library* (*)(uint32_t version, const Environment* environment);

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

}  // namespace iree_executable

namespace {

using namespace iree_executable;

using Failed = std::unexpected<std::string>;

// Whether numbers of the sheet are what fields have room for.
bool are_counts(const Json& numbers, size_t count, uint64_t most) {
  return numbers.is_array() && (count == 0 || numbers.size() == count) &&
         std::ranges::all_of(numbers, [&](const Json& each) {
           return each.is_number_integer() && each.get<int64_t>() >= 0 &&
                  each.get<uint64_t>() <= most;
         });
}

// What the runtime tells code of the CPU that it is on: a bit for each set of instructions, at the
// places that code which the compiler has made looks at. Its own kernels take the slowest way
// without. Nothing is said of AMX: a process has to ask for that first, and a jailed one cannot.
std::array<uint64_t, 8> processor_data() {
  uint64_t bits = 0;
#if defined(__x86_64__)
#define ASSAY_CPU_HAS(PLACE, NAME) \
  if (__builtin_cpu_supports(NAME)) bits |= uint64_t{1} << (PLACE);
  ASSAY_CPU_HAS(0, "sse3")
  ASSAY_CPU_HAS(1, "ssse3")
  ASSAY_CPU_HAS(2, "sse4.1")
  ASSAY_CPU_HAS(3, "sse4.2")
  ASSAY_CPU_HAS(4, "sse4a")
  ASSAY_CPU_HAS(10, "avx")
  ASSAY_CPU_HAS(11, "fma")
  ASSAY_CPU_HAS(12, "fma4")
  ASSAY_CPU_HAS(13, "xop")
  ASSAY_CPU_HAS(14, "f16c")
  ASSAY_CPU_HAS(15, "avx2")
  ASSAY_CPU_HAS(20, "avx512f")
  ASSAY_CPU_HAS(21, "avx512cd")
  ASSAY_CPU_HAS(22, "avx512vl")
  ASSAY_CPU_HAS(23, "avx512dq")
  ASSAY_CPU_HAS(24, "avx512bw")
  ASSAY_CPU_HAS(25, "avx512ifma")
  ASSAY_CPU_HAS(26, "avx512vbmi")
  ASSAY_CPU_HAS(27, "avx512vpopcntdq")
  ASSAY_CPU_HAS(28, "avx512vnni")
  ASSAY_CPU_HAS(29, "avx512vbmi2")
  ASSAY_CPU_HAS(30, "avx512bitalg")
  ASSAY_CPU_HAS(31, "avx512bf16")
  ASSAY_CPU_HAS(32, "avx512fp16")
#undef ASSAY_CPU_HAS
#else
  // {where Linux says it, its bit there, its place}, of Arm and of RISC-V.
  struct Said {
    unsigned long where;
    int bit, place;
  };
#if defined(__aarch64__)
  constexpr Said kSaid[] = {{AT_HWCAP, 0, 0},    {AT_HWCAP, 8, 1},   {AT_HWCAP, 10, 10},
                            {AT_HWCAP, 23, 11},  {AT_HWCAP, 20, 12}, {AT_HWCAP2, 13, 13},
                            {AT_HWCAP2, 14, 14}, {AT_HWCAP, 22, 20}, {AT_HWCAP2, 1, 21}};
#else
  constexpr Said kSaid[] = {{AT_HWCAP, 'V' - 'A', 0}};
#endif
  for (const Said& each : kSaid)
    if ((::getauxval(each.where) >> each.bit & 1) != 0) bits |= uint64_t{1} << each.place;
#endif
  return {bits};
}

}  // namespace

struct DispatchLibrary::State {
  iree_executable::Environment environment{};
  iree_executable::DispatchState dispatch{};
  iree_executable::WorkgroupState workgroup{};
  iree_executable::DispatchFunction function = nullptr;
  std::vector<uint32_t> constants;
  std::vector<size_t> lengths;
  Json wanted;  // of the sheet: its bindings
  std::unique_ptr<std::byte, iree_executable::Free> local_memory;
};

DispatchLibrary::DispatchLibrary(std::unique_ptr<State> state) : state_(std::move(state)) {}
DispatchLibrary::DispatchLibrary(DispatchLibrary&&) noexcept = default;
DispatchLibrary::~DispatchLibrary() = default;

std::expected<DispatchLibrary, std::string> DispatchLibrary::open(void* library, const Json& call) {
  auto query = reinterpret_cast<Query>(::dlsym(library, "iree_hal_executable_library_query"));
  if (query == nullptr) return Failed("it is no executable of IREE's");
  auto state = std::make_unique<State>();
  state->environment.processor = processor_data();
  const Library* found = query(kLibraryVersion, &state->environment);
  if (found == nullptr || found->header == nullptr || found->header->version != kLibraryVersion)
    return Failed(fmt::format("it is not of version {} of IREE's executables", kLibraryVersion));
  if (found->imports.count != 0)
    return Failed(fmt::format("it asks for {} imports", found->imports.count));
  const auto& exports = found->exports;
  const std::string name = call.value("function", "");
  uint32_t at = 0;
  while (at < exports.count && exports.names != nullptr && exports.names[at] != name) ++at;
  if (exports.names == nullptr && exports.count != 1)
    return Failed("it has several functions without names");
  if (at >= exports.count || exports.functions == nullptr)
    return Failed("it has no function " + name);
  state->function = exports.functions[at];

  const Json workgroups = call.value("workgroups", Json()),
             constants = call.value("constants", Json());
  state->wanted = call.value("bindings", Json());
  constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
  if (!are_counts(workgroups, 3, kMost32) || !are_counts(constants, 0, kMost32) ||
      workgroups[2].get<uint64_t>() > std::numeric_limits<uint16_t>::max() ||
      !state->wanted.is_array() || state->wanted.size() > std::numeric_limits<uint8_t>::max())
    return Failed("its call is not one that fits");
  for (const Json& each : constants) state->constants.push_back(each.get<uint32_t>());
  DispatchState& dispatch = state->dispatch;
  dispatch.workgroup_size_x = dispatch.workgroup_size_y = dispatch.workgroup_size_z = 1;
  dispatch.workgroup_count_x = workgroups[0];
  dispatch.workgroup_count_y = workgroups[1];
  dispatch.workgroup_count_z = workgroups[2];
  dispatch.max_concurrency = 1;
  dispatch.constant_count = static_cast<uint16_t>(state->constants.size());
  dispatch.constants = state->constants.data();
  dispatch.binding_count = static_cast<uint8_t>(state->wanted.size());
  if (exports.attributes != nullptr) {
    const Attributes& attributes = exports.attributes[at];
    if (attributes.binding_count != dispatch.binding_count ||
        attributes.constant_count != state->constants.size())
      return Failed("its function takes other bindings or constants than its call has");
    dispatch.workgroup_size_x = attributes.workgroup_size_x;
    dispatch.workgroup_size_y = attributes.workgroup_size_y;
    dispatch.workgroup_size_z = attributes.workgroup_size_z;
    if (attributes.local_memory_pages > 0) {
      const size_t bytes = attributes.local_memory_pages * kPageBytes;
      state->local_memory.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, bytes)));
      if (!state->local_memory) return Failed("there is no memory for its workgroups");
      state->workgroup.local_memory = state->local_memory.get();
      state->workgroup.local_memory_bytes = static_cast<uint32_t>(bytes);
    }
  }
  for (const Json& each : state->wanted) state->lengths.push_back(each.value("bytes", size_t{0}));
  dispatch.binding_lengths = state->lengths.data();
  return DispatchLibrary(std::move(state));
}

std::expected<std::vector<void*>, std::string> DispatchLibrary::bindings(
    const std::vector<Memory>& inputs, const std::vector<Memory>& outputs) const {
  std::vector<void*> pointers;
  for (const Json& wanted : state_->wanted) {
    const bool is_input = wanted.contains("input");
    const std::vector<Memory>& all = is_input ? inputs : outputs;
    const auto number = wanted.value(is_input ? "input" : "output", uint64_t{0});
    const auto offset = wanted.value("offset", uint64_t{0}),
               bytes = wanted.value("bytes", uint64_t{0});
    if (number >= all.size() || offset > all[number].bytes || bytes > all[number].bytes - offset)
      return Failed("a binding of its call is not within an input or a result");
    std::byte* pointer = all[number].data + offset;
    if (reinterpret_cast<uintptr_t>(pointer) % kBindingAlignment != 0)
      return Failed(
          fmt::format("a binding of its call does not begin at {} bytes", kBindingAlignment));
    pointers.push_back(pointer);
  }
  return pointers;
}

int DispatchLibrary::call(const std::vector<void*>& bindings) {
  DispatchState& dispatch = state_->dispatch;
  WorkgroupState& workgroup = state_->workgroup;
  dispatch.binding_pointers = bindings.data();
  for (uint32_t z = 0; z < dispatch.workgroup_count_z; ++z) {
    workgroup.workgroup_id_z = static_cast<uint16_t>(z);
    for (uint32_t y = 0; y < dispatch.workgroup_count_y; ++y) {
      workgroup.workgroup_id_y = y;
      for (uint32_t x = 0; x < dispatch.workgroup_count_x; ++x) {
        workgroup.workgroup_id_x = x;
        if (int status = state_->function(&state_->environment, &dispatch, &workgroup); status != 0)
          return status;
      }
    }
  }
  return 0;
}

void flush_denormals() {
#if defined(__x86_64__)
  constexpr unsigned kFlushResults = 1U << 15, kInputsAreZero = 1U << 6;
  _mm_setcsr(_mm_getcsr() | kFlushResults | kInputsAreZero);
#elif defined(__aarch64__)
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (uint64_t{1} << 24)));
#endif
}

}  // namespace assay
