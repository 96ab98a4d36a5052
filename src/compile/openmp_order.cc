#include "compile/openmp_order.h"

#include <algorithm>
#include <array>

namespace assay {

const char* const kOpenmpOrder = R"(#define _GNU_SOURCE
#include <dlfcn.h>

#ifdef __cplusplus
#define FROM_C extern "C" __attribute__((no_sanitize_thread))
#else
#define FROM_C __attribute__((no_sanitize_thread))
#endif

#ifdef __cplusplus
extern "C" {
#endif
void __tsan_acquire(void* mark);
void __tsan_release(void* mark);
#ifdef __cplusplus
}
#endif

static char begun, ended, met, inside;

typedef void (*Body)(void*);
struct Region { Body body; void* data; };

FROM_C void assay_region(void* of) {
  struct Region* region = (struct Region*)of;
  __tsan_acquire(&begun);
  region->body(region->data);
  __tsan_release(&ended);
}

/* TYPES and NAMES are what follows body and data, the number of threads first. */
#define REGION(NAME, TYPES, NAMES)                                            \
  FROM_C void NAME TYPES {                                                    \
    typedef void (*Real) TYPES;                                               \
    struct Region region = {body, data};                                      \
    Real real = (Real)dlsym(RTLD_NEXT, #NAME);                                \
    body = assay_region;                                                      \
    data = &region;                                                           \
    __tsan_release(&begun);                                                   \
    real NAMES;                                                               \
    __tsan_acquire(&ended);                                                   \
  }

REGION(GOMP_parallel, (Body body, void* data, unsigned threads, unsigned flags),
       (body, data, threads, flags))
REGION(GOMP_parallel_sections,
       (Body body, void* data, unsigned threads, unsigned count, unsigned flags),
       (body, data, threads, count, flags))

#define LOOP(NAME)                                                            \
  REGION(NAME, (Body body, void* data, unsigned threads, long first, long end, long step,  \
                long chunk, unsigned flags),                                  \
         (body, data, threads, first, end, step, chunk, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define MEETING(NAME)                                                         \
  FROM_C void NAME(void) {                                                    \
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, #NAME);             \
    __tsan_release(&met);                                                     \
    real();                                                                   \
    __tsan_acquire(&met);                                                     \
  }
MEETING(GOMP_barrier)
MEETING(GOMP_loop_end)
MEETING(GOMP_sections_end)

#define ENTRY(NAME)                                                           \
  FROM_C void NAME(void) {                                                    \
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, #NAME);             \
    real();                                                                   \
    __tsan_acquire(&inside);                                                  \
  }
#define EXIT(NAME)                                                            \
  FROM_C void NAME(void) {                                                    \
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, #NAME);             \
    __tsan_release(&inside);                                                  \
    real();                                                                   \
  }
ENTRY(GOMP_critical_start)
EXIT(GOMP_critical_end)
ENTRY(GOMP_atomic_start)
EXIT(GOMP_atomic_end)

#define LOCK(KIND)                                                            \
  FROM_C void omp_set_##KIND(void* lock) {                                    \
    ((void (*)(void*))dlsym(RTLD_NEXT, "omp_set_" #KIND))(lock);              \
    __tsan_acquire(lock);                                                     \
  }                                                                           \
  FROM_C int omp_test_##KIND(void* lock) {                                    \
    int taken = ((int (*)(void*))dlsym(RTLD_NEXT, "omp_test_" #KIND))(lock);  \
    if (taken) __tsan_acquire(lock);                                          \
    return taken;                                                             \
  }                                                                           \
  FROM_C void omp_unset_##KIND(void* lock) {                                  \
    __tsan_release(lock);                                                     \
    ((void (*)(void*))dlsym(RTLD_NEXT, "omp_unset_" #KIND))(lock);            \
  }
LOCK(lock)
LOCK(nest_lock)

FROM_C void GOMP_critical_name_start(void** name) {
  void (*real)(void**) = (void (*)(void**))dlsym(RTLD_NEXT, "GOMP_critical_name_start");
  real(name);
  __tsan_acquire(name);
}
FROM_C void GOMP_critical_name_end(void** name) {
  void (*real)(void**) = (void (*)(void**))dlsym(RTLD_NEXT, "GOMP_critical_name_end");
  __tsan_release(name);
  real(name);
}
)";

std::string unknown_openmp(std::span<const std::string> symbols) {
  // Those that order nothing: which part of a loop comes next, and ends without a barrier.
  constexpr std::array<std::string_view, 3> kWithoutOrder{"_next", "_end_nowait", "_start"};
  for (const std::string& versioned : symbols) {
    const std::string symbol = versioned.substr(0, versioned.find('@'));
    if (!symbol.starts_with("GOMP_") || symbol == "GOMP_single_start") continue;
    const bool is_loop = symbol.starts_with("GOMP_loop_") || symbol.starts_with("GOMP_sections_");
    const bool orders_nothing = std::ranges::any_of(
        kWithoutOrder, [&](std::string_view end) { return symbol.ends_with(end); });
    if (!is_loop || !orders_nothing) return symbol;
  }
  return "";
}

}  // namespace assay
