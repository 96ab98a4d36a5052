// The driver's entry points, by their names. The signatures are those of assay's own table, so that
// neither can differ from the other; the layout of what they point to is NVIDIA's.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "process.h"

#define EXPORTED __attribute__((visibility("default")))
// Every call begins with this.
#define ENTER() \
  if (const Answer failed = Process::get().enter(); failed != 0) return failed
#define ENTER_OF_DEVICE() \
  if (const Answer failed = Process::get().enter(false); failed != 0) return failed

using namespace simulated;
using assay::cuda::Access;
using assay::cuda::AllocationKind;
using assay::cuda::Context;
using assay::cuda::Copy2d;
using assay::cuda::Device;
using assay::cuda::Driver;
using assay::cuda::Event;
using assay::cuda::Handle;

static_assert(sizeof(Copy2d) == 128 && offsetof(Copy2d, from_device) == 32 &&
              offsetof(Copy2d, from_pitch) == 48 && offsetof(Copy2d, to_type) == 72 &&
              offsetof(Copy2d, to_host) == 80 && offsetof(Copy2d, to_pitch) == 104 &&
              offsetof(Copy2d, width_bytes) == 112 && offsetof(Copy2d, rows) == 120);
static_assert(sizeof(AllocationKind) == 32 && offsetof(AllocationKind, location) == 8 &&
              offsetof(AllocationKind, flags) == 24);
static_assert(sizeof(Access) == 12);

namespace {

Process& process() { return Process::get(); }
constexpr Device kCard = 0;
uintptr_t made_context = 0;  // not 0: there is one

Operation copy(uint64_t to, uint64_t from, size_t bytes) {
  Operation operation;
  operation.to = to;
  operation.from = from;
  operation.width_bytes = operation.to_pitch = operation.from_pitch = bytes;
  return operation;
}

// Work of an importer is done in another process, where its own memory is not.
bool is_imported() { return process().is_importer(); }

}  // namespace

extern "C" {

EXPORTED Answer cuInit(unsigned) {
  if (process().start_fails != 0) return static_cast<Answer>(process().start_fails.load());
  process().is_initialised = true;
  return process().lost != 0 ? kLost : 0;
}

EXPORTED Answer cuDriverGetVersion(int* version) {
  ENTER_OF_DEVICE();
  *version = 13000;
  return 0;
}

EXPORTED Answer cuGetErrorName(Answer code, const char** name) {
  const std::pair<Answer, const char*> names[] = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNotInitialised, "CUDA_ERROR_NOT_INITIALIZED"},
      {kLost, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
  };
  for (const auto& [known, its_name] : names)
    if (known == code) {
      *name = its_name;
      return 0;
    }
  return kInvalidValue;
}

EXPORTED Answer cuDeviceGetCount(int* count) {
  ENTER_OF_DEVICE();
  *count = static_cast<int>(process().cards);
  return 0;
}

EXPORTED Answer cuDeviceGet(Device* device, int index) {
  ENTER_OF_DEVICE();
  if (index < 0 || static_cast<uint64_t>(index) >= process().cards) return kNoDevice;
  *device = kCard;
  return 0;
}

EXPORTED Answer cuDeviceGetName(char* name, int bytes, Device) {
  ENTER_OF_DEVICE();
  std::snprintf(name, static_cast<size_t>(bytes), "simulated (no GPU)");
  return 0;
}

EXPORTED Answer cuDeviceGetPCIBusId(char* name, int bytes, Device) {
  ENTER_OF_DEVICE();
  std::snprintf(name, static_cast<size_t>(bytes), "%s", kBus);
  return 0;
}

EXPORTED Answer cuDeviceGetAttribute(int* value, int attribute, Device) {
  ENTER_OF_DEVICE();
  using assay::cuda::Attribute;
  switch (static_cast<Attribute>(attribute)) {
    case Attribute::warp_threads:
      *value = 32;
      return 0;
    case Attribute::processors:
      *value = 1;
      return 0;
    case Attribute::l2_bytes:
      *value = 1 << 20;
      return 0;
    case Attribute::shared_bytes_at_most:
      *value = 48 << 10;
      return 0;
    default:  // no clock, no architecture
      *value = 0;
      return 0;
  }
}

