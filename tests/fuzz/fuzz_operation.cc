// What is typed of generated operations, and files of shapes: whatever is read can be generated,
// and is read again from its own words as the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "op/expand.h"
#include "op/shapes.h"

namespace {

void expand_one(const std::string& text, const assay::ReadShapes& read) {
  using namespace assay;
  auto workloads = expand_op(text, read);
  if (!workloads) return;
  if (workloads->empty()) abort();
  const OpWorkload& last = workloads->back();
  auto again = expand_op(last.spelled());
  if (!again || again->size() != 1 || again->front().name() != last.name()) abort();
  if (make_program(*last.operation, last.arguments).python.empty()) abort();
}

}  // namespace

extern "C" int fuzz_operation(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ReadShapes read = [&](const std::string&, bool) -> Result<std::string> { return text; };
  expand_one("op:" + text, read);
  for (const char* name : {"x.csv", "x.json", "x.jsonl", "x.txt"})
    for (const char* operation : {"op:matmul", "op:*"})
      expand_one(std::string(operation) + "[file=" + name + "]", read);
  return 0;
}
