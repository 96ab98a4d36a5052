"""What an image has imported for its problems before it forks."""

import os
import subprocess
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

WORKER = str(Path(__file__).resolve().parents[1])


def printed(script: str, *arguments: str, **beside: str) -> str:
    """What a script prints, with such modules beside it."""
    with TemporaryDirectory() as folder:
        files = {"script": f"import sys\nsys.path.insert(1, {WORKER!r})\n{dedent(script)}"}
        for name, text in (files | beside).items():
            Path(folder, f"{name}.py").write_text(dedent(text))
        run = subprocess.run(
            [sys.executable, str(Path(folder, "script.py")), *arguments],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    if run.returncode:
        raise AssertionError(run.stderr)
    return run.stdout


class Packages(unittest.TestCase):
    SCRIPT = """
        from assay_worker import packages
        packages._MODULES = {"quiet": ["quiet"], "busy": ["busy"], "broken": ["broken", "quiet"]}
        packages.load(sys.argv[1:])
        import threading
        print(sys.argv[1:], threading.active_count(), "quiet" in sys.modules)
    """

    def test_are_imported_once(self) -> None:
        self.assertEqual(printed(self.SCRIPT, "quiet", quiet=""), "['quiet'] 1 True\n")

    def test_that_break_are_left_to_the_problem(self) -> None:
        said = printed(self.SCRIPT, "broken", quiet="", broken="raise OSError('no library')")
        self.assertEqual(said, "['broken'] 1 True\n")

    def test_that_start_threads_are_not_there_in_the_end(self) -> None:
        busy = """
            import threading, time
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        """
        self.assertEqual(printed(self.SCRIPT, "quiet", "busy", quiet="", busy=busy), "[] 1 False\n")

    @unittest.skipUnless(find_spec("transformers"), "transformers is not installed")
    def test_stay_offline(self) -> None:
        said = printed(
            """
            from assay_worker import hub, packages
            packages.load(["transformers"])
            hub.stay_offline()  # as each fork does
            from transformers import AutoModel
            try:
                AutoModel.from_pretrained("nobody/nothing")
            except hub.NotHere as why:
                print(why)
            """
        )
        self.assertIn("needs files of 'nobody/nothing' from the Hugging Face hub", said)


if __name__ == "__main__":
    unittest.main()
