"""What a card can do, as torch gets it out of it, with its clocks read beside it: rows of JSON."""

import contextlib
import ctypes
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from torch_child import row

SECONDS = 0.8
SIZE = 8192


class Readings:
    """NVML's, every 10 ms."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        self.library.nvmlInit_v2()
        self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))
        self.seen: list[tuple[int, int, int, int, int]] = []
        self.over = True

    def one(self) -> tuple[int, int, int, int, int]:
        library, value = self.library, ctypes.c_uint()
        found = []
        for name, *arguments in (
            ("nvmlDeviceGetClockInfo", 1),
            ("nvmlDeviceGetClockInfo", 2),
            ("nvmlDeviceGetPowerUsage",),
            ("nvmlDeviceGetTemperature", 0),
        ):
            asked = [ctypes.c_int(each) for each in arguments]
            result = getattr(library, name)(self.device, *asked, ctypes.byref(value))
            found.append(value.value if result == 0 else -1)
        reasons = ctypes.c_ulonglong()
        result = library.nvmlDeviceGetCurrentClocksThrottleReasons(
            self.device, ctypes.byref(reasons)
        )
        return (found[0], found[1], found[2], found[3], reasons.value if result == 0 else -1)

    def run(self) -> None:
        while not self.over:
            self.seen.append(self.one())
            time.sleep(0.01)

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        self.seen, self.over = [], False
        thread = threading.Thread(target=self.run)
        thread.start()
        yield
        self.over = True
        thread.join()

    def values(self) -> dict[str, Any]:
        mhz, memory_mhz, power, celsius, reasons = zip(*self.seen or [self.one()], strict=True)
        each: dict[str, int] = {}
        for reason in reasons:
            each[hex(reason)] = each.get(hex(reason), 0) + 1
        return {
            "readings": len(mhz),
            "sm_mhz": [min(mhz), int(statistics.median(mhz)), max(mhz)],
            "memory_mhz": [min(memory_mhz), max(memory_mhz)],
            "power_w": [round(min(power) / 1e3), round(max(power) / 1e3)],
            "temperature_c": [min(celsius), max(celsius)],
            "reasons": " ".join(f"{name}*{count}" for name, count in sorted(each.items())),
        }


def measure(torch: Any, readings: Readings, of: str, work: float, call: Callable[[], Any]) -> None:
    """`work` is of a call, in TFLOP or TB."""
    try:
        for _ in range(3):
            call()
        torch.cuda.synchronize()
    except (RuntimeError, AttributeError, TypeError, ValueError) as problem:
        row("peak", of=of, problem=str(problem)[:300])
        return
    times: list[float] = []
    with readings.beside():
        begin = time.monotonic()
        while time.monotonic() - begin < SECONDS:
            events = [torch.cuda.Event(enable_timing=True) for _ in range(21)]
            events[0].record()
            for event in events[1:]:
                call()
                event.record()
            torch.cuda.synchronize()
            times += [one.elapsed_time(two) for one, two in zip(events, events[1:], strict=False)]
    by_time = sorted(work / (each / 1e3) for each in times)
    row(
        "peak",
        of=of,
        calls=len(times),
        best=by_time[-1],
        median=statistics.median(by_time),
        first_20=statistics.median(work / (each / 1e3) for each in times[:20]),
        last_20=statistics.median(work / (each / 1e3) for each in times[-20:]),
        least=by_time[0],
        **readings.values(),
    )


def products(torch: Any, readings: Readings) -> None:
    matmul = torch.backends.cuda.matmul
    work = 2 * SIZE**3 / 1e12
    for of, kind, tf32 in (
        ("f32", torch.float32, False),
        ("tf32", torch.float32, True),
        ("f16", torch.float16, False),
        ("bf16", torch.bfloat16, False),
    ):
        matmul.allow_tf32 = tf32
        for values in ("random", "zeros"):
            if values == "zeros" and of != "bf16":
                continue
            make = torch.randn if values == "random" else torch.zeros
            a, b = (make(SIZE, SIZE, device="cuda").to(kind) for _ in range(2))
            out = torch.empty_like(a)

            def call(a: Any = a, b: Any = b, out: Any = out) -> None:
                torch.matmul(a, b, out=out)

            measure(torch, readings, f"{of}, {values}", work, call)
    matmul.allow_tf32 = False
    eight = getattr(torch, "float8_e4m3fn", None)
    if eight is None:
        row("peak", of="f8", problem="torch has no float8_e4m3fn")
        return
    a = torch.randn(SIZE, SIZE, device="cuda").to(eight)
    b = torch.randn(SIZE, SIZE, device="cuda").to(eight).t()
    one = torch.ones((), device="cuda")
    for quick in (False, True):

        def scaled(quick: bool = quick) -> None:
            torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16, use_fast_accum=quick)

        measure(torch, readings, f"f8, quick accumulation {quick}", work, scaled)


def bandwidth(torch: Any, readings: Readings) -> None:
    size = 1 << 31
    a = torch.ones(size // 4, device="cuda")
    b = torch.empty_like(a)
    measure(torch, readings, "copy, TB/s", 2 * size / 1e12, lambda: b.copy_(a))
    measure(torch, readings, "read, TB/s", size / 1e12, lambda: a.sum())
    measure(torch, readings, "write, TB/s", size / 1e12, lambda: b.zero_())
    measure(torch, readings, "a + b, TB/s", 3 * size / 1e12, lambda: torch.add(a, b, out=b))


def main() -> None:
    import torch

    row("torch", version=torch.__version__, cuda=torch.version.cuda)
    readings = Readings()
    row("before", **readings.values())
    bandwidth(torch, readings)
    products(torch, readings)
    row("after", **readings.values())


if __name__ == "__main__":
    main()
