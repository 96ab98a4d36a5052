#include "op/product.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "op/linalg.h"
#include "op/text.h"

namespace assay {
namespace {

struct Sizes {
  int64_t batch = 0;   // 0: it is a single one
  int64_t slices = 0;  // 0: sums are formed as one
  int64_t m = 0, n = 0, k = 0;
};

Sizes sizes_of(const OpArguments& arguments) {
  auto optional = [&](std::string_view key) {
    return arguments.find(key) ? arguments.number(key) : 0;
  };
  return {optional("b"), optional("slices"), arguments.number("m"), arguments.number("n"),
          arguments.number("k")};
}

// Letters or sizes of a factor: the batch first, then rows and columns as they lie.
template <class Part>
std::vector<Part> in_memory(bool has_batch, Part batch, bool turned, std::vector<Part> rows,
                            std::vector<Part> columns) {
  if (turned) std::swap(rows, columns);
  std::vector<Part> all;
  if (has_batch) all.push_back(std::move(batch));
  all.insert(all.end(), rows.begin(), rows.end());
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

using Letters = std::vector<std::string>;

}  // namespace

ProductTypes product_types(const OpArguments& arguments) {
  const std::string& word = arguments.word("dtype");
  const size_t star = word.find('*'), arrow = word.find("->");
  const Dtype factor = *from_word(kDtypeWords, word.substr(0, star));
  if (arrow != std::string::npos) return {factor, *from_word(kDtypeWords, word.substr(arrow + 2))};
  return {factor, factor == Dtype::i8 ? Dtype::i32 : factor};
}

OpKey product_dtype_key() {
  return {"dtype",
          "of A, B and C; with i8, C is i32",
          {"f32", "f16", "bf16", "f64", "i8", "f16*f16->f32", "bf16*bf16->f32"},
          "f32"};
}

OpKey floating_product_dtype_key() {
  return {"dtype",
          "of inputs and result",
          {"f32", "f16", "bf16", "f64", "f16*f16->f32", "bf16*bf16->f32"},
          "f32"};
}

OpKey product_layout_key() {
  return {
      "layout",
      "a letter for A and one for B: with n its shape is [m,k] or [k,n], with t [k,m] or [n,k], "
      "and the product takes its transpose",
      {"nn", "nt", "tn", "tt"},
      "nn"};
}

Layout layout_of(const OpArguments& arguments) {
  const OpArguments::Value* given = arguments.find("layout");
  const std::string word = given ? text_of(*given) : "";
  // Of a matrix and a vector, which lies in one way only.
  if (word == "t") return Layout::tn;
  return from_word(kLayoutWords, word).value_or(Layout::nn);
}

OpKey accumulate_key() {
  OpKey key{"accumulate", "whether the product is added to a third input", {"no", "yes"}, "no"};
  key.is_quiet = true;
  return key;
}

std::string torch_product(ProductTypes types, const std::string& a, const std::string& b) {
  if (types.factor == types.result) return fmt::format("torch.matmul({}, {})", a, b);
  const std::string type = torch_type(types.result);
  return fmt::format("torch.matmul({0}.to({2}), {1}.to({2}))", a, b, type);
}

OpProgram make_product(const OpArguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  const ProductTypes types = product_types(arguments);
  const Layout layout = layout_of(arguments);
  const bool batch = sizes.batch > 0;
  const bool ta = is_a_transposed(layout), tb = is_b_transposed(layout);
  TensorSpec a{types.factor, in_memory<int64_t>(batch, sizes.batch, ta, {sizes.m}, {sizes.k}), {}};
  TensorSpec b{types.factor, in_memory<int64_t>(batch, sizes.batch, tb, {sizes.k}, {sizes.n}), {}};
  TensorSpec c{
      types.result, in_memory<int64_t>(batch, sizes.batch, false, {sizes.m}, {sizes.n}), {}};
  TorchOperation torch;
  torch.title = fmt::format(
      "C = A B: {}{} x {} by {} x {}, {} {}.", batch ? fmt::format("{} of ", sizes.batch) : "",
      sizes.m, sizes.k, sizes.k, sizes.n, arguments.word("dtype"), to_word(kLayoutWords, layout));
  torch.inputs = {{"a", a}, {"b", b}};
  torch.outputs = {c};
  const std::string left = ta ? "a.mT" : "a", right = tb ? "b.mT" : "b";
  // torch multiplies whole numbers fast by this function alone.
  const std::string product = types.factor == Dtype::i8 && !batch
                                  ? fmt::format("torch._int_mm({}, {})", left, right)
                                  : torch_product(types, left, right);
  const bool adds = arguments.find("accumulate") && arguments.is_on("accumulate");
  if (adds) torch.inputs.push_back({"c", c});
  torch.forward = fmt::format("return {}{}", adds ? "c + " : "", product);
  const double steps =
      static_cast<double>(sizes.m) * static_cast<double>(sizes.n) * static_cast<double>(sizes.k);
  torch.flops = 2.0 * steps * static_cast<double>(batch ? sizes.batch : 1);
  OpProgram program = torch_program(torch);
  const ProductShape shape{sizes.m, sizes.n, sizes.k, layout, types.factor, types.result};
  if (adds) return program;
  // A product of one type alone is judged as such.
  if (batch || (is_floating(types.factor) && types.result != types.factor))
    program.sum = sum_of(shape, sizes.batch);
  else
    program.product = shape;
  return program;
}

std::string write_product(const OpArguments& arguments, const OpProgram& program,
                          const DynamicSizes& dynamic) {
  const Sizes sizes = sizes_of(arguments);
  const Layout layout = layout_of(arguments);
  const bool batch = sizes.batch > 0, slices = sizes.slices > 0;
  const bool ta = is_a_transposed(layout), tb = is_b_transposed(layout);
  LinalgProgram text(dynamic);
  LinalgValue a = text.argument(program.inputs[0]), b = text.argument(program.inputs[1]);
  LinalgValue start;
  if (program.inputs.size() > 2) start = text.argument(program.inputs[2]);
  SumOfProducts what;
  const Letters inner = slices ? Letters{"s", "k"} : Letters{"k"};
  what.a = in_memory<std::string>(batch, "b", ta, {"i"}, inner);
  what.b = in_memory<std::string>(batch, "b", tb, inner, {"j"});
  what.loops = {"i", "j", "k"};
  what.result = {sizes.m, sizes.n};
  if (batch) {
    what.loops.insert(what.loops.begin(), "b");
    what.result.insert(what.result.begin(), sizes.batch);
  }
  if (!slices) {
    LinalgValue sums = text.sum_of_products(what, a, b);
    if (!start.name.empty()) sums = text.added(text.converted(start, sums.spec.dtype), sums);
    return text.returning(text.converted(sums, program.outputs[0].dtype));
  }
  what.loops.insert(what.loops.begin(), "s");
  what.result.insert(what.result.begin(), sizes.slices);
  a = text.split(a, ta ? 0 : 1, sizes.slices);
  b = text.split(b, tb ? 1 : 0, sizes.slices);
  const LinalgValue sums = text.sum_of_first(text.sum_of_products(what, a, b));
  return text.returning(text.converted(sums, program.outputs[0].dtype));
}

Status check_slices(const OpArguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  if (sizes.k % sizes.slices == 0) return {};
  return error(Code::invalid_input,
               fmt::format("k={} is no multiple of slices={}", sizes.k, sizes.slices),
               "slices are of one size: give a k that they divide");
}

std::string classic_tensor(Dtype dtype, bool is_transposed) {
  return classic_type(dtype) + (is_transposed ? "n" : "t");
}

std::string classic_product_name(std::string_view kind, const OpArguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  const ProductTypes types = product_types(arguments);
  const Layout layout = layout_of(arguments);
  return fmt::format(
      "{}_{}{}x{}x{}_{}_{}_{}", kind, sizes.batch > 0 ? fmt::format("{}x", sizes.batch) : "",
      sizes.m, sizes.n, sizes.k, classic_tensor(types.factor, is_a_transposed(layout)),
      classic_tensor(types.factor, is_b_transposed(layout)), classic_tensor(types.result, false));
}

}  // namespace assay
