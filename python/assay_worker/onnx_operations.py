"""What operations of ONNX are in torch: a rule in RULES for each.

A rule is called with the node and its inputs: tensors, None where one is left out, and where it
reads that what is known when the graph is planned. It gives a tensor, several, or what is known
where shapes alone matter.
onnx's own test cases of each operation are run in python/tests/test_onnx_operations.py.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Rule = Callable[..., Any]

TYPES = frozenset("float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split())
# Attributes that are types.
_OF_TYPE = ("to", "output_dtype")


class Unplanned(Exception):
    """The operation is not translated as it stands; the message says why."""


def torch_type(number: int) -> torch.dtype | None:
    """Of a type of ONNX's. None where it is not taken."""
    from onnx import helper

    try:
        name = helper.tensor_dtype_to_np_dtype(number).name
    except KeyError:
        return None
    return getattr(torch, name) if name in TYPES else None


def known_of(array: Any) -> "Known":
    """Of an array of numpy."""
    return Known(tuple(array.reshape(-1).tolist()), array.shape, getattr(torch, array.dtype.name))


@dataclass(frozen=True)
class Node:
    """One operation of a graph."""

    kind: str
    name: str
    attributes: dict[str, Any]
    version: int  # of its set of operations
    outputs: tuple[str, ...] = ()

    @classmethod
    def of(cls, proto: Any, version: int) -> "Node":
        from onnx import AttributeProto, helper, numpy_helper

        values = {each.name: helper.get_attribute_value(each) for each in proto.attribute}
        for each in proto.attribute:
            if each.type == AttributeProto.TENSOR:
                values[each.name] = known_of(numpy_helper.to_array(each.t))
        for name in _OF_TYPE:  # now: a compiler does not look into onnx
            if values.get(name):
                values[name] = torch_type(values[name])
        kind = proto.op_type
        if proto.domain not in ("", "ai.onnx"):
            kind = f"{proto.domain}.{kind}"
        return cls(kind, proto.name, values, version, tuple(proto.output))

    @property
    def words(self) -> str:
        return f"{self.kind} ('{self.name}')" if self.name else self.kind

    @property
    def draws(self) -> bool:
        return self.kind.startswith("Random") or self.kind in ("Bernoulli", "Multinomial")

    def whole(self, name: str, otherwise: int) -> int:
        return int(self.attributes.get(name, otherwise))

    def number(self, name: str, otherwise: float) -> float:
        return float(self.attributes.get(name, otherwise))

    def ints(self, name: str) -> list[int] | None:
        found = self.attributes.get(name)
        return None if found is None else [int(each) for each in found]

    def text(self, name: str, otherwise: str) -> str:
        found = self.attributes.get(name, otherwise)
        return found.decode() if isinstance(found, bytes) else str(found)

    def dtype(self, name: str, otherwise: torch.dtype) -> torch.dtype:
        """Raises Unplanned of a type that is not taken."""
        found = self.attributes.get(name, 0)
        if found is None:
            raise Unplanned(f"its '{name}' is a type that is not taken")
        return found or otherwise

    def graph(self, name: str) -> Any:
        return self.attributes[name]


@dataclass(frozen=True)
class Known:
    """A tensor whose values are known when the graph is planned, in Python's own numbers."""

    numbers: tuple[Any, ...]  # in the order of rows
    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def only(self) -> Any:
        """Its single number, or the first."""
        return self.numbers[0]

    @property
    def is_single(self) -> bool:
        return len(self.numbers) == 1


def known(value: Any, what: str) -> list[int]:
    """Whole numbers that have to be known. Raises Unplanned."""
    if isinstance(value, Tensor):
        raise Unplanned(f"its {what} depends on values of the inputs")
    return [int(each) for each in value.numbers]


def tensor(value: Any, like: Tensor | None = None) -> Tensor:
    """As a tensor; of the type of `like` where both are floating point."""
    if isinstance(value, Tensor):
        return value
    device = like.device if like is not None else None
    made = torch.tensor(list(value.numbers), dtype=value.dtype, device=device).reshape(value.shape)
    if like is not None and like.is_floating_point() and made.is_floating_point():
        return made.to(like.dtype)
    return made


def _first_tensor(values: Sequence[Any]) -> Any:
    tensors = [each for each in values if isinstance(each, Tensor)]
    return tensors[0] if tensors else None


def _operands(values: Sequence[Any]) -> list[Any]:
    """Tensors, and numbers in the place of known single ones."""
    like = _first_tensor(values)
    most = max([-1, *(each.dim() for each in values if isinstance(each, Tensor))])
    return [
        each.only
        if not isinstance(each, Tensor) and each.is_single and len(each.shape) <= most
        else tensor(each, like)
        for each in values
    ]


def _unary(function: Callable[[Tensor], Tensor]) -> Rule:
    return lambda node, x: function(tensor(x))


def _binary(function: Callable[[Any, Any], Any]) -> Rule:
    def rule(node: Node, a: Any, b: Any) -> Any:
        return function(*_operands([a, b]))

    return rule


def _folded(function: Callable[[Any, Any], Any]) -> Rule:
    """Of any number of inputs, two after the other."""

    def rule(node: Node, *values: Any) -> Any:
        like = _first_tensor(values)
        first, *others = [tensor(each, like) for each in values]
        for each in others:
            first = function(first, each)
        return first

    return rule


