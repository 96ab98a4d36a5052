#include "measure/watchers.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/disk.h"

namespace assay {
namespace {

constexpr const char* kWatchFile = ".watch";
constexpr off_t kTimes = 0;         // the byte that who times has locked
constexpr off_t kFirstPlace = 1;    // and from here on one for each who watches
constexpr off_t kMostPlaces = 256;  // more are not looked for

struct flock whole(short type, off_t start, off_t length) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

UniqueFd open_file(const std::string& folder, int more) {
  return UniqueFd(::open(join_path(folder, kWatchFile).c_str(),
                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | more, 0666));
}

// Who has a place at `start` or behind it; l_type is F_UNLCK where nobody has.
struct flock next_place(const UniqueFd& file, off_t start) {
  struct flock lock = whole(F_WRLCK, start, kMostPlaces + kFirstPlace - start);
  if (::fcntl(file.get(), F_GETLK, &lock) != 0) lock.l_type = F_UNLCK;
  return lock;
}

void signal_process(const UniqueFd& process, int number) {
  // One that has ended needs no signal.
  (void)::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

}  // namespace

Result<WatcherPlace> WatcherPlace::take(const std::string& folder) {
  UniqueFd file = open_file(folder, O_CREAT);
  // Who may only read a run can't keep anybody from timing it either.
  if (!file && (errno == EACCES || errno == EROFS || errno == EPERM))
    return WatcherPlace(UniqueFd());
  if (!file) return errno_error("open " + join_path(folder, kWatchFile));
  for (off_t place = kFirstPlace; place < kFirstPlace + kMostPlaces; ++place) {
    struct flock lock = whole(F_WRLCK, place, 1);
    if (::fcntl(file.get(), F_SETLK, &lock) == 0) return WatcherPlace(std::move(file));
  }
  return error(Code::refused,
               "256 processes watch the run in '" + folder + "', or its folder can hold no locks",
               "end one of them");
}

StoppedWatchers StoppedWatchers::stop(const std::string& folder) {
  StoppedWatchers stopped;
  if (folder.empty()) return stopped;
  stopped.file_ = open_file(folder, 0);
  if (!stopped.file_) return stopped;  // nobody ever watched
  // Of the open file, so that it is free when this process ends, however it does.
  struct flock times = whole(F_WRLCK, kTimes, 1);
  (void)::fcntl(stopped.file_.get(), F_OFD_SETLK, &times);
  for (off_t start = kFirstPlace; start < kFirstPlace + kMostPlaces;) {
    const struct flock found = next_place(stopped.file_, start);
    if (found.l_type == F_UNLCK || found.l_len <= 0) break;
    start = found.l_start + found.l_len;
    if (found.l_pid <= 1) continue;  // in another namespace of processes
    UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, found.l_pid, 0)));
    // It is still the one that has the place, and none that has its number by now.
    if (!process || next_place(stopped.file_, found.l_start).l_pid != found.l_pid) continue;
    signal_process(process, SIGSTOP);
    stopped.processes_.push_back(std::move(process));
  }
  return stopped;
}

StoppedWatchers::~StoppedWatchers() {
  for (const UniqueFd& process : processes_) signal_process(process, SIGCONT);
}

void wait_until_nobody_times(const std::string& folder) {
  UniqueFd file = open_file(folder, 0);
  if (!file) return;
  struct flock lock = whole(F_RDLCK, kTimes, 1);
  (void)::fcntl(file.get(), F_OFD_SETLKW, &lock);
}

}  // namespace assay
