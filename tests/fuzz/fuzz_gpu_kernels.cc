// What a candidate's process says of the kernels that were compiled in it.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "verify/gpu_kernels.h"

extern "C" int fuzz_gpu_kernels(const uint8_t* data, size_t size) {
  using namespace assay;
  auto kernels = read_gpu_kernels({reinterpret_cast<const char*>(data), size});
  if (!kernels) return 0;
  size_t bytes = 0;
  std::set<std::string> names;
  for (const CompiledFile& file : kernels->files) {
    if (!names.insert(file.name).second) abort();
    bytes += file.bytes.size();
    std::string_view name = file.name;
    if (!name.starts_with("kernels/")) abort();
    name.remove_prefix(8);
    if (name.empty() || name.contains('/') || name.starts_with('.')) abort();
  }
  if (bytes > size) abort();
  return 0;
}
