// The stream decoder: however the bytes are cut, the same frames come out, and never more than came
// in.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "sandbox/wire.h"

namespace {

struct Decoded {
  std::vector<std::string> frames;
  bool failed = false;
  bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view stream, size_t piece) {
  assay::wire::Decoder decoder;
  Decoded result;
  for (size_t at = 0; at < stream.size(); at += piece) {
    decoder.feed(stream.substr(at, piece));
    while (auto frame = decoder.next()) result.frames.push_back(*frame);
  }
  result.failed = decoder.failed();
  return result;
}

}  // namespace

extern "C" int fuzz_wire(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  size_t piece = data[0] + 1u;
  Decoded whole = decode(stream, stream.size() + 1);
  if (!(decode(stream, piece) == whole)) abort();
  size_t bytes = 0;
  for (const std::string& frame : whole.frames) bytes += frame.size() + 4;
  if (bytes > stream.size()) abort();
  return 0;
}
