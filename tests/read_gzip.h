// Reads what gzip_as_base64() wrote, by zlib's other half and OpenSSL's base64: neither is what
// wrote it.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

inline std::string read_gzip(std::string_view base64) {
  std::vector<unsigned char> bytes(base64.size() / 4 * 3 + 1);
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(base64.data()),
                      static_cast<int>(base64.size()));
  if (size < 0) throw std::runtime_error("this is no base64");
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(size);
  std::string text;
  char piece[4096];
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("this is no whole gzip member");
  return text;
}

// What stands in the element of this id.
inline Json data_of(const std::string& page, const std::string& id) {
  const std::string begin = "<script type=\"text/plain\" id=\"" + id + "\">";
  const size_t at = page.find(begin);
  if (at == std::string::npos) return nullptr;
  const size_t from = at + begin.size();
  auto json = parse_json(read_gzip(page.substr(from, page.find('<', from) - from)), id);
  EXPECT_TRUE(json) << id;
  return json ? *json : Json();
}

}  // namespace assay
