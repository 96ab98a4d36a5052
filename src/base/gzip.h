#pragma once

#include <string>
#include <string_view>

namespace assay {

// A gzip member (RFC 1952) as base64 (RFC 4648, one line): what a page of HTML can hold of many
// bytes, and each browser reads by itself.
std::string gzip_as_base64(std::string_view bytes);

}  // namespace assay
