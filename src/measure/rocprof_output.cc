#include "measure/rocprof_output.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "measure/kernel_counts.h"

namespace assay {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";
// Of SQLite's own steps: a hostile file could have it look for ever.
constexpr int kStepsBetween = 1'000'000, kMostPauses = 50;
constexpr int kMostLengthBytes = 1 << 20;
constexpr size_t kMostDispatches = 200'000, kMostEvents = 5'000'000;

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Query = std::unique_ptr<sqlite3_stmt, Closer>;

int count_pause(void* pauses) { return ++*static_cast<int*>(pauses) > kMostPauses ? 1 : 0; }

// A database in memory that nobody else has.
class RocpdFile {
 public:
  static Result<std::unique_ptr<RocpdFile>> open(std::string bytes) {
    if (!bytes.starts_with(kMagic) || bytes.size() < 100)
      return error(Code::corrupt, "what rocprofv3 has written is no SQLite file");
    // A file of who kept a log beside it cannot be opened in memory: this one is closed.
    bytes[18] = bytes[19] = 1;
    std::unique_ptr<RocpdFile> file(new RocpdFile(std::move(bytes)));
    ASSAY_TRY(file->load());
    return file;
  }

  Result<Query> prepare(const std::string& sql) const {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
    Query query(raw);
    if (code != SQLITE_OK) return failure();
    return query;
  }
  // True while there is a row.
  Result<bool> step(const Query& query) const {
    const int code = sqlite3_step(query.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return failure();
  }

 private:
  explicit RocpdFile(std::string bytes) : bytes_(std::move(bytes)) {}

  Status load() {
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(":memory:", &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(raw);
    if (opened != SQLITE_OK) return failure();
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kMostLengthBytes);
    sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_progress_handler(raw, kStepsBetween, count_pause, &pauses_);
    const auto size = static_cast<sqlite3_int64>(bytes_.size());
    if (sqlite3_deserialize(raw, "main", reinterpret_cast<unsigned char*>(bytes_.data()), size,
                            size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
      return failure();
    return {};
  }

  std::unexpected<Error> failure() const {
    const char* said = database_ ? sqlite3_errmsg(database_.get()) : "out of memory";
    return error(Code::corrupt,
                 fmt::format("rocprofv3's file does not read: {}", printable(utf8(said), false)));
  }

  std::string bytes_;
  int pauses_ = 0;
  std::unique_ptr<sqlite3, Closer> database_;
};

std::string text_at(const Query& query, int column) {
  const unsigned char* bytes = sqlite3_column_text(query.get(), column);
  if (bytes == nullptr) return "";
  return {reinterpret_cast<const char*>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(query.get(), column))};
}

// What stands behind the names of all tables of one run: "_0f3c...".
Result<std::string> suffix_of_tables(const RocpdFile& file) {
  // No views, and no virtual tables: these do what their text says.
  ASSAY_ASSIGN(const Query query,
               file.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND "
                            "sql LIKE 'CREATE TABLE%' AND name LIKE 'rocpd_kernel_dispatch%'"));
  while (true) {
    ASSAY_ASSIGN(const bool has_row, file.step(query));
    if (!has_row) break;
    const std::string name = text_at(query, 0);
    std::string suffix = name.substr(std::min(kDispatches.size(), name.size()));
    const bool is_plain = std::ranges::all_of(suffix, [](char c) {
      return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
             (c >= 'A' && c <= 'Z');
    });
    if (name.starts_with(kDispatches) && is_plain) return suffix;
  }
  return error(Code::corrupt,
               "rocprofv3's file has no table of launches (rocpd_kernel_dispatch): "
               "assay reads what ROCm 7 writes");
}

Result<bool> has_table(const RocpdFile& file, const std::string& name) {
  ASSAY_ASSIGN(const Query query,
               file.prepare(fmt::format("SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
                                        "sql LIKE 'CREATE TABLE%' AND name = '{}'",
                                        name)));
  return file.step(query);
}

struct Dispatch {
  std::string kernel;
  double ns = 0;
  std::map<std::string, double> facts{};
  double cache_hits = 0, cache_misses = 0;
  std::map<std::string, std::pair<double, int>> means{};  // sums, and of how many
};

// Those of percentages are of the whole card, and others of one part of it each.
void add_counter(Dispatch& dispatch, const std::string& name, double value) {
  if (!(value >= 0 && value <= kMostFact)) return;
  auto mean = [&](const char* fact) {
    auto& [sum, count] = dispatch.means[fact];
    sum += value;
    dispatch.facts[fact] = sum / ++count;
  };
  constexpr double kKilobyte = 1024;
  if (name == "TCC_HIT_sum") dispatch.cache_hits += value;
  if (name == "TCC_MISS_sum") dispatch.cache_misses += value;
  if (name == "FETCH_SIZE" || name == "WRITE_SIZE")
    dispatch.facts[kMovedBytes] += value * kKilobyte;
  if (name == "MfmaUtil") mean(kMatrixPercent);
  if (name == "OccupancyPercent") mean(kOccupancyPercent);
  if (name == "SQ_WAVES") dispatch.facts[kWaves] += value;
  if (name == "SQ_INSTS_VALU") dispatch.facts[kVectorInstructions] += value;
  if (name == "SQ_INSTS_SALU") dispatch.facts[kScalarInstructions] += value;
  if (name == "SQ_LDS_BANK_CONFLICT") dispatch.facts[kBankConflicts] += value;
}

using Dispatches = std::map<int64_t, Dispatch>;

Result<Dispatches> read_dispatches(const RocpdFile& file, const std::string& suffix) {
  ASSAY_ASSIGN(const bool has_symbols, has_table(file, "rocpd_info_kernel_symbol" + suffix));
  if (!has_symbols) return error(Code::corrupt, "rocprofv3's file does not name its kernels");
  ASSAY_ASSIGN(
      const Query query,
      file.prepare(fmt::format(
          "SELECT D.event_id, D.id, COALESCE(S.display_name, S.kernel_name), D.\"end\" - D.start, "
          "D.group_segment_size, D.private_segment_size, S.arch_vgpr_count "
          "FROM \"rocpd_kernel_dispatch{0}\" D JOIN \"rocpd_info_kernel_symbol{0}\" S "
          "ON S.id = D.kernel_id",
          suffix)));
  Dispatches dispatches;
  for (size_t rows = 0;; ++rows) {
    ASSAY_ASSIGN(const bool has_row, file.step(query));
    if (!has_row) return dispatches;
    if (rows == kMostDispatches)
      return error(Code::corrupt,
                   fmt::format("rocprofv3's file has more than {} launches", kMostDispatches));
    const bool has_event = sqlite3_column_type(query.get(), 0) != SQLITE_NULL;
    // Nobody counted in those without: their own numbers are behind those of all events.
    const int64_t key = has_event ? sqlite3_column_int64(query.get(), 0)
                                  : -1 - static_cast<int64_t>(dispatches.size());
    Dispatch& dispatch = dispatches[key];
    dispatch.kernel = text_at(query, 2).substr(0, kMostKernelNameBytes);
    dispatch.ns = sqlite3_column_double(query.get(), 3);
    constexpr std::pair<int, const char*> kColumns[] = {
        {4, kSharedBytes}, {5, kScratchBytes}, {6, kRegisters}};
    for (const auto& [column, fact] : kColumns)
      if (sqlite3_column_type(query.get(), column) != SQLITE_NULL)
        dispatch.facts[fact] = sqlite3_column_double(query.get(), column);
  }
}

Status read_counters(const RocpdFile& file, const std::string& suffix, Dispatches& dispatches) {
  for (const char* table : {"rocpd_pmc_event", "rocpd_info_pmc"}) {
    ASSAY_ASSIGN(const bool is_there, has_table(file, table + suffix));
    if (!is_there) return {};  // only times were asked for
  }
  ASSAY_ASSIGN(const Query query,
               file.prepare(fmt::format("SELECT E.event_id, I.name, E.value FROM "
                                        "\"rocpd_pmc_event{0}\" E JOIN \"rocpd_info_pmc{0}\" I "
                                        "ON I.id = E.pmc_id WHERE E.event_id IS NOT NULL",
                                        suffix)));
  for (size_t rows = 0;; ++rows) {
    ASSAY_ASSIGN(const bool has_row, file.step(query));
    if (!has_row) return {};
    if (rows == kMostEvents)
      return error(Code::corrupt,
                   fmt::format("rocprofv3's file has more than {} counts", kMostEvents));
    const auto found = dispatches.find(sqlite3_column_int64(query.get(), 0));
    if (found != dispatches.end())
      add_counter(found->second, text_at(query, 1), sqlite3_column_double(query.get(), 2));
  }
}

const Json* foremost_kernel(const Json& counted) {
  const auto kernels = counted.is_object() ? counted.find("kernels") : counted.end();
  if (!counted.is_object() || kernels == counted.end() || !kernels->is_array() ||
      kernels->empty() || !kernels->front().is_object())
    return nullptr;
  return &kernels->front();
}

}  // namespace

std::vector<std::string> rocprof_counters() {
  return {"SQ_WAVES",    "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_LDS_BANK_CONFLICT",
          "TCC_HIT_sum", "TCC_MISS_sum",  "MfmaUtil"};
}

Result<Json> read_rocprof_output(std::string file) {
  ASSAY_ASSIGN(const std::unique_ptr<RocpdFile> rocpd, RocpdFile::open(std::move(file)));
  ASSAY_ASSIGN(const std::string suffix, suffix_of_tables(*rocpd));
  ASSAY_ASSIGN(Dispatches dispatches, read_dispatches(*rocpd, suffix));
  ASSAY_TRY(read_counters(*rocpd, suffix, dispatches));
  CountedKernels kernels;
  for (auto& [_, dispatch] : dispatches) {
    const double asked = dispatch.cache_hits + dispatch.cache_misses;
    if (asked > 0) dispatch.facts[kCacheHitPercent] = 100 * dispatch.cache_hits / asked;
    kernels[dispatch.kernel].add_launch(dispatch.ns, dispatch.facts);
  }
  Json counted = counted_kernels(kernels);
  if (counted.is_null()) return error(Code::unavailable, "rocprofv3 has seen no kernel");
  return counted;
}

std::string rocprof_in_words(const Json& counted) {
  return kernels_in_words(counted, {.processors = "compute units",
                                    .matrix = "matrix cores",
                                    .shared = "LDS",
                                    .places = "waves"});
}

Json rocprof_metrics(const Json& counted) {
  const Json* kernel = foremost_kernel(counted);
  if (kernel == nullptr) return nullptr;
  auto number = [&](const char* name, double unit = 1) -> Json {
    const auto found = kernel->find(name);
    if (found == kernel->end() || !found->is_number()) return nullptr;
    return found->get<double>() / unit;
  };
  const Json launches = number("launches"), total_ms = number("total_ns", 1e6);
  const bool has_mean = launches.is_number() && total_ms.is_number() && launches.get<double>() >= 1;
  Json hints = Json::array();
  Json only{{"kernels", Json::array({*kernel})}};
  if (std::string words = rocprof_in_words(only); !words.empty()) hints.push_back(std::move(words));
  return {{"kernel_name", kernel->value("name", Json(nullptr))},
          {"duration_ms",
           has_mean ? Json(total_ms.get<double>() / launches.get<double>()) : Json(nullptr)},
          {"l2_cache_hit_rate", number(kCacheHitPercent)},
          {"mfma_utilization_pct", number(kMatrixPercent)},
          {"optimization_hints", std::move(hints)},
          {"raw_metrics",
           {{"min_us", number("least_ns", 1e3)},
            {"max_us", number("most_ns", 1e3)},
            {"stddev_us", number("deviation_ns", 1e3)},
            {"lds_kb", number(kSharedBytes, 1024)},
            {"query_error", nullptr},
            {"dispatch_error", nullptr}}}};
}

}  // namespace assay
