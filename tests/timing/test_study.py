"""The study's own arithmetic, without a clock: python3 -m unittest discover -s tests/timing."""

import math
import random
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(TESTS.parent / "scripts"),
    *(str(TESTS / each) for each in ("timing", "corpus", "naive_judge")),
]

from harness.binomial import at_most, lower_bound, upper_bound
from study.attacks import is_deceived, timing_attacks
from study.cells import Cell, read_cells, tally
from study.disturbances import Run, disturbance
from study.journal import Comparison, Journal, Rows
from study.kinds import read_kind
from study.others import Pairs, mann_whitney, mean, median, once, pair_of, u_test
from study.parts import CellPart, Study
from study.published import merged, part_of, stamp
from study.results import cells_table, complaints, found_if_moved, made_sentences, results
from study.rounds import comparison_of, lay_out, sides
from study.variants import vary


def comparison(cell: Cell, outcome: str, expected: str = "equal", reason: str = "") -> Comparison:
    made_of = cell.kind.fingerprint
    return Comparison(cell.name, made_of, 0, 1, expected, outcome, reason, 1.0, 0.99, 1.01, 6, 7.5)


def cell(percent: int = 0, most: float | None = None, least: float | None = None) -> Cell:
    return Cell("a-cell", read_kind("native_1ms"), 300, percent, most, least)


class BinomialTest(unittest.TestCase):
    def test_no_hits_have_the_bound_in_closed_form(self) -> None:
        for tries in (1, 20, 300):
            for confidence in (0.95, 0.99):
                bound = 1 - (1 - confidence) ** (1 / tries)
                self.assertAlmostEqual(upper_bound(0, tries, confidence), bound, 12)
                self.assertAlmostEqual(lower_bound(tries, tries, confidence), 1 - bound, 12)

    def test_bounds_are_those_of_tables(self) -> None:
        # From the quantiles of the beta distribution: qbeta(0.95, 6, 95), qbeta(0.05, 95, 6).
        self.assertAlmostEqual(upper_bound(5, 100, 0.95), 0.102253, 5)
        self.assertAlmostEqual(lower_bound(95, 100, 0.95), 0.897747, 5)

    def test_at_its_bound_a_count_is_as_unlikely_as_it_says(self) -> None:
        for hits, tries in ((1, 40), (15, 300), (7, 20)):
            bound = upper_bound(hits, tries, 0.99)
            self.assertAlmostEqual(at_most(hits, tries, bound), 0.01, 9)
            self.assertGreater(bound, hits / tries)
            self.assertLess(lower_bound(hits, tries, 0.99), hits / tries)

    def test_without_tries_nothing_is_known(self) -> None:
        self.assertEqual((upper_bound(0, 0, 0.95), lower_bound(0, 0, 0.95)), (1.0, 0.0))

    def test_more_hits_than_tries_are_refused(self) -> None:
        with self.assertRaises(ValueError):
            upper_bound(2, 1, 0.95)


class VariantsTest(unittest.TestCase):
    def test_a_seed_makes_the_same_text_and_others_make_others(self) -> None:
        for name in ("native_1ms", "python_1ms", "iree_1ms"):
            kind = read_kind(name)
            texts = [kind.variant(str(seed)).text for seed in range(8)]
            self.assertEqual(texts[3], kind.variant("3").text)
            self.assertEqual(len(set(texts)), 8, name)
            if kind.language == "py":
                for text in texts:
                    compile(text, name, "exec")

    def test_more_work_is_more_visits_and_nothing_else(self) -> None:
        for name in ("native_1ms", "python_1ms"):
            kind = read_kind(name)
            one, other = (kind.variant("7", percent).text.splitlines() for percent in (0, 5))
            differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
            self.assertEqual(len(differing), 1)
            self.assertEqual(differing[0][1], differing[0][0].replace("100", "105"))

    def test_shuffled_lines_all_stay(self) -> None:
        text = "  //% shuffled\n  int a;\n  int b;\n  int c;\n  //% end\n"
        made = {vary(text, str(seed), "c").text for seed in range(40)}
        self.assertEqual(
            {tuple(sorted(each.split("\n"))) for each in made},
            {("", "  int a;", "  int b;", "  int c;")},
        )
        self.assertGreater(len(made), 3)

    def test_what_it_does_not_know_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            vary("//% nonsense\n", "0", "c")
        with self.assertRaises(ValueError):
            vary("int visits;\n", "0", "c", 5)  # more of what?


