"""What torch does with a card in a process that a judge would start: rows of JSON.

torch_child.py share BYTES ELEMENTS OUTPUTS_AT    uses the memory that comes over descriptor 3
torch_child.py zygote                             forks, with torch imported and no card opened
"""

import ctypes
import json
import os
import socket
import sys
import time
from typing import Any

BEGIN = time.monotonic()


def row(name: str, **values: Any) -> None:
    rounded = {key: round(v, 3) if isinstance(v, float) else v for key, v in values.items()}
    print(json.dumps({"row": name, **rounded}), flush=True)


class Stopwatch:
    def __init__(self) -> None:
        self.last = time.monotonic()

    def ms(self) -> float:
        now = time.monotonic()
        passed, self.last = now - self.last, now
        return passed * 1e3


def first_use(torch: Any) -> dict[str, float]:
    """What comes before the first useful kernel."""
    watch = Stopwatch()
    torch.cuda.init()
    times = {"init_ms": watch.ms()}
    some = torch.ones(1024, 1024, device="cuda")
    torch.cuda.synchronize()
    times["first_tensor_ms"] = watch.ms()
    (some + 1).sum().item()
    times["first_kernels_ms"] = watch.ms()
    (some @ some).sum().item()
    times["first_matmul_ms"] = watch.ms()
    (some @ some).sum().item()
    times["second_matmul_ms"] = watch.ms()
    return times


class Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class AccessDescription(ctypes.Structure):
    _fields_ = (("location", Location), ("flags", ctypes.c_int))


def mapped(descriptor: int, size: int) -> int:
    """The address of a judge's memory on the card, in this process."""
    driver = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *arguments: Any) -> None:
        result = getattr(driver, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name}: error {result}")

    handle = ctypes.c_ulonglong()
    address = ctypes.c_ulonglong()
    one, zero, length = ctypes.c_int(1), ctypes.c_ulonglong(0), ctypes.c_size_t(size)
    call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(descriptor), one)
    call("cuMemAddressReserve", ctypes.byref(address), length, ctypes.c_size_t(0), zero, zero)
    call("cuMemMap", address, length, ctypes.c_size_t(0), handle, zero)
    description = AccessDescription(Location(1, 0), 3)
    call("cuMemSetAccess", address, length, ctypes.byref(description), ctypes.c_size_t(1))
    return address.value


class Words:
    """So many 32-bit words at an address, as torch takes memory of others."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "<i4",
            "data": (address, False),
            "version": 3,
        }


def pooled(torch: Any, inputs: Any, address: int, pool_bytes: int) -> tuple[int, str]:
    """Where a result lies whose memory torch has taken from the judge's."""
    place = os.environ["GPU_PROBE_ALLOCATOR"]
    try:
        library = ctypes.CDLL(place)
        library.arena_use(ctypes.c_void_p(address), ctypes.c_size_t(pool_bytes))
        memory = torch.cuda.memory
        allocator = memory.CUDAPluggableAllocator(place, "arena_allocate", "arena_free")
        pool = torch.cuda.MemPool(allocator.allocator())
        with torch.cuda.use_mem_pool(pool):
            result = inputs + 2
        torch.cuda.synchronize()
        KEPT.extend([library, allocator, pool, result])
        return result.data_ptr(), ""
    except (RuntimeError, OSError, AttributeError, TypeError) as problem:
        return 0, str(problem)[:300]


KEPT: list[Any] = []  # ends with the process


def gated(torch: Any, word: int) -> None:
    """Operations that are queued behind a word on the card, which is set when all are queued."""
    driver = ctypes.CDLL("libcuda.so.1")
    stream, other = torch.cuda.Stream(), torch.cuda.Stream()
    some = torch.randn(1024, 1024, device="cuda")

    def calls() -> None:
        for _ in range(50):
            torch.relu(some @ some).sum(dim=0)

    with torch.cuda.stream(stream):
        calls()
    torch.cuda.synchronize()
    at, one, flags = ctypes.c_ulonglong(word), ctypes.c_uint(1), ctypes.c_uint(0)
    watch = Stopwatch()
    with torch.cuda.stream(stream):
        waits = driver.cuStreamWaitValue32_v2(ctypes.c_void_p(stream.cuda_stream), at, one, flags)
        calls()
    queued_ms = watch.ms()
    time.sleep(0.01)
    waited = not stream.query()
    watch.ms()
    opens = driver.cuStreamWriteValue32_v2(ctypes.c_void_p(other.cuda_stream), at, one, flags)
    stream.synchronize()
    row(
        "gated_torch",
        results=[waits, opens],
        waited=waited,
        operations=150,
        queued_ms=queued_ms,
        card_ms=watch.ms(),
    )


