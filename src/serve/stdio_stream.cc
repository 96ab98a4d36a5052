#include "serve/stdio_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/units.h"

namespace assay {
namespace {

// What a pipe that is ready takes without having to wait for its reader.
constexpr size_t kAtOnce = 4096;

}  // namespace

Result<std::unique_ptr<StdioStream>> StdioStream::start(int in, int out, size_t lines,
                                                        Spawner& spawner) {
  UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return errno_error("make an eventfd");
  std::unique_ptr<StdioStream> stream(new StdioStream(in, out, lines, spawner, std::move(stop)));
  stream->reader_ = std::thread([&stream = *stream] { stream.read_lines(); });
  stream->writer_ = std::thread([&stream = *stream] { stream.write_lines(); });
  return stream;
}

StdioStream::~StdioStream() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(stop_.get(), &one, sizeof one);
  reader_.join();
  writer_.join();
}

// Waits for more to read, and meanwhile for that nobody reads what is said any more: a pipe's other
// end is closed. False: it is time to end.
bool StdioStream::wait_for_more() {
  std::array<pollfd, 3> waited{{{in_, POLLIN, 0}, {stop_.get(), POLLIN, 0}, {out_, 0, 0}}};
  while (::poll(waited.data(), waited.size(), -1) < 0)
    if (errno != EINTR) return false;
  if ((waited[2].revents & (POLLERR | POLLHUP)) != 0) {
    std::lock_guard lock(mutex_);
    write_error_ = EPIPE;
    spawner_.wake();
    return false;
  }
  return waited[1].revents == 0;
}

// False: it is time to end.
bool StdioStream::wait_for(int fd, short events) const {
  std::array<pollfd, 2> waited{{{fd, events, 0}, {stop_.get(), POLLIN, 0}}};
  while (::poll(waited.data(), waited.size(), -1) < 0)
    if (errno != EINTR) return false;
  return waited[1].revents == 0;
}

// Waits until there is room. False: it is time to end.
bool StdioStream::add(Line line) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || requests_.size() < lines_; });
    if (stopping_) return false;
    requests_.push_back(std::move(line));
  }
  spawner_.wake();
  return true;
}

void StdioStream::read_lines() {
  std::string text;       // since the last end of a line
  bool too_long = false;  // and more than that, which is not kept
  size_t number = 0;
  auto take_line = [&] {
    ++number;
    const bool empty = !too_long && text.find_first_not_of(" \t\r") == std::string::npos;
    // What is no JSON is told as such: that it was too long, by the name of its line.
    const std::string why =
        too_long ? fmt::format(" (too long: {} is the most)", format_bytes(kLineBytes)) : "";
    Line line{std::move(text), fmt::format("line {}{}", number, why)};
    text.clear();
    too_long = false;
    return empty || add(std::move(line));
  };
  std::array<char, 65536> buffer;
  while (wait_for_more()) {
    ssize_t count = ::read(in_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    std::string_view rest(buffer.data(), static_cast<size_t>(count));
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      if (text.size() + std::min(end, rest.size()) > kLineBytes) too_long = true;
      if (too_long)
        text.clear();
      else
        text += rest.substr(0, end);
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
      if (!take_line()) return;
    }
  }
  if ((!text.empty() || too_long) && !take_line()) return;
  {
    std::lock_guard lock(mutex_);
    at_end_ = true;
  }
  spawner_.wake();
}

void StdioStream::write_lines() {
  while (true) {
    std::string line;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !said_.empty(); });
      if (stopping_) return;
      line = std::move(said_.front()) + "\n";
      said_.pop_front();
      writing_ = true;
    }
    const int failed = write_all(line);
    {
      std::lock_guard lock(mutex_);
      writing_ = false;
      if (failed != 0) write_error_ = failed;
    }
    spawner_.wake();
    if (failed != 0) return;
  }
}

// Returns why it could not be written; 0: it was, or it is time to end.
int StdioStream::write_all(std::string_view text) const {
  while (!text.empty() && wait_for(out_, POLLOUT)) {
    ssize_t count = ::write(out_, text.data(), std::min(text.size(), kAtOnce));
    if (count < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

Status StdioStream::check() const {
  std::lock_guard lock(mutex_);
  if (write_error_ == 0) return {};
  return error(Code::io, std::string("nobody reads the verdicts: ") + std::strerror(write_error_),
               "keep standard output open until the last one has come");
}

std::optional<LineStream::Line> StdioStream::take() {
  std::lock_guard lock(mutex_);
  if (requests_.empty()) return std::nullopt;
  std::optional<Line> line = std::move(requests_.front());
  requests_.pop_front();
  changed_.notify_all();
  return line;
}

bool StdioStream::has_ended() const {
  std::lock_guard lock(mutex_);
  return at_end_ && requests_.empty() && said_.empty() && !writing_ && write_error_ == 0;
}

void StdioStream::put(const std::string& line) {
  std::lock_guard lock(mutex_);
  said_.push_back(line);
  changed_.notify_all();
}

bool StdioStream::is_clogged() const {
  std::lock_guard lock(mutex_);
  return write_error_ == 0 && said_.size() >= lines_;
}

}  // namespace assay