class KindsTest(unittest.TestCase):
    def test_blocks_are_as_many_as_the_kind_says(self) -> None:
        few, many = read_kind("native_10us"), read_kind("native_1ms")
        self.assertEqual(few.kernel, many.kernel)
        self.assertIn("#define BLOCKS 10\n", few.variant("0").text)
        self.assertIn("#define BLOCKS 100\n", many.variant("0").text)
        self.assertEqual((few.sizes[0] % 10, many.sizes[0] % 100), (0, 0))


class CellsTest(unittest.TestCase):
    def test_all_cells_can_be_read_and_ask_for_something(self) -> None:
        cells = read_cells()
        self.assertGreater(len(cells), 10)
        for each in cells:
            self.assertIsNone(each.most if each.least is not None else each.least, each.name)
            self.assertTrue(each.most or each.least or each.percent, each.name)
            self.assertTrue(each.percent == 0 or each.least is not None, each.name)

    def test_a_share_is_rounded_up(self) -> None:
        self.assertEqual(
            [cell().wanted(share) for share in (1, 0.2, 0.201, 1e-6)], [300, 60, 61, 1]
        )

    def test_the_side_with_more_work_changes(self) -> None:
        different = cell(5, least=0.95)
        self.assertEqual([different.expected(n) for n in (0, 1)], ["slower", "faster"])
        self.assertEqual([sides(different, n) for n in (0, 1)], [(5, 0), (0, 5)])
        self.assertEqual(sides(cell(), 1), (0, 0))

    def test_false_differences_are_counted_on_either_side(self) -> None:
        same = cell(most=0.05)
        found = ["faster", "slower", "equal", *["undecided"] * 17]
        counted = tally(same, [comparison(same, outcome) for outcome in found])
        self.assertEqual((counted.tries, counted.hits, counted.equal), (20, 2, 1))
        self.assertFalse(counted.holds)
        self.assertAlmostEqual(counted.bound(0.95), upper_bound(2, 20, 0.95))

    def test_a_difference_is_found_on_the_right_side_alone(self) -> None:
        different = cell(5, least=0.5)
        found = [("faster", "faster"), ("slower", "slower"), ("equal", "faster")]
        counted = tally(different, [comparison(different, *each) for each in found])
        self.assertEqual((counted.hits, counted.wrong_way, counted.holds), (2, 0, True))
        counted = tally(different, [comparison(different, "slower", "faster")])
        self.assertEqual((counted.hits, counted.wrong_way, counted.holds), (0, 1, False))

    def test_what_was_not_timed_is_no_success(self) -> None:
        same = cell(most=0.05)
        counted = tally(same, [comparison(same, "", reason="build failed")])
        self.assertEqual((counted.not_timed, counted.holds), (1, False))
        self.assertEqual(len(complaints([counted])), 1)

    def test_one_sided_stalls_must_be_named(self) -> None:
        stalled = cell(least=0.9)
        reasons = ("clocks", "interference", "noisy")
        found = [comparison(stalled, "undecided", "undecided", reason) for reason in reasons]
        self.assertEqual(tally(stalled, found).hits, 2)
        found = [comparison(stalled, "faster", "undecided")]
        self.assertEqual(tally(stalled, found).wrong_way, 1)

    def test_an_interval_that_is_moved_is_found_beyond_the_dead_band(self) -> None:
        same = [comparison(cell(most=0.05), "equal")]  # 0.99 to 1.01
        self.assertEqual([found_if_moved(same, percent) for percent in (2, 3, 5)], [0, 1, 1])

    def test_a_table_leaves_out_what_was_not_tried(self) -> None:
        same = cell(most=0.05)
        self.assertEqual(len(cells_table([tally(same, [])])), 1)
        self.assertIn("| 0 % |", cells_table([tally(same, [comparison(same, "equal")])])[2])


class JournalTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "journal.jsonl"

    def part(self, share: float) -> CellPart:
        study = Study("assay", self.path.parent, Journal(self.path), [], 1, share)
        return CellPart(study, cell(most=0.05))

    def test_what_is_done_is_not_done_again(self) -> None:
        part = self.part(0.02)
        self.assertEqual((part.done(), part.wanted()), (0, 6))
        self.assertEqual(part.left_s(), 6 * part.cell.kind.seconds)
        part.study.journal.add_comparisons([comparison(part.cell, "equal") for _ in range(4)])
        again = self.part(0.02)
        self.assertEqual((again.done(), again.left_s()), (4, 2 * 7.5))
        self.assertEqual(again.comparisons(), part.comparisons())
        self.assertEqual(self.part(0.01).left_s(), 0)

    def test_other_kernels_begin_anew(self) -> None:
        part = self.part(1)
        part.study.journal.add_comparisons([comparison(part.cell, "equal")])
        part.cell.kind.source += "/* other */\n"
        self.assertEqual(part.done(), 0)

    def test_a_line_that_was_cut_off_is_none(self) -> None:
        Journal(self.path).add([{"kind": "other", "n": 1}])
        with self.path.open("a") as file:
            file.write('{"kind": "oth')
        journal = Journal(self.path)
        self.assertEqual([row["n"] for row in journal.of("other")], [1])
        journal.add([{"kind": "other", "n": 2}])
        self.assertEqual([row["n"] for row in Journal(self.path).of("other")], [1, 2])

    def test_results_of_nothing_are_no_success_and_no_failure(self) -> None:
        found = results(Journal(self.path), read_cells(), timing_attacks())
        self.assertEqual((found["figures"], found["does_not_hold"]), ({}, []))


