#include "sandbox/wire.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

namespace assay::wire {
namespace {

constexpr size_t kLengthBytes = 4;

uint32_t read_length(const char* bytes) {
  auto byte = [&](int i) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

}  // namespace

std::string frame(std::string_view body) {
  auto length = static_cast<uint32_t>(body.size());
  std::string bytes;
  bytes.reserve(kLengthBytes + body.size());
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(length >> shift & 0xff);
  bytes += body;
  return bytes;
}

void Decoder::feed(std::string_view bytes) {
  if (failed_) return;
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
}

std::optional<std::string> Decoder::next() {
  if (failed_ || pending_bytes() < kLengthBytes) return std::nullopt;
  uint32_t length = read_length(buffer_.data() + start_);
  if (length == 0 || length > kMaxFrameBytes) {
    failed_ = true;
    return std::nullopt;
  }
  if (pending_bytes() < kLengthBytes + length) return std::nullopt;
  std::string body = buffer_.substr(start_ + kLengthBytes, length);
  start_ += kLengthBytes + length;
  return body;
}

bool send(int socket, std::string_view bytes, std::span<const int> descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
  size_t descriptor_bytes = descriptors.size() * sizeof(int);
  while (!bytes.empty()) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor_bytes > 0) {
      std::memset(control, 0, sizeof control);
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(descriptor_bytes);
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptor_bytes);
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptor_bytes);
    }
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    descriptor_bytes = 0;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

ssize_t receive(int socket, void* bytes, size_t size, int* descriptors, size_t capacity,
                size_t* descriptor_count) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
  size_t received = 0;
  *descriptor_count = 0;
  while (received < size) {
    iovec part{static_cast<char*>(bytes) + received, size - received};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      size_t count_here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      const unsigned char* data = CMSG_DATA(header);
      for (size_t i = 0; i < count_here && *descriptor_count < capacity; ++i)
        std::memcpy(&descriptors[(*descriptor_count)++], data + i * sizeof(int), sizeof(int));
    }
    received += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(received);
}

std::optional<ReceivedJob> receive_job(int socket) {
  char length_bytes[kLengthBytes];
  int descriptors[kMaxDescriptors];
  size_t count = 0, none = 0;
  if (receive(socket, length_bytes, kLengthBytes, descriptors, kMaxDescriptors, &count) !=
      static_cast<ssize_t>(kLengthBytes))
    return std::nullopt;
  uint32_t length = read_length(length_bytes);
  if (length > kMaxJobBytes) return std::nullopt;
  ReceivedJob job{std::string(length, '\0'), {descriptors, descriptors + count}};
  if (receive(socket, job.body.data(), length, nullptr, 0, &none) != static_cast<ssize_t>(length))
    return std::nullopt;
  return job;
}

}  // namespace assay::wire
