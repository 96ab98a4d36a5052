#include "op/linalg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "op/text.h"

namespace assay {
namespace {

// "affine_map<(i, j, k) -> (i, k)>".
std::string map_of(const std::vector<std::string>& loops, std::string_view indices) {
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(loops, ", "), indices);
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

LinalgValue LinalgProgram::made(const std::string& statement, TensorSpec spec) {
  LinalgValue value{fmt::format("%{}", next_++), std::move(spec)};
  body_ += fmt::format("  {} = {}\n", value.name, statement);
  return value;
}

LinalgValue LinalgProgram::argument(const TensorSpec& spec) {
  arguments_.push_back({fmt::format("%in{}", arguments_.size()), spec});
  return arguments_.back();
}

std::string LinalgProgram::zero(Dtype dtype) {
  return made(fmt::format("arith.constant {} : {}", is_floating(dtype) ? "0.0" : "0",
                          mlir_type(dtype)),
              {dtype, {}, {}})
      .name;
}

LinalgValue LinalgProgram::zeros(const TensorSpec& spec) {
  const std::string type = mlir_tensor(spec), element = mlir_type(spec.dtype);
  const std::string nothing = zero(spec.dtype);
  LinalgValue room = made("tensor.empty() : " + type, spec);
  return made(fmt::format("linalg.fill ins({} : {}) outs({} : {}) -> {}", nothing, element,
                          room.name, type, type),
              spec);
}

LinalgValue LinalgProgram::added(const LinalgValue& a, const LinalgValue& b) {
  const std::string type = mlir_tensor(a.spec), element = mlir_type(a.spec.dtype);
  const LinalgValue room = made("tensor.empty() : " + type, a.spec);
  const std::vector<std::string> loops = numbered_loops(a.spec.shape.size());
  const std::string map = map_of(loops, fmt::format("{}", fmt::join(loops, ", ")));
  return made(fmt::format("linalg.generic {{\n"
                          "      indexing_maps = [{0}, {0}, {0}],\n"
                          "      iterator_types = {1}}}\n"
                          "      ins({2}, {3} : {4}, {4}) outs({5} : {4}) {{\n"
                          "  ^bb0(%x: {6}, %y: {6}, %old: {6}):\n"
                          "    %sum = arith.{7} %x, %y : {6}\n"
                          "    linalg.yield %sum : {6}\n"
                          "  }} -> {4}",
                          map, iterators(loops.size(), 0), a.name, b.name, type, room.name, element,
                          is_floating(a.spec.dtype) ? "addf" : "addi"),
              a.spec);
}

LinalgValue LinalgProgram::sum_of_products(const SumOfProducts& what, const LinalgValue& a,
                                           const LinalgValue& b) {
  const Dtype factor = a.spec.dtype, wide = sum_type(factor);
  const LinalgValue from = zeros({wide, what.result, {}});
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
      map_of(what.loops, what.a), map_of(what.loops, what.b),
      map_of(what.loops, fmt::format("{}", fmt::join(result_loops, ", "))),
      iterators(what.result.size(), what.loops.size() - what.result.size()), a.name, b.name,
      mlir_tensor(a.spec), mlir_tensor(b.spec), from.name, mlir_tensor(from.spec), narrow, narrow,
      type);
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
      mlir_tensor(from.spec));
  return made(text, from.spec);
}

LinalgValue LinalgProgram::sum_of_first(const LinalgValue& value) {
  std::vector<int64_t> rest(value.spec.shape.begin() + 1, value.spec.shape.end());
  const LinalgValue start = zeros({value.spec.dtype, rest, {}});
  const std::string type = mlir_type(value.spec.dtype);
  // Loops of the result first, as everywhere: the summed one is the last.
  std::vector<std::string> loops = numbered_loops(rest.size());
  const std::string all = fmt::format("{}", fmt::join(loops, ", "));
  loops.emplace_back("s");
  return made(fmt::format("linalg.generic {{\n"
                          "      indexing_maps = [{}, {}],\n"
                          "      iterator_types = {}}}\n"
                          "      ins({} : {}) outs({} : {}) {{\n"
                          "  ^bb0(%x: {}, %sum: {}):\n"
                          "    %next = arith.{} %sum, %x : {}\n"
                          "    linalg.yield %next : {}\n"
                          "  }} -> {}",
                          map_of(loops, "s, " + all), map_of(loops, all), iterators(rest.size(), 1),
                          value.name, mlir_tensor(value.spec), start.name, mlir_tensor(start.spec),
                          type, type, is_floating(value.spec.dtype) ? "addf" : "addi", type, type,
                          mlir_tensor(start.spec)),
              start.spec);
}

