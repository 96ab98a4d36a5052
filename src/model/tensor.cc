#include "model/tensor.h"

namespace assay {
namespace {

struct Format {
  Dtype dtype;
  uint64_t bytes;
  int precision_bits;  // of the significand, the hidden bit included; 0: not floating
};

constexpr Format kFormats[] = {
    {Dtype::f64, 8, 53}, {Dtype::f32, 4, 24},    {Dtype::f16, 2, 11}, {Dtype::bf16, 2, 8},
    {Dtype::i64, 8, 0},  {Dtype::i32, 4, 0},     {Dtype::i16, 2, 0},  {Dtype::i8, 1, 0},
    {Dtype::u8, 1, 0},   {Dtype::boolean, 1, 0},
};

const Format& format(Dtype dtype) { return kFormats[static_cast<int>(dtype) - 1]; }

// What shape and strides span, in elements. Nothing when that is more than a number holds.
std::optional<uint64_t> span(const std::vector<int64_t>& shape,
                             const std::vector<int64_t>& strides) {
  constexpr uint64_t kMost = uint64_t{1} << 56;
  unsigned __int128 last = 0;
  unsigned __int128 count = 1;
  bool empty = false;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) empty = true;
    auto stride = strides.empty() ? count : static_cast<unsigned __int128>(strides[i]);
    if (shape[i] > 0) last += static_cast<unsigned __int128>(shape[i] - 1) * stride;
    if (shape[i] > 0) count *= static_cast<unsigned __int128>(shape[i]);
    if (last > kMost || count > kMost) return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(last) + 1;
}

bool read_sizes(const Json& json, std::vector<int64_t>& sizes) {
  if (!json.is_array() || json.size() > kMaxRank) return false;
  for (const Json& size : json) {
    if (!size.is_number_integer() || size.get<int64_t>() < 0) return false;
    sizes.push_back(size.get<int64_t>());
  }
  return true;
}

}  // namespace

uint64_t bytes_of(Dtype dtype) { return format(dtype).bytes; }

bool is_floating(Dtype dtype) { return format(dtype).precision_bits > 0; }

double unit_roundoff(Dtype dtype) {
  int bits = format(dtype).precision_bits;
  return bits == 0 ? 0 : 1.0 / static_cast<double>(uint64_t{1} << bits);
}

uint64_t TensorSpec::elements() const {
  uint64_t count = 1;
  for (int64_t size : shape) count *= static_cast<uint64_t>(size);
  return count;
}

bool TensorSpec::is_dense() const {
  if (strides.empty()) return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

uint64_t TensorSpec::span_bytes() const {
  return span(shape, strides).value_or(0) * bytes_of(dtype);
}

Json to_json(const TensorSpec& tensor) {
  Json json = {{"dtype", to_word(kDtypeWords, tensor.dtype)}, {"shape", tensor.shape}};
  if (!tensor.is_dense()) json["strides"] = tensor.strides;
  return json;
}

Result<TensorSpec> tensor_from_json(const Json& json) {
  JsonReader fields(json, "a tensor");
  TensorSpec tensor;
  tensor.dtype = fields.word<Dtype>("dtype", kDtypeWords);
  if (!read_sizes(fields.value("shape"), tensor.shape)) fields.fail("'shape' is no shape");
  if (fields.has("strides") && (!read_sizes(fields.value("strides"), tensor.strides) ||
                                tensor.strides.size() != tensor.shape.size()))
    fields.fail("'strides' do not fit the shape");
  ASSAY_TRY(fields.status());  // what follows counts with both
  if (!span(tensor.shape, tensor.strides) || !span(tensor.shape, {}))
    fields.fail("it has more elements than can be counted");
  ASSAY_TRY(fields.status());
  return tensor;
}

std::string ones_for_iree(const Json& described) {
  if (!described.is_object() || !described.contains("dtype")) return "";
  std::string type = described.value("dtype", "");
  if (type == "bool") type = "i1";
  if (type == "u8") type = "ui8";
  std::string shape;
  for (const Json& size : described.value("shape", Json::array()))
    if (size.is_number_integer()) shape += std::to_string(size.get<int64_t>()) + "x";
  return "--input=" + shape + type + "=1";
}

}  // namespace assay
