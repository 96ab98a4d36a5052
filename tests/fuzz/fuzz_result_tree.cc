// What tests of a kernel leave, as a candidate's process writes it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "verify/result_tree.h"

extern "C" int fuzz_result_tree(const uint8_t* data, size_t size) {
  using namespace assay;
  auto tree = read_result_tree({reinterpret_cast<const char*>(data), size});
  if (!tree) return 0;
  const ResultCount count = count_of(tree->root);
  if (count.tensors > count.values) abort();
  SuiteTolerance tolerance{.bare = {1e-2, 1e-1}, .nested = {1e-3, 1e-3}};
  (void)compare_trees(tree->root, tree->root, as_suites_do(tolerance));  // no NaN is itself
  for (const CompareElements& elements :
       {as_suites_do(tolerance, {.nan_agrees = true}), as_types_allow()}) {
    auto differs = compare_trees(tree->root, tree->root, elements);
    if (differs && !differs->is_opaque && differs->how != Differs::parts) abort();
  }
  return 0;
}
