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

// The same of this process as it began, which a thread that is bound to one core is part of.
std::vector<int> cores_of_this_process();

// Runs work(0) to work(parts - 1), each on a thread of its own that may be on any core of this
// process, and returns once all have ended. They throw nothing.
void run_on_all_cores(size_t parts, const std::function<void(size_t part)>& work);

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
