#pragma once

#include <map>
#include <mutex>
#include <string>

#include "base/signals_held.h"

namespace assay::cuda {

// What comes of opening a library, when it is asked for first: each library once, and never closed.
// There is one, but in tests. What is opened may start threads.
template <class Opened>
const Opened& opened_once(const std::string& library, Opened (*open)(const std::string& library)) {
  static std::mutex mutex;
  static std::map<std::string, Opened> all;
  const std::lock_guard lock(mutex);
  auto found = all.find(library);
  if (found == all.end()) {
    const SignalsHeld held;
    found = all.emplace(library, open(library)).first;
  }
  return found->second;
}

}  // namespace assay::cuda