def share(
    size: int, count: int, outputs_at: int, pool_at: int, pool_bytes: int, words_at: int
) -> None:
    channel = socket.socket(fileno=3)
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    watch = Stopwatch()
    import torch

    times = {"import_ms": watch.ms(), **first_use(torch)}
    watch.ms()
    address = mapped(descriptors[0], size)
    inputs = torch.as_tensor(Words(address, count), device="cuda")
    outputs = torch.as_tensor(Words(address + outputs_at, count), device="cuda")
    times["map_ms"] = watch.ms()
    torch.add(inputs, 1, out=outputs)
    torch.cuda.synchronize()
    times["first_call_ms"] = watch.ms()
    graph_problem = ""
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            torch.add(inputs, 1, out=outputs)
        outputs.zero_()
        graph.replay()
        torch.cuda.synchronize()
    except RuntimeError as problem:
        graph_problem = str(problem)[:200]
    place, pool_problem = pooled(torch, inputs, address + pool_at, pool_bytes)
    row(
        "torch_child",
        torch=torch.__version__,
        no_copy=inputs.data_ptr() == address and outputs.data_ptr() == address + outputs_at,
        graph_problem=graph_problem,
        pool_problem=pool_problem,
        process_ms=(time.monotonic() - BEGIN) * 1e3,
        **times,
    )
    channel.send((place - address if place else 0).to_bytes(8, "little"))
    gated(torch, address + words_at)
    channel.recv(1)
    os._exit(0)


def child(torch: Any, kind: str, begin: float) -> None:
    """In a fork of the zygote."""
    try:
        started = (time.monotonic() - begin) * 1e3
        times = first_use(torch)
        free, total = torch.cuda.mem_get_info()
        row(
            "zygote_child",
            kind=kind,
            started_ms=started,
            in_use_mib=(total - free) / 2**20,
            **times,
        )
    except (RuntimeError, OSError) as problem:
        row("zygote_child", kind=kind, problem=str(problem)[:300])
    os._exit(0)


def fork_child(torch: Any, kind: str, namespaces: bool) -> None:
    begin = time.monotonic()
    pid = os.fork()
    if pid != 0:
        os.waitpid(pid, 0)
        return
    if not namespaces:
        child(torch, kind, begin)
    new_pid, new_mount, new_net, new_ipc = 0x20000000, 0x00020000, 0x40000000, 0x08000000
    recursive, private = 0x4000, 0x40000
    library = ctypes.CDLL(None, use_errno=True)

    def call(name: str, *arguments: Any) -> None:
        if getattr(library, name)(*arguments) != 0:
            row("zygote_child", kind=kind, problem=f"{name}: {os.strerror(ctypes.get_errno())}")
            os._exit(0)

    call("unshare", new_pid | new_mount | new_net | new_ipc)
    inner = os.fork()
    if inner == 0:
        call("mount", None, b"/", None, recursive | private, None)
        call("mount", b"proc", b"/proc", b"proc", 0, None)
        child(torch, kind, begin)
    os.waitpid(inner, 0)
    os._exit(0)


def zygote() -> None:
    watch = Stopwatch()
    import torch

    import_ms = watch.ms()
    threads = len(os.listdir("/proc/self/task"))
    opened = [os.readlink(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd")[:-1]]
    row(
        "zygote",
        torch=torch.__version__,
        import_ms=import_ms,
        threads=threads,
        opened_card=any("nvidia" in each for each in opened),
    )
    for _ in range(2):
        fork_child(torch, "fork", namespaces=False)
    for _ in range(2):
        fork_child(torch, "fork in namespaces of its own, with their proc", namespaces=True)
    available = torch.cuda.is_available()
    fork_child(torch, f"fork behind is_available() -> {available}", namespaces=False)


def main() -> None:
    if sys.argv[1] == "share":
        share(*[int(each) for each in sys.argv[2:8]])
    elif sys.argv[1] == "zygote":
        zygote()
    else:
        sys.exit(f"torch_child: error: no mode '{sys.argv[1]}'")


if __name__ == "__main__":
    main()
