// How a problem's get_inputs() makes a tensor, as the oracle worker recorded it, and drawing the
// same again under the judge's own seed.
#pragma once

#include <optional>

#include "base/json.h"
#include "model/tensor.h"
#include "verify/elements.h"
#include "verify/random.h"

namespace assay {

enum class DrawKind { rand, randn, randint, zeros, ones, full, randperm, arange };
inline constexpr Word<DrawKind> kDrawWords[] = {
    {DrawKind::rand, "rand"},         {DrawKind::randn, "randn"},   {DrawKind::randint, "randint"},
    {DrawKind::zeros, "zeros"},       {DrawKind::ones, "ones"},     {DrawKind::full, "full"},
    {DrawKind::randperm, "randperm"}, {DrawKind::arange, "arange"},
};

// Whether all elements are the same.
constexpr bool is_one_value(DrawKind kind) {
  return kind == DrawKind::zeros || kind == DrawKind::ones || kind == DrawKind::full;
}

// The call, and then `* scale + shift`, cast to the tensor's type.
struct Draw {
  DrawKind kind = DrawKind::randn;
  std::optional<Dtype> dtype{};  // that is drawn, where it is said: the tensor's may be another
  double low = 0, high = 1;      // rand; arange: its start, and `step`
  double step = 1;
  int64_t int_low = 0, int_high = 1;  // randint: int_high is not drawn
  double mean = 0, deviation = 1;     // randn
  double value = 0;                   // full
  double scale = 1, shift = 0;

  bool operator==(const Draw&) const = default;
};

// {"draw": "rand", "scale": 2.0}; {"draw": null} is nothing: get_inputs() computes it in some other
// way. Fails on what is neither, unknown fields included: an argument that was overlooked would be
// drawn from another distribution.
Result<std::optional<Draw>> draw_from_json(const Json& json);
Json to_json(const Draw& draw);

// Whether the call can make this tensor. The others expect one that fits.
Status check(const TensorSpec& spec, const Draw& draw);

// Its values, by the type of the tensor: floats() for floating types, integers() for the others.
// The same stream gives the same values, whatever the strides.
Floats floats(const TensorSpec& spec, const Draw& draw, const RandomStream& stream);
Integers integers(const TensorSpec& spec, const Draw& draw, const RandomStream& stream);

// Fills the tensor's memory: spec.span_bytes() from `tensor` on. Gaps between strides stay.
Status draw(const TensorSpec& spec, const Draw& draw, const RandomStream& stream,
            std::byte* tensor);

}  // namespace assay
