// The one place that knows libcurl.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace assay {

struct HttpTimes {
  int64_t connect_ns = 5'000'000'000;
  int64_t total_ns = 600'000'000'000;
};

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::optional<std::string> body;   // nothing: GET
  HttpTimes times{};
};

struct HttpAnswer {
  int status = 0;  // 0: none came, and `why` says why not
  std::map<std::string, std::string, std::less<>> headers{};  // names in lower case
  std::string body{};
  std::string why{};
  bool stopped = false;
  bool temporary = false;  // with status 0: another try may do better
  bool sent = false;       // the whole request had left when it ended
};

// Ends at once when `stop` becomes true. Follows no redirection: it would take the keys elsewhere.
HttpAnswer http_call(const HttpRequest& request, const std::atomic<bool>& stop);

// Whether libcurl is there. It is loaded when it is first needed, since it brings thirty other
// libraries, and most commands need none.
Status http_is_ready();

}  // namespace assay
