// Executables of IREE's, made here by the C compiler: what is called, with what, and what a call
// costs besides.
#include "run/dispatch_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

// Of version 6. One function adds to each element of its result the number of the workgroup and a
// constant, one does nothing, one fails, and one writes what it is told of the CPU.
constexpr const char* kSource = R"c(
#include <stddef.h>
#include <stdint.h>
struct header { uint32_t version; const char* name; uint32_t features, sanitizer; };
struct state { uint32_t sx, sy; uint16_t sz, constant_count; uint32_t x, y; uint16_t z; uint8_t concurrency, binding_count;
  const uint32_t* constants; void* const* bindings; const size_t* lengths; };
struct group { uint32_t x, y; uint16_t z, reserved; uint32_t processor; void* local; uint32_t local_bytes; };
typedef int (*function)(const void*, const struct state*, const struct group*);
struct attributes { uint64_t flags; uint16_t pages; uint8_t constants, bindings; uint32_t sx, sy; uint16_t sz, parameters; uint64_t reserved[5]; };
static int add(const void* e, const struct state* s, const struct group* g) {
  const float* in = s->bindings[0];
  float* out = s->bindings[1];
  if (s->lengths[1] != 64 || !g->local || g->local_bytes < 8192) return 3;
  out[g->x + s->x * g->y] = in[g->x + s->x * g->y] + 100 * g->y + g->x + s->constants[0];
  return 0;
}
static int nothing(const void* e, const struct state* s, const struct group* g) { return 0; }
struct environment { const uint32_t* constants; void* thunk; const void* functions; const void* contexts; uint64_t processor[8]; };
static int cpu(const void* e, const struct state* s, const struct group* g) {
  *(uint64_t*)s->bindings[0] = ((const struct environment*)e)->processor[0];
  return 0;
}
static int fails(const void* e, const struct state* s, const struct group* g) { return 7; }
static const struct header head = {VERSION, "made", 0, 0};
static const function functions[] = {add, nothing, fails, cpu};
static const struct attributes all[] = {{0, 2, 1, 2, 1, 1, 1, 0}, {0, 0, 0, 0, 1, 1, 1, 0}, {0, 0, 0, 0, 1, 1, 1, 0}, {0, 0, 0, 1, 1, 1, 1, 0}};
static const char* const names[] = {"add", "nothing", "fails", "cpu"};
static const struct { const struct header* h; struct { uint32_t count; const char* const* symbols; } imports;
  struct { uint32_t count; const function* f; const struct attributes* a; const void* p; const void* o; const char* const* n; } exports;
} library = {&head, {IMPORTS, 0}, {4, functions, all, 0, 0, names}};
const void* iree_hal_executable_library_query(uint32_t version, const void* environment) { return &library; }
)c";

