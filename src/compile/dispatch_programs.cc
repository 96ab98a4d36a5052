#include "compile/dispatch_programs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::string_view kExecutable = "executable private @", kFunction = " func.func @",
                           kExport = "executable.export public @";
constexpr size_t kMostDispatches = 1024, kMostNameBytes = 200;
constexpr int64_t kMostBytes = int64_t{1} << 50;

// Whole executables, one after the other: each begins a line of the module's, and ends with one.
class Executables {
 public:
  explicit Executables(std::string_view program) : left_(program) {}

  // "": no more.
  std::string_view next() {
    constexpr std::string_view kEnd = "\n  }\n";
    const size_t found = left_.find(kExecutable);
    if (found == std::string_view::npos) return "";
    const size_t line = left_.rfind('\n', found);
    const size_t begin = line == std::string_view::npos ? 0 : line + 1;
    const size_t end = left_.find(kEnd, begin);
    if (end == std::string_view::npos) return "";
    const size_t after = end + kEnd.size();
    const std::string_view one = left_.substr(begin, after - begin);
    left_.remove_prefix(after);
    return one;
  }

 private:
  std::string_view left_;
};

bool ends_name(char c) { return c == ' ' || c == '(' || c == '"' || c == '\n'; }

bool names(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at > 0 && (text[at - 1] == '@' || text[at - 1] == '"');
    if (begins && end < text.size() && ends_name(text[end])) return true;
  }
  return false;
}

// Of "64x128xf32", "f32". Nothing where a size is "?", and of types that it does not know.
std::optional<int64_t> bytes_of_type(std::string_view type) {
  int64_t elements = 1;
  while (!type.empty() && type.front() >= '0' && type.front() <= '9') {
    int64_t size = 0;
    const auto [end, failed] = std::from_chars(type.data(), type.data() + type.size(), size);
    if (failed != std::errc() || end == type.data() + type.size() || *end != 'x')
      return std::nullopt;
    if (size > 0 && elements > kMostBytes / size) return std::nullopt;
    elements *= size;
    type.remove_prefix(static_cast<size_t>(end - type.data()) + 1);
  }
  // "f32", "i1", "bf16", "f8E4M3FN". What is packed into less than a byte, it does not know.
  constexpr std::string_view kKinds[] = {"f", "bf", "i", "ui", "si"};
  const size_t letters = std::min(type.find_first_of("0123456789"), type.size());
  if (std::ranges::find(kKinds, type.substr(0, letters)) == std::end(kKinds)) return std::nullopt;
  int64_t bits = 0;
  std::from_chars(type.data() + letters, type.data() + type.size(), bits);
  if (bits == 1) bits = 8;
  if (bits < 8 || bits > 64 || elements > kMostBytes / bits) return std::nullopt;
  return elements * (bits / 8);
}

// The parts of one tensor that a dispatch loads, or stores.
struct Touched {
  std::set<std::string_view> parts{};
  int64_t bytes = 0;
  std::optional<int64_t> whole{};  // parts may overlap: it is no more than that
};

// Of a function's loads and stores. Nothing where it has none, or one of a size that is not known.
std::optional<int64_t> bytes_touched(std::string_view executable) {
  constexpr std::string_view kLoad = "dispatch.tensor.load ", kStore = "dispatch.tensor.store ";
  std::map<std::pair<bool, std::string_view>, Touched> touched;
  for (const std::string_view line : lines_of(executable)) {
    const bool is_load = line.contains(kLoad);
    if (!is_load && !line.contains(kStore)) continue;
    // "load %arg0, offsets = ... : !...<readonly:tensor<8x4xf32>> -> tensor<2x4xf32>", and
    // "store %0, %arg1, offsets = ... : tensor<2x4xf32> -> !...<writeonly:tensor<2x4xf32>>".
    std::string_view place = between(line, is_load ? kLoad : kStore, " : ");
    if (!is_load) place.remove_prefix(std::min(place.find("%arg"), place.size()));
    const std::string_view type =
        is_load ? between(line, " -> tensor<", ">") : between(line, " : tensor<", ">");
    const auto bytes = bytes_of_type(type);
    if (place.empty() || !bytes) return std::nullopt;
    Touched& tensor = touched[{is_load, place.substr(0, place.find(','))}];
    if (!tensor.parts.insert(place).second) continue;
    tensor.bytes += *bytes;
    tensor.whole = bytes_of_type(between(line, ":tensor<", ">"));
    if (tensor.bytes > kMostBytes) return std::nullopt;
  }
  int64_t bytes = 0;
  for (const auto& [name, tensor] : touched) {
    bytes += std::min(tensor.bytes, tensor.whole.value_or(tensor.bytes));
    if (bytes > kMostBytes) return std::nullopt;
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

// "": it has none.
std::string_view function_of(std::string_view executable) {
  return between(executable, kFunction, "(");
}

// What reads at a place that it has read: of a table it takes what it is asked for.
bool looks_up(std::string_view executable) {
  constexpr std::string_view kLookUps[] = {"tensor.extract ", ".gather ", ".scatter "};
  return std::ranges::any_of(kLookUps,
                             [&](std::string_view each) { return executable.contains(each); });
}

}  // namespace

Json dispatch_bytes(std::string_view program) {
  Json found = Json::object();
  Executables executables(program);
  for (std::string_view one = executables.next(); !one.empty() && found.size() < kMostDispatches;
       one = executables.next()) {
    const std::string_view name = function_of(one);
    if (name.empty() || name.size() > kMostNameBytes || looks_up(one)) continue;
    if (const auto bytes = bytes_touched(one)) found[std::string(name)] = *bytes;
  }
  return found;
}

std::vector<std::string> dispatch_names(std::string_view program) {
  std::vector<std::string> found;
  Executables executables(program);
  for (std::string_view one = executables.next(); !one.empty(); one = executables.next())
    for (size_t at = one.find(kExport); at != std::string_view::npos;
         at = one.find(kExport, at + 1)) {
      const std::string_view name = one.substr(at + kExport.size());
      found.emplace_back(name.substr(0, name.find_first_of(" (\n")));
    }
  return found;
}

std::string_view dispatch_program(std::string_view program, std::string_view name) {
  if (name.empty()) return "";
  Executables executables(program);
  for (std::string_view one = executables.next(); !one.empty(); one = executables.next())
    if (names(one, name)) return one;
  return "";
}

}  // namespace assay
