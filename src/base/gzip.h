#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

// RFC 4648, with padding, on one line.
std::string base64(std::string_view bytes);
// Nothing where it is none: of each text of bytes there is one.
std::optional<std::string> bytes_of_base64(std::string_view text);

// A gzip member (RFC 1952) as base64 (RFC 4648, one line): what a page of HTML can hold of many
// bytes, and each browser reads by itself.
std::string gzip_as_base64(std::string_view bytes);

}  // namespace assay
