#include "report.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace assay::gpu {
namespace {

void (*tell_death)(const char* text) = nullptr;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string digits(double value) {
  if (!std::isfinite(value)) return "null";
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

template <class T>
T quantile_of(std::vector<T>& values, double part) {
  if (values.empty()) return T{};
  std::ranges::sort(values);
  return values[static_cast<size_t>(std::lround(static_cast<double>(values.size() - 1) * part))];
}

}  // namespace

void on_death(void (*tell)(const char* text)) { tell_death = tell; }

void die(const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (tell_death)
    tell_death(text);
  else
    Row("error").text("what", text).print();
  std::fprintf(stderr, "gpu-probe: error: %s\n", text);
  std::fflush(nullptr);
  ::_exit(2);
}

Row& Row::raw(std::string_view key, std::string_view json) {
  body_ += body_.empty() ? "{" : ", ";
  body_ += quoted(key) + ": ";
  body_ += json;
  return *this;
}
Row& Row::text(std::string_view key, std::string_view value) { return raw(key, quoted(value)); }
Row& Row::number(std::string_view key, double value) { return raw(key, digits(value)); }
Row& Row::whole(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
Row& Row::flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
Row& Row::numbers(std::string_view key, const std::vector<double>& values) {
  std::string list = "[";
  for (double value : values) list += (list.size() > 1 ? ", " : "") + digits(value);
  return raw(key, list + "]");
}
Row& Row::spread_us(std::string_view key, std::vector<int64_t> values_ns) {
  for (auto [suffix, part] :
       {std::pair{"_median", 0.5}, {"_p10", 0.1}, {"_p90", 0.9}, {"_p99", 0.99}, {"_max", 1.0}})
    number(std::string(key) + suffix, static_cast<double>(quantile_of(values_ns, part)) / 1e3);
  return *this;
}
void Row::print() const {
  std::printf("%s}\n", body_.c_str());
  std::fflush(stdout);
}

int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void sleep_us(int64_t microseconds) {
  timespec left{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

double quantile(std::vector<double> values, double part) { return quantile_of(values, part); }
int64_t quantile(std::vector<int64_t> values, double part) { return quantile_of(values, part); }

}  // namespace assay::gpu
