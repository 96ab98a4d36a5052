"""What an export did on its way: kept with the result, so that a surprising one can be traced."""

import functools
from collections.abc import Callable, Iterable

from assay_worker.protocol import Message

MAX_WORDS = 64
MAX_WORD_CHARACTERS = 128

# Fall-backs that are true of the file, or of how it was built; others are of one trace.
_LASTING = frozenset(("device_ignored", "small_real", "real"))


class Trail:
    """Collects which passes changed what, and which fall-backs were needed."""

    def __init__(self) -> None:
        self._changed: dict[str, set[str]] = {}
        self._fallbacks: list[str] = []

    def begin_again(self, fallback: str | None) -> None:
        """Forgets what was done to a program: the model is built anew, by the fall-back named."""
        self._changed.clear()
        self._fallbacks = [word for word in self._fallbacks if word in _LASTING]
        if fallback:
            self.fell_back(fallback)

    def changed(self, name: str, what: Iterable[str]) -> None:
        """The pass `name` changed the things in `what`; nothing is noted when there are none."""
        words = {word[:MAX_WORD_CHARACTERS] for word in what}
        if words:
            self._changed.setdefault(name, set()).update(words)

    def note(self, name: str) -> Callable[[Iterable[str]], None]:
        """`changed` for the pass `name`."""
        return functools.partial(self.changed, name)

    def fell_back(self, word: str) -> None:
        """The word is one of the closed list in docs/formats.md."""
        if word not in self._fallbacks:
            self._fallbacks.append(word)

    @property
    def fell_back_on(self) -> list[str]:
        """The words of all fall-backs so far."""
        return self._fallbacks

    def describe(self, order: Iterable[str]) -> Message:
        """{"passes": [{"name", "changed"}], "fallbacks": [word]}, the passes in the order given."""
        return {
            "passes": [
                {"name": name, "changed": sorted(self._changed[name])[:MAX_WORDS]}
                for name in order
                if name in self._changed
            ],
            "fallbacks": self._fallbacks,
        }
