// What the tests of a kernel leave, as whole trees, and how two of them differ.
// python/assay_worker/result_tree.py writes them, in the candidate's own process: hostile bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "workload/suite_task.h"

namespace assay {

// A type of elements, as torch and numpy call it.
struct ElementType {
  enum class Kind { floating, complex, whole, boolean, narrow };
  std::string_view name;
  Kind kind = Kind::floating;
  uint64_t bytes = 4;
};
// Null: it is none that is known.
const ElementType* element_type(std::string_view name);

struct ResultNode {
  enum class Kind { none, boolean, whole, number, text, other, tensor, list, tuple, dict };
  Kind kind = Kind::none;
  bool boolean = false;
  double number = 0;
  std::string text;  // also the digits of a whole number, and what another thing's type is
  const ElementType* type = nullptr;
  std::vector<int64_t> shape;
  std::string_view bytes;         // of a tensor's elements
  std::string key;                // in a dict: its own
  std::vector<ResultNode> parts;  // of lists, tuples and dicts
};

struct ResultTree {
  std::shared_ptr<const std::string> written;  // which the elements lie in
  ResultNode root;
};

// One line of JSON, and behind it the bytes of all tensors. Fails on anything else.
Result<ResultTree> read_result_tree(std::string written);

// How much of what is compared says something.
struct ResultCount {
  uint64_t tensors = 0;  // with an element
  uint64_t values = 0;   // numbers, those of tensors among them
  uint64_t numbers = 0;  // floats of Python's, by themselves
  uint64_t flags = 0;    // true and false, by themselves
  bool narrow = false;   // there are types that nothing here computes as devices do
};
ResultCount count_of(const ResultNode& node);

enum class Differs { parts, type, shape, non_finite, value };

struct ResultDifference {
  Differs how = Differs::value;
  std::string where{};  // "['test_case_1'][0]"; "" of the whole
  std::string why{};
  // What they differ by says nothing: the suite's own results cannot be told from others.
  bool is_opaque = false;
};

// Of the elements of two tensors that are of one type and shape, or of two floats of Python's.
using CompareElements = std::function<std::optional<ResultDifference>(
    const ResultNode& expected, const ResultNode& found, bool is_nested)>;

// The first place in which they are not the same: keys, types, lengths, shapes, types of elements
// and values, wherever they stand.
std::optional<ResultDifference> compare_trees(const ResultNode& expected, const ResultNode& found,
                                              const CompareElements& elements);

// Of the parts of two dicts, by key: the first place of each in which they are not the same.
std::map<std::string, ResultDifference> parts_that_differ(const ResultNode& expected,
                                                          const ResultNode& found,
                                                          const CompareElements& elements);

// All suites compare by allclose() or assert_close(), to which no NaN is the same as another, and
// what is no tensor by ==.
struct Strictness {
  bool nan_agrees = false;       // with a NaN in the same place
  bool takes_tolerance = false;  // for floats of Python's, as for a tensor of one
};

// As the suite does it, everywhere.
CompareElements as_suites_do(const SuiteTolerance& tolerance, Strictness strictness = {});
// By what the type of elements can tell, beside what is usual in the tensor.
CompareElements as_types_allow();

}  // namespace assay
