#include "search/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/units.h"
#include "target/availability.h"

namespace assay {
namespace {

// More than any cache holds.
constexpr uint64_t kFarBytes = uint64_t{64} << 30;

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// "1.3 T", "95 G": of operations or bytes a second.
std::string rate(double value) {
  if (value >= 1e12) return fmt::format("{:.3g} T", value / 1e12);
  return fmt::format("{:.3g} G", value / 1e9);
}

std::string cores_in_words(int count, int threads) {
  return fmt::format("{} core{}; a kernel may use {} thread{}", count, count == 1 ? "" : "s",
                     threads, threads == 1 ? "" : "s");
}

// As wide as its registers are, by the names that Linux has for features.
std::string vectors_in_words(const std::vector<std::string>& features) {
  auto has = [&](const char* name) { return std::ranges::find(features, name) != features.end(); };
  std::vector<std::string> also;
  struct Named {
    const char *feature, *name;
  };
  for (const Named& each : {Named{"fma", "FMA"},
                            {"f16c", "F16C"},
                            {"avx512_vnni", "VNNI"},
                            {"avx512_bf16", "BF16"},
                            {"avx512_fp16", "FP16"},
                            {"amx_bf16", "AMX"},
                            {"asimdhp", "FP16"},
                            {"bf16", "BF16"}})
    if (has(each.feature)) also.emplace_back(each.name);
  const std::string more = also.empty() ? "" : ", with " + joined(also, ", ");
  if (has("avx512f")) return "512 bits: 32 registers of 16 floats (AVX-512)" + more;
  if (has("avx2")) return "256 bits: 16 registers of 8 floats (AVX2)" + more;
  if (has("sve")) return "SVE, and 128 bits: 32 registers of 4 floats (NEON)" + more;
  if (has("asimd")) return "128 bits: 32 registers of 4 floats (NEON)" + more;
  if (has("sse2")) return "128 bits: 16 registers of 4 floats (SSE)" + more;
  return "not known";
}

std::string caches_in_words(const std::vector<CacheLevel>& caches) {
  std::vector<std::string> parts;
  for (const CacheLevel& cache : caches)
    parts.push_back(fmt::format("L{} {}{}", cache.level, format_bytes(cache.bytes),
                                cache.shared_by && *cache.shared_by > 1
                                    ? fmt::format(" shared by {} cores", *cache.shared_by)
                                    : ""));
  return joined(parts, ", ");
}

std::string balance_in_words(double operations, double bytes) {
  return fmt::format(
      "- What does fewer than about {:.2g} operations for each byte of main memory is limited by "
      "memory.",
      operations / bytes);
}

void add_measured(std::vector<std::string>& lines, const Calibration& calibration,
                  const std::vector<CacheLevel>& caches, int threads) {
  std::vector<std::string> peaks, rates;
  for (const char* dtype : {"f32", "f64", "bf16", "f16", "i8"})
    if (auto peak = calibration.operations_per_second(dtype, threads))
      peaks.push_back(fmt::format("{}/s in {}", rate(*peak) + "FLOP", dtype));
  for (const CacheLevel& cache : caches)
    rates.push_back(fmt::format(
        "{}B/s from L{}", rate(calibration.bandwidth_at(cache.bytes / 2, threads)), cache.level));
  const double far = calibration.bandwidth_at(kFarBytes, threads);
  rates.push_back(rate(far) + "B/s from main memory");
  lines.push_back(fmt::format("- Measured here, with {} thread{}, at most: {}.", threads,
                              threads == 1 ? "" : "s", joined(peaks, ", ")));
  lines.push_back("- Read and written together, at most: " + joined(rates, ", ") + ".");
  if (auto peak = calibration.operations_per_second("f32", threads); peak && far > 0)
    lines.push_back(balance_in_words(*peak, far));
}

void add_gpu(std::vector<std::string>& lines, const Target& target) {
  const Gpu& gpu = *target.gpu;
  lines.push_back(
      fmt::format("- Architecture {}; threads go in step by {}; a block shares at most "
                  "{} of memory.",
                  gpu.architecture, gpu.warp_threads, format_bytes(gpu.shared_bytes)));
  if (gpu.processors > 0)
    lines.push_back(fmt::format("- {} {}: fewer blocks than that leave some idle.", gpu.processors,
                                gpu.kind == GpuKind::cuda ? "multiprocessors" : "compute units"));
  if (!target.peaks) return;
  std::vector<std::string> peaks;
  for (const auto& [dtype, peak] : target.peaks->operations_per_second)
    peaks.push_back(fmt::format("{}{}/s in {}", rate(peak), dtype == "i8" ? "OP" : "FLOP", dtype));
  if (!peaks.empty()) lines.push_back("- By its data sheet, at most: " + joined(peaks, ", ") + ".");
  if (!target.peaks->bytes_per_second) return;
  lines.push_back(fmt::format("- Its memory: {}B/s.", rate(*target.peaks->bytes_per_second)));
  auto f32 = target.peaks->operations_per_second.find("f32");
  if (f32 != target.peaks->operations_per_second.end())
    lines.push_back(balance_in_words(f32->second, *target.peaks->bytes_per_second));
}

}  // namespace

std::string target_sheet(const Target& target, const Machine& machine,
                         const MachineIdentity& identity, const Calibration* calibration,
                         int threads) {
  std::vector<std::string> lines{"- " + target.title + "."};
  if (target.gpu) {
    add_gpu(lines, target);
  } else if (runs_on_this_cpu(target, machine)) {
    lines[0] = fmt::format("- CPU: {}, {}.", identity.cpu,
                           cores_in_words(static_cast<int>(identity.cores.size()), threads));
    lines.push_back("- Vectors: " + vectors_in_words(cpu_features(machine.disk())) + ".");
    if (!identity.caches.empty())
      lines.push_back("- Caches of a core: " + caches_in_words(identity.caches) +
                      ". Lines have 64 bytes.");
    if (calibration != nullptr) add_measured(lines, *calibration, identity.caches, threads);
  }
  return joined(lines, "\n");
}

}  // namespace assay
