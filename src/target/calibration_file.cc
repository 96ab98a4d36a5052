#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "target/calibration.h"

namespace assay {
namespace {

constexpr int64_t kCalibrationSchema = 1;
constexpr const char* kMakeAnew = "`assay doctor --calibrate` makes it anew";

// Field names carry the unit: "bytes" of "bytes_per_second".
void add_rate(Json& json, const std::string& unit, const PeakRate& rate) {
  json[unit + "_per_second"] = rate.best;
  json["median_" + unit + "_per_second"] = rate.median;
  json["repetitions"] = rate.repetitions;
  json["kernel"] = rate.kernel;
}

PeakRate read_rate(JsonReader& fields, const std::string& unit) {
  PeakRate rate;
  rate.best = fields.number((unit + "_per_second").c_str());
  rate.median = fields.number(("median_" + unit + "_per_second").c_str());
  const int64_t repetitions = fields.integer("repetitions");
  rate.kernel = fields.text("kernel");
  constexpr double kLeast = 1, kMost = 1e24;  // whatever is beyond is no machine's
  if (!(rate.median >= kLeast && rate.median <= rate.best && rate.best <= kMost))
    fields.fail(fmt::format("'{}_per_second' is no rate", unit));
  if (repetitions < 1 || repetitions > 1 << 20) fields.fail("'repetitions' is no count");
  rate.repetitions = static_cast<int>(repetitions);
  return rate;
}

// Those that are measured: one, and all.
int read_threads(JsonReader& fields, const MachineIdentity& machine) {
  const int64_t threads = fields.integer("threads");
  if (threads == 1 || threads == machine.threads) return static_cast<int>(threads);
  fields.fail("'threads' is neither 1 nor what the machine has");
  return 1;
}

Result<ComputePeak> compute_from_json(const Json& json, const MachineIdentity& machine) {
  JsonReader fields(json, "a peak of a calibration");
  ComputePeak peak;
  peak.dtype = fields.text("dtype");
  peak.threads = read_threads(fields, machine);
  peak.operations = read_rate(fields, "operations");
  ASSAY_TRY(fields.status());
  return peak;
}

Result<MemoryPeak> memory_from_json(const Json& json, const MachineIdentity& machine) {
  JsonReader fields(json, "a bandwidth of a calibration");
  MemoryPeak peak;
  if (auto level = fields.optional_integer("level")) {
    if (std::ranges::find(machine.caches, *level, &CacheLevel::level) == machine.caches.end())
      fields.fail("'level' is none of the machine's caches");
    peak.level = static_cast<int>(*level);
  }
  peak.access = fields.word<Access>("access", kAccessWords);
  peak.threads = read_threads(fields, machine);
  const int64_t footprint = fields.integer("footprint_bytes");
  if (footprint <= 0) fields.fail("'footprint_bytes' is no size");
  peak.footprint_bytes = static_cast<uint64_t>(footprint);
  peak.bytes = read_rate(fields, "bytes");
  ASSAY_TRY(fields.status());
  return peak;
}

// All that bandwidth_at() and operations_per_second() ask for, once.
Status check_whole(const Calibration& calibration) {
  auto incomplete = [](const std::string& what) {
    return error(Code::corrupt, "a calibration has not one figure for " + what, kMakeAnew);
  };
  std::vector<std::optional<int>> levels{std::nullopt};
  for (const CacheLevel& cache : calibration.machine.caches) levels.emplace_back(cache.level);
  for (int threads : {1, calibration.machine.threads}) {
    for (const std::optional<int>& level : levels)
      for (const auto& [access, word] : kAccessWords) {
        const auto count = std::ranges::count_if(calibration.memory, [&](const MemoryPeak& peak) {
          return peak.level == level && peak.access == access && peak.threads == threads;
        });
        if (count == 1) continue;
        return incomplete(fmt::format("{} in {} by {}", word,
                                      level ? fmt::format("L{}", *level) : "main memory",
                                      threads == 1 ? "one thread" : "all threads"));
      }
    for (const ComputePeak& peak : calibration.compute) {
      const auto count = std::ranges::count_if(calibration.compute, [&](const ComputePeak& other) {
        return other.dtype == peak.dtype && other.threads == threads;
      });
      if (count != 1) return incomplete(peak.dtype);
    }
  }
  return {};
}

}  // namespace

std::string identity_of(const Calibration& calibration) {
  constexpr size_t kShown = 12;
  return fmt::format("{} {}", calibration.created,
                     sha256(dump_json(to_json(calibration))).substr(0, kShown));
}

Json to_json(const Calibration& calibration) {
  Json compute = Json::array(), memory = Json::array();
  for (const ComputePeak& peak : calibration.compute) {
    Json json{{"dtype", peak.dtype}, {"threads", peak.threads}};
    add_rate(json, "operations", peak.operations);
    compute.push_back(std::move(json));
  }
  for (const MemoryPeak& peak : calibration.memory) {
    Json json{{"level", peak.level ? Json(*peak.level) : Json()},
              {"access", to_word(kAccessWords, peak.access)},
              {"threads", peak.threads},
              {"footprint_bytes", peak.footprint_bytes}};
    add_rate(json, "bytes", peak.bytes);
    memory.push_back(std::move(json));
  }
  return {{"schema", kCalibrationSchema},   {"assay_version", calibration.assay_version},
          {"created", calibration.created}, {"machine", to_json(calibration.machine)},
          {"compute", std::move(compute)},  {"memory", std::move(memory)}};
}

Result<Calibration> calibration_from_json(const Json& json) {
  JsonReader fields(json, "a calibration");
  if (const int64_t schema = fields.integer("schema"); schema != kCalibrationSchema)
    fields.fail(
        fmt::format("its schema is {}, and this assay reads {}", schema, kCalibrationSchema));
  Calibration calibration;
  calibration.assay_version = fields.text("assay_version");
  calibration.created = fields.text("created");
  const Json& compute = fields.value("compute");
  const Json& memory = fields.value("memory");
  if (!compute.is_array() || !memory.is_array()) fields.fail("'compute' or 'memory' is no list");
  ASSAY_TRY(fields.status());
  ASSAY_ASSIGN(calibration.machine, machine_identity_from_json(fields.value("machine")));
  for (const Json& each : compute) {
    ASSAY_ASSIGN(ComputePeak peak, compute_from_json(each, calibration.machine));
    calibration.compute.push_back(std::move(peak));
  }
  for (const Json& each : memory) {
    ASSAY_ASSIGN(MemoryPeak peak, memory_from_json(each, calibration.machine));
    calibration.memory.push_back(std::move(peak));
  }
  ASSAY_TRY(check_whole(calibration));
  return calibration;
}

std::string calibration_path(const std::string& cache_folder) {
  return join_path(cache_folder, "calibration.json");
}

Result<FoundCalibration> find_calibration(const Disk& disk, const std::string& cache_folder,
                                          const MachineIdentity& now) {
  const std::string path = calibration_path(cache_folder);
  if (!disk.exists(path))
    return FoundCalibration{{}, "this machine is not calibrated: assay doctor --calibrate"};
  ASSAY_ASSIGN(std::string text, disk.read(path));
  auto json = parse_json(text, "'" + path + "'");
  auto calibration = json ? calibration_from_json(*json) : std::unexpected(json.error());
  if (!calibration) {
    Error damaged = std::move(calibration.error());
    damaged.next = kMakeAnew;
    return while_doing(std::move(damaged), "reading '" + path + "'");
  }
  const std::string changed = difference(calibration->machine, now);
  if (!changed.empty())
    return FoundCalibration{
        {},
        fmt::format("the calibration of {} is not of this machine as it is ({}): {}",
                    calibration->created, changed, "assay doctor --calibrate")};
  return FoundCalibration{std::move(*calibration), ""};
}

Status keep_calibration(Disk& disk, const std::string& cache_folder,
                        const Calibration& calibration) {
  ASSAY_TRY(disk.make_directories(cache_folder));
  return disk.write(calibration_path(cache_folder), dump_json(to_json(calibration), 2) + "\n");
}

}  // namespace assay
