// The CUDA driver, found when assay runs: nothing of CUDA is needed to build, install or test it.
// What is declared here is the driver's published binary interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace assay::cuda {

using Answer = int;  // CUresult; 0: success
using Device = int;
using Context = void*;
using Stream = void*;
using Event = void*;
using Address = uint64_t;  // on the device
using Handle = uint64_t;   // of memory that processes share

// CUdevice_attribute.
enum class Attribute : int {
  warp_threads = 10,
  processors = 16,
  l2_bytes = 38,
  major = 75,
  minor = 76,
  shared_bytes_at_most = 97,
};

struct Location {
  int type = 1;  // the device's own memory
  int device = 0;
};

// CUmemAllocationProp.
struct AllocationKind {
  int type = 1;          // pinned
  int handle_types = 1;  // a file descriptor
  Location location;
  void* windows_only = nullptr;
  struct {
    unsigned char compression = 0, direct_access = 0;
    unsigned short usage = 0;
    unsigned char reserved[4] = {};
  } flags;
};

// CUmemAccessDesc.
struct Access {
  Location location;
  int flags = 3;  // reading and writing
};

// CUDA_MEMCPY2D.
struct Copy2d {
  size_t from_x = 0, from_y = 0;
  int from_type = 2;  // 1: the host's memory; 2: the device's
  const void* from_host = nullptr;
  Address from_device = 0;
  void* from_array = nullptr;
  size_t from_pitch = 0;
  size_t to_x = 0, to_y = 0;
  int to_type = 1;
  void* to_host = nullptr;
  Address to_device = 0;
  void* to_array = nullptr;
  size_t to_pitch = 0;
  size_t width_bytes = 0, rows = 0;
};

// The entry points that assay uses, by their names in the library.
struct Driver {
  Answer (*init)(unsigned flags) = nullptr;
  Answer (*driver_version)(int* version) = nullptr;
  Answer (*error_name)(Answer code, const char** name) = nullptr;
  Answer (*device_count)(int* count) = nullptr;
  Answer (*device_get)(Device* device, int index) = nullptr;
  Answer (*device_name)(char* name, int bytes, Device device) = nullptr;
  Answer (*device_bus)(char* name, int bytes, Device device) = nullptr;
  Answer (*device_attribute)(int* value, int attribute, Device device) = nullptr;
  Answer (*device_memory)(size_t* bytes, Device device) = nullptr;
  Answer (*retain_context)(Context* context, Device device) = nullptr;
  Answer (*set_context)(Context context) = nullptr;
  Answer (*memory_info)(size_t* free, size_t* total) = nullptr;
  Answer (*allocate)(Address* address, size_t bytes) = nullptr;
  Answer (*free)(Address address) = nullptr;
  Answer (*allocate_host)(void** memory, size_t bytes, unsigned flags) = nullptr;
  Answer (*free_host)(void* memory) = nullptr;
  Answer (*granularity)(size_t* bytes, const AllocationKind* kind, int option) = nullptr;
  Answer (*create)(Handle* handle, size_t bytes, const AllocationKind* kind,
                   unsigned long long flags) = nullptr;
  Answer (*release)(Handle handle) = nullptr;
  Answer (*reserve)(Address* address, size_t bytes, size_t alignment, Address at,
                    unsigned long long flags) = nullptr;
  Answer (*unreserve)(Address address, size_t bytes) = nullptr;
  Answer (*map)(Address address, size_t bytes, size_t offset, Handle handle,
                unsigned long long flags) = nullptr;
  Answer (*unmap)(Address address, size_t bytes) = nullptr;
  Answer (*set_access)(Address address, size_t bytes, const Access* access, size_t count) = nullptr;
  Answer (*export_handle)(void* descriptor, Handle handle, int type,
                          unsigned long long flags) = nullptr;
  Answer (*import_handle)(Handle* handle, void* descriptor, int type) = nullptr;
  Answer (*copy_to_device)(Address to, const void* from, size_t bytes, Stream stream) = nullptr;
  Answer (*copy_to_host)(void* to, Address from, size_t bytes, Stream stream) = nullptr;
  Answer (*copy_on_device)(Address to, Address from, size_t bytes, Stream stream) = nullptr;
  Answer (*copy_2d)(const Copy2d* copy, Stream stream) = nullptr;
  Answer (*fill)(Address at, unsigned value, size_t words, Stream stream) = nullptr;
  Answer (*stream_create)(Stream* stream, unsigned flags) = nullptr;
  Answer (*stream_destroy)(Stream stream) = nullptr;
  Answer (*stream_synchronize)(Stream stream) = nullptr;
  Answer (*stream_wait_value)(Stream stream, Address at, uint32_t value, unsigned flags) = nullptr;
  Answer (*stream_write_value)(Stream stream, Address at, uint32_t value, unsigned flags) = nullptr;
  Answer (*event_create)(Event* event, unsigned flags) = nullptr;
  Answer (*event_destroy)(Event event) = nullptr;
  Answer (*event_record)(Event event, Stream stream) = nullptr;
  Answer (*event_query)(Event event) = nullptr;
  Answer (*event_elapsed)(float* milliseconds, Event begin, Event end) = nullptr;
  Answer (*profiler_start)() = nullptr;
  Answer (*profiler_stop)() = nullptr;
};

// What event_query() answers while there is work left.
inline constexpr Answer kNotReady = 600;
inline constexpr unsigned kNonBlocking = 1;  // of a stream: it does not wait for the default one

// The library that ASSAY_CUDA_DRIVER names in the place of the driver's, and of its management's:
// one that simulates both, of a test (tests/simulated_cuda/).
std::optional<std::string> named_library();
// Opened once for the process, and never closed. Fails where there is no driver, or one without an
// entry point that assay needs.
Result<const Driver*> driver();
// The folder of the driver's library; "" where there is none. To be shown in jails.
std::string driver_folder();

// "CUDA_ERROR_OUT_OF_MEMORY".
std::string name_of(const Driver& driver, Answer code);
// Ok for success; else an error that says what failed.
Status checked(const Driver& driver, Answer code, const char* what);

}  // namespace assay::cuda
