#include <fmt/ranges.h>

#include "base/rows.h"
#include "base/toml_reader.h"
#include "run/emulator.h"
#include "target/target.h"

namespace assay {
namespace {

// Element types that a peak can be given for.
constexpr const char* kPeakTypes[] = {"f64", "f32", "f16", "bf16", "i8"};

// Several targets share the one short message that a compiler's worker gets.
constexpr size_t kMaxFlagBytes = 3000;

constexpr TomlReader::ListOf kFlags{"flag", R"(flags = ["--iree-hal-target-device=local"])",
                                    check_flag};

std::vector<std::string> read_flags(TomlReader& table, bool required) {
  std::vector<std::string> flags = table.texts("flags", kFlags, required);
  size_t bytes = 0;
  for (const std::string& flag : flags) bytes += flag.size();
  if (bytes > kMaxFlagBytes)
    table.fail("flags", fmt::format("the flags are {} bytes long", bytes),
               fmt::format("all together may be {} bytes", kMaxFlagBytes));
  return flags;
}

Peaks read_peaks(TomlReader& table) {
  table.only({"source", "f64", "f32", "f16", "bf16", "i8", "bytes_per_second"});
  Peaks peaks;
  peaks.source = table.text("source", true);
  for (const char* type : kPeakTypes)
    if (auto value = table.number(type)) peaks.operations_per_second[type] = *value;
  peaks.bytes_per_second = table.number("bytes_per_second");
  return peaks;
}

TargetRunner read_runner(TomlReader& table) {
  table.only({"kind", "system", "architecture", "cpu_features", "library", "devices", "package",
              "emulator"});
  TargetRunner runner;
  runner.kind = table.word("kind", kRunnerWords, true).value_or(RunnerKind::none);
  runner.system = table.text("system");
  runner.architecture = table.text("architecture");
  runner.cpu_features = table.texts("cpu_features");
  runner.library = table.text("library");
  runner.devices = table.texts("devices");
  runner.package = table.text("package");
  runner.emulator = table.text("emulator");
  if (!runner.emulator.empty() && find_row(emulators(), runner.emulator) == nullptr)
    table.fail("emulator", "'" + runner.emulator + "' is no emulator that assay knows",
               fmt::format("write one of: {}", fmt::join(names_of(emulators()), ", ")));
  for (const std::string& device : runner.devices)
    if (!device.starts_with('/'))
      table.fail("devices", "'" + device + "' is no absolute path", "begin it with '/'");
  return runner;
}

bool is_identifier(const std::string& name) {
  return name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string::npos;
}

Link read_link(TomlReader& table, const std::string& path) {
  table.only({"compiler", "compiler_flags", "sources", "replace", "package", "imports"});
  Link link;
  link.imports = table.texts("imports");
  link.compiler = table.text("compiler", link.imports.empty());
  link.compiler_flags = table.texts("compiler_flags");
  for (const std::string& source : table.texts("sources"))
    link.sources.push_back(source.starts_with('/') ? source : path_beside(path, source));
  link.replace = table.texts("replace");
  for (const auto& [key, names] : {std::pair{"replace", link.replace}, {"imports", link.imports}})
    for (const std::string& name : names)
      if (!is_identifier(name))
        table.fail(key, "'" + name + "' is no function's name", "for example \"fmaf\"");
  link.package = table.text("package");
  return link;
}

// What its name says of an architecture: "sm_80" and "sm_90a" of NVIDIA's, "gfx942" of AMD's.
bool is_architecture(const std::string& name, GpuKind kind) {
  const std::string_view prefix = kind == GpuKind::cuda ? "sm_" : "gfx";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

Gpu read_gpu(TomlReader& table) {
  table.only({"kind", "architecture", "card", "warp_threads", "shared_bytes", "processors"});
  Gpu gpu;
  gpu.kind = table.word("kind", kGpuKindWords, true).value_or(GpuKind::cuda);
  gpu.architecture = table.text("architecture", true);
  if (!is_architecture(gpu.architecture, gpu.kind))
    table.fail("architecture", "'" + gpu.architecture + "' is no architecture of this kind",
               gpu.kind == GpuKind::cuda ? "for example \"sm_80\"" : "for example \"gfx942\"");
  gpu.card = table.text("card");
  gpu.warp_threads = static_cast<int64_t>(table.number("warp_threads", true).value_or(0));
  if (gpu.warp_threads != 32 && gpu.warp_threads != 64)
    table.fail("warp_threads", "it is neither 32 nor 64",
               "NVIDIA's have 32, AMD's 32 (RDNA) or 64 (CDNA)");
  gpu.shared_bytes = static_cast<uint64_t>(table.number("shared_bytes", true).value_or(0));
  gpu.processors = static_cast<int64_t>(table.number("processors").value_or(0));
  return gpu;
}

std::optional<Version> read_version(TomlReader& table, const char* key) {
  std::string written = table.text(key);
  if (written.empty()) return std::nullopt;
  auto version = parse_version(written);
  if (!version) table.fail(key, "'" + written + "' is no version", "for example \"3.11\"");
  return version;
}

std::vector<VersionedFlags> read_versioned_flags(TomlReader& target) {
  std::vector<VersionedFlags> result;
  for (TomlReader& table : target.tables("flags_by_version")) {
    table.only({"since", "below", "flags"});
    VersionedFlags flags;
    flags.since = read_version(table, "since");
    flags.below = read_version(table, "below");
    flags.flags = read_flags(table, true);
    if (!table.has("since") && !table.has("below"))
      table.fail("flags", "these flags are for every version of IREE",
                 "add since = \"VERSION\" or below = \"VERSION\", or put them into flags");
    result.push_back(std::move(flags));
  }
  return result;
}

}  // namespace

Result<TargetFile> parse_target_file(const std::string& path, std::string_view text) {
  ASSAY_ASSIGN(toml::table table, parse_toml(path, text, "a target"));
  TomlReader::Problem problem{
      .path = path,
      .example = "the target files that come with assay are examples: `assay list targets a100`"};
  TomlReader reader(problem, table, "a target");
  reader.only({"title", "extends", "flags", "flags_by_version", "precision", "peaks", "runner",
               "link", "gpu"});
  TargetFile target;
  target.title = reader.text("title", true);
  target.extends = reader.text("extends");
  target.flags = read_flags(reader, target.extends.empty());
  target.versioned_flags = read_versioned_flags(reader);
  target.precision = reader.word("precision", kPrecisionWords);
  if (auto peaks = reader.table("peaks")) target.peaks = read_peaks(*peaks);
  if (auto runner = reader.table("runner")) target.runner = read_runner(*runner);
  if (auto link = reader.table("link")) target.link = read_link(*link, path);
  if (auto gpu = reader.table("gpu")) target.gpu = read_gpu(*gpu);
  ASSAY_TRY(reader.status());
  return target;
}

}  // namespace assay
