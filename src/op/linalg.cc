#include "op/linalg.h"

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "op/text.h"

namespace assay {
namespace {

// "affine_map<(i, j, k) -> (i, k)>".
std::string map_of(const std::vector<std::string>& loops, const std::vector<std::string>& indices) {
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(loops, ", "), fmt::join(indices, ", "));
}

std::string iterators(size_t parallel, size_t reductions) {
  std::vector<std::string_view> words(parallel, "\"parallel\"");
  words.insert(words.end(), reductions, "\"reduction\"");
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::vector<std::string> numbered_loops(size_t count) {
  std::vector<std::string> loops;
  for (size_t i = 0; i < count; ++i) loops.push_back(fmt::format("i{}", i));
  return loops;
}

// What makes one floating or whole number another one; "": they are of one type.
std::string_view conversion(Dtype from, Dtype to) {
  if (from == to) return "";
  const bool wider = bytes_of(to) > bytes_of(from);
  if (is_floating(from)) return wider ? "arith.extf" : "arith.truncf";
  return wider ? "arith.extsi" : "arith.trunci";
}

// The size at `dimension`, where the program does not know it.
std::string name_of_size(const LinalgValue& value, size_t dimension) {
  return dimension < value.sizes.size() ? value.sizes[dimension] : "";
}

// "tensor<?x97xf16>".
std::string mlir_tensor(const LinalgValue& value) { return mlir_tensor(value.spec, value.sizes); }

// Of each size of the result, what the program calls it: a factor's, where that has a dimension for
// this loop alone.
std::vector<std::string> result_sizes(const SumOfProducts& what, const LinalgValue& a,
                                      const LinalgValue& b) {
  std::map<std::string, std::string> known = what.sizes;
  for (const auto& [indices, value] : {std::pair(&what.a, &a), std::pair(&what.b, &b)})
    for (size_t i = 0; i < indices->size(); ++i)
      known.emplace((*indices)[i], name_of_size(*value, i));
  std::vector<std::string> sizes;
  for (size_t i = 0; i < what.result.size(); ++i) sizes.push_back(known[what.loops[i]]);
  return sizes;
}

// "[[0], [1, 2], [3]]": dimension `at` of `rank` as two.
std::string grouped(size_t rank, size_t at) {
  std::vector<std::string> groups;
  for (size_t i = 0, next = 0; i < rank; ++i, ++next) {
    groups.push_back(i == at ? fmt::format("[{}, {}]", next, next + 1) : fmt::format("[{}]", next));
    if (i == at) ++next;
  }
  return fmt::format("[{}]", fmt::join(groups, ", "));
}

}  // namespace

Dtype sum_type(Dtype factor) {
  if (factor == Dtype::f16 || factor == Dtype::bf16) return Dtype::f32;
  return factor == Dtype::i8 ? Dtype::i32 : factor;
}

LinalgValue LinalgProgram::made(const std::string& statement, TensorSpec spec,
                                std::vector<std::string> sizes) {
  LinalgValue value{fmt::format("%{}", next_++), std::move(spec), std::move(sizes)};
  body_ += fmt::format("  {} = {}\n", value.name, statement);
  return value;
}

LinalgValue LinalgProgram::argument(const TensorSpec& spec) {
  const size_t place = arguments_.size();
  LinalgValue argument{fmt::format("%in{}", place), spec};
  if (place < dynamic_.size() && !dynamic_[place].empty()) {
    argument.sizes.resize(spec.shape.size());
    for (const size_t dimension : dynamic_[place])
      argument.sizes[dimension] = fmt::format("{}_size{}", argument.name, dimension);
    for (const size_t dimension : dynamic_[place])
      body_ += fmt::format(
          "  {0}_at{1} = arith.constant {1} : index\n"
          "  {2} = tensor.dim {0}, {0}_at{1} : {3}\n",
          argument.name, dimension, argument.sizes[dimension], mlir_tensor(argument));
  }
  arguments_.push_back(argument);
  return argument;
}

std::string LinalgProgram::worked_out(const std::string& expression,
                                      const std::vector<SizeOf>& sizes) {
  fmt::dynamic_format_arg_store<fmt::format_context> terms;
  std::vector<std::string> symbols, names;
  for (const SizeOf& each : sizes) {
    const std::string name = name_of_size(each.value, each.dimension);
    if (name.empty()) {
      terms.push_back(std::to_string(each.value.spec.shape[each.dimension]));
      continue;
    }
    symbols.push_back(fmt::format("s{}", symbols.size()));
    names.push_back(name);
    terms.push_back(symbols.back());
  }
  if (names.empty()) return "";
  const std::string text = fmt::vformat(expression, terms);
  return made(fmt::format("affine.apply affine_map<()[{}] -> ({})>()[{}]", fmt::join(symbols, ", "),
                          text, fmt::join(names, ", ")),
              {})
      .name;
}

std::string LinalgProgram::zero(Dtype dtype) {
  return made(fmt::format("arith.constant {} : {}", is_floating(dtype) ? "0.0" : "0",
                          mlir_type(dtype)),
              {dtype, {}, {}})
      .name;
}

LinalgValue LinalgProgram::room(const TensorSpec& spec, const std::vector<std::string>& sizes) {
  std::vector<std::string> names;
  for (const std::string& each : sizes)
    if (!each.empty()) names.push_back(each);
  return made(
      fmt::format("tensor.empty({}) : {}", fmt::join(names, ", "), mlir_tensor(spec, sizes)), spec,
      sizes);
}

LinalgValue LinalgProgram::zeros(const TensorSpec& spec, const std::vector<std::string>& sizes) {
  const std::string element = mlir_type(spec.dtype), nothing = zero(spec.dtype);
  const LinalgValue empty = room(spec, sizes);
  const std::string type = mlir_tensor(empty);
  return made(fmt::format("linalg.fill ins({} : {}) outs({} : {}) -> {}", nothing, element,
                          empty.name, type, type),
              spec, sizes);
}

LinalgValue LinalgProgram::added(const LinalgValue& a, const LinalgValue& b) {
  const std::string type = mlir_tensor(a), element = mlir_type(a.spec.dtype);
  const LinalgValue empty = room(a.spec, a.sizes);
  const std::vector<std::string> loops = numbered_loops(a.spec.shape.size());
  const std::string map = map_of(loops, loops);
  return made(fmt::format("linalg.generic {{\n"
                          "      indexing_maps = [{0}, {0}, {0}],\n"
                          "      iterator_types = {1}}}\n"
                          "      ins({2}, {3} : {4}, {8}) outs({5} : {4}) {{\n"
                          "  ^bb0(%x: {6}, %y: {6}, %old: {6}):\n"
                          "    %sum = arith.{7} %x, %y : {6}\n"
                          "    linalg.yield %sum : {6}\n"
                          "  }} -> {4}",
                          map, iterators(loops.size(), 0), a.name, b.name, type, empty.name,
                          element, is_floating(a.spec.dtype) ? "addf" : "addi", mlir_tensor(b)),
              a.spec, a.sizes);
}

LinalgValue LinalgProgram::sum_of_products(const SumOfProducts& what, const LinalgValue& a,
                                           const LinalgValue& b) {
  const Dtype factor = a.spec.dtype, wide = sum_type(factor);
  const LinalgValue from = zeros({wide, what.result, {}}, result_sizes(what, a, b));
  const std::string narrow = mlir_type(factor), type = mlir_type(wide);
  const std::vector<std::string> result_loops(
      what.loops.begin(), what.loops.begin() + static_cast<long>(what.result.size()));
  const std::string_view widen = conversion(factor, wide);
  std::string text = fmt::format(
      "linalg.generic {{\n"
      "      indexing_maps = [{}, {},\n                       {}],\n"
      "      iterator_types = {}}}\n"
      "      ins({}, {} : {}, {}) outs({} : {}) {{\n"
      "  ^bb0(%x: {}, %y: {}, %sum: {}):\n",
      map_of(what.loops, what.a), map_of(what.loops, what.b), map_of(what.loops, result_loops),
      iterators(what.result.size(), what.loops.size() - what.result.size()), a.name, b.name,
      mlir_tensor(a), mlir_tensor(b), from.name, mlir_tensor(from), narrow, narrow, type);
  if (!widen.empty())
    for (const char* each : {"x", "y"})
      text += fmt::format("    %wide_{0} = {1} %{0} : {2} to {3}\n", each, widen, narrow, type);
  const std::string_view prefix = widen.empty() ? "%" : "%wide_";
  text += fmt::format(
      "    %product = arith.{0} {1}x, {1}y : {2}\n"
      "    %next = arith.{3} %sum, %product : {2}\n"
      "    linalg.yield %next : {2}\n"
      "  }} -> {4}",
      is_floating(wide) ? "mulf" : "muli", prefix, type, is_floating(wide) ? "addf" : "addi",
      mlir_tensor(from));
  return made(text, from.spec, from.sizes);
}

LinalgValue LinalgProgram::sum_of_first(const LinalgValue& value) {
  std::vector<int64_t> rest(value.spec.shape.begin() + 1, value.spec.shape.end());
  std::vector<std::string> sizes;
  for (size_t i = 1; i < value.spec.shape.size(); ++i) sizes.push_back(name_of_size(value, i));
  const LinalgValue start = zeros({value.spec.dtype, rest, {}}, sizes);
  const std::string type = mlir_type(value.spec.dtype);
  // Loops of the result first, as everywhere: the summed one is the last.
  const std::vector<std::string> kept = numbered_loops(rest.size());
  std::vector<std::string> loops = kept, places{"s"};
  loops.emplace_back("s");
  places.insert(places.end(), kept.begin(), kept.end());
  return made(
      fmt::format("linalg.generic {{\n"
                  "      indexing_maps = [{}, {}],\n"
                  "      iterator_types = {}}}\n"
                  "      ins({} : {}) outs({} : {}) {{\n"
                  "  ^bb0(%x: {}, %sum: {}):\n"
                  "    %next = arith.{} %sum, %x : {}\n"
                  "    linalg.yield %next : {}\n"
                  "  }} -> {}",
                  map_of(loops, places), map_of(loops, kept), iterators(rest.size(), 1), value.name,
                  mlir_tensor(value), start.name, mlir_tensor(start), type, type,
                  is_floating(value.spec.dtype) ? "addf" : "addi", type, type, mlir_tensor(start)),
      start.spec, start.sizes);
}

LinalgValue LinalgProgram::converted(const LinalgValue& value, Dtype dtype) {
  if (value.spec.dtype == dtype) return value;
  const TensorSpec spec{dtype, value.spec.shape, {}};
  const LinalgValue empty = room(spec, value.sizes);
  const std::vector<std::string> loops = numbered_loops(spec.shape.size());
  const std::string map = map_of(loops, loops);
  const std::string from = mlir_type(value.spec.dtype), to = mlir_type(dtype);
  return made(fmt::format("linalg.generic {{\n"
                          "      indexing_maps = [{}, {}],\n"
                          "      iterator_types = {}}}\n"
                          "      ins({} : {}) outs({} : {}) {{\n"
                          "  ^bb0(%x: {}, %old: {}):\n"
                          "    %y = {} %x : {} to {}\n"
                          "    linalg.yield %y : {}\n"
                          "  }} -> {}",
                          map, map, iterators(loops.size(), 0), value.name, mlir_tensor(value),
                          empty.name, mlir_tensor(empty), from, to,
                          conversion(value.spec.dtype, dtype), from, to, to, mlir_tensor(empty)),
              spec, value.sizes);
}

LinalgValue LinalgProgram::padded(const LinalgValue& value, const std::vector<int64_t>& by) {
  TensorSpec spec = value.spec;
  bool grows = false;
  for (size_t i = 0; i < by.size(); ++i) {
    spec.shape[i] += 2 * by[i];
    grows |= by[i] != 0;
  }
  if (!grows) return value;
  const std::string nothing = zero(spec.dtype);
  std::vector<std::string> sizes = value.sizes;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!sizes[i].empty() && by[i] != 0)
      sizes[i] = worked_out(fmt::format("{{0}} + {}", 2 * by[i]), {{value, i}});
  std::vector<std::string> indices;
  for (size_t i = 0; i < by.size(); ++i) indices.push_back(fmt::format("%i{}: index", i));
  return made(fmt::format("tensor.pad {0} low[{1}] high[{1}] {{\n"
                          "  ^bb0({2}):\n"
                          "    tensor.yield {3} : {4}\n"
                          "  }} : {5} to {6}",
                          value.name, fmt::join(by, ", "), fmt::join(indices, ", "), nothing,
                          mlir_type(spec.dtype), mlir_tensor(value), mlir_tensor(spec, sizes)),
              spec, sizes);
}

