"""Programs of torch's for gpu-probe: what people write, and what waits for the card within a call.

A maker takes torch, the inputs and the outputs as flat tensors, and gives a call, how many outputs
it writes, and what is to be done before each call, outside of what is timed.
"""

from collections.abc import Callable
from typing import Any

Call = Callable[[], None]
Made = tuple[Call, int, Call]

SIDE = 4096


def idle() -> None:
    pass


def nothing(torch: Any, x: Any, out: Any) -> Made:
    return idle, 1, idle


def empty(torch: Any, x: Any, out: Any) -> Made:
    return lambda: out[:32].copy_(x[:32]), 32, idle


def matmul(torch: Any, x: Any, out: Any) -> Made:
    """With a bias and relu."""
    rows, width = 4096, 1024
    a = x[: rows * width].view(rows, width)
    weight = x[rows * width : (rows + width) * width].view(width, width)
    bias = x[-width:]
    result = out[: rows * width].view(rows, width)

    def call() -> None:
        result.copy_(torch.relu(a @ weight + bias))

    return call, rows * width, idle


def square(x: Any, out: Any) -> tuple[Any, Any]:
    return x[: SIDE * SIDE].view(SIDE, SIDE), out[: SIDE * SIDE].view(SIDE, SIDE)


def softmax(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)
    return lambda: result.copy_(torch.softmax(a, dim=1)), SIDE * SIDE, idle


def layernorm(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)
    return (
        lambda: result.copy_(torch.nn.functional.layer_norm(a, (SIDE,))),
        SIDE * SIDE,
        idle,
    )


def block_of(torch: Any, x: Any) -> tuple[Callable[[], Any], int]:
    """A block of a transformer: 8 sequences of 512, 512 wide, 8 heads."""
    width, heads = 512, 8
    nn = torch.nn.functional
    torch.manual_seed(0)
    made = {"device": x.device}
    weights = [
        torch.randn(width, wide, **made) * width**-0.5 for wide in (3 * width, width, 4 * width)
    ]
    last = torch.randn(4 * width, width, **made) * (4 * width) ** -0.5
    a = x[: 8 * 512 * width].view(8, 512, width)

    def call() -> Any:
        hidden = nn.layer_norm(a, (width,))
        parts = (hidden @ weights[0]).view(8, 512, 3, heads, width // heads).unbind(2)
        q, k, v = (part.transpose(1, 2) for part in parts)
        seen = nn.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(8, 512, width)
        one = a + seen @ weights[1]
        two = nn.gelu(nn.layer_norm(one, (width,)) @ weights[2]) @ last
        return one + two

    return call, 8 * 512 * width


def block(torch: Any, x: Any, out: Any) -> Made:
    run, count = block_of(torch, x)
    return lambda: out[:count].copy_(run().view(-1)), count, idle


def graph(torch: Any, x: Any, out: Any) -> Made:
    """The block, recorded before."""
    run, count = block_of(torch, x)
    if x.device.type != "cuda":
        return lambda: out[:count].copy_(run().view(-1)), count, idle
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        run()
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded, stream=stream):
        out[:count].copy_(run().view(-1))
    return recorded.replay, count, idle


def compiled(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)

    def plain(values: Any) -> Any:
        nn = torch.nn.functional
        return nn.layer_norm(nn.gelu(values) * values + 1, (SIDE,))

    made = torch.compile(plain)
    return lambda: result.copy_(made(a)), SIDE * SIDE, idle


def triton(torch: Any, x: Any, out: Any) -> Made:
    import torch_triton

    count = SIDE * SIDE
    return lambda: torch_triton.gelu(x[:count], out[:count]), count, idle


def chain(torch: Any, x: Any, out: Any) -> Made:
    """As many small operations as a host can't keep up with."""
    return many(100)(torch, x, out)


def many(count: int) -> Callable[[Any, Any, Any], Made]:
    def make(torch: Any, x: Any, out: Any) -> Made:
        a, result = x[:4096], out[:4096]

        def call() -> None:
            values = a
            for _ in range(count - 1):
                values = values * 0.999
            result.copy_(values)

        return call, 4096, idle

    return make