EXPORTED Answer cuDeviceTotalMem_v2(size_t* bytes, Device) {
  ENTER_OF_DEVICE();
  *bytes = process().memory_bytes;
  return 0;
}

EXPORTED Answer cuDevicePrimaryCtxRetain(Context* context, Device) {
  ENTER_OF_DEVICE();
  made_context = 1;
  *context = &made_context;
  return 0;
}

EXPORTED Answer cuCtxSetCurrent(Context context) {
  ENTER_OF_DEVICE();
  return context == &made_context ? 0 : kInvalidValue;
}

EXPORTED Answer cuCtxSynchronize() {
  ENTER();
  return process().wait_for_all();
}

EXPORTED Answer cuMemGetInfo_v2(size_t* free, size_t* total) {
  ENTER();
  *total = process().memory_bytes;
  *free = *total - process().used_bytes();
  return 0;
}

EXPORTED Answer cuMemAlloc_v2(Address* address, size_t bytes) {
  ENTER();
  return process().allocate(address, bytes);
}

EXPORTED Answer cuMemFree_v2(Address address) {
  ENTER();
  return process().free(address);
}

EXPORTED Answer cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  ENTER();
  *memory = process().allocate_host(bytes);
  return *memory == nullptr ? kOutOfMemory : 0;
}

EXPORTED Answer cuMemFreeHost(void* memory) {
  ENTER();
  return process().free_host(memory);
}

EXPORTED Answer cuMemGetAllocationGranularity(size_t* bytes, const AllocationKind* kind, int) {
  ENTER();
  if (kind->type != 1 || kind->location.type != 1) return kInvalidValue;
  *bytes = kGranularity;
  return 0;
}

EXPORTED Answer cuMemCreate(Handle* handle, size_t bytes, const AllocationKind* kind,
                            unsigned long long flags) {
  ENTER();
  if (kind->type != 1 || kind->location.type != 1 || flags != 0) return kInvalidValue;
  return process().create(handle, bytes);
}

EXPORTED Answer cuMemRelease(Handle handle) {
  ENTER();
  return process().release(handle);
}

EXPORTED Answer cuMemAddressReserve(Address* address, size_t bytes, size_t, Address,
                                    unsigned long long) {
  ENTER();
  if (bytes == 0 || bytes % kGranularity != 0) return kInvalidValue;
  void* reserved = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return kOutOfMemory;
  *address = reinterpret_cast<Address>(reserved);
  return 0;
}

EXPORTED Answer cuMemAddressFree(Address address, size_t bytes) {
  ENTER();
  return ::munmap(reinterpret_cast<void*>(address), bytes) == 0 ? 0 : kInvalidValue;
}

EXPORTED Answer cuMemMap(Address address, size_t bytes, size_t offset, Handle handle,
                         unsigned long long) {
  ENTER();
  return offset == 0 ? process().map(address, bytes, handle) : kInvalidValue;
}

EXPORTED Answer cuMemUnmap(Address address, size_t bytes) {
  ENTER();
  return process().unmap(address, bytes);
}

EXPORTED Answer cuMemSetAccess(Address address, size_t bytes, const Access* access, size_t count) {
  ENTER();
  if (count != 1 || access->flags != 3 || access->location.type != 1) return kInvalidValue;
  return process().open(address, bytes);
}

EXPORTED Answer cuMemExportToShareableHandle(void* descriptor, Handle handle, int type,
                                             unsigned long long) {
  ENTER();
  const auto file = process().file(handle);
  if (!file || type != 1) return kInvalidValue;
  *static_cast<int*>(descriptor) = ::fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
  return 0;
}

EXPORTED Answer cuMemImportFromShareableHandle(Handle* handle, void* descriptor, int type) {
  ENTER();
  if (type != 1) return kInvalidValue;
  return process().import(handle, static_cast<int>(reinterpret_cast<intptr_t>(descriptor)));
}

EXPORTED Answer cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  ENTER();
  Operation operation = copy(to, reinterpret_cast<uint64_t>(from), bytes);
  operation.from_host = true;
  return is_imported() ? process().move_host(operation, stream)
                       : process().queue(stream, operation);
}

EXPORTED Answer cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  ENTER();
  Operation operation = copy(reinterpret_cast<uint64_t>(to), from, bytes);
  operation.to_host = true;
  return is_imported() ? process().move_host(operation, stream)
                       : process().queue(stream, operation);
}

