#include "measure/resolution_file.h"

#include "base/json.h"
#include "base/places.h"

namespace assay {
namespace {

constexpr const char* kResolutionFile = "resolution.json";
constexpr int64_t kSchemaOfResolution = 1;

Result<KeptResolution> read_resolution(const std::string& text, const MachineIdentity& machine) {
  ASSAY_ASSIGN(Json json, parse_json(text, kResolutionFile));
  JsonReader reader(json, kResolutionFile);
  KeptResolution found;
  if (reader.integer("schema") != kSchemaOfResolution) reader.fail("'schema' is another one");
  found.created = reader.text("created");
  found.smallest = reader.number("smallest");
  found.call_ns = reader.integer("call_ns");
  if (!(found.smallest > 0 && found.smallest < 100)) reader.fail("'smallest' is no share");
  const Json& of = reader.value("machine");
  ASSAY_TRY(reader.status());
  ASSAY_ASSIGN(const MachineIdentity then, machine_identity_from_json(of));
  if (then != machine) return error(Code::not_found, "it is of another machine");
  return found;
}

}  // namespace

Status keep_resolution(Disk& disk, const std::string& cache_folder, const MachineIdentity& machine,
                       const KeptResolution& found) {
  ASSAY_TRY(disk.make_directories(cache_folder));
  return disk.write(join_path(cache_folder, kResolutionFile),
                    dump_json({{"schema", kSchemaOfResolution},
                               {"created", found.created},
                               {"smallest", found.smallest},
                               {"call_ns", found.call_ns},
                               {"machine", to_json(machine)}},
                              1) +
                        "\n");
}

std::optional<KeptResolution> find_resolution(const Disk& disk, const std::string& cache_folder,
                                              const MachineIdentity& machine) {
  auto text = disk.read(join_path(cache_folder, kResolutionFile));
  if (!text) return std::nullopt;
  auto found = read_resolution(*text, machine);
  return found ? std::optional(*std::move(found)) : std::nullopt;
}

std::optional<KeptResolution> resolution_of_this_machine() {
  auto folder = find_cache_folder();
  if (!folder) return std::nullopt;
  return find_resolution(system_disk(), *folder, identity_of_this_machine());
}

}  // namespace assay
