"""How scripts/check-docs takes prose apart, and what it says of long sentences."""

import sys
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "scripts" / "check-docs"
LOADER = SourceFileLoader("check_docs", str(PATH))
SPEC = spec_from_loader("check_docs", LOADER)
assert SPEC
check_docs = module_from_spec(SPEC)
sys.modules["check_docs"] = check_docs  # dataclasses look their module up
LOADER.exec_module(check_docs)


class SentencesTest(unittest.TestCase):
    def test_ends(self) -> None:
        self.assertEqual(
            check_docs.sentences("It runs. assay goes on (from there.) Why? `a.b c.` is code."),
            ["It runs.", "assay goes on (from there.", "Why?", "`a.b c.` is code."],
        )
        self.assertEqual(len(check_docs.sentences("Some, e.g. torch 2.9, i.e. a part.")), 1)

    def test_what_has_none(self) -> None:
        prose = "# A heading\n\n| a table. | of. two |\n\n    a | drawing. of\n    two\n\n"
        prose += "<!-- words -->One [link](x.md) is.\n"
        self.assertEqual(check_docs.sentences(prose), ["One link is."])

    def test_entries_of_lists_stand_alone(self) -> None:
        prose = "These:\n- one\n  goes on\n- two\n\n1. three\n2. four"
        self.assertEqual(
            check_docs.sentences(prose), ["These:", "one goes on", "two", "three", "four"]
        )

    def test_words(self) -> None:
        self.assertEqual(check_docs.length_in_words("`a b c` is - well - 3."), 4)

    def test_a_long_one_is_named(self) -> None:
        long = "word " * (check_docs.WORDS_MOST + 1) + "end."
        (problem, mean) = check_docs.sentence_problems(long)
        self.assertIn(f"{check_docs.WORDS_MOST + 2} words", problem)
        self.assertIn("on average", mean)
        self.assertEqual(check_docs.sentence_problems("It is short. " * 3 + long[5:70]), [])

    def test_short_entries_do_not_hide_long_sentences(self) -> None:
        entries = "".join(f"- [entry](#{i})\n" for i in range(50))
        sentence = "word " * check_docs.WORDS_MEAN + "end.\n\n"
        self.assertEqual(len(check_docs.sentence_problems(sentence + entries)), 1)


if __name__ == "__main__":
    unittest.main()
