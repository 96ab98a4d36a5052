#!/usr/bin/env python3
"""Writes suites/triton/answers/: what models answer to the bundled suite, right and wrong.

Two files, as TritonBench's and GEAK's agents leave them, each a pass over all kernels, and beside
them expected.json: what comes of each answer. Right answers are the suite's own kernels written in
another way, wrong ones have a mistake that models make. scripts/prove-triton judges them all, and
tests/cases/triton_suite some.
"""

import json
import re
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent / "suites" / "triton"
LINE = "#" * 146
HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

RIGHT_T = {
    "bias_gelu": """
@triton.jit
def gelu_kernel(x_ptr, bias_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask) + tl.load(bias_ptr + offsets % columns, mask=mask)
    tl.store(out_ptr + offsets, 0.5 * x * (1 + tl.erf(x * 0.7071067811865476)), mask=mask)


def bias_gelu(x, bias):
    out = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 128),)](x, bias, out, x.numel(), x.shape[1], BLOCK=128)
    return out
""",
    "masked_mean": """
@triton.jit
def mean_kernel(x_ptr, mask_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    kept = tl.load(mask_ptr + row * columns + offsets, mask=inside, other=0).to(tl.float32)
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
    count = tl.sum(kept, axis=0)
    tl.store(out_ptr + row, tl.sum(x * kept, axis=0) / tl.maximum(count, 1.0))


def masked_mean(x, mask):
    out = torch.empty(x.shape[0], device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    mean_kernel[(x.shape[0],)](x, mask.to(torch.int8), out, x.shape[1], BLOCK=block)
    return out
""",
    "cosine_rows": """
@triton.jit
def cosine_kernel(a_ptr, b_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    a = tl.load(a_ptr + row * columns + offsets, mask=mask, other=0.0)
    b = tl.load(b_ptr + row * columns + offsets, mask=mask, other=0.0)
    length_a = tl.maximum(tl.sqrt(tl.sum(a * a, axis=0)), eps)
    length_b = tl.maximum(tl.sqrt(tl.sum(b * b, axis=0)), eps)
    tl.store(out_ptr + row, tl.sum(a * b, axis=0) / (length_a * length_b))


def cosine_rows(a, b, eps=1e-8):
    out = torch.empty(a.shape[0], device=a.device)
    block = triton.next_power_of_2(a.shape[1])
    cosine_kernel[(a.shape[0],)](a, b, out, a.shape[1], eps, BLOCK=block)
    return out
""",
    "layer_norm_residual": """
@triton.jit
def norm_kernel(x_ptr, r_ptr, w_ptr, b_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0)
    x += tl.load(r_ptr + row * columns + offsets, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scaled = centred / tl.sqrt(variance + eps)
    w = tl.load(w_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + row * columns + offsets, scaled * w + b, mask=mask)


def layer_norm_residual(x, residual, weight, bias, eps=1e-5):
    out = torch.empty_like(x)
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    norm_kernel[(rows,)](x, residual, weight, bias, out, columns, eps, BLOCK=block)
    return out
""",
    "cross_entropy_rows": """
@triton.jit
def loss_kernel(logits_ptr, target_ptr, out_ptr, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    top = tl.max(x, axis=0)
    total = tl.log(tl.sum(tl.exp(x - top), axis=0)) + top
    target = tl.load(target_ptr + row)
    tl.store(out_ptr + row, total - tl.load(logits_ptr + row * classes + target))


def cross_entropy_rows(logits, target):
    out = torch.empty(logits.shape[0], device=logits.device)
    block = triton.next_power_of_2(logits.shape[1])
    loss_kernel[(logits.shape[0],)](logits, target, out, logits.shape[1], BLOCK=block)
    return out
""",
    "pair_distances": """
@triton.jit
def distance_kernel(a_ptr, b_ptr, out_ptr, count, width, BLOCK: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < width
    a = tl.load(a_ptr + i * width + offsets, mask=mask, other=0.0)
    b = tl.load(b_ptr + j * width + offsets, mask=mask, other=0.0)
    off = a - b
    tl.store(out_ptr + i * count + j, tl.sqrt(tl.sum(off * off, axis=0)))


def pair_distances(a, b):
    out = torch.empty((a.shape[0], b.shape[0]), device=a.device)
    block = triton.next_power_of_2(a.shape[1])
    distance_kernel[(a.shape[0], b.shape[0])](a, b, out, b.shape[0], a.shape[1], BLOCK=block)
    return out
""",
    "glu_halves": """
@triton.jit
def glu_kernel(x_ptr, out_ptr, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < half
    a = tl.load(x_ptr + 2 * row * half + offsets, mask=mask).to(tl.float32)
    b = tl.load(x_ptr + (2 * row + 1) * half + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * half + offsets, a / (1 + tl.exp(-b)), mask=mask)


def glu_halves(x):
    rows, half = x.shape[0], x.shape[1] // 2
    out = torch.empty((rows, half), device=x.device, dtype=x.dtype)
    glu_kernel[(rows,)](x, out, half, BLOCK=triton.next_power_of_2(half))
    return out
""",
    "sorted_top": """
@triton.jit
def top_kernel(x_ptr, values_ptr, places_ptr, columns, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    for i in range(k):
        place = tl.argmax(x, axis=0)
        tl.store(values_ptr + row * k + i, tl.max(x, axis=0))
        tl.store(places_ptr + row * k + i, place)
        x = tl.where(offsets == place, -float("inf"), x)


def sorted_top(x, k):
    values = torch.empty((x.shape[0], k), device=x.device)
    places = torch.empty((x.shape[0], k), device=x.device, dtype=torch.int64)
    block = triton.next_power_of_2(x.shape[1])
    top_kernel[(x.shape[0],)](x, values, places, x.shape[1], k, BLOCK=block)
    return values, places
""",
}

