#include "measure/timing_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace assay {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(20);

// A folder that every user of the machine may write to; files in it are removed by their owners
// alone.
std::string lock_path() {
  for (const char* folder : {"/run/lock", "/tmp"})
    if (::access(folder, W_OK) == 0) return std::string(folder) + "/assay-timing.lock";
  return "/tmp/assay-timing.lock";
}

}  // namespace

Result<TimingLock> TimingLock::take(const std::function<Status()>& go_on) {
  return take(lock_path(), go_on);
}

Result<TimingLock> TimingLock::take(const std::string& path, const std::function<Status()>& go_on) {
  // Somebody else's is there already, perhaps: to lock it, it need not be written.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd file(::open(path.c_str(), kFlags));
  if (!file) {
    file = UniqueFd(::open(path.c_str(), kFlags | O_CREAT, 0644));
    if (!file) return errno_error("open '" + path + "', which who times holds a lock on");
  }
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("lock '" + path + "'");
    ASSAY_TRY(go_on());
    std::this_thread::sleep_for(kLookEvery);
  }
  return TimingLock(std::move(file));
}

}  // namespace assay
