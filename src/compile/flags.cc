#include "compile/flags.h"

#include <algorithm>
#include <string_view>

namespace assay {
namespace {

constexpr std::string_view kDefaults[] = {
    "--iree-opt-level=O3",
    "--iree-vm-bytecode-module-strip-source-map=true",
    "--iree-llvmcpu-debug-symbols=false",
};

std::string_view flag_name(std::string_view flag) { return flag.substr(0, flag.find('=')); }

}  // namespace

std::vector<std::string> resolve_flags(const Target& target) {
  std::vector<std::string> flags;
  for (std::string_view standard : kDefaults) {
    bool set = std::ranges::any_of(target.flags, [&](const std::string& flag) {
      return flag_name(flag) == flag_name(standard);
    });
    if (!set) flags.emplace_back(standard);
  }
  flags.insert(flags.end(), target.flags.begin(), target.flags.end());
  return flags;
}

Status set_flag(Target& target, const std::string& flag) {
  ASSAY_TRY(check_flag(flag));
  std::erase_if(target.flags,
                [&](const std::string& other) { return flag_name(other) == flag_name(flag); });
  target.flags.push_back(flag);
  return {};
}

void keep_debug_info(Target& target) {
  for (const char* flag :
       {"--iree-vm-bytecode-module-strip-source-map=false", "--iree-llvmcpu-debug-symbols=true"})
    (void)set_flag(target, flag);  // both are flags
}

}  // namespace assay