class PublishedTest(unittest.TestCase):
    def rows(self, assay: str, cells: dict[str, int]) -> list[dict[str, Any]]:
        return [
            {"kind": "comparison", "cell": cell, "assay": assay, "n": n}
            for cell, count in cells.items()
            for n in range(count)
        ]

    def test_a_part_takes_the_place_of_one_that_has_no_more(self) -> None:
        before = self.rows("old", {"a": 2, "b": 3})
        after = merged(before, self.rows("new", {"a": 2, "b": 2, "c": 1}))
        found = [(part_of(row), row["assay"], row["n"]) for row in after]
        self.assertEqual(
            found,
            [
                ("a", "new", 0),
                ("a", "new", 1),
                *(("b", "old", n) for n in range(3)),
                ("c", "new", 0),
            ],
        )
        self.assertEqual(merged(after, []), after)

    def test_rows_say_what_they_are_of_and_keep_it(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            journal = Journal(Path(name) / "journal.jsonl", stamp("one", 1))
            journal.add_comparisons([comparison(cell(most=0.05), "equal")])
            journal.add([{**journal.rows[0], "assay": "another"}])
            rows = Journal(journal.path).rows
        self.assertEqual([row["assay"] for row in rows], ["one", "another"])
        self.assertRegex(rows[0]["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertRegex(rows[0]["machine"], r"^\d+ cores, \S")

    def test_a_study_in_parts_names_them(self) -> None:
        by = {"machine": "2 cores", "dates": ["2026-01-01", "2026-01-02"]}
        one = {**by, "assay": "a1", "parts": ["x", "y"]}
        self.assertEqual(
            made_sentences([one]),
            ["", "All: 2 cores, 2026-01-01 to 2026-01-02, by the assay `a1`."],
        )
        two = {**by, "assay": "a2", "parts": ["z"], "dates": ["2026-02-01"]}
        self.assertEqual(
            made_sentences([one, two])[1::2],
            [
                "`x`, `y`: 2 cores, 2026-01-01 to 2026-01-02, by the assay `a1`.",
                "`z`: 2 cores, 2026-02-01, by the assay `a2`.",
            ],
        )

    def test_results_are_of_rows_that_were_published_too(self) -> None:
        same = next(each for each in read_cells() if each.name == "native-1ms-same")
        with tempfile.TemporaryDirectory() as name:
            journal = Journal(Path(name) / "journal.jsonl", stamp("one", 1))
            journal.add_comparisons([comparison(same, "equal")])
        found = results(Rows(merged([], journal.rows)), read_cells(), timing_attacks())
        self.assertEqual(found["figures"]["timing_native_1ms_same"], 1)
        self.assertEqual(found["made"][0]["parts"], ["native-1ms-same"])


class RoundsTest(unittest.TestCase):
    def test_candidates_and_baseline_lie_where_assay_finds_them(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            arguments = lay_out(folder, cell(5, least=0.95), 1, 3, 1)
            self.assertEqual(arguments[1::2], ["--by", "--against"])
            files = sorted(path.name for path in (folder / "candidates").iterdir())
            self.assertEqual(files, ["product.c", "product__s2.c", "product__s3.c"])
            self.assertIn("VISITS 105", (folder / "baseline" / "product.c").read_text())
            self.assertIn("VISITS 100", (folder / "candidates" / "product.c").read_text())

    def test_an_attempt_that_was_not_timed_says_why(self) -> None:
        attempt: dict[str, Any] = {
            "error": "it crashed",
            "verdict": "failed",
            "timing": None,
            "stages": [],
        }
        made = comparison_of(cell(), 0, 1, attempt, 1.0)
        self.assertEqual((made.outcome, made.reason, made.ratio), ("", "it crashed", None))

    def test_of_a_winner_the_first_measurement_counts(self) -> None:
        said = {"outcome": "undecided", "reason": "again", "ratio": 1.0, "low": 0.9, "high": 1.1}
        first = {"baseline": "other", "ratio": 1.2, "low": 1.1, "high": 1.3, "outcome": "faster"}
        attempt: dict[str, Any] = {
            "error": None,
            "verdict": "accepted",
            "timing": {"speedups": [said]},
            "stages": [
                {
                    "stage": "measure",
                    "evidence": {
                        "measured": {"launches": 7},
                        "first": {"measured": {"launches": 6}},
                    },
                },
                {"stage": "judge", "evidence": {"against": [], "first": [first]}},
            ],
        }
        made = comparison_of(cell(), 0, 1, attempt, 1.0)
        self.assertEqual((made.outcome, made.ratio, made.launches), ("faster", 1.2, 6))
        for stage in attempt["stages"]:
            del stage["evidence"]["first"]
        made = comparison_of(cell(), 0, 1, attempt, 1.0)
        self.assertEqual((made.outcome, made.reason, made.launches), ("undecided", "again", 7))

    def test_a_disturbance_has_to_be_known(self) -> None:
        with self.assertRaises(ValueError), disturbance("nonsense", Run("assay", 1, Path(), 1)):
            pass


class OthersTest(unittest.TestCase):
    def test_ratios_are_of_baseline_to_candidate(self) -> None:
        pairs: Pairs = [(2.0, 1.0), (4.0, 1.0), (30.0, 1.0)]
        self.assertEqual((once(pairs), mean(pairs), median(pairs)), (2.0, 12.0, 4.0))

    def test_the_u_test_has_the_normal_approximation(self) -> None:
        # No overlap: U is 0, where 81 / 2 with a variance of 81 * 19 / 12 is expected.
        p = math.erfc((40.5 - 0.5) / math.sqrt(2 * 128.25))
        self.assertAlmostEqual(mann_whitney(list(range(9)), list(range(9, 18))), p, 12)
        # U is 2; of six ranks two are shared by two.
        p = math.erfc((4.5 - 2 - 0.5) / math.sqrt(2 * 9 / 12 * (7 - 12 / 30)))
        self.assertAlmostEqual(mann_whitney([1, 2, 3], [2, 3, 4]), p, 12)
        self.assertEqual(mann_whitney([1.0] * 9, [1.0] * 9), 1.0)

    def test_by_chance_the_u_test_finds_as_much_as_it_says(self) -> None:
        draw = random.Random(1)
        found = sum(
            u_test(
                [(math.exp(draw.gauss(0, 0.1)), math.exp(draw.gauss(0, 0.1))) for _ in range(10)]
            )
            != 1.0
            for _ in range(2000)
        )
        self.assertTrue(0.03 < found / 2000 < 0.06, found)

    def test_they_are_given_the_pairs_that_assay_is_given(self) -> None:
        same, different = cell(), cell(5, least=0.95)
        rounds = [pair_of(same, pair) for pair in range(2 * same.per_round)]
        self.assertEqual(rounds[0], (0, 1))
        self.assertEqual(rounds[-1], (1, same.per_round))
        self.assertEqual(different.expected(pair_of(different, 3)[0]), "faster")


class AttacksTest(unittest.TestCase):
    def test_attacks_on_the_clock_are_those_of_the_first_table(self) -> None:
        names = [entry.name for entry in timing_attacks()]
        self.assertIn("T7_batch_and_skip", names)
        self.assertTrue(all(name.startswith("T") for name in names))

    def test_who_is_faster_indeed_deceives_nobody(self) -> None:
        known = {entry.name: entry for entry in timing_attacks()}
        row = {"outcome": "faster"}
        self.assertFalse(is_deceived(known["T16_folds_layers"], row))
        self.assertTrue(is_deceived(known["T4_patches_clock"], row))
        self.assertFalse(is_deceived(known["T4_patches_clock"], {"outcome": "equal"}))


if __name__ == "__main__":
    unittest.main()