EXPORTED Answer cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  ENTER();
  return process().queue(stream, copy(to, from, bytes));
}

EXPORTED Answer cuMemcpy2DAsync_v2(const Copy2d* wanted, Stream stream) {
  ENTER();
  constexpr int kHost = 1, kDevice = 2;
  const bool is_known = (wanted->from_type == kHost || wanted->from_type == kDevice) &&
                        (wanted->to_type == kHost || wanted->to_type == kDevice);
  const bool is_plain = wanted->from_x == 0 && wanted->from_y == 0 && wanted->to_x == 0 &&
                        wanted->to_y == 0 && wanted->from_pitch >= wanted->width_bytes &&
                        wanted->to_pitch >= wanted->width_bytes;
  if (!is_known || !is_plain) return kInvalidValue;
  Operation operation;
  operation.from_host = wanted->from_type == kHost;
  operation.to_host = wanted->to_type == kHost;
  operation.from =
      operation.from_host ? reinterpret_cast<uint64_t>(wanted->from_host) : wanted->from_device;
  operation.to =
      operation.to_host ? reinterpret_cast<uint64_t>(wanted->to_host) : wanted->to_device;
  operation.from_pitch = wanted->from_pitch;
  operation.to_pitch = wanted->to_pitch;
  operation.width_bytes = wanted->width_bytes;
  operation.rows = wanted->rows;
  if (is_imported() && (operation.from_host || operation.to_host)) return kInvalidValue;
  return process().queue(stream, operation);
}

EXPORTED Answer cuMemsetD32Async(Address at, unsigned value, size_t words, Stream stream) {
  ENTER();
  Operation operation;
  operation.kind = Operation::Kind::fill;
  operation.to = at;
  operation.value = value;
  operation.width_bytes = words * 4;
  return process().queue(stream, operation);
}

EXPORTED Answer cuStreamCreate(Stream* stream, unsigned) {
  ENTER();
  *stream = process().make_stream();
  return *stream == nullptr ? kOutOfMemory : 0;
}

EXPORTED Answer cuStreamDestroy_v2(Stream stream) {
  ENTER();
  StreamState* found = stream == nullptr ? nullptr : process().stream(stream);
  if (found == nullptr) return kInvalidHandle;
  process().close_stream(found);
  return 0;
}

EXPORTED Answer cuStreamSynchronize(Stream stream) {
  ENTER();
  return process().wait(stream);
}

EXPORTED Answer cuStreamWaitValue32_v2(Stream stream, Address at, uint32_t value, unsigned flags) {
  ENTER();
  Operation operation;
  operation.kind = Operation::Kind::wait;
  operation.to = at;
  operation.value = value;
  operation.flags = flags;
  operation.width_bytes = 4;
  return process().queue(stream, operation);
}

EXPORTED Answer cuStreamWriteValue32_v2(Stream stream, Address at, uint32_t value, unsigned) {
  ENTER();
  Operation operation;
  operation.kind = Operation::Kind::write;
  operation.to = at;
  operation.value = value;
  operation.width_bytes = 4;
  return process().queue(stream, operation);
}

EXPORTED Answer cuEventCreate(Event* event, unsigned) {
  ENTER();
  *event = process().make_moment();
  return *event == nullptr ? kOutOfMemory : 0;
}

EXPORTED Answer cuEventDestroy_v2(Event) {
  ENTER();
  return 0;
}

EXPORTED Answer cuEventRecord(Event event, Stream stream) {
  ENTER();
  auto* moment = static_cast<Moment*>(event);
  moment->asked.fetch_add(1);
  Operation operation;
  operation.kind = Operation::Kind::record;
  operation.to_host = !is_imported();
  operation.to = reinterpret_cast<uint64_t>(moment);
  operation.width_bytes = sizeof(Moment);
  const Answer answer = process().queue(stream, operation);
  if (answer != 0) moment->asked.fetch_sub(1);
  return answer;
}

EXPORTED Answer cuEventQuery(Event event) {
  ENTER();
  const auto* moment = static_cast<const Moment*>(event);
  return moment->asked == moment->done ? 0 : assay::cuda::kNotReady;
}

EXPORTED Answer cuProfilerStart() { return 0; }
EXPORTED Answer cuProfilerStop() { return 0; }

