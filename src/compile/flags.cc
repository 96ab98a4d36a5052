#include "compile/flags.h"

#include <algorithm>
#include <string_view>

namespace assay {
namespace {

constexpr std::string_view kDefaults[] = {
    "--iree-opt-level=O3",
    // Part of O2 and O3, and not to be trusted in 3.13: on CPUs a sum, scaled in both dimensions of
    // a matrix, comes out wrong; on GPUs some programs do not compile, or compile for minutes.
    "--iree-dispatch-creation-enable-aggressive-fusion=false",
    "--iree-vm-bytecode-module-strip-source-map=true",
    "--iree-llvmcpu-debug-symbols=false",
};

constexpr std::string_view kKeepsDoubles = "--iree-input-demote-f64-to-f32=false";

// A type such as vtensor<[4,5],f64>, or tensor<4x5xf64>. Those of no dimension are numbers of
// Python's, which a program in f32 has many of.
bool has_double_tensors(std::string_view mlir) {
  if (mlir.contains("xf64>")) return true;
  constexpr std::string_view kEnd = "],f64>";
  for (size_t at = mlir.find(kEnd); at != std::string_view::npos; at = mlir.find(kEnd, at + 1))
    if (at > 0 && mlir[at - 1] != '[') return true;
  return false;
}

bool applies(const VersionedFlags& flags, const std::optional<Version>& version) {
  if (!version) return !flags.below;
  return (!flags.since || *version >= *flags.since) && (!flags.below || *version < *flags.below);
}

}  // namespace

std::vector<std::string> resolve_flags(const Target& target, const std::string& iree_version) {
  std::vector<std::string> own = target.flags;
  auto version = parse_version(iree_version);
  for (const VersionedFlags& versioned : target.versioned_flags)
    if (applies(versioned, version)) overlay_flags(own, versioned.flags);
  std::vector<std::string_view> defaults(std::begin(kDefaults), std::end(kDefaults));
  // Otherwise IREE computes in f32 what was asked for in f64.
  if (target.precision == Precision::f64) defaults.emplace_back(kKeepsDoubles);
  std::vector<std::string> flags;
  for (std::string_view standard : defaults) {
    bool set = std::ranges::any_of(
        own, [&](const std::string& flag) { return flag_name(flag) == flag_name(standard); });
    if (!set) flags.emplace_back(standard);
  }
  flags.insert(flags.end(), own.begin(), own.end());
  return flags;
}

void keep_doubles(std::string_view mlir, std::vector<std::string>& flags) {
  bool set = std::ranges::any_of(
      flags, [](const std::string& flag) { return flag_name(flag) == flag_name(kKeepsDoubles); });
  if (!set && has_double_tensors(mlir)) flags.emplace_back(kKeepsDoubles);
}

std::vector<std::string> flags_for(const Target& target, const std::string& iree_version,
                                   std::string_view mlir) {
  std::vector<std::string> flags = resolve_flags(target, iree_version);
  keep_doubles(mlir, flags);
  return flags;
}

void add_flags(Target& target, std::vector<std::string> flags) {
  // For every version, and behind the target's own: these win.
  if (!flags.empty()) target.versioned_flags.push_back({{}, {}, std::move(flags)});
}

void keep_debug_info(Target& target) {
  add_flags(target, {"--iree-vm-bytecode-module-strip-source-map=false",
                     "--iree-llvmcpu-debug-symbols=true"});
}

}  // namespace assay
