#include "measure/timing_lock.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

namespace assay {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(20);

}  // namespace

Result<TimingLock> TimingLock::take(const std::string& name, const std::function<Status()>& go_on) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.sun_path)
    return error(Code::invalid_input, "'" + name + "' is too long for the name of a socket");
  // The first byte is 0: no file.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno_error("make the socket that who times holds");
  while (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    if (errno != EADDRINUSE)
      return errno_error("take the name '" + name + "', which who times has");
    ASSAY_TRY(go_on());
    std::this_thread::sleep_for(kLookEvery);
  }
  return TimingLock(std::move(socket));
}

}  // namespace assay
