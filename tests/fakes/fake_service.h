// A service of models over a real socket, that does what a test tells it: it answers, or misbehaves
// as services and networks do.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace assay {

class FakeService {
 public:
  struct Request {
    std::string head;  // the first line and the headers
    std::string body;
  };
  struct Reply {
    enum class Way {
      whole,
      drop,  // nothing comes, and the connection is closed
      half,  // half of the body comes, and the connection is closed
      hang,  // nothing comes until the other side leaves
      slow,  // a byte at a time, and all of it comes
    };
    int status = 200;
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    Way way = Way::whole;
  };
  using Script = std::function<Reply(const Request& request, int number)>;

  // `number` counts requests from 0. Called by one thread for each connection.
  explicit FakeService(Script script) : script_(std::move(script)) {
    listening_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(listening_.get(), any, size) != 0 || ::listen(listening_.get(), 64) != 0 ||
        ::getsockname(listening_.get(), any, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;
  ~FakeService() {
    over_.store(true);
    accepting_.join();
    for (std::thread& each : serving_) each.join();
  }

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  // False: the test is over.
  bool wait_for(int fd, short what) const {
    while (!over_.load()) {
      pollfd polled{fd, what, 0};
      if (::poll(&polled, 1, 10) > 0) return true;
    }
    return false;
  }

  void accept_all() {
    while (wait_for(listening_.get(), POLLIN)) {
      const int fd = ::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      serving_.emplace_back([this, fd] { serve(UniqueFd(fd)); });
    }
  }

  bool receive(int fd, std::string& text) const {
    std::array<char, 65536> bytes{};
    if (!wait_for(fd, POLLIN)) return false;
    const ssize_t count = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    text.append(bytes.data(), static_cast<size_t>(count));
    return true;
  }

  void serve(UniqueFd connection) {
    const int fd = connection.get();
    std::string text;
    size_t end = std::string::npos;
    while ((end = text.find("\r\n\r\n")) == std::string::npos)
      if (!receive(fd, text)) return;
    Request request{text.substr(0, end), text.substr(end + 4)};
    const size_t at = request.head.find("Content-Length: ");
    const size_t size =
        at == std::string::npos ? 0 : std::strtoull(request.head.c_str() + at + 16, nullptr, 10);
    while (request.body.size() < size)
      if (!receive(fd, request.body)) return;
    int number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = static_cast<int>(requests_.size());
      requests_.push_back(request);
    }
    answer(fd, script_(request, number));
  }

  void answer(int fd, const Reply& reply) const {
    if (reply.way == Reply::Way::drop) return;
    if (reply.way == Reply::Way::hang) {
      std::string nothing;
      receive(fd, nothing);
      return;
    }
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Whatever\r\n";
    text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\nConnection: close\r\n";
    for (const auto& [name, value] : reply.headers) text.append(name + ": " + value + "\r\n");
    text += "\r\n";
    text +=
        reply.way == Reply::Way::half ? reply.body.substr(0, reply.body.size() / 2) : reply.body;
    for (size_t sent = 0; sent < text.size();) {
      const bool is_slow = reply.way == Reply::Way::slow;
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const size_t most = is_slow ? 1 : text.size() - sent;
      const ssize_t count = ::send(fd, text.data() + sent, most, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<size_t>(count);
    }
  }

  Script script_;
  UniqueFd listening_;
  int port_ = 0;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

}  // namespace assay
