// The fuzz target by whose name this program was called.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

extern "C" {
#define TARGET(name) int name(const uint8_t* data, size_t size);
FUZZ_TARGETS
#undef TARGET
}

namespace {

struct FuzzTarget {
  std::string_view name;
  int (*run)(const uint8_t* data, size_t size);
};
#define TARGET(name) {#name, name},
constexpr FuzzTarget kFuzzTargets[] = {FUZZ_TARGETS};
#undef TARGET

const FuzzTarget* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const auto name = std::filesystem::path(*count > 0 ? **arguments : "").filename().string();
  for (const FuzzTarget& each : kFuzzTargets)
    if (each.name == name) chosen = &each;
  if (chosen) return 0;
  std::fprintf(stderr, "there is no fuzz target '%s'\n", name.c_str());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return chosen->run(data, size);
}
