#include "cli/output.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace assay {

void Output::write(std::string_view text) {
  while (!text.empty() && !closed_) {
    ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      // A terminal that somebody else set to non-blocking.
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    if (count < 0) {
      closed_ = true;
      healthy_ = errno == EPIPE;
      return;
    }
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void Output::remark(std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }

bool Output::is_terminal() const { return ::isatty(STDOUT_FILENO) == 1; }

size_t Output::columns() const {
  constexpr size_t kUsual = 80, kLeast = 20;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<size_t>(size.ws_col, kLeast);
  const char* said = std::getenv("COLUMNS");
  const int columns = said ? std::atoi(said) : 0;
  if (columns > 0) return std::max(static_cast<size_t>(columns), kLeast);
  return is_terminal() ? kUsual : 0;  // what grep and awk read is not broken into lines
}

size_t Output::lines() const {
  constexpr size_t kUsual = 24, kLeast = 4;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUsual;
  return std::max<size_t>(size.ws_row, kLeast);
}

}  // namespace assay
