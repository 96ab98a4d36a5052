#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/disk.h"

namespace assay {

// How many cores this process may keep busy: those it is bound to, or fewer where a control group
// (version 2) allows less time than they have. At least 1.
int usable_cores(const Disk& disk);

// Which cores this thread may run on, by the system's numbers, in order. Empty: nobody says.
std::vector<int> cores_of_this_thread();

// Does a work in as many parts as this process has cores, also where this thread is bound to one of
// them, each part on a thread of its own. Returns once all are done. They throw nothing.
void run_on_all_cores(const std::function<void(size_t part, size_t parts)>& work);

// "0-2,5", as the kernel writes lists of cores. Empty where it is none.
std::vector<int> parse_core_list(std::string_view text);

// Binds this thread to a core while it lives, where that is allowed.
class OnCore {
 public:
  explicit OnCore(int core);
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
  ~OnCore();

 private:
  std::vector<int> before_;
};

}  // namespace assay