LinalgValue LinalgProgram::split(const LinalgValue& value, size_t at, int64_t outer) {
  const auto place = static_cast<long>(at);
  LinalgValue split = value;
  split.spec.shape[at] /= outer;
  split.spec.shape.insert(split.spec.shape.begin() + place, outer);
  if (!split.sizes.empty()) {
    split.sizes[at] = worked_out(fmt::format("{{0}} floordiv {}", outer), {{value, at}});
    split.sizes.insert(split.sizes.begin() + place, "");
  }
  std::vector<std::string> shape;
  for (size_t i = 0; i < split.spec.shape.size(); ++i)
    shape.push_back(name_of_size(split, i).empty() ? std::to_string(split.spec.shape[i])
                                                   : split.sizes[i]);
  return made(fmt::format("tensor.expand_shape {} {} output_shape [{}] : {} into {}", value.name,
                          grouped(value.spec.shape.size(), at), fmt::join(shape, ", "),
                          mlir_tensor(value), mlir_tensor(split)),
              split.spec, split.sizes);
}

LinalgValue LinalgProgram::joined(const LinalgValue& value, size_t at) {
  const auto place = static_cast<long>(at);
  LinalgValue joined = value;
  joined.spec.shape[at + 1] *= joined.spec.shape[at];
  joined.spec.shape.erase(joined.spec.shape.begin() + place);
  if (!joined.sizes.empty()) {
    // One of the two is known: an affine expression multiplies by no other.
    if (!value.sizes[at + 1].empty())
      joined.sizes[at + 1] =
          worked_out(fmt::format("{{0}} * {}", value.spec.shape[at]), {{value, at + 1}});
    joined.sizes.erase(joined.sizes.begin() + place);
  }
  return made(
      fmt::format("tensor.collapse_shape {} {} : {} into {}", value.name,
                  grouped(joined.spec.shape.size(), at), mlir_tensor(value), mlir_tensor(joined)),
      joined.spec, joined.sizes);
}

std::string LinalgProgram::returning(const LinalgValue& result) const {
  std::vector<std::string> parameters;
  for (const LinalgValue& each : arguments_)
    parameters.push_back(each.name + ": " + mlir_tensor(each));
  return fmt::format("func.func @main({0}) -> {1} {{\n{2}  return {3} : {1}\n}}\n",
                     fmt::join(parameters, ", "), mlir_tensor(result), body_, result.name);
}

}  // namespace assay
