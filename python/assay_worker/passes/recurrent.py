"""Traces torch's recurrent networks as loops instead of step by step.

Left alone, torch.export unrolls an LSTM over its sequence: half a minute and a graph of 10,000
nodes for 512 steps, or one operation that the compiler does not know. Within `as_loops()` every
layer and direction becomes one `while_loop`, which `counted_loops` then hands to the compiler.
"""

from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import torch
from torch import Tensor
from torch._higher_order_ops.while_loop import while_loop_op
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

from assay_worker.failure import Unsupported
from assay_worker.passes.base import Note, Pass

State = tuple[Tensor, ...]
# (the step's projected input, the state, the hidden weights) -> the next state, output first.
# Sizes: the input [batch, gates * hidden], each part of the state [batch, hidden].
Step = Callable[..., State]

MAX_CARRIED_BYTES = 1 << 18  # of outputs, that one loop may carry


def as_loops(note: Note) -> "_Loops":
    """Replaces torch.lstm, gru, rnn_tanh and rnn_relu, which torch.nn's modules call, by loops.

    Their cells, which are one step, are traced in the same words. `note` is told their names.
    Raises Unsupported, inside the block, for what has no such form: projections (`proj_size`),
    packed sequences, and dropout between layers in training.
    """
    return _Loops(note)


