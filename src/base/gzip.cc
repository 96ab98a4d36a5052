#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>

namespace assay {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string gzip(std::string_view bytes) {
  constexpr int kWithGzipHeader = 15 + 16;  // the largest window; deflateInit2's own way to say it
  constexpr int kMemory = 8;
  z_stream stream{};
  // Both fail for want of memory alone, as an allocation does.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithGzipHeader, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::length_error("more than gzip takes at once: 4 GiB");
  return result;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    std::string_view part = text.substr(i, 4);
    if (i + 4 == text.size())
      while (part.ends_with('=') && part.size() > 2) part.remove_suffix(1);
    uint32_t group = 0;
    for (char letter : part) {
      const size_t value = kLetters.find(letter);
      if (value == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(value);
    }
    group <<= 6 * (4 - part.size());
    for (size_t k = 0; k + 1 < part.size(); ++k)
      bytes += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  // One text for these bytes: none that differs in bits which nobody reads.
  if (base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::string gzip_as_base64(std::string_view bytes) { return base64(gzip(bytes)); }

}  // namespace assay