def _divide(a: Any, b: Any) -> Any:
    whole = not any(
        each.is_floating_point() if isinstance(each, Tensor) else isinstance(each, float)
        for each in (a, b)
    )
    return torch.div(tensor_of_number(a, b), b, rounding_mode="trunc") if whole else a / b


def tensor_of_number(value: Any, like: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return torch.tensor(value, dtype=like.dtype, device=like.device)


def _power(node: Node, a: Any, b: Any) -> Any:
    """Of the base's type, whatever the exponent's is."""
    if isinstance(a, Tensor):
        _, exponent = _operands([a, b])
        return torch.pow(a, exponent).to(a.dtype)
    exponent = tensor(b)
    if a.dtype.is_floating_point and exponent.is_floating_point():
        exponent = exponent.to(a.dtype)
    return torch.pow(tensor(a).to(exponent.device), exponent).to(a.dtype)


def _mod(node: Node, a: Any, b: Any) -> Any:
    left, right = _operands([a, b])
    function = torch.fmod if node.whole("fmod", 0) else torch.remainder
    return function(tensor_of_number(left, right), right)


def _shift(node: Node, a: Any, b: Any) -> Any:
    left, right = tensor(a), tensor(b)
    if node.text("direction", "") == "LEFT":
        return torch.bitwise_left_shift(left, right)
    return torch.bitwise_right_shift(left, right)


def _axes(node: Node, given: Any, rank: int) -> list[int] | None:
    """Axes as an attribute, or as an input; counted from the front. None: not said."""
    axes = node.ints("axes") if given is None else known(given, "axes")
    return None if axes is None else [axis % rank if rank else 0 for axis in axes]


def _reduction(function: Callable[[Tensor, list[int], bool], Tensor]) -> Rule:
    def rule(node: Node, x: Any, axes: Any = None) -> Tensor:
        value = tensor(x)
        wanted = _axes(node, axes, value.dim())
        if not wanted:
            if node.whole("noop_with_empty_axes", 0):
                return function(value.unsqueeze(0), [0], False)
            wanted = list(range(value.dim()))
        if not wanted:
            return function(value.reshape(1), [0], False)
        return function(value, wanted, bool(node.whole("keepdims", 1)))

    return rule


def _same(x: Tensor, result: Tensor) -> Tensor:
    return result.to(x.dtype)


def _product(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    for axis in sorted(axes, reverse=True):
        x = _same(x, x.prod(dim=axis, keepdim=keep))
    return x


def _mean(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    if x.is_floating_point():
        return x.mean(axes, keep)
    count = math.prod([x.shape[axis] for axis in axes])
    return torch.div(_same(x, x.sum(axes, keep)), count, rounding_mode="trunc")


def _largest(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    if math.prod([x.shape[axis] for axis in axes]) == 0:
        raise Unplanned("it reduces nothing")
    return x.amax(axes, keep)


def _smallest(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    if math.prod([x.shape[axis] for axis in axes]) == 0:
        raise Unplanned("it reduces nothing")
    return x.amin(axes, keep)


def _index_of_best(function: Callable[..., Tensor]) -> Rule:
    def rule(node: Node, x: Tensor) -> Tensor:
        if node.whole("select_last_index", 0):
            raise Unplanned("of equal elements it takes the last")
        return function(x, dim=node.whole("axis", 0), keepdim=bool(node.whole("keepdims", 1)))

    return rule


def _softmax(function: Callable[..., Tensor]) -> Rule:
    def rule(node: Node, x: Tensor) -> Tensor:
        if node.version >= 13:
            return function(x, dim=node.whole("axis", -1))
        axis = node.whole("axis", 1) % max(1, x.dim())
        rows = math.prod(x.shape[:axis])
        return function(x.reshape(rows, -1), dim=-1).reshape(x.shape)

    return rule


def _cast(node: Node, x: Any) -> Tensor:
    dtype = node.dtype("to", torch.float32)
    value = tensor(x)
    if value.is_floating_point() and dtype == torch.bool:
        return value != 0
    return value.to(dtype)


def _clip(node: Node, x: Any, low: Any = None, high: Any = None) -> Tensor:
    value = tensor(x)
    for name, bound, function in (("min", low, torch.maximum), ("max", high, torch.minimum)):
        if bound is None and name in node.attributes:
            bound = Known((node.attributes[name],), (), value.dtype)
        if bound is not None:
            value = function(value, tensor(bound, value).reshape(()))
    return value


def _gelu(node: Node, x: Tensor) -> Tensor:
    return F.gelu(x, approximate=node.text("approximate", "none"))


def _gemm(node: Node, a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
    a = a.t() if node.whole("transA", 0) else a
    b = b.t() if node.whole("transB", 0) else b
    alpha, beta = node.number("alpha", 1), node.number("beta", 1)
    product = a @ b
    if alpha != 1:
        product = alpha * product
    if c is None or beta == 0:
        return product
    return product + (c if beta == 1 else beta * c)


def _one_pad(node: Node, spatial: Sequence[int], kernel: Sequence[int]) -> tuple[list[int], Any]:
    """Paddings in the order of ONNX, all beginnings and then all ends; and the strides."""
    count = len(kernel)
    strides = node.ints("strides") or [1] * count
    dilations = node.ints("dilations") or [1] * count
    how = node.text("auto_pad", "NOTSET")
    if how in ("NOTSET", ""):
        return node.ints("pads") or [0] * (2 * count), strides
    if how == "VALID":
        return [0] * (2 * count), strides
    begins, ends = [], []
    for size, k, stride, dilation in zip(spatial, kernel, strides, dilations, strict=True):
        reach = (k - 1) * dilation + 1
        total = max(0, (math.ceil(size / stride) - 1) * stride + reach - size)
        small, large = total // 2, total - total // 2
        begins.append(small if how == "SAME_UPPER" else large)
        ends.append(large if how == "SAME_UPPER" else small)
    return begins + ends, strides


def _padded(x: Tensor, pads: Sequence[int], value: float) -> tuple[Tensor, list[int]]:
    """Padded where both ends differ; what is left is alike, and torch's own."""
    count = len(pads) // 2
    begins, ends = list(pads[:count]), list(pads[count:])
    if begins == ends:
        return x, begins
    flat = [each for pair in zip(reversed(begins), reversed(ends), strict=True) for each in pair]
    return F.pad(x, flat, value=value), [0] * count


_CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def _by_rank(table: dict[int, Any], rank: int) -> Any:
    if rank not in table:
        raise Unplanned(f"it has {rank} dimensions of space: 1 to 3 are taken")
    return table[rank]


def _conv(node: Node, x: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    spatial = list(x.shape[2:])
    function = _by_rank(_CONVOLUTIONS, len(spatial))
    pads, strides = _one_pad(node, spatial, list(weight.shape[2:]))
    x, padding = _padded(x, pads, 0.0)
    dilations = node.ints("dilations") or [1] * len(spatial)
    bias = None if bias is None else tensor(bias, x)
    weight = tensor(weight, x)
    result: Tensor = function(x, weight, bias, strides, padding, dilations, node.whole("group", 1))
    return result


def _conv_transpose(node: Node, x: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    count = x.dim() - 2
    function = _by_rank(_TRANSPOSED, count)
    if node.text("auto_pad", "NOTSET") not in ("NOTSET", "") or node.ints("output_shape"):
        raise Unplanned("its padding follows from an output's shape")
    pads = node.ints("pads") or [0] * (2 * count)
    begins, ends = pads[:count], pads[count:]
    strides = node.ints("strides") or [1] * count
    dilations = node.ints("dilations") or [1] * count
    more = node.ints("output_padding") or [0] * count
    bias = None if bias is None else tensor(bias, x)
    group = node.whole("group", 1)
    if begins == ends:
        result: Tensor = function(x, weight, bias, strides, begins, more, group, dilations)
        return result
    result = function(x, weight, bias, strides, [0] * count, more, group, dilations)
    for n, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        result = result.narrow(n + 2, begin, result.shape[n + 2] - begin - end)
    return result


_MAX_POOLS = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVERAGES = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def _max_pool(node: Node, x: Tensor) -> Tensor:
    if len([each for each in node.outputs if each]) > 1:
        raise Unplanned("its second output, places of the largest, is not translated")
    spatial, kernel = list(x.shape[2:]), node.ints("kernel_shape") or []
    function = _by_rank(_MAX_POOLS, len(spatial))
    pads, strides = _one_pad(node, spatial, kernel)
    dilations = node.ints("dilations") or [1] * len(kernel)
    ceil = bool(node.whole("ceil_mode", 0))
    alike = pads[: len(kernel)] == pads[len(kernel) :]
    if not alike or any(2 * pad > k for pad, k in zip(pads, kernel, strict=False)):
        if ceil:  # torch leaves out windows that begin in its own padding only
            raise Unplanned(
                "it rounds up, and its paddings differ at both ends or are above half a window"
            )
        lowest = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
        begins, ends = pads[: len(kernel)], pads[len(kernel) :]
        flat = [each for pair in zip(begins[::-1], ends[::-1], strict=True) for each in pair]
        x, pads = F.pad(x, flat, value=lowest), [0] * len(pads)
    if not x.is_floating_point():
        raise Unplanned("it pools whole numbers")
    result: Tensor = function(x, kernel, strides, pads[: len(kernel)], dilations, ceil)
    return result


def _average_pool(node: Node, x: Tensor) -> Tensor:
    spatial, kernel = list(x.shape[2:]), node.ints("kernel_shape") or []
    function = _by_rank(_AVERAGES, len(spatial))
    if any(each != 1 for each in node.ints("dilations") or []):
        raise Unplanned("it has dilations")
    pads, strides = _one_pad(node, spatial, kernel)
    counts_pads = bool(node.whole("count_include_pad", 0))
    ceil = bool(node.whole("ceil_mode", 0))
    if pads[: len(kernel)] == pads[len(kernel) :]:
        result: Tensor = function(x, kernel, strides, pads[: len(kernel)], ceil, counts_pads)
        return result
    if ceil:
        raise Unplanned("its paddings differ at both ends, and it rounds up")
    padded, none = _padded(x, pads, 0.0)
    sums = function(padded, kernel, strides, none, False)
    if counts_pads:
        return sums
    ones, none = _padded(torch.ones_like(x), pads, 0.0)
    shares: Tensor = function(ones, kernel, strides, none, False)
    return sums / shares


def _batch_norm(node: Node, x: Tensor, *given: Any) -> Tensor:
    if node.whole("training_mode", 0):
        raise Unplanned("it is in train mode")
    scale, bias, mean, variance = (tensor(each, x) for each in given)
    return F.batch_norm(x, mean, variance, scale, bias, eps=node.number("epsilon", 1e-5))


def _instance_norm(node: Node, x: Tensor, scale: Any, bias: Any) -> Tensor:
    weight, shift = tensor(scale, x), tensor(bias, x)
    return F.instance_norm(x, weight=weight, bias=shift, eps=node.number("epsilon", 1e-5))


def _layer_norm(node: Node, x: Tensor, scale: Any, bias: Any = None) -> list[Tensor]:
    axis, epsilon = node.whole("axis", -1) % x.dim(), node.number("epsilon", 1e-5)
    shape, axes = list(x.shape[axis:]), list(range(axis, x.dim()))
    weight = tensor(scale, x).expand(shape)
    shift = None if bias is None else tensor(bias, x).expand(shape)
    results = [F.layer_norm(x, shape, weight, shift, epsilon)]
    if len(node.outputs) > 1:
        variance, mean = torch.var_mean(x, axes, correction=0, keepdim=True)
        results += [mean, torch.rsqrt(variance + epsilon)]
    return results


def _rms_norm(node: Node, x: Tensor, scale: Any) -> Tensor:
    axes = list(range(node.whole("axis", -1) % x.dim(), x.dim()))
    mean = (x * x).mean(axes, keepdim=True)
    return x * torch.rsqrt(mean + node.number("epsilon", 1e-5)) * tensor(scale, x)


def _group_norm(node: Node, x: Tensor, scale: Any, bias: Any) -> Tensor:
    groups = node.whole("num_groups", 1)
    weight, shift = tensor(scale, x), tensor(bias, x)
    if weight.shape[0] != x.shape[1]:  # one for each group, as versions before 21 have them
        repeats = x.shape[1] // groups
        weight, shift = weight.repeat_interleave(repeats), shift.repeat_interleave(repeats)
    return F.group_norm(x, groups, weight, shift, node.number("epsilon", 1e-5))


def _lrn(node: Node, x: Tensor) -> Tensor:
    size = node.whole("size", 1)
    squares = F.pad((x * x).unsqueeze(1), [0, 0] * (x.dim() - 2) + [(size - 1) // 2, size // 2])
    windows = squares.squeeze(1).unfold(1, size, 1).sum(-1)
    scale = node.number("bias", 1.0) + node.number("alpha", 1e-4) / size * windows
    return x / scale.pow(node.number("beta", 0.75))


def _reshape(node: Node, x: Any, shape: Any = None) -> Tensor:
    value = tensor(x)
    wanted = node.ints("shape") if shape is None else known(shape, "shape")
    assert wanted is not None
    if not node.whole("allowzero", 0):
        wanted = [value.shape[n] if each == 0 else each for n, each in enumerate(wanted)]
    return value.reshape(wanted)


def _squeeze(node: Node, x: Tensor, axes: Any = None) -> Tensor:
    wanted = _axes(node, axes, x.dim())
    wanted = [n for n, size in enumerate(x.shape) if size == 1] if wanted is None else wanted
    return x.reshape([size for n, size in enumerate(x.shape) if n not in wanted])


def _unsqueeze(node: Node, x: Any, axes: Any = None) -> Tensor:
    value = tensor(x)
    given = node.ints("axes") if axes is None else known(axes, "axes")
    assert given is not None
    for axis in sorted(each % (value.dim() + len(given)) for each in given):
        value = value.unsqueeze(axis)
    return value


def _flatten(node: Node, x: Tensor) -> Tensor:
    axis = node.whole("axis", 1)
    axis += x.dim() if axis < 0 else 0
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _transpose(node: Node, x: Any) -> Tensor:
    value = tensor(x)
    return value.permute(node.ints("perm") or list(range(value.dim()))[::-1])


def _concat(node: Node, *values: Any) -> Tensor:
    like = _first_tensor(values)
    return torch.cat([tensor(each, like) for each in values], node.whole("axis", 0))


def _split(node: Node, x: Tensor, sizes: Any = None) -> tuple[Tensor, ...]:
    axis, count = node.whole("axis", 0), len(node.outputs)
    wanted = node.ints("split") if sizes is None else known(sizes, "sizes")
    if wanted is None:
        each = math.ceil(x.shape[axis] / count)
        wanted = [min(each, x.shape[axis] - n * each) for n in range(count)]
    return tuple(torch.split(x, wanted, axis))


def _slice(
    node: Node, x: Tensor, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None
) -> Tensor:
    begins = node.ints("starts") if starts is None else known(starts, "starts")
    stops = node.ints("ends") if ends is None else known(ends, "ends")
    assert begins is not None and stops is not None
    along = _axes(node, axes, x.dim()) or list(range(len(begins)))
    by = [1] * len(begins) if steps is None else known(steps, "steps")
    for begin, stop, axis, step in zip(begins, stops, along, by, strict=True):
        places = range(x.shape[axis])[slice(begin, stop, step)]
        if step == 1:
            x = x.narrow(axis, places.start, len(places))
        elif step > 0 and places:
            x = x.narrow(axis, places.start, places.stop - places.start)
            x = x[(slice(None),) * axis + (slice(None, None, step),)]
        else:
            x = x.index_select(axis, torch.tensor(list(places), dtype=torch.int64, device=x.device))
    return x


def _positive(indices: Tensor, size: int) -> Tensor:
    return torch.where(indices < 0, indices + size, indices).to(torch.int64)


def _gather(node: Node, x: Any, indices: Any) -> Tensor:
    table = tensor(x, indices if isinstance(indices, Tensor) else None)
    axis = node.whole("axis", 0) % table.dim()
    size = table.shape[axis]
    if not isinstance(indices, Tensor):
        places = [each + size if each < 0 else each for each in indices.numbers]
        if indices.shape == ():
            return table.select(axis, places[0])
        made = torch.tensor(places, dtype=torch.int64, device=table.device)
        indices = made.reshape(indices.shape)
    else:
        indices = _positive(indices, size)
    if axis == 0:
        return F.embedding(indices, table) if table.dim() == 2 else table[indices]
    shape = [*table.shape[:axis], *indices.shape, *table.shape[axis + 1 :]]
    return table.index_select(axis, indices.reshape(-1)).reshape(shape)


def _gather_elements(node: Node, x: Any, indices: Any) -> Tensor:
    value, axis = tensor(x, _first_tensor((indices,))), node.whole("axis", 0)
    return value.gather(axis, _positive(tensor(indices, value), value.shape[axis]))


def _gather_nd(node: Node, x: Any, indices: Any) -> Tensor:
    if node.whole("batch_dims", 0):
        raise Unplanned("it has batch_dims")
    value, places = tensor(x), tensor(indices)
    return value[_places_of(places, value)]


def _places_of(indices: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    return tuple(
        _positive(indices[..., n], x.shape[n]).to(x.device) for n in range(indices.shape[-1])
    )


_REDUCE = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter_elements(node: Node, x: Any, indices: Any, updates: Any) -> Tensor:
    axis, how = node.whole("axis", 0), node.text("reduction", "none")
    value = tensor(x, _first_tensor((updates, indices)))
    places = _positive(tensor(indices, value), value.shape[axis])
    values = tensor(updates, value)
    if how == "none":
        return value.scatter(axis, places, values)
    return value.scatter_reduce(axis, places, values, _REDUCE[how])


def _scatter_nd(node: Node, x: Any, indices: Any, updates: Any) -> Tensor:
    how = node.text("reduction", "none")
    if how not in ("none", "add"):
        raise Unplanned(f"its reduction is '{how}'")
    value = tensor(x, _first_tensor((updates, indices)))
    places = _places_of(tensor(indices), value)
    return value.index_put(places, tensor(updates, value), accumulate=how == "add")


def _expand(node: Node, x: Any, shape: Any) -> Tensor:
    value = tensor(x)
    return value.expand(torch.broadcast_shapes(value.shape, known(shape, "shape")))


def _pad(node: Node, x: Tensor, pads: Any = None, value: Any = None, axes: Any = None) -> Tensor:
    mode = node.text("mode", "constant")
    sizes = node.ints("pads") if pads is None else known(pads, "paddings")
    assert sizes is not None
    along = range(x.dim()) if axes is None else [a % x.dim() for a in known(axes, "axes")]
    both = [(0, 0)] * x.dim()
    for n, axis in enumerate(along):
        both[axis] = (sizes[n], sizes[n + len(sizes) // 2])
    if mode == "constant":
        if isinstance(value, Tensor):
            raise Unplanned("its value is computed")
        number = node.number("value", 0) if value is None or not value.numbers else value.only
        flat = [each for pair in reversed(both) for each in pair]
        return F.pad(x, flat, value=number)
    for axis, (before, after) in enumerate(both):
        if before or after:
            places = [
                _outside(n, x.shape[axis], mode) for n in range(-before, x.shape[axis] + after)
            ]
            x = x.index_select(axis, torch.tensor(places, dtype=torch.int64, device=x.device))
    return x


def _outside(n: int, size: int, mode: str) -> int:
    """Where an element beyond an end comes from."""
    if mode == "wrap":
        return n % size
    if mode == "edge":
        return min(max(n, 0), size - 1)
    if mode != "reflect":
        raise Unplanned(f"its mode is '{mode}'")
    period = max(1, 2 * (size - 1))
    return min(n % period, period - n % period)


def _shape(node: Node, x: Tensor) -> Any:
    sizes = list(x.shape)[node.whole("start", 0) :]
    end = node.attributes.get("end")
    sizes = list(x.shape)[slice(node.whole("start", 0), end)] if end is not None else sizes
    return Known(tuple(int(each) for each in sizes), (len(sizes),), torch.int64)


def _constant_of_shape(node: Node, shape: Any) -> Tensor:
    value = node.attributes.get("value", Known((0.0,), (1,), torch.float32))
    return torch.full(known(shape, "shape"), value.only, dtype=value.dtype)


def _tile(node: Node, x: Tensor, repeats: Any) -> Tensor:
    return x.repeat(known(repeats, "repeats"))


def _trilu(node: Node, x: Any, diagonal: Any = None) -> Tensor:
    k = 0 if diagonal is None else known(diagonal, "diagonal")[0]
    return (torch.triu if node.whole("upper", 1) else torch.tril)(tensor(x), k)


def _where(node: Node, condition: Any, a: Any, b: Any) -> Tensor:
    yes, no = _operands([a, b])
    like = _first_tensor((condition, yes, no))
    if not isinstance(yes, Tensor) and not isinstance(no, Tensor):
        yes = torch.tensor(yes, dtype=a.dtype, device=like.device)
    return torch.where(tensor(condition, like).to(like.device), yes, no)


def _depth_to_space(node: Node, x: Tensor) -> Tensor:
    n, c, h, w = x.shape
    b = node.whole("blocksize", 1)
    if node.text("mode", "DCR") == "DCR":
        order = x.reshape(n, b, b, c // b**2, h, w).permute(0, 3, 4, 1, 5, 2)
    else:
        order = x.reshape(n, c // b**2, b, b, h, w).permute(0, 1, 4, 2, 5, 3)
    return order.reshape(n, c // b**2, h * b, w * b)


def _space_to_depth(node: Node, x: Tensor) -> Tensor:
    n, c, h, w = x.shape
    b = node.whole("blocksize", 1)
    places = (0, 3, 5, 1, 2, 4) if node.text("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    order = x.reshape(n, c, h // b, b, w // b, b).permute(places)
    return order.reshape(n, c * b * b, h // b, w // b)


def _resize(
    node: Node, x: Tensor, roi: Any = None, scales: Any = None, sizes: Any = None
) -> Tensor:
    if node.kind == "Upsample":
        roi, scales = None, roi if roi is not None else _scales_of(node)
    elif node.version < 11:  # there is no roi yet
        roi, scales = None, roi
    mode = node.text("mode", "nearest")
    where = node.text("coordinate_transformation_mode", "half_pixel")
    if node.kind == "Upsample" or node.version < 11:
        where, nearest = "asymmetric", "floor"
    else:
        nearest = node.text("nearest_mode", "round_prefer_floor")
    if node.ints("axes") is not None or node.whole("antialias", 0):
        raise Unplanned("it has axes, or antialias")
    if x.dim() < 3:
        raise Unplanned(f"its input has {x.dim()} dimensions: it takes 3 at least, and keeps two")
    if sizes is not None and (isinstance(sizes, Tensor) or sizes.numbers):
        kept, wanted, factors = known(sizes, "sizes")[:2], known(sizes, "sizes")[2:], None
        if kept != list(x.shape[:2]):
            raise Unplanned(f"it has to keep the first two dimensions: its sizes begin with {kept}")
        if node.text("keep_aspect_ratio_policy", "stretch") != "stretch":
            raise Unplanned("it keeps an aspect ratio")
    else:
        if scales is None or isinstance(scales, Tensor):
            raise Unplanned("its scales depend on values of the inputs")
        kept, factors = list(scales.numbers[:2]), [float(each) for each in scales.numbers[2:]]
        if kept != [1, 1]:
            raise Unplanned(
                f"it has to keep the first two dimensions: its scales begin with {kept}"
            )
        wanted = [int(size * f) for size, f in zip(x.shape[2:], factors, strict=True)]
    if mode == "nearest":
        return _nearest(x, wanted, factors, where, nearest)
    if mode not in ("linear", "cubic"):
        raise Unplanned(f"its mode is '{mode}'")
    if where not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        raise Unplanned(f"its coordinates are '{where}'")
    kind = _by_rank({1: "linear", 2: "bilinear", 3: "trilinear"}, x.dim() - 2)
    if mode == "cubic":
        if x.dim() != 4 or node.number("cubic_coeff_a", -0.75) != -0.75:
            raise Unplanned("a cubic one that torch has not got")
        kind = "bicubic"
    if node.whole("exclude_outside", 0):
        raise Unplanned("it excludes what is outside")
    if factors is not None:
        whole = all(s * f == int(s * f) for s, f in zip(x.shape[2:], factors, strict=True))
        if not whole:
            raise Unplanned("its scales give no whole sizes")
    if where == "pytorch_half_pixel" and 1 in wanted:
        raise Unplanned("its coordinates are 'pytorch_half_pixel' where one element is left")
    corners = where == "align_corners"
    return F.interpolate(x, size=wanted, mode=kind, align_corners=corners)


def _scales_of(node: Node) -> Known:
    numbers = tuple(node.attributes.get("scales", ()))
    return Known(numbers, (len(numbers),), torch.float32)


def _nearest(
    x: Tensor, wanted: Sequence[int], factors: Sequence[float] | None, where: str, nearest: str
) -> Tensor:
    rounding = {
        "floor": math.floor,
        "ceil": math.ceil,
        "round_prefer_floor": lambda each: math.ceil(each - 0.5),
        "round_prefer_ceil": lambda each: math.floor(each + 0.5),
    }
    for n, size in enumerate(wanted):
        axis, of = n + 2, x.shape[n + 2]
        factor = factors[n] if factors else size / of
        if size == of and factor == 1:
            continue
        places = []
        for at in range(size):
            if where == "asymmetric":
                place = at / factor
            elif where in ("half_pixel", "pytorch_half_pixel"):
                place = (at + 0.5) / factor - 0.5
                place = 0.0 if where != "half_pixel" and size == 1 else place
            elif where == "align_corners":
                place = at * (of - 1) / (size - 1) if size > 1 else 0.0
            else:
                raise Unplanned(f"its coordinates are '{where}'")
            places.append(min(max(rounding[nearest](place), 0), of - 1))
        x = x.index_select(axis, torch.tensor(places, dtype=torch.int64, device=x.device))
    return x


def _cumsum(node: Node, x: Tensor, axis: Any) -> Tensor:
    along = known(axis, "axis")[0] % x.dim()
    x = x.flip(along) if node.whole("reverse", 0) else x
    result = _same(x, x.cumsum(along))
    if node.whole("exclusive", 0):  # shifted, since what is added last would not cancel
        before = result.narrow(along, 0, max(x.shape[along] - 1, 0))
        zeros = torch.zeros_like(x.narrow(along, 0, min(x.shape[along], 1)))
        result = torch.cat([zeros, before], along)
    return result.flip(along) if node.whole("reverse", 0) else result


def _top_k(node: Node, x: Tensor, k: Any) -> tuple[Tensor, Tensor]:
    count, axis = known(k, "k")[0], node.whole("axis", -1)
    values, places = torch.topk(x, count, axis, bool(node.whole("largest", 1)))
    return values, places


def _one_hot(node: Node, indices: Any, depth: Any, values: Any) -> Tensor:
    count, axis = known(depth, "depth")[0], node.whole("axis", -1)
    places = _positive(tensor(indices), count)
    device = places.device
    off, on = tensor(values).unbind(0)
    at = axis % (places.dim() + 1)
    steps = torch.arange(count, device=device)
    shape = [1] * (places.dim() + 1)
    shape[at] = count
    return torch.where(places.unsqueeze(at) == steps.reshape(shape), on.to(device), off.to(device))


def _dequantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Tensor:
    value = tensor(x)
    factor, shift, _ = _scales(node, value, scale, zero)
    return (value.to(factor.dtype) - shift) * factor


def _quantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Tensor:
    value = tensor(x)
    factor, shift, dtype = _scales(node, value, scale, zero)
    if zero is None:
        dtype = node.dtype("output_dtype", torch.uint8)
    if dtype not in (torch.int8, torch.uint8, torch.int16):
        raise Unplanned(f"it quantizes to {dtype}")
    limits = torch.iinfo(dtype)
    return (torch.round(value / factor) + shift).clamp(limits.min, limits.max).to(dtype)


def _scales(node: Node, x: Tensor, scale: Any, zero: Any) -> tuple[Tensor, Any, torch.dtype]:
    if node.whole("block_size", 0):
        raise Unplanned("it has blocks")
    factor = tensor(scale).to(x.device)
    shift = torch.zeros((), dtype=torch.uint8) if zero is None else tensor(zero)
    dtype = shift.dtype
    shift = shift.to(device=x.device, dtype=factor.dtype)
    if factor.dim() == 1 and factor.shape[0] > 1:
        shape = [1] * x.dim()
        shape[node.whole("axis", 1)] = factor.shape[0]
        factor = factor.reshape(shape)
        shift = shift.reshape(shape) if shift.dim() == 1 else shift
    elif factor.dim() == 1:
        factor, shift = factor.reshape(()), shift.reshape(())
    return factor, shift, dtype


def _prelu(node: Node, x: Tensor, slope: Tensor) -> Tensor:
    return torch.where(x < 0, x * slope, x)


def _is_inf(node: Node, x: Tensor) -> Tensor:
    found = torch.zeros_like(x, dtype=torch.bool)
    if node.whole("detect_positive", 1):
        found = found | (x == math.inf)
    if node.whole("detect_negative", 1):
        found = found | (x == -math.inf)
    return found


def _shrink(node: Node, x: Tensor) -> Tensor:
    bias, lambd = node.number("bias", 0), node.number("lambd", 0.5)
    zero = torch.zeros_like(x)
    return torch.where(x < -lambd, x + bias, torch.where(x > lambd, x - bias, zero))


def _lp_norm(node: Node, x: Tensor) -> Tensor:
    axis, p = node.whole("axis", -1), node.whole("p", 2)
    size = torch.linalg.vector_norm(x, p, axis, keepdim=True)
    return torch.where(size == 0, torch.zeros_like(x), x / size)


def _einsum(node: Node, *values: Any) -> Tensor:
    like = _first_tensor(values)
    return torch.einsum(node.text("equation", ""), *(tensor(each, like) for each in values))


def _dropout(node: Node, x: Tensor, ratio: Any = None, training: Any = None) -> Tensor:
    if training is not None and (isinstance(training, Tensor) or training.only):
        raise Unplanned("it is in train mode")
    return x


def _global(function: Callable[[Tensor, list[int]], Tensor]) -> Rule:
    return lambda node, x: function(x, list(range(2, x.dim())))


def _matmul(node: Node, a: Any, b: Any) -> Tensor:
    like = a if isinstance(a, Tensor) else b
    return torch.matmul(tensor(a, like), tensor(b, like))


def _swish(node: Node, x: Tensor) -> Tensor:
    alpha = node.number("alpha", 1.0)
    return F.silu(x) if alpha == 1 else x * torch.sigmoid(alpha * x)


RULES: dict[str, Rule] = {
    "Abs": _unary(torch.abs),
    "Acos": _unary(torch.acos),
    "Acosh": _unary(torch.acosh),
    "Add": _binary(operator.add),
    "And": _binary(torch.logical_and),
    "ArgMax": _index_of_best(torch.argmax),
    "ArgMin": _index_of_best(torch.argmin),
    "Asin": _unary(torch.asin),
    "Asinh": _unary(torch.asinh),
    "Atan": _unary(torch.atan),
    "Atanh": _unary(torch.atanh),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "BitShift": _shift,
    "Cast": _cast,
    "CastLike": lambda node, x, like: tensor(x).to(tensor(like).dtype),
    "Ceil": _unary(torch.ceil),
    "Celu": lambda node, x: F.celu(x, node.number("alpha", 1.0)),
    "Clip": _clip,
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Cos": _unary(torch.cos),
    "Cosh": _unary(torch.cosh),
    "CumSum": _cumsum,
    "DepthToSpace": _depth_to_space,
    "DequantizeLinear": _dequantize,
    "Div": _binary(_divide),
    "Dropout": _dropout,
    "Einsum": _einsum,
    "Elu": lambda node, x: F.elu(x, node.number("alpha", 1.0)),
    "Equal": _binary(operator.eq),
    "Erf": _unary(torch.erf),
    "Exp": _unary(torch.exp),
    "Expand": _expand,
    "Flatten": _flatten,
    "Floor": _unary(torch.floor),
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "GlobalAveragePool": _global(lambda x, axes: x.mean(axes, keepdim=True)),
    "GlobalMaxPool": _global(lambda x, axes: x.amax(axes, keepdim=True)),
    "Greater": _binary(operator.gt),
    "GreaterOrEqual": _binary(operator.ge),
    "GroupNormalization": _group_norm,
    "HardSigmoid": lambda node, x: torch.clamp(
        node.number("alpha", 0.2) * x + node.number("beta", 0.5), 0, 1
    ),
    "HardSwish": _unary(F.hardswish),
    "Identity": _unary(lambda x: x),
    "InstanceNormalization": _instance_norm,
    "IsInf": _is_inf,
    "IsNaN": _unary(torch.isnan),
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "LeakyRelu": lambda node, x: F.leaky_relu(x, node.number("alpha", 0.01)),
    "Less": _binary(operator.lt),
    "LessOrEqual": _binary(operator.le),
    "Log": _unary(torch.log),
    "LogSoftmax": _softmax(torch.log_softmax),
    "LpNormalization": _lp_norm,
    "MatMul": _matmul,
    "Max": _folded(torch.maximum),
    "MaxPool": _max_pool,
    "Mean": lambda node, *values: _folded(operator.add)(node, *values) / len(values),
    "Min": _folded(torch.minimum),
    "Mish": _unary(F.mish),
    "Mod": _mod,
    "Mul": _binary(operator.mul),
    "Neg": _unary(torch.neg),
    "Not": _unary(torch.logical_not),
    "OneHot": _one_hot,
    "Or": _binary(torch.logical_or),
    "PRelu": _prelu,
    "Pad": _pad,
    "Pow": _power,
    "QuantizeLinear": _quantize,
    "RMSNormalization": _rms_norm,
    "Reciprocal": _unary(torch.reciprocal),
    "ReduceL1": _reduction(lambda x, axes, keep: _same(x, x.abs().sum(axes, keep))),
    "ReduceL2": _reduction(lambda x, axes, keep: (x * x).sum(axes, keep).sqrt()),
    "ReduceLogSum": _reduction(lambda x, axes, keep: x.sum(axes, keep).log()),
    "ReduceLogSumExp": _reduction(lambda x, axes, keep: torch.logsumexp(x, axes, keep)),
    "ReduceMax": _reduction(_largest),
    "ReduceMean": _reduction(_mean),
    "ReduceMin": _reduction(_smallest),
    "ReduceProd": _reduction(_product),
    "ReduceSum": _reduction(lambda x, axes, keep: _same(x, x.sum(axes, keep))),
    "ReduceSumSquare": _reduction(lambda x, axes, keep: _same(x, (x * x).sum(axes, keep))),
    "Relu": _unary(torch.relu),
    "Reshape": _reshape,
    "Resize": _resize,
    "Round": _unary(torch.round),
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Selu": lambda node, x: (
        torch.where(x > 0, x, node.number("alpha", 1.67326319217681884765625) * (torch.exp(x) - 1))
        * node.number("gamma", 1.05070102214813232421875)
    ),
    "Shape": _shape,
    "Shrink": _shrink,
    "Sigmoid": _unary(torch.sigmoid),
    "Sign": _unary(torch.sign),
    "Sin": _unary(torch.sin),
    "Sinh": _unary(torch.sinh),
    "Size": lambda node, x: Known((int(x.numel()),), (), torch.int64),
    "Slice": _slice,
    "Softmax": _softmax(torch.softmax),
    "Softplus": _unary(F.softplus),
    "Softsign": _unary(F.softsign),
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Sqrt": _unary(torch.sqrt),
    "Squeeze": _squeeze,
    "Sub": _binary(operator.sub),
    "Sum": _folded(operator.add),
    "Swish": _swish,
    "Tan": _unary(torch.tan),
    "Tanh": _unary(torch.tanh),
    "ThresholdedRelu": lambda node, x: torch.where(
        x > node.number("alpha", 1.0), x, torch.zeros_like(x)
    ),
    "Tile": _tile,
    "TopK": _top_k,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
    "Upsample": _resize,
    "Where": _where,
    "Xor": _binary(torch.logical_xor),
}

# Rules that read what is known themselves: of any input, or of all but the first.
_READ_ALL = frozenset(
    "Add CastLike ConstantOfShape DequantizeLinear Div Equal Greater GreaterOrEqual Less "
    "LessOrEqual Mod Mul Pow QuantizeLinear Sub Where".split()
)
_READ_OTHERS = frozenset(
    "Clip CumSum Dropout Expand Gather OneHot Pad Reshape Resize Slice Split Squeeze Tile TopK "
    "Trilu Unsqueeze Upsample".split()
) | {kind for kind in RULES if kind.startswith("Reduce")}


def computed(node: Node, given: Sequence[Any]) -> list[Any]:
    """What its rule gives. What is known is a tensor for rules that do not read it."""
    like = _first_tensor(given)
    read = 0 if node.kind in _READ_ALL else 1 if node.kind in _READ_OTHERS else len(given)
    inputs = [
        tensor(each, like) if n < read and isinstance(each, Known) else each
        for n, each in enumerate(given)
    ]
    found = RULES[node.kind](node, *inputs)
    return list(found) if isinstance(found, tuple | list) else [found]