EXPORTED Answer cuEventElapsedTime(float* milliseconds, Event begin, Event end) {
  ENTER();
  const auto *from = static_cast<const Moment*>(begin), *to = static_cast<const Moment*>(end);
  if (from->asked == 0 || to->asked == 0) return kInvalidHandle;
  if (from->asked != from->done || to->asked != to->done) return assay::cuda::kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(to->ns - from->ns) * 1e-6);
  return 0;
}

// --- beside what a driver has: simulated_cuda.h ---

EXPORTED Answer simulated_cuda_launch(Stream stream, Kernel kernel, Address x, Address y,
                                      uint64_t count, uint64_t microseconds) {
  ENTER();
  Operation operation = copy(y, x, count * sizeof(float));
  operation.kind = Operation::Kind::launch;
  operation.value = static_cast<uint32_t>(kernel);
  operation.microseconds = microseconds;
  return process().queue(stream, operation);
}

EXPORTED bool simulated_cuda_set(const char* name, uint64_t value) {
  return process().set(name, value);
}

EXPORTED Address simulated_cuda_shared() { return process().mapped_last; }

}  // extern "C"

#define IS_OF_TABLE(entry, member) \
  static_assert(std::is_same_v<decltype(&entry), decltype(Driver::member)>)
IS_OF_TABLE(cuInit, init);
IS_OF_TABLE(cuDriverGetVersion, driver_version);
IS_OF_TABLE(cuGetErrorName, error_name);
IS_OF_TABLE(cuDeviceGetCount, device_count);
IS_OF_TABLE(cuDeviceGet, device_get);
IS_OF_TABLE(cuDeviceGetName, device_name);
IS_OF_TABLE(cuDeviceGetPCIBusId, device_bus);
IS_OF_TABLE(cuDeviceGetAttribute, device_attribute);
IS_OF_TABLE(cuDeviceTotalMem_v2, device_memory);
IS_OF_TABLE(cuDevicePrimaryCtxRetain, retain_context);
IS_OF_TABLE(cuCtxSetCurrent, set_context);
IS_OF_TABLE(cuMemGetInfo_v2, memory_info);
IS_OF_TABLE(cuMemAlloc_v2, allocate);
IS_OF_TABLE(cuMemFree_v2, free);
IS_OF_TABLE(cuMemHostAlloc, allocate_host);
IS_OF_TABLE(cuMemFreeHost, free_host);
IS_OF_TABLE(cuMemGetAllocationGranularity, granularity);
IS_OF_TABLE(cuMemCreate, create);
IS_OF_TABLE(cuMemRelease, release);
IS_OF_TABLE(cuMemAddressReserve, reserve);
IS_OF_TABLE(cuMemAddressFree, unreserve);
IS_OF_TABLE(cuMemMap, map);
IS_OF_TABLE(cuMemUnmap, unmap);
IS_OF_TABLE(cuMemSetAccess, set_access);
IS_OF_TABLE(cuMemExportToShareableHandle, export_handle);
IS_OF_TABLE(cuMemImportFromShareableHandle, import_handle);
IS_OF_TABLE(cuMemcpyHtoDAsync_v2, copy_to_device);
IS_OF_TABLE(cuMemcpyDtoHAsync_v2, copy_to_host);
IS_OF_TABLE(cuMemcpyDtoDAsync_v2, copy_on_device);
IS_OF_TABLE(cuMemcpy2DAsync_v2, copy_2d);
IS_OF_TABLE(cuMemsetD32Async, fill);
IS_OF_TABLE(cuStreamCreate, stream_create);
IS_OF_TABLE(cuStreamDestroy_v2, stream_destroy);
IS_OF_TABLE(cuStreamSynchronize, stream_synchronize);
IS_OF_TABLE(cuStreamWaitValue32_v2, stream_wait_value);
IS_OF_TABLE(cuStreamWriteValue32_v2, stream_write_value);
IS_OF_TABLE(cuEventCreate, event_create);
IS_OF_TABLE(cuEventDestroy_v2, event_destroy);
IS_OF_TABLE(cuEventRecord, event_record);
IS_OF_TABLE(cuEventQuery, event_query);
IS_OF_TABLE(cuEventElapsedTime, event_elapsed);
IS_OF_TABLE(cuProfilerStart, profiler_start);
IS_OF_TABLE(cuProfilerStop, profiler_stop);
