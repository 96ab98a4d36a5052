// Files of public suites of kernels with tests, and what these say of their kernels beside them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "workload/arena_task.h"
#include "workload/suite_format.h"

extern "C" int fuzz_suite(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (auto parts = split_suite_file(text, "f"))
    if (parts->kernel.size() + parts->tests.size() > size) abort();
  const Json list = read_suite_list(text);
  if (!list.is_null() && !list.is_object()) abort();
  const Json facts = facts_for(list, std::string(text.substr(0, 64)));
  if (!facts.is_null() && !facts.is_object()) abort();
  if (asked_in(text).size() > size) abort();
  const SuiteName name = suite_name_of(text);
  if (name.path.size() + name.tests.size() > size) abort();
  if (auto task = read_suite_file(text, "f", list, "f"))
    if (task->results.empty() || task->format.empty()) abort();
  if (auto task = read_arena_task(text, "f"))
    if (task->sources.empty()) abort();
  return 0;
}
