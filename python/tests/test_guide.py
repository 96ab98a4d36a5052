"""guide.py, spoken to as assay does: over a socket."""

import importlib.util
import json
import math
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[1] / "assay_worker" / "guide.py"

# Tiles, of which not all combinations are points, and something else.
POINTS: list[dict[str, Any]] = [
    {"family": "tiles", "knobs": [["m", str(m)], ["n", str(n)]]}
    for m in (1, 2, 4, 8, 16, 32)
    for n in (1, 2, 4, 8, 16, 32)
    if m * n <= 256
] + [{"family": "flags", "knobs": [["width", str(width)]]} for width in (16, 32, 64)]


def ns_of(point: dict[str, Any]) -> float | None:
    """The best is m=8, n=8; what is narrow fails."""
    if point["family"] == "flags":
        return None
    return 100.0 + 10 * sum(abs(math.log2(int(value)) - 3) for _, value in point["knobs"])


@unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed")
class GuideTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ours, theirs = socket.socketpair()
        self.process = subprocess.Popen([sys.executable, "-I", str(SCRIPT)], stdin=theirs.fileno())
        theirs.close()
        self.lines = self.ours.makefile("r", encoding="utf-8")
        self.assertEqual(json.loads(self.lines.readline()), {"ready": True})

    def tearDown(self) -> None:
        self.lines.close()
        self.ours.close()
        self.assertEqual(self.process.wait(timeout=20), 0)

    def ask(self, request: dict[str, Any]) -> Any:
        self.ours.sendall((json.dumps(request) + "\n").encode())
        return json.loads(self.lines.readline())

    def test_each_point_is_asked_for_once_and_none_that_is_known(self) -> None:
        self.ask({"points": POINTS, "seed": 1})
        self.assertEqual(self.ask({"tell": 3, "ns": ns_of(POINTS[3])}), {"ok": True})
        seen = {3}
        while points := self.ask({"ask": 5})["points"]:
            self.assertLessEqual(len(points), 5)
            for point in points:
                self.assertNotIn(point, seen)
                seen.add(point)
                self.ask({"tell": point, "ns": ns_of(POINTS[point])})
        self.assertEqual(len(seen), len(POINTS))

    def test_what_is_near_the_fastest_two_comes_next(self) -> None:
        # Not in the order of their numbers.
        sizes = ("16", "1", "4", "2", "8")
        points = [
            {"family": "tiles", "knobs": [["m", m], ["n", n], ["kind", kind]]}
            for m in sizes
            for n in sizes
            for kind in ("a", "b", "c")
        ]
        self.ask({"points": points, "seed": 1})
        for place in range(8):  # all are of m=16
            self.ask({"tell": place, "ns": None if place == 0 else 100.0 - place})
        fastest = points[7]["knobs"]
        self.assertEqual(fastest, [["m", "16"], ["n", "4"], ["kind", "b"]])
        asked = [points[place]["knobs"] for place in self.ask({"ask": 4})["points"]]
        near = [
            [["m", "8"], ["n", "4"], ["kind", "b"]],
            [["m", "16"], ["n", "8"], ["kind", "b"]],
            [["m", "16"], ["n", "2"], ["kind", "b"]],
            [["m", "16"], ["n", "4"], ["kind", "c"]],
        ]
        self.assertCountEqual(asked, near)

    def test_a_seed_says_what_is_asked_for(self) -> None:
        asked = []
        for _ in range(2):
            self.ask({"points": POINTS, "seed": 7})
            asked.append(self.ask({"ask": 6})["points"])
        self.assertEqual(asked[0], asked[1])
        self.assertEqual(len(asked[0]), 6)


if __name__ == "__main__":
    unittest.main()
