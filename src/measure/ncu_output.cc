#include "measure/ncu_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/escape.h"
#include "base/text.h"
#include "measure/kernel_counts.h"

namespace assay {
namespace {

constexpr const char* kTime = "gpu__time_duration.sum";
constexpr std::string_view kHeader = "\"ID\",";
constexpr std::string_view kOwnLine = "==";  // "==PROF== Disconnected"
constexpr size_t kMostFields = 1000;
constexpr size_t kMostLaunches = 100'000;
constexpr size_t kMostComplaintBytes = 300;

// Counters by what stands in records for them. Of a fact with several, their sum.
constexpr std::pair<const char*, const char*> kFacts[] = {
    {"sm__warps_active.avg.pct_of_peak_sustained_active", kOccupancyPercent},
    {"dram__bytes_read.sum", kMovedBytes},
    {"dram__bytes_write.sum", kMovedBytes},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", kMemoryPercent},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", kProcessorsPercent},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", kMatrixPercent},
    {"lts__t_sector_hit_rate.pct", kCacheHitPercent},
    {"launch__registers_per_thread", kRegisters},
    {"launch__shared_mem_per_block_static", kSharedBytes},
    {"launch__shared_mem_per_block_dynamic", kSharedBytes},
    {"smsp__inst_executed_op_local_ld.sum", kSpills},
    {"smsp__inst_executed_op_local_st.sum", kSpills},
};

// What a unit is of the one that records have: nanoseconds and bytes. "Kbyte/block" is of a block.
double scale_of(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kScales[] = {
      {"usecond", 1e3}, {"us", 1e3},    {"msecond", 1e6}, {"ms", 1e6},    {"second", 1e9},
      {"s", 1e9},       {"Kbyte", 1e3}, {"Mbyte", 1e6},   {"Gbyte", 1e9}, {"Tbyte", 1e12},
      {"KB", 1e3},      {"MB", 1e6},    {"GB", 1e9}};
  const std::string_view whole = unit.substr(0, unit.find('/'));
  for (const auto& [name, scale] : kScales)
    if (whole == name) return scale;
  return 1;
}

// "1,234.5"; nothing for "n/a" and all else.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

using Row = std::vector<std::string>;

struct Launched {
  std::string kernel;
  std::optional<double> ns;
  std::map<std::string, double> facts;

  void take(std::string_view metric, std::string_view unit, const std::string& text) {
    const auto number = number_of(text);
    if (!number) return;
    const double value = *number * scale_of(unit);
    if (metric == kTime) ns = value;
    for (const auto& [name, fact] : kFacts)
      if (metric == name) facts[fact] += value;
  }
};

// The places of columns; nothing where a table has none of this name.
class Header {
 public:
  explicit Header(Row names) : names_(std::move(names)) {}
  size_t count() const { return names_.size(); }
  const std::string& name(size_t column) const { return names_[column]; }
  bool is(const Row& row) const { return row == names_; }
  std::optional<size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<size_t>(found - names_.begin());
  }

 private:
  Row names_;
};

// A row for each launch, behind one with units; or, as of the page of details, a row for each
// counter of a launch.
class NcuTable {
 public:
  explicit NcuTable(Header header)
      : header_(std::move(header)),
        process_(header_.find("Process ID")),
        kernel_(header_.find("Kernel Name")),
        metric_(header_.find("Metric Name")),
        unit_(header_.find("Metric Unit")),
        value_(header_.find("Metric Value")) {}

  Status take(Row row) {
    if (header_.is(row)) return {};
    if (!kernel_) return error(Code::corrupt, "ncu's table names no kernels");
    if (row.size() != header_.count())
      return error(Code::corrupt,
                   fmt::format("ncu's table is cut short: a row has {} fields, and its head {}",
                               row.size(), header_.count()));
    if (row.front().empty()) {
      units_ = std::move(row);
      return {};
    }
    Launched& launched = launches_[{process_ ? row[*process_] : "", row.front()}];
    if (launches_.size() > kMostLaunches)
      return error(Code::corrupt,
                   fmt::format("ncu's table has more than {} launches", kMostLaunches));
    launched.kernel = row[*kernel_];
    if (metric_ && unit_ && value_)
      launched.take(row[*metric_], row[*unit_], row[*value_]);
    else
      for (size_t column = 0; column < row.size(); ++column)
        launched.take(header_.name(column), units_.empty() ? "" : units_[column], row[column]);
    return {};
  }

  CountedKernels kernels() const {
    CountedKernels kernels;
    for (const auto& [_, launched] : launches_)
      kernels[launched.kernel.substr(0, kMostKernelNameBytes)].add_launch(launched.ns.value_or(0),
                                                                          launched.facts);
    return kernels;
  }

 private:
  Header header_;
  std::optional<size_t> process_, kernel_, metric_, unit_, value_;
  Row units_;
  std::map<std::pair<std::string, std::string>, Launched> launches_;  // by process and number
};

// Where its first line is; lines of ncu's own stand before it.
std::optional<std::string_view> table_in(std::string_view text) {
  if (text.starts_with(kHeader)) return text;
  const size_t found = text.find("\n" + std::string(kHeader));
  if (found == std::string_view::npos) return std::nullopt;
  return text.substr(found + 1);
}

}  // namespace

std::string ncu_metrics() {
  std::string all = kTime;
  for (const auto& [name, _] : kFacts) all += std::string(",") + name;
  return all;
}

std::string ncu_complaint(std::string_view printed) {
  if (printed.contains("ERR_NVGPUCTRPERM"))
    return "the driver lets nobody but root count on this card (ERR_NVGPUCTRPERM): load its module "
           "with NVreg_RestrictProfilingToAdminUsers=0";
  for (std::string_view line : lines_of(printed))
    if (line.starts_with("==ERROR=="))
      return "ncu: " + printable(utf8(trimmed(line.substr(9, kMostComplaintBytes))), false);
  if (printed.contains("No kernels were profiled"))
    return "ncu has seen no kernel in the call that it was to look at";
  return "";
}

Result<Json> read_ncu_output(std::string_view text) {
  const auto table = table_in(text);
  if (!table) {
    std::string why = ncu_complaint(text);
    return error(Code::unavailable, why.empty() ? "ncu has written no table" : std::move(why));
  }
  CsvReader reader(*table, kMostFields, kOwnLine);
  std::optional<NcuTable> rows;
  while (true) {
    auto row = reader.next();
    if (!row) return error(Code::corrupt, "ncu's table is not whole: " + row.error().message);
    if (!*row) break;
    if (!rows)
      rows.emplace(Header(std::move(**row)));
    else
      ASSAY_TRY(rows->take(std::move(**row)));
  }
  Json counted = counted_kernels(rows->kernels());
  if (!counted.is_null()) return counted;
  std::string why = ncu_complaint(text);
  return error(Code::unavailable, why.empty() ? "ncu's table has no kernels" : std::move(why));
}

std::string ncu_in_words(const Json& counted) {
  return kernels_in_words(counted, {.processors = "SMs",
                                    .matrix = "tensor cores",
                                    .shared = "shared memory",
                                    .places = "warps"});
}

}  // namespace assay
