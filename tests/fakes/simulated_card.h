// A card for tests, which is none: tests/simulated_cuda/.
#pragma once

#include <stdlib.h>

#include <string>

#include "built.h"
#include "simulated_cuda/card_words.h"
#include "simulated_cuda/library.h"

namespace assay {

// As long as it lives, the driver is the simulated one, or another library.
class SimulatedCard {
 public:
  explicit SimulatedCard(const std::string& library = built::kSimulatedCuda) {
    ::setenv("ASSAY_CUDA_DRIVER", library.c_str(), 1);
  }
  SimulatedCard(const SimulatedCard&) = delete;
  SimulatedCard& operator=(const SimulatedCard&) = delete;
  ~SimulatedCard() {
    for (const char* name : {"start_fails", "lost", "lost_after", "fault", "held_back_by"})
      set(name, 0);
    set("cards", 1);
    set("memory_bytes", 1 << 30);
    ::unsetenv("ASSAY_CUDA_DRIVER");
  }

  void set(const char* name, uint64_t value) { assert_known(library_.set(name, value)); }
  const simulated::Library& library() const { return library_; }
  // What this process mapped last.
  std::byte* memory() const { return reinterpret_cast<std::byte*>(library_.shared()); }

 private:
  static void assert_known(bool is_known) {
    if (!is_known) ::abort();
  }
  simulated::Library library_{built::kSimulatedCuda};
};

}  // namespace assay
