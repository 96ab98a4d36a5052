// The wire between assay and its children: one Unix stream socket per child.
//
// A frame is a 32-bit little-endian length and that many bytes of one JSON object. The first frame
// a child sends is its hello and carries the protocol's version; nothing else is read from a child
// that speaks another. Descriptors (sources, memory for results) only ever travel from assay to a
// child, with the job's frame. Data never travels in frames: it lies in memory both sides can map.
//
// This file has no dependency beyond the C library, because the Python extension and the runners
// are built from it as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::wire {

inline constexpr int kVersion = 1;
inline constexpr uint32_t kMaxFrameBytes = 1u << 20;
// A job fits into an empty socket buffer, so that assay never blocks on a child that does not read.
inline constexpr uint32_t kMaxJobBytes = 64u << 10;
inline constexpr size_t kMaxDescriptors = 16;
// Where a child finds its socket.
inline constexpr int kChannelFd = 3;

// The bytes of one frame. The body must not be longer than kMaxFrameBytes.
std::string frame(std::string_view body);

// Cuts a stream of hostile bytes into frames. Once it has failed it stays failed.
class Decoder {
 public:
  void feed(std::string_view bytes);
  // The next whole frame's body, if there is one.
  std::optional<std::string> next();
  // Set when the peer announced a length that no frame has.
  bool failed() const { return failed_; }
  // Bytes of a frame that has not come whole.
  size_t pending_bytes() const { return buffer_.size() - start_; }

 private:
  std::string buffer_;
  size_t start_ = 0;
  bool failed_ = false;
};

// Sends `bytes` with descriptors riding on the first byte. False with errno on failure. Blocks only
// if the socket does.
bool send(int socket, std::string_view bytes, std::span<const int> descriptors = {});

// Reads exactly `size` bytes (blocking) and up to `capacity` descriptors, close-on-exec. Returns
// the number of bytes: less than `size` only at the end of the stream; -1 with errno on failure.
ssize_t receive(int socket, void* bytes, size_t size, int* descriptors, size_t capacity,
                size_t* descriptor_count);

// Reads one job as a worker does: the frame's body and the descriptors that came with it. Nothing
// when assay is gone, or sent a frame of an impossible length.
struct ReceivedJob {
  std::string body;
  std::vector<int> descriptors;
};
std::optional<ReceivedJob> receive_job(int socket);

}  // namespace assay::wire