# What is put in the place of what, in a right answer, and what is said of it: call, exec, assay.
TTT, TTF, TFF, FFF = "TTT", "TTF", "TFF", "FFF"
MISTAKES = {
    "vector_add": (TTF, "out_ptr + offsets, x + y, mask=mask", "out_ptr + offsets, x + y"),
    "leaky_relu": (TFF, "slope * x), mask", "0.01 * x), mask"),
    "row_softmax": (TFF, "    x = x - tl.max(x, axis=0)\n", ""),
    "rms_norm": (TFF, " / columns + eps)", " / columns)"),
    "matmul": (TFF, "range(0, K, BK)", "range(0, K - BK + 1, BK)"),
    "row_argmax": (TFF, "dtype=torch.int64", "dtype=torch.int32"),
    "row_cumsum": (TFF, "tl.cumsum(x, axis=0), mask", "tl.cumsum(x, axis=0) - x, mask"),
    "gather_rows": (TFF, "mask=mask & (index >= 0)", "mask=mask"),
    "bias_gelu": (
        TTF,
        "(1 + tl.erf(x * 0.7071067811865476))",
        "(1 + 2 * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)) - 1)",
    ),
    "masked_mean": (TFF, "tl.maximum(count, 1.0)", "columns"),
    "cosine_rows": (TFF, "(length_a * length_b)", "length_a"),
    "layer_norm_residual": (
        TFF,
        "tl.sum(centred * centred, axis=0) / columns",
        "tl.sum(x * x, axis=0) / columns",
    ),
    "cross_entropy_rows": (TFF, "top = tl.max(x, axis=0)", "top = 0.0"),
    "pair_distances": (FFF, "def pair_distances(a, b):", "def pair_distances(a, b, BLOCK):"),
    "glu_halves": (FFF, "import triton.language as tl", "import triton.langauge as tl"),
    "sorted_top": (
        TFF,
        "tl.store(places_ptr + row * k + i, place)",
        "tl.store(places_ptr + row * k + i, i)",
    ),
    "swiglu": (TFF, "a * tl.sigmoid(a) * b", "tl.sigmoid(a) * b"),
    "reverse_range": (TFF, "n - 1 - offsets", "n - offsets"),
    "column_sums": (TFF, "lines[:, None] < rows) & (", "lines[:, None] < rows - 1) & ("),
    "transpose": (
        TFF,
        "places[None, :] * rows + lines[:, None]",
        "places[None, :] * columns + lines[:, None]",
    ),
    "clamp_scale": (TFF, "tl.minimum(tl.maximum(x, low), high)", "tl.maximum(x, low)"),
    "row_dot": (FFF, "mask=mask, other=0.0)\n    tl.store", "mask=mask, other=1.0)\n    tl.store"),
    "rotate_pairs": (TFF, "second * cos + first * sin", "second * cos - first * sin"),
}
# Answers that are no whole file.
UNFINISHED = {"row_dot"}


def kernel_of(path: Path) -> str:
    text = path.read_text().split(LINE)[0]
    return re.sub(r'^""".*?"""\n\n', "", text, flags=re.S).strip("\n") + "\n"


# The same by other names and sizes: what a model writes that has not seen the suite's.
def rewritten(code: str) -> str:
    return code.replace("BLOCK=128)", "BLOCK=64)").replace("offsets", "at").replace("256", "512")


FORMS = (
    lambda code: f"Here is the kernel.\n\n```python\n{code}```\n\nIt masks the last block.\n",
    lambda code: code,
    lambda code: f"```python\n{code}",  # cut off behind its last line
    lambda code: (
        "First the imports:\n```python\n{}\n```\nthen the rest.\n```python\n\n\n{}```\n".format(
            *code.split("\n\n\n", 1)
        )
    ),
)


def main() -> None:
    passes: list[list[dict[str, object]]] = [[], []]
    expected: dict[str, str] = {}
    about = {each["file"]: each for each in json.loads((SUITE / "suite.json").read_text())}
    for number, path in enumerate(sorted(SUITE.glob("*/*.py"))):
        name, level = path.stem, path.parent.name
        right = rewritten(kernel_of(path)) if level != "t" else HEAD + RIGHT_T[name].lstrip("\n")
        answers = [(right, "TTT")]
        if name in MISTAKES:
            said, old, new = MISTAKES[name]
            for each in (old, rewritten(old)):
                if each in right:
                    wrong = right.replace(each, rewritten(new) if level != "t" else new)
                    break
            else:
                raise SystemExit(f"{name}: what is to be replaced is not there: {old}")
            answers.append((wrong, said))
        for place, (code, said) in enumerate(answers):
            form = FORMS[(number + place) % len(FORMS)]
            answer = {
                "instruction": f"Write {name} in Triton.",
                "label": "",
                "file": f"{level}/{path.name}",
                "difficulty": about[path.name]["difficulty"],
                "predict": form(code),
            }
            if name in UNFINISHED and place == 1:
                answer["predict"] = "```python\n" + code[: code.rindex("(") + 1]
            passes[place].append(answer)
            expected[f"{level}/{name}" + ("" if place == 0 else "__s2")] = said
    expected["rocm/block_copy"] = "T??"  # it is tried with bf16, too
    folder = SUITE / "answers"
    folder.mkdir(exist_ok=True)
    (folder / "pass_1.json").write_text(json.dumps(passes[0], indent=1) + "\n")
    (folder / "pass_2.jsonl").write_text("".join(json.dumps(each) + "\n" for each in passes[1]))
    (SUITE / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
