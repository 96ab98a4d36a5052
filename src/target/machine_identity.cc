#include "target/machine_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include "base/cores.h"
#include "base/hash.h"
#include "base/units.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

std::string in_words(const std::vector<CacheLevel>& caches) {
  std::vector<std::string> all;
  for (const CacheLevel& cache : caches)
    all.push_back(fmt::format("L{} {}", cache.level, exact_bytes(cache.bytes)));
  return all.empty() ? "unknown" : fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

MachineIdentity identity_of_this_machine() {
  const Disk& disk = system_disk();
  utsname system{};
  ::uname(&system);
  const std::vector<int> cores = cores_of_this_thread();
  return {cpu_model(disk),    sha256(host_cpu_identity(disk)), system.release, cores,
          usable_cores(disk), cache_levels_of_this_machine()};
}

std::string difference(const MachineIdentity& then, const MachineIdentity& now) {
  auto changed = [](std::string_view what, const auto& was, const auto& is) {
    return fmt::format("{} {}, and now {}", what, was, is);
  };
  if (then.cpu != now.cpu) return changed("the CPU was", then.cpu, now.cpu);
  if (then.cpu_sha256 != now.cpu_sha256) return "what the CPU can do has changed";
  if (then.kernel != now.kernel) return changed("the kernel was", then.kernel, now.kernel);
  if (then.cores != now.cores)
    return changed("the cores were", fmt::format("{}", fmt::join(then.cores, ",")),
                   fmt::format("{}", fmt::join(now.cores, ",")));
  if (then.threads != now.threads)
    return changed("cores to keep busy were", then.threads, now.threads);
  if (then.caches != now.caches)
    return changed("the caches were", in_words(then.caches), in_words(now.caches));
  return "";
}

Json to_json(const MachineIdentity& machine) {
  Json caches = Json::array();
  for (const CacheLevel& cache : machine.caches)
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"shared_by", cache.shared_by ? Json(*cache.shared_by) : Json()}});
  return {{"cpu", machine.cpu},         {"cpu_sha256", machine.cpu_sha256},
          {"kernel", machine.kernel},   {"cores", machine.cores},
          {"threads", machine.threads}, {"caches", std::move(caches)}};
}

Result<MachineIdentity> machine_identity_from_json(const Json& json) {
  JsonReader fields(json, "the machine of a calibration");
  MachineIdentity machine;
  machine.cpu = fields.text("cpu");
  machine.cpu_sha256 = fields.text("cpu_sha256");
  machine.kernel = fields.text("kernel");
  const int64_t threads = fields.integer("threads");
  const Json& cores = fields.value("cores");
  const Json& caches = fields.value("caches");
  if (threads < 1 || threads > 1 << 20) fields.fail("'threads' is no count of them");
  if (!cores.is_array() || !caches.is_array()) fields.fail("'cores' or 'caches' is no list");
  ASSAY_TRY(fields.status());
  machine.threads = static_cast<int>(threads);
  for (const Json& core : cores) {
    if (!core.is_number_integer() || core < 0 || core > 1 << 20)
      return error(Code::corrupt, "the machine of a calibration: 'cores' holds what is no core");
    machine.cores.push_back(core.get<int>());
  }
  for (const Json& each : caches) {
    JsonReader cache(each, "a cache of a calibration's machine");
    const int64_t level = cache.integer("level"), bytes = cache.integer("bytes");
    const auto shared_by = cache.optional_integer("shared_by");
    const int before = machine.caches.empty() ? 0 : machine.caches.back().level;
    if (level <= before || level > 9) cache.fail("'level' is not above the one before");
    if (bytes <= 0) cache.fail("'bytes' is no size");
    if (shared_by && (*shared_by < 1 || *shared_by > 1 << 20))
      cache.fail("'shared_by' is no count");
    ASSAY_TRY(cache.status());
    machine.caches.push_back(
        {static_cast<int>(level), static_cast<uint64_t>(bytes),
         shared_by ? std::optional(static_cast<int>(*shared_by)) : std::nullopt});
  }
  return machine;
}

}  // namespace assay
