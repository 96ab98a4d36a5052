// The simulated driver in this process, of a test or of a runner: what it has beside a driver.
#pragma once

#include <dlfcn.h>

#include <cassert>
#include <cstdlib>

#include "simulated_cuda.h"

namespace simulated {

class Library {
 public:
  explicit Library(const char* path) : library_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    assert(library_ != nullptr);
    load(launch, "simulated_cuda_launch");
    load(set, "simulated_cuda_set");
    load(shared, "simulated_cuda_shared");
  }

  Launch launch = nullptr;
  Set set = nullptr;
  Shared shared = nullptr;

 private:
  template <class Entry>
  void load(Entry& entry, const char* name) {
    entry = reinterpret_cast<Entry>(::dlsym(library_, name));
    assert(entry != nullptr);
  }
  void* library_;
};

}  // namespace simulated