def streams(torch: Any, x: Any, out: Any) -> Made:
    """Parts on eight streams that wait for the call's and are waited for."""
    a, result = square(x, out)
    if x.device.type != "cuda":
        return lambda: result.copy_(torch.relu(a)), SIDE * SIDE, idle
    others = [torch.cuda.Stream() for _ in range(8)]
    rows = SIDE // len(others)

    def call() -> None:
        current = torch.cuda.current_stream()
        for number, other in enumerate(others):
            other.wait_stream(current)
            with torch.cuda.stream(other):
                part = slice(number * rows, (number + 1) * rows)
                result[part].copy_(torch.softmax(a[part], dim=1))
        for other in others:
            current.wait_stream(other)

    return call, SIDE * SIDE, idle


def default_stream(torch: Any, x: Any, out: Any) -> Made:
    """Whatever the current one is: as kernels are launched by those who name no stream."""
    a, result = square(x, out)
    if x.device.type != "cuda":
        return lambda: result.copy_(torch.relu(a)), SIDE * SIDE, idle

    def call() -> None:
        with torch.cuda.stream(torch.cuda.default_stream()):
            result.copy_(torch.softmax(a, dim=1))

    return call, SIDE * SIDE, idle


def fresh_memory(torch: Any, x: Any, out: Any) -> Made:
    """Each call finds the allocator empty."""
    made = softmax(torch, x, out)
    return made[0], made[1], torch.cuda.empty_cache


def release(torch: Any, x: Any, out: Any) -> Made:
    call, count, _ = softmax(torch, x, out)

    def both() -> None:
        call()
        torch.cuda.empty_cache()

    return both, count, idle


def item(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)

    def call() -> None:
        soft = torch.softmax(a, dim=1)
        if soft.sum().item() > 0:
            result.copy_(soft)

    return call, SIDE * SIDE, idle


def to_host(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)

    def call() -> None:
        rows = torch.softmax(a, dim=1).amax(dim=1).cpu()
        result.copy_(a * float(rows[0]))

    return call, SIDE * SIDE, idle


def nonzero(torch: Any, x: Any, out: Any) -> Made:
    a = x[: SIDE * SIDE]

    def call() -> None:
        chosen = a[a > 0]
        out.zero_()
        out[: chosen.numel()].copy_(chosen)

    return call, SIDE * SIDE, idle


def scalar(torch: Any, x: Any, out: Any) -> Made:
    """A number that is made a tensor in the call."""
    a, result = square(x, out)

    def call() -> None:
        result.copy_(torch.softmax(a, dim=1) * torch.tensor(2.0, device=a.device))

    return call, SIDE * SIDE, idle


def from_host(torch: Any, x: Any, out: Any) -> Made:
    """4 MiB of the host's, not pinned."""
    a, result = square(x, out)
    rows = torch.rand(256, SIDE)

    def call() -> None:
        result.copy_(a)
        result[:256] += rows.to(a.device)

    return call, SIDE * SIDE, idle


def pinned(torch: Any, x: Any, out: Any) -> Made:
    """The same, pinned in the call."""
    a, result = square(x, out)
    rows = torch.rand(256, SIDE)

    def call() -> None:
        result.copy_(a)
        some = rows.pin_memory() if a.device.type == "cuda" else rows
        result[:256] += some.to(a.device, non_blocking=True)

    return call, SIDE * SIDE, idle


def random(torch: Any, x: Any, out: Any) -> Made:
    a, result = square(x, out)

    def call() -> None:
        torch.manual_seed(1)
        result.copy_(torch.nn.functional.dropout(a + torch.rand_like(a), 0.1))

    return call, SIDE * SIDE, idle


def synchronize(torch: Any, x: Any, out: Any) -> Made:
    call, count, _ = softmax(torch, x, out)

    def both() -> None:
        call()
        if x.device.type == "cuda":
            torch.cuda.synchronize()

    return both, count, idle


MAKERS: dict[str, Callable[[Any, Any, Any], Made]] = {
    make.__name__: make
    for make in (
        nothing,
        empty,
        matmul,
        softmax,
        layernorm,
        block,
        graph,
        compiled,
        triton,
        chain,
        streams,
        default_stream,
        fresh_memory,
        release,
        item,
        to_host,
        nonzero,
        scalar,
        from_host,
        pinned,
        random,
        synchronize,
    )
}


def maker(name: str) -> Callable[[Any, Any, Any], Made]:
    if name.startswith("many_"):
        return many(int(name.removeprefix("many_")))
    return MAKERS[name]
