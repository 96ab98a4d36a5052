"""What scripts/selection.py has run, by what differs from the proved commit of a fresh clone."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = REPOSITORY / "tests" / "cases"


def run(folder: Path, *command: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "ASSAY_EVERYTHING"}
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


class SelectionTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.clone = Path(temporary.name) / "clone"
        clone = ["git", "clone", "--quiet", "--shared", str(REPOSITORY), str(self.clone)]
        run(REPOSITORY, *clone)
        run(self.clone, "git", "config", "gc.auto", "0")  # it would work on when all is removed
        # What is not committed yet is tested, too.
        shutil.copy(REPOSITORY / "scripts/selection.py", self.clone / "scripts")
        shutil.copytree(CASES, self.clone / "tests/cases", dirs_exist_ok=True)
        self.commit("all that is there")
        self.prove(run(self.clone, "git", "rev-parse", "HEAD"))

    def commit(self, message: str) -> None:
        run(self.clone, "git", "add", "--all")
        author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"]
        run(self.clone, "git", *author, "commit", "--quiet", "--allow-empty", "-m", message)

    def prove(self, commit: str) -> None:
        (self.clone / "scripts/proved").write_text(commit + "\n")
        self.commit("proved")

    def change(self, path: str) -> None:
        file = self.clone / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((file.read_text() if file.exists() else "") + "\n")

    def asked(self, what: str) -> list[str]:
        return run(self.clone, sys.executable, "scripts/selection.py", what).splitlines()

    def all_cases(self) -> list[str]:
        return sorted(path.parent.name for path in self.clone.glob("tests/cases/*/cmd"))

    def smoke(self) -> set[str]:
        lines = (self.clone / "tests/cases/smoke").read_text().splitlines()
        return {line for line in lines if not line.startswith("#")}

    def test_without_a_change_the_smoke_set_runs(self) -> None:
        self.assertEqual(set(self.asked("cases")), self.smoke())
        self.assertEqual(self.asked("sources"), [])
        self.assertEqual(self.asked("sessions"), ["no"])
        entries = list(self.clone.glob("tests/corpus/*/*/expect.toml"))
        self.assertLess(len(self.asked("corpora")), len(entries) / 4)

    def test_a_changed_file_selects_its_cases(self) -> None:
        self.change("src/serve/mcp.cc")  # fewer than ten touch it: none is drawn
        cases = self.asked("cases")
        self.assertIn("mcp", cases)
        self.assertIn("package", cases)
        self.assertNotIn("full_disk", cases)
        self.assertEqual(self.asked("sources"), ["src/serve/mcp.cc"])
        self.commit("committed, it is as much a change")
        self.assertEqual(self.asked("cases"), cases)

    def test_what_touches_many_cases_draws_some_by_the_commit(self) -> None:
        for path in self.clone.glob("src/*/*.h"):
            self.change(str(path.relative_to(self.clone)))
        self.change("tests/cases/full_disk/expected.lines")
        drawn = []
        for commit in range(2):
            self.commit(f"commit {commit}")
            drawn.append(set(self.asked("cases")))
            self.assertEqual(len(drawn[-1]), len(self.smoke()) + 1 + 10)
            self.assertLess(self.smoke() | {"full_disk"}, drawn[-1])
            self.change("README.md")
        self.assertNotEqual(*drawn)

    def test_a_changed_case_selects_itself(self) -> None:
        self.change("tests/cases/full_disk/expected.lines")
        self.assertEqual(set(self.asked("cases")), self.smoke() | {"full_disk"})

    def test_what_all_cases_are_run_with_selects_all(self) -> None:
        self.change("tests/cases/prelude.bash")
        self.assertEqual(self.asked("cases"), self.all_cases())
        self.assertEqual(self.asked("sessions"), ["no"])

    def test_a_page_selects_the_sessions(self) -> None:
        self.change("docs/manual.md")
        self.assertEqual(self.asked("sessions"), ["yes"])

    def test_changed_entries_of_corpora_are_taken(self) -> None:
        self.change("tests/corpus/broken/bf16_inside/candidate.py")
        self.change("src/op/softmax.cc")
        taken = self.asked("corpora")
        self.assertIn("broken/bf16_inside", taken)
        operations = [
            path.parent.name for path in self.clone.glob("tests/corpus/operations/*/expect.toml")
        ]
        self.assertLess(set(f"operations/{name}" for name in operations), set(taken))

    def test_a_changed_judge_takes_twice_as_much_of_the_corpora(self) -> None:
        for path in ("src/verify/decide.cc", "include/assay/kernel.h"):
            with self.subTest(path):
                before = set(self.asked("corpora"))
                self.change(path)
                after = set(self.asked("corpora"))
                self.assertLess(before, after)
                self.assertGreater(len(after), 1.5 * len(before))
                run(self.clone, "git", "checkout", path)

    def test_an_unknown_path_selects_all(self) -> None:
        for path in ("something/new.txt", "src/new/folder.cc"):
            with self.subTest(path):
                self.change(path)
                self.assertEqual(self.asked("cases"), self.all_cases())
                self.assertIn(path, self.asked("why")[0])
                (self.clone / path).unlink()

    def test_without_a_proved_commit_all_is_selected(self) -> None:
        (self.clone / "scripts/proved").unlink()
        self.assertEqual(self.asked("cases"), self.all_cases())
        self.assertEqual(self.asked("sessions"), ["yes"])
        self.assertGreater(len(self.asked("sources")), 400)
        self.assertEqual(
            len(self.asked("corpora")), len(list(self.clone.glob("tests/corpus/*/*/expect.toml")))
        )

    def test_a_commit_of_another_history_selects_all(self) -> None:
        self.prove("1" * 40)
        self.assertEqual(self.asked("cases"), self.all_cases())
        self.assertIn("not in this history", self.asked("why")[0])


class DataTest(unittest.TestCase):
    def test_each_case_says_when_it_runs(self) -> None:
        smoke = (CASES / "smoke").read_text().splitlines()
        for cmd in CASES.glob("*/cmd"):
            with self.subTest(cmd.parent.name):
                self.assertNotEqual(cmd.parent.name in smoke, (cmd.parent / "touches").exists())

    def test_the_smoke_set_exists(self) -> None:
        for line in (CASES / "smoke").read_text().splitlines():
            self.assertTrue(line.startswith("#") or (CASES / line / "cmd").exists(), line)

    def test_each_glob_of_a_case_touches_something(self) -> None:
        paths = run(REPOSITORY, "git", "ls-files").splitlines()
        for file in CASES.glob("*/touches"):
            for line in file.read_text().splitlines():
                if line and not line.startswith("#"):
                    with self.subTest(file.parent.name, glob=line):
                        self.assertTrue(fnmatch.filter(paths, line))

    def test_each_row_of_the_table_matches_something(self) -> None:
        paths = run(REPOSITORY, "git", "ls-files").splitlines()
        table = (
            (REPOSITORY / "scripts/selection.py").read_text().split("TABLE: ")[1].split("\n]")[0]
        )
        for row in re.findall(r'^    \("([^"]+)"', table, re.MULTILINE):
            with self.subTest(row):
                self.assertTrue(fnmatch.filter(paths, row))


if __name__ == "__main__":
    unittest.main()
