"""Which values inputs may have, as a file says it: `get_input_domains()`, one entry per input.

Nothing is made of it here: whoever draws the inputs keeps to it. What the file says is only looked
at for whether it can be meant.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from assay_worker.failure import Explained
from assay_worker.protocol import Message

MAX_NODES = 1 << 31
MAX_BELOW = 1 << 62

NAME = "get_input_domains"
ALLOWED = (
    '"free", "mask", "constant", {"index": N}, {"mask": {"shown": 0}}, '
    '{"graph": {"nodes": N, "undirected": False, "self_loops": True, "duplicates": True}}, '
    "or None, for what assay finds itself"
)


class BadDomain(Explained):
    """The file says of an input what cannot be."""


def said(entries: Any, leaves: Sequence[Any], draws: Sequence[Message]) -> list[Message | None]:
    """Of each of the flattened arguments {"domain": word, its parameters}, or None.

        "free" "constant"                   "mask"    "shown": 0 or 1
        "index"   "below"                   "graph"   "nodes", "undirected", "self_loops",
                                                      "duplicates"

    `entries` is what the file gives, `draws` what is known of how each is drawn. Raises BadDomain.
    """
    if not isinstance(entries, list | tuple):
        raise BadDomain(
            f"`{NAME}()` gave {type(entries).__name__}, not a list: one entry per input"
        )
    if len(entries) != len(leaves):
        raise BadDomain(
            f"`{NAME}()` gave {_count(len(entries), 'entry', 'entries')} for "
            f"{_count(len(leaves), 'input', 'inputs')}: one per input, nested ones counted, and "
            "None for numbers"
        )
    return [
        _said(n, entry, leaf, draw)
        for n, (entry, leaf, draw) in enumerate(zip(entries, leaves, draws, strict=True))
    ]


def require(domains: Sequence[Message | None], leaves: Sequence[Any]) -> None:
    """Raises BadDomain where values of an index or a mask are others than the file says.

    A graph is drawn by others, whatever the file makes of it.
    """
    for n, (domain, leaf) in enumerate(zip(domains, leaves, strict=True)):
        if domain is None or not _DOMAINS[domain["domain"]].values or not leaf.numel():
            continue
        ends = None
        if not leaf.is_floating_point() or bool(
            (leaf == leaf.trunc()).all() & leaf.isfinite().all()
        ):
            ends = int(leaf.min()), int(leaf.max())
        _require_within(n, domain, ends)


def _said(n: int, entry: Any, leaf: Any, draw: Message) -> Message | None:
    if entry is None:
        return None
    if not isinstance(leaf, Tensor):
        raise BadDomain(f"input {n} is no tensor: `{NAME}()[{n}]` is to be None")
    word, given = _word_and_parameters(n, entry)
    domain: Message = {"domain": word, **given}
    _DOMAINS[word].check(n, domain, leaf)
    if draw["draw"] is not None:
        _require_within(n, domain, _ends(draw, leaf))
    return domain


def _word_and_parameters(n: int, entry: Any) -> tuple[str, Message]:
    """Of one entry, as it is written. Raises BadDomain."""
    bad = BadDomain(f"`{NAME}()[{n}]` is {_short(entry)}: give {ALLOWED}")
    if isinstance(entry, str):
        word, given = entry, dict[str, Any]()
    elif isinstance(entry, dict) and len(entry) == 1 and isinstance(next(iter(entry)), str):
        ((word, given),) = entry.items()
        given = {"below": given} if word == "index" else given
    else:
        raise bad
    row = _DOMAINS.get(word)
    if row is None or not isinstance(given, dict) or not set(given) <= set(row.parameters):
        raise bad
    given = {name: given.get(name, usual) for name, usual in row.parameters.items()}
    for name, value in given.items():
        wanted = int if name in _NUMBERS else bool
        if type(value) is not wanted or value not in _NUMBERS.get(name, (False, True)):
            raise bad
    return word, given


def _check_index(n: int, domain: Message, leaf: Tensor) -> None:
    if leaf.is_floating_point() or leaf.is_complex() or leaf.dtype == torch.bool:
        raise BadDomain(f"input {n} is {leaf.dtype}: an index is of whole numbers")
    if domain["below"] - 1 > torch.iinfo(leaf.dtype).max:
        raise BadDomain(f"input {n} is {leaf.dtype}, which holds none up to {domain['below'] - 1}")


def _check_graph(n: int, domain: Message, leaf: Tensor) -> None:
    if leaf.dtype not in (torch.int64, torch.int32) or leaf.dim() != 2 or leaf.shape[0] != 2:
        raise BadDomain(
            f"input {n} is {leaf.dtype}{list(leaf.shape)}: a graph is its edges, whole numbers of "
            "32 or 64 bits and of the shape [2, number of edges]"
        )
    edges, nodes = int(leaf.shape[1]), domain["nodes"]
    if domain["undirected"] and edges % 2:
        raise BadDomain(
            f"input {n} has {edges} edges: an undirected graph has each edge, and the same turned "
            "round, so their number is even"
        )
    if edges and not domain["self_loops"] and nodes < 2:
        raise BadDomain(f"input {n} is a graph of one node: its edges are self-loops")
    pairs = nodes * nodes if domain["self_loops"] else nodes * (nodes - 1)
    if domain["undirected"]:
        pairs = nodes * (nodes - 1)
    if not domain["duplicates"] and edges > pairs:
        raise BadDomain(
            f"input {n} has {edges} edges, and {nodes} nodes have {pairs} without duplicates"
        )


@dataclass(frozen=True)
class _Domain:
    """A row of the table."""

    # With what they are where the file does not say; None: it has to.
    parameters: Message = field(default_factory=dict)
    # Raises BadDomain where a tensor cannot be of it.
    check: Callable[[int, Message, Tensor], None] = lambda n, domain, leaf: None
    # That its values are of, where they are looked at, and what these are called.
    values: Callable[[Message], range] | None = None
    words: str = ""


_DOMAINS = {
    "free": _Domain(),
    "index": _Domain(
        {"below": None},
        _check_index,
        lambda domain: range(domain["below"]),
        "an index below {below}",
    ),
    "mask": _Domain({"shown": 1}, values=lambda domain: range(2), words="a mask of 0 and 1"),
    "graph": _Domain(
        {"nodes": None, "undirected": False, "self_loops": True, "duplicates": True}, _check_graph
    ),
    "constant": _Domain(),
}

_NUMBERS = {"below": range(1, MAX_BELOW + 1), "nodes": range(1, MAX_NODES + 1), "shown": range(2)}


def _require_within(n: int, domain: Message, ends: tuple[int, int] | None) -> None:
    """With the least and the most of the values; None: they are no whole numbers."""
    row = _DOMAINS[domain["domain"]]
    if not row.values:
        return
    words = row.words.format(**domain)
    if ends is None:
        raise BadDomain(f"input {n} is said to be {words}, and has fractions")
    if not all(end in row.values(domain) for end in ends):
        raise BadDomain(f"input {n} is said to be {words}, and goes from {ends[0]} to {ends[1]}")


def _ends(draw: Message, leaf: Tensor) -> tuple[int, int] | None:
    """The least and the most that a draw gives; None: it gives fractions."""
    last = max(leaf.numel() - 1, 0)
    known: dict[str, Callable[[], tuple[Any, Any]]] = {
        "zeros": lambda: (0, 0),
        "ones": lambda: (1, 1),
        "full": lambda: (draw["value"], draw["value"]),
        "randint": lambda: (draw["low"], draw["high"] - 1),
        "randperm": lambda: (0, last),
        "arange": lambda: (draw["low"], draw["low"] + last * draw["step"]),
    }
    if draw["draw"] not in known:
        return None
    ends = [end * draw.get("scale", 1) + draw.get("shift", 0) for end in known[draw["draw"]]()]
    if not all(math.isfinite(end) and end == math.trunc(end) for end in ends):
        return None
    return int(min(ends)), int(max(ends))


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _short(value: Any) -> str:
    try:
        return repr(value)[:100]
    except Exception:  # __repr__ may be the user's
        return type(value).__name__
