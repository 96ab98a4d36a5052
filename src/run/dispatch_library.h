// One function of an executable that IREE compiled for a CPU, called without IREE's runtime. Of the
// native runner, in its jail: a compiler's code is loaded nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace assay {

class DispatchLibrary {
 public:
  // The call of a sheet: what compile/direct_dispatch.h finds in a program. `library`: of dlopen().
  // Fails where the executable is of another version, asks for imports, or has no such function.
  static std::expected<DispatchLibrary, std::string> open(void* library, const Json& call);
  DispatchLibrary(DispatchLibrary&&) noexcept;
  ~DispatchLibrary();

  // Of one tensor, where its memory begins and ends.
  struct Memory {
    std::byte* data = nullptr;
    uint64_t bytes = 0;
  };
  // The pointers of one call's bindings, by the memory of its inputs and results. Fails where they
  // are not those of the call, or not aligned as its code takes for granted.
  std::expected<std::vector<void*>, std::string> bindings(const std::vector<Memory>& inputs,
                                                          const std::vector<Memory>& outputs) const;
  // All workgroups, one after the other. 0, or what one of them returned.
  int call(const std::vector<void*>& bindings);

 private:
  struct State;
  explicit DispatchLibrary(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// From here on this thread takes subnormal numbers as 0, as IREE's runtime has it.
void flush_denormals();

}  // namespace assay