class DispatchLibraryTest : public testing::Test {
 protected:
  void* made(const std::string& version = "6", const std::string& imports = "0") {
    const std::string source = folder_.path() + "/made.c", library = folder_.path() + "/made.so";
    std::ofstream(source) << kSource;
    const std::string command = "cc -O2 -shared -fPIC -w -DVERSION=" + version +
                                " -DIMPORTS=" + imports + " -o " + library + " " + source;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  static std::string why_not(void* library, const Json& call) {
    const auto found = DispatchLibrary::open(library, call);
    return found ? "" : found.error();
  }

  TemporaryFolder folder_;
};

const Json kNothing{{"function", "nothing"},
                    {"workgroups", {1, 1, 1}},
                    {"constants", Json::array()},
                    {"bindings", Json::array()}};

TEST_F(DispatchLibraryTest, CallsEachWorkgroupWithItsBindings) {
  const Json call{{"function", "add"},
                  {"workgroups", {4, 4, 1}},
                  {"constants", {1000}},
                  {"bindings",
                   {{{"input", 0}, {"offset", 0}, {"bytes", 64}},
                    {{"output", 0}, {"offset", 0}, {"bytes", 64}}}}};
  auto library = DispatchLibrary::open(made(), call);
  ASSERT_TRUE(library) << library.error();
  alignas(64) float in[16], out[16] = {};
  for (int i = 0; i < 16; ++i) in[i] = 0.5F;
  const std::vector<DispatchLibrary::Memory> inputs{{reinterpret_cast<std::byte*>(in), 64}},
      outputs{{reinterpret_cast<std::byte*>(out), 64}};
  const auto bindings = library->bindings(inputs, outputs);
  ASSERT_TRUE(bindings) << bindings.error();
  EXPECT_EQ(library->call(*bindings), 0);
  EXPECT_EQ(out[0], 1000.5F);
  EXPECT_EQ(out[15], 1303.5F);

  EXPECT_FALSE(library->bindings(inputs, {})) << "there is no such result";
  const std::vector<DispatchLibrary::Memory> small{{reinterpret_cast<std::byte*>(out), 60}},
      crooked{{reinterpret_cast<std::byte*>(out) + 4, 64}};
  EXPECT_FALSE(library->bindings(inputs, small));
  EXPECT_EQ(library->bindings(inputs, crooked).error(),
            "a binding of its call does not begin at 64 bytes");
}

#ifdef __x86_64__
// By the runtime's numbers: 15 is AVX2, and 20 AVX-512. Code that chooses by them is as fast as
// where the runtime calls it.
TEST_F(DispatchLibraryTest, SaysWhatTheCpuHas) {
  const Json call{{"function", "cpu"},
                  {"workgroups", {1, 1, 1}},
                  {"constants", Json::array()},
                  {"bindings", {{{"output", 0}, {"offset", 0}, {"bytes", 8}}}}};
  auto library = DispatchLibrary::open(made(), call);
  ASSERT_TRUE(library) << library.error();
  alignas(64) uint64_t bits = 0;
  const auto bindings = library->bindings({}, {{reinterpret_cast<std::byte*>(&bits), 8}});
  ASSERT_TRUE(bindings) << bindings.error();
  EXPECT_EQ(library->call(*bindings), 0);
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string flags;
  while (std::getline(cpuinfo, flags) && !flags.starts_with("flags")) {
  }
  for (auto [name, place] :
       {std::pair{"pni", 0}, {"avx", 10}, {"avx2", 15}, {"avx512f", 20}, {"avx512_vnni", 28}})
    EXPECT_EQ((bits >> place & 1) != 0, (flags + " ").contains(std::string(" ") + name + " "))
        << name;
}
#endif

TEST_F(DispatchLibraryTest, SaysWhyItIsNotCalled) {
  void* library = made();
  Json call = kNothing;
  call["function"] = "other";
  EXPECT_EQ(why_not(library, call), "it has no function other");
  call["function"] = "add";
  EXPECT_EQ(why_not(library, call),
            "its function takes other bindings or constants than its call has");
  call = kNothing;
  call["workgroups"] = {1, 1, 1 << 20};
  EXPECT_EQ(why_not(library, call), "its call is not one that fits");
  EXPECT_EQ(why_not(::dlopen(nullptr, RTLD_NOW), kNothing), "it is no executable of IREE's");
  call["workgroups"] = {1, 1, 1};
  call["function"] = "fails";
  EXPECT_EQ(DispatchLibrary::open(library, call)->call({}), 7);
}

TEST_F(DispatchLibraryTest, RefusesAnotherVersion) {
  EXPECT_EQ(why_not(made("5"), kNothing), "it is not of version 6 of IREE's executables");
}

TEST_F(DispatchLibraryTest, RefusesImports) {
  EXPECT_EQ(why_not(made("6", "2"), kNothing), "it asks for 2 imports");
}

// The least of many: others have the machine, too.
TEST_F(DispatchLibraryTest, AnEmptyCallCostsLittle) {
  auto library = DispatchLibrary::open(made(), kNothing);
  ASSERT_TRUE(library) << library.error();
  const std::vector<void*> bindings;
  double least_ns = 1e9;
  for (int n = 0; n < 50; ++n) {
    constexpr int kCalls = 1000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) (void)library->call(bindings);
    const std::chrono::duration<double, std::nano> all = std::chrono::steady_clock::now() - begin;
    least_ns = std::min(least_ns, all.count() / kCalls);
  }
#ifdef ASSAY_SANITIZED
  constexpr double kMostNs = 2000;  // each access is looked at, and others have the machine, too
#else
  constexpr double kMostNs = 50;
#endif
  EXPECT_LT(least_ns, kMostNs);
}

}  // namespace
}  // namespace assay
