// A model that is asked over HTTP.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "provider/dialect.h"
#include "provider/endpoint.h"
#include "provider/http.h"
#include "provider/provider.h"

namespace assay {

// How often and how long. Tests wait by a clock of their own.
struct Patience {
  int retries = 2;
  int64_t longest_pause_ns = 120'000'000'000;  // however long the other side asks for
  HttpTimes times{};
  // Returns early when `stop` becomes true.
  std::function<void(int64_t ns, const std::atomic<bool>& stop)> pause{};
  std::function<double()> random{};  // from 0 to 1
  std::function<int64_t()> utc_s{};  // seconds since 1970
  const Clock* clock = &system_clock();
};

struct ServiceSetting {
  Endpoint endpoint;
  const Dialect* dialect = nullptr;
  std::string model;
  Patience patience{};
};

// Fails where libcurl is missing.
Result<std::unique_ptr<Provider>> open_service(ServiceSetting setting);

// Whether no request may set it: assay does, or it would make an answer that is not read here.
bool is_said_by_assay(std::string_view parameter);

// For how long the other side asks to wait, in any of the three ways that they say so.
std::optional<int64_t> asked_pause_ns(const HttpAnswer& answer, int64_t utc_s);

}  // namespace assay
