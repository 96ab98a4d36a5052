#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace assay {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// Splits "1.5GiB" into number and unit. No unit means the first of the table.
template <size_t N>
Result<double> parse(std::string_view text, const std::array<Unit, N>& units, const char* example) {
  auto wrong = [&] {
    return error(Code::invalid_input, fmt::format("'{}' is not a quantity", text),
                 fmt::format("write a number above zero and a unit, for example {}", example));
  };
  double number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number) || number <= 0) return wrong();
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) return number * units[0].factor;
  for (const Unit& known : units)
    if (unit == known.name) return number * known.factor;
  return wrong();
}

constexpr double kKi = 1024.0;

}  // namespace

Result<int64_t> parse_duration_ns(std::string_view text) {
  static constexpr std::array<Unit, 6> kUnits{
      {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}}};
  ASSAY_ASSIGN(double ns, parse(text, kUnits, "90s, 500ms or 2m"));
  if (ns < 1 || ns > 1e17)
    return error(Code::invalid_input, fmt::format("'{}' is out of range", text),
                 "durations go from a nanosecond to a few years");
  return static_cast<int64_t>(ns);
}

Result<uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 14> kUnits{{{"B", 1},
                                                {"K", kKi},
                                                {"KB", kKi},
                                                {"KiB", kKi},
                                                {"M", kKi * kKi},
                                                {"MB", kKi * kKi},
                                                {"MiB", kKi * kKi},
                                                {"G", kKi * kKi * kKi},
                                                {"GB", kKi * kKi * kKi},
                                                {"GiB", kKi * kKi * kKi},
                                                {"T", kKi * kKi * kKi * kKi},
                                                {"TB", kKi * kKi * kKi * kKi},
                                                {"TiB", kKi * kKi * kKi * kKi},
                                                {"b", 1}}};
  ASSAY_ASSIGN(double bytes, parse(text, kUnits, "512M or 8G"));
  if (bytes < 1 || bytes > 1e18)
    return error(Code::invalid_input, fmt::format("'{}' is out of range", text),
                 "sizes go from a byte to an exabyte");
  return static_cast<uint64_t>(bytes);
}

std::string format_duration(int64_t ns) {
  double value = static_cast<double>(ns);
  if (value < 1e3) return fmt::format("{} ns", ns);
  if (value < 999.5e3) return fmt::format("{:.3g} us", value / 1e3);
  if (value < 999.5e6) return fmt::format("{:.3g} ms", value / 1e6);
  if (value < 59.95e9) return fmt::format("{:.3g} s", value / 1e9);
  const int64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  if (seconds < 3600) return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h {:02}m", seconds / 3600, seconds % 3600 / 60);
}

std::string format_bytes(uint64_t bytes) {
  static constexpr std::array<const char*, 6> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kNames.size(); ++unit) value /= kKi;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string format_count(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string exact_duration(int64_t ns) {
  static constexpr std::pair<int64_t, const char*> kUnits[] = {
      {3600'000'000'000, "h"}, {60'000'000'000, "m"}, {1'000'000'000, "s"}, {1'000'000, "ms"}};
  for (auto [size, name] : kUnits)
    if (ns % size == 0) return fmt::format("{}{}", ns / size, name);
  return fmt::format("{}us", (ns + 999) / 1000);
}

std::string exact_bytes(uint64_t bytes) {
  static constexpr std::pair<int, const char*> kUnits[] = {
      {40, "T"}, {30, "G"}, {20, "M"}, {10, "K"}};
  for (auto [shift, name] : kUnits)
    if (bytes % (uint64_t{1} << shift) == 0) return fmt::format("{}{}", bytes >> shift, name);
  return fmt::format("{}", bytes);
}

}  // namespace assay
