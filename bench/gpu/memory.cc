#include "memory.h"

#include <unistd.h>

#include <algorithm>

#include "driver.h"
#include "report.h"

namespace assay::gpu {
namespace {

CUmemAllocationProp shared_kind() {
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.location.id = 0;
  return kind;
}

uint64_t rounded(uint64_t bytes) {
  CUmemAllocationProp kind = shared_kind();
  size_t granularity = 0;
  check(driver().cuMemGetAllocationGranularity(&granularity, &kind,
                                               CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
        "ask for the granularity");
  return (bytes + granularity - 1) / granularity * granularity;
}

CUresult map_memory(SharedMemory& memory, Access access) {
  if (CUresult result = driver().cuMemAddressReserve(&memory.address, memory.bytes, 0, 0, 0);
      result != CUDA_SUCCESS)
    return result;
  if (CUresult result = driver().cuMemMap(memory.address, memory.bytes, 0, memory.handle, 0);
      result != CUDA_SUCCESS)
    return result;
  CUmemAccessDesc described{};
  described.location = shared_kind().location;
  described.flags =
      access == Access::read ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver().cuMemSetAccess(memory.address, memory.bytes, &described, 1);
}

}  // namespace

SharedMemory make_shared_memory(uint64_t bytes, Access access) {
  SharedMemory memory;
  memory.bytes = rounded(bytes);
  CUmemAllocationProp kind = shared_kind();
  check(driver().cuMemCreate(&memory.handle, memory.bytes, &kind, 0), "make shared memory");
  check(driver().cuMemExportToShareableHandle(&memory.fd, memory.handle,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "export shared memory");
  check(map_memory(memory, access), "map shared memory");
  return memory;
}

bool import_shared_memory(int fd, uint64_t bytes, Access access, SharedMemory& memory,
                          std::string& why) {
  memory.bytes = rounded(bytes);
  CUresult result = driver().cuMemImportFromShareableHandle(
      &memory.handle, reinterpret_cast<void*>(static_cast<uintptr_t>(fd)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  if (result != CUDA_SUCCESS) {
    why = "import: " + name_of(result);
    return false;
  }
  result = map_memory(memory, access);
  if (result != CUDA_SUCCESS) why = "map: " + name_of(result);
  return result == CUDA_SUCCESS;
}

void free_shared_memory(SharedMemory& memory) {
  if (memory.address != 0) {
    check(driver().cuMemUnmap(memory.address, memory.bytes), "unmap shared memory");
    check(driver().cuMemAddressFree(memory.address, memory.bytes), "free addresses");
  }
  if (memory.handle != 0) check(driver().cuMemRelease(memory.handle), "release shared memory");
  if (memory.fd >= 0) ::close(memory.fd);
  memory = {};
}

CUdeviceptr allocate(uint64_t bytes) {
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc(&address, bytes), "allocate memory on the card");
  return address;
}

unsigned blocks_for(uint64_t count) {
  constexpr uint64_t kMost = 132 * 8;  // what fits an H100 at once
  return static_cast<unsigned>(std::clamp<uint64_t>((count + 255) / 256, 1, kMost));
}

}  // namespace assay::gpu