class _Loops(TorchFunctionMode):  # type: ignore[misc]
    def __init__(self, note: Note) -> None:
        super().__init__()
        self._note = note

    def __torch_function__(
        self, function: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        replacement = _REPLACEMENTS.get(function)
        if replacement is None:
            return function(*args, **(kwargs or {}))
        self._note([function.__name__])
        return replacement(*args, **(kwargs or {}))


def _lstm(
    input: Tensor, hx: Any, params: Any, *rest: Any, **more: Any
) -> tuple[Tensor, Tensor, Tensor]:
    if isinstance(hx, Tensor):  # then these are the sizes of batches
        raise _packed()
    output, (h, c) = _network(_lstm_step, input, tuple(hx), params, *rest, **more)
    return output, h, c


def _single_state(step: Step) -> Callable[..., tuple[Tensor, Tensor]]:
    def network(
        input: Tensor, hx: Tensor, params: Any, *rest: Any, **more: Any
    ) -> tuple[Tensor, Tensor]:
        if isinstance(params, Tensor):  # then `hx` is the sizes of batches
            raise _packed()
        output, (h,) = _network(step, input, (hx,), params, *rest, **more)
        return output, h

    return network


def _cell(
    step: Step,
    input: Tensor,
    state: State,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> State:
    """One step; the arguments are those of torch.lstm_cell. Returns the next state."""
    return step(linear(input, w_ih, b_ih), state, w_hh, b_hh)


def _lstm_cell(input: Tensor, hx: Any, *weights: Any, **more: Any) -> State:
    return _cell(_lstm_step, input, tuple(hx), *weights, **more)


def _single_state_cell(step: Step) -> Callable[..., Tensor]:
    def cell(input: Tensor, hx: Tensor, *weights: Any, **more: Any) -> Tensor:
        return _cell(step, input, (hx,), *weights, **more)[0]

    return cell


def _pack(*_: Any, **__: Any) -> None:
    raise _packed()


def _packed() -> Unsupported:
    return Unsupported("a packed sequence has lengths that are data: pass it padded, as a tensor")


def _network(
    step: Step,
    input: Tensor,
    initial: State,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, State]:
    """All layers; the arguments are those of torch.lstm, with the parts of `hx` in `initial`.

    Returns the output, laid out as `input` is, and the final state, each part of it
    [layers * directions, batch, hidden].
    """
    directions = 2 if bidirectional else 1
    per_layer = 4 if has_biases else 2
    if len(params) != num_layers * directions * per_layer:
        raise Unsupported("a recurrent network with projections (proj_size) is not exported")
    if train and dropout > 0 and num_layers > 1:
        raise Unsupported(
            "dropout between the layers of a recurrent network, in training, is not exported: "
            "use the mode eval, or dropout=0"
        )
    sequence = input.transpose(0, 1) if batch_first else input
    if sequence.shape[0] == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    finals: list[State] = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            n = layer * directions + direction
            weights = params[n * per_layer : (n + 1) * per_layer]
            # Cloned, as both parts may be one tensor, and carried values must not alias.
            state = tuple(part[n].clone() for part in initial)
            output, final = _layer(step, sequence, state, weights, reverse=direction == 1)
            outputs.append(output)
            finals.append(final)
        sequence = torch.cat(outputs, -1) if bidirectional else outputs[0]
    output = sequence.transpose(0, 1) if batch_first else sequence
    return output, tuple(torch.stack(parts) for parts in zip(*finals, strict=True))


def _layer(
    step: Step, sequence: Tensor, initial: State, weights: Sequence[Tensor], reverse: bool
) -> tuple[Tensor, State]:
    """One layer in one direction over `sequence` [steps, batch, features].

    `weights` are those from the input and from the hidden state, then their biases, if any.
    Returns the output [steps, batch, hidden] and the final state.
    """
    from_input, from_hidden = weights[::2], weights[1::2]
    projected = linear(sequence, *from_input)  # for all steps at once, outside the loop
    steps, shape = projected.shape[0], initial[0].shape

    def one(projected: Tensor, state: State, *from_hidden: Tensor) -> tuple[Tensor, State]:
        state = step(projected, state, *from_hidden)
        return state[0], state

    def chunk(projected: Tensor, state: State, *from_hidden: Tensor) -> tuple[Tensor, State]:
        return _scan(one, projected, state, from_hidden, shape, reverse)

    size = _chunk_size(steps, initial[0])
    if size == 1:
        return _scan(one, projected, initial, from_hidden, shape, reverse)
    chunks = projected.unflatten(0, (steps // size, size))
    outputs, final = _scan(chunk, chunks, initial, from_hidden, (size, *shape), reverse)
    return outputs.flatten(0, 1), final


def _chunk_size(steps: int, output: Tensor) -> int:
    """How many steps to take in a loop of their own, within a loop over such chunks; or 1.

    The compiler copies what a loop carries in every step of it, in one loop all outputs: 2048 steps
    of 10 KiB took 3.5 ms each. In two, each loop carries about the root of that, 0.3 ms a step. A
    loop in a loop takes a quarter of a second longer to export, which pays for large outputs.
    """
    if steps * output.numel() * output.element_size() < MAX_CARRIED_BYTES:
        return 1
    return max(size for size in range(1, isqrt(steps) + 1) if steps % size == 0)


def _scan(
    step: Callable[..., tuple[Tensor, State]],
    inputs: Tensor,
    initial: State,
    constant: Sequence[Tensor],
    shape: Sequence[int],
    reverse: bool,
) -> tuple[Tensor, State]:
    """Calls step(input, state, *constant) -> (output, state) over the first dimension of `inputs`.

    Returns the outputs, each of `shape`, stacked in the order of the inputs, and the final state.
    """
    steps, parts = inputs.shape[0], len(initial)

    def condition(index: Tensor, *_: Tensor) -> Tensor:
        return index < steps

    def body(index: Tensor, outputs: Tensor, *rest: Tensor) -> State:
        state, (inputs, *constant) = rest[:parts], rest[parts:]
        position = ((steps - 1) - index if reverse else index).reshape(1)
        input = inputs.index_select(0, position).squeeze(0)
        output, state = step(input, state, *constant)
        return index + 1, outputs.index_copy(0, position, output.unsqueeze(0)), *state

    start = torch.zeros((), dtype=torch.int64)
    outputs = initial[0].new_zeros((steps, *shape))
    # The operator: the public function would compile the body with torch.compile first.
    _, outputs, *final = while_loop_op(
        condition, body, (start, outputs, *initial), (inputs, *constant)
    )
    return outputs, tuple(final)


def _lstm_step(projected: Tensor, state: State, *from_hidden: Tensor) -> State:
    h, c = state
    admit, keep, new, show = (linear(h, *from_hidden) + projected).chunk(4, -1)
    c = keep.sigmoid() * c + admit.sigmoid() * new.tanh()
    return show.sigmoid() * c.tanh(), c


def _gru_step(projected: Tensor, state: State, *from_hidden: Tensor) -> State:
    (h,) = state
    x_reset, x_update, x_new = projected.chunk(3, -1)
    h_reset, h_update, h_new = linear(h, *from_hidden).chunk(3, -1)
    update = (x_update + h_update).sigmoid()
    new = (x_new + (x_reset + h_reset).sigmoid() * h_new).tanh()
    return ((h - new) * update + new,)


def _rnn_step(activation: Callable[[Tensor], Tensor]) -> Step:
    def step(projected: Tensor, state: State, *from_hidden: Tensor) -> State:
        return (activation(linear(state[0], *from_hidden) + projected),)

    return step


_REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    torch.lstm: _lstm,
    torch.gru: _single_state(_gru_step),
    torch.rnn_tanh: _single_state(_rnn_step(torch.tanh)),
    torch.rnn_relu: _single_state(_rnn_step(torch.relu)),
    torch.lstm_cell: _lstm_cell,
    torch.gru_cell: _single_state_cell(_gru_step),
    torch.rnn_tanh_cell: _single_state_cell(_rnn_step(torch.tanh)),
    torch.rnn_relu_cell: _single_state_cell(_rnn_step(torch.relu)),
    torch._VF._pack_padded_sequence: _pack,
}

RECURRENT = Pass(
    name="recurrent",
    why="""Torch takes a recurrent network apart step by step: 512 steps take half a minute, and
    give a program of thousands of operations. As a loop, its size is that of one step.""",
    tracing=as_loops,
)