LinalgValue LinalgProgram::converted(const LinalgValue& value, Dtype dtype) {
  if (value.spec.dtype == dtype) return value;
  const TensorSpec spec{dtype, value.spec.shape, {}};
  const LinalgValue room = made("tensor.empty() : " + mlir_tensor(spec), spec);
  const std::vector<std::string> loops = numbered_loops(spec.shape.size());
  const std::string map = map_of(loops, fmt::format("{}", fmt::join(loops, ", ")));
  const std::string from = mlir_type(value.spec.dtype), to = mlir_type(dtype);
  return made(fmt::format("linalg.generic {{\n"
                          "      indexing_maps = [{}, {}],\n"
                          "      iterator_types = {}}}\n"
                          "      ins({} : {}) outs({} : {}) {{\n"
                          "  ^bb0(%x: {}, %old: {}):\n"
                          "    %y = {} %x : {} to {}\n"
                          "    linalg.yield %y : {}\n"
                          "  }} -> {}",
                          map, map, iterators(loops.size(), 0), value.name, mlir_tensor(value.spec),
                          room.name, mlir_tensor(spec), from, to,
                          conversion(value.spec.dtype, dtype), from, to, to, mlir_tensor(spec)),
              spec);
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
  std::vector<std::string> indices;
  for (size_t i = 0; i < by.size(); ++i) indices.push_back(fmt::format("%i{}: index", i));
  return made(fmt::format("tensor.pad {0} low[{1}] high[{1}] {{\n"
                          "  ^bb0({2}):\n"
                          "    tensor.yield {3} : {4}\n"
                          "  }} : {5} to {6}",
                          value.name, fmt::join(by, ", "), fmt::join(indices, ", "), nothing,
                          mlir_type(spec.dtype), mlir_tensor(value.spec), mlir_tensor(spec)),
              spec);
}

LinalgValue LinalgProgram::split(const LinalgValue& value, size_t at, int64_t outer) {
  TensorSpec spec = value.spec;
  const auto place = spec.shape.begin() + static_cast<long>(at);
  *place /= outer;
  spec.shape.insert(place, outer);
  return made(fmt::format("tensor.expand_shape {} {} output_shape [{}] : {} into {}", value.name,
                          grouped(value.spec.shape.size(), at), fmt::join(spec.shape, ", "),
                          mlir_tensor(value.spec), mlir_tensor(spec)),
              spec);
}

LinalgValue LinalgProgram::joined(const LinalgValue& value, size_t at) {
  TensorSpec spec = value.spec;
  const auto place = spec.shape.begin() + static_cast<long>(at);
  *(place + 1) *= *place;
  spec.shape.erase(place);
  return made(
      fmt::format("tensor.collapse_shape {} {} : {} into {}", value.name,
                  grouped(spec.shape.size(), at), mlir_tensor(value.spec), mlir_tensor(spec)),
      spec);
}

std::string LinalgProgram::returning(const LinalgValue& result) const {
  std::vector<std::string> parameters;
  for (const LinalgValue& each : arguments_)
    parameters.push_back(each.name + ": " + mlir_tensor(each.spec));
  return fmt::format("func.func @main({0}) -> {1} {{\n{2}  return {3} : {1}\n}}\n",
                     fmt::join(parameters, ", "), mlir_tensor(result.spec), body_, result.name);
}

}  // namespace assay
