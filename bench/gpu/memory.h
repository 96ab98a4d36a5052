// Memory on the card that can be handed to another process by a descriptor.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

namespace assay::gpu {

struct SharedMemory {
  CUdeviceptr address = 0;
  uint64_t bytes = 0;
  CUmemGenericAllocationHandle handle = 0;
  int fd = -1;  // of the one who made it
};

enum class Access { read, write };

SharedMemory make_shared_memory(uint64_t bytes, Access access = Access::write);
// False, and `why`, where the driver does not let it.
bool import_shared_memory(int fd, uint64_t bytes, Access access, SharedMemory& memory,
                          std::string& why);
void free_shared_memory(SharedMemory& memory);

CUdeviceptr allocate(uint64_t bytes);

// How many blocks of 256 threads a pass over so many elements takes.
unsigned blocks_for(uint64_t count);

}  // namespace assay::gpu
