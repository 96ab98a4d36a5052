"""The runs that the page is shown of: a real one with hostile texts, and filled ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ASSAY = Path(os.environ.get("ASSAY", REPOSITORY / "build/release/bin/assay")).resolve()

# Whatever of these is read as HTML sets window.hostile or asks for an address.
SCRIPT = "</script><script>window.hostile=1</script>"
IMAGE = '<img src="https://nowhere.invalid/x.png" onerror="window.hostile=1">'

PROBLEM = f'''"""Rows made positive. {SCRIPT} {IMAGE}"""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x * 2)


def get_inputs():
    return [torch.randn(64, 1000)]
'''

CANDIDATE = f"""# {SCRIPT} {IMAGE}
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return BODY
"""

CANDIDATES = {
    "right": CANDIDATE.replace("BODY", "(x + x).clamp(min=0)"),
    "wrong": CANDIDATE.replace("BODY", "torch.relu(x * 2)[:, :999].repeat(1, 2)[:, :1000]"),
    "raises": CANDIDATE.replace("BODY", f"1 / 0 if x is None else missing('{IMAGE}')"),
}
# A name that is HTML, in C, and does not build.
NAMES_HTML = "<b onclick=alert(1)>.c"
DOES_NOT_BUILD = f"""#include <assay/kernel.h>
/* {SCRIPT} */
int assay_kernel(const assay_call* call) {{
  return call->no_such_field;
}}
"""


def assay(folder: Path, *words: str) -> None:
    # What this machine has found out about itself is in a cache, and would be on the page.
    environment = dict(os.environ, ASSAY_CACHE=str(folder / "no-cache"))
    process = subprocess.run(
        [str(ASSAY), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0 and words[0] != "compare":  # whose status says what it found
        raise RuntimeError(
            f"assay {' '.join(words)} ended with {process.returncode}: {process.stderr}"
        )


class RealRun:
    """Of candidates that are right, wrong, raise, and do not build, timed quickly and watched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_real_problem(folder)
        words = "run relu.py --by file:mine,eager --against eager --quick --quiet --out RUN --watch"
        self.process = subprocess.Popen(
            [str(ASSAY), *words.split()], cwd=folder, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr
        line = self.process.stderr.readline()
        self.address = line.removeprefix("watch it: ").rstrip()
        if not self.address.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"assay run does not say where it can be watched: {line}")

    def goes_on(self) -> bool:
        return self.process.poll() is None

    def page(self) -> Path:
        """Once it has ended."""
        _, errors = self.process.communicate()
        if self.process.returncode != 1:
            raise RuntimeError(f"assay run ended with {self.process.returncode}: {errors}")
        assay(self.folder, "report", "RUN", "--format", "html", "--to", "real.html")
        return self.folder / "real.html"


def write_real_problem(folder: Path) -> None:
    (folder / "relu.py").write_text(PROBLEM)
    (folder / "mine").mkdir()
    for name, text in CANDIDATES.items():
        (folder / "mine" / f"{name}.py").write_text(text)
    (folder / "mine" / NAMES_HTML).write_text(DOES_NOT_BUILD)


def phases_page(folder: Path) -> Path:
    """Of an operation of which all phases of the compiler are kept."""
    words = "run op:softmax[rows=4,columns=8] --on local --until compile --phases --out PHASES"
    assay(folder, *words.split(), "--quiet")
    assay(folder, "report", "PHASES", "--format", "html", "--to", "phases.html")
    return folder / "phases.html"


def networks_page(folder: Path) -> Path:
    """Of two networks by two authors, timed by themselves; what processes held was kept."""
    words = "run model:mm@tiny model:conv@tiny --by eager,iree --on local --profile"
    assay(folder, *words.split(), "--track-memory", "--quiet", "--out", "NETWORKS")
    assay(folder, "report", "NETWORKS", "--format", "html", "--to", "networks.html")
    return folder / "networks.html"


def filled_page(folder: Path, attempts: int) -> Path:
    """Half of its attempts are timed. It is the same each time."""
    fill = ASSAY.parent / "fill_store"
    subprocess.run([fill, folder / f"RUN{attempts}", str(attempts), "timed"], check=True)
    page = folder / f"filled{attempts}.html"
    assay(folder, "report", f"RUN{attempts}", "--format", "html", "--to", page.name)
    return page


def worse_run(folder: Path, attempts: int) -> Path:
    """The filled run, of which the first attempts that passed are broken by now."""
    run = folder / "WORSE"
    shutil.copytree(folder / f"RUN{attempts}", run)
    with sqlite3.connect(run / "assay.sqlite") as store:
        passed = store.execute(
            "SELECT id FROM attempt WHERE verdict = 'accepted' ORDER BY id LIMIT 3"
        ).fetchall()
        for (id_,) in passed:
            for table in ("stage", "artifact", "evidence", "window"):
                where = "attempt_id = ? AND position > 0" if table == "stage" else "attempt_id = ?"
                store.execute(f"DELETE FROM {table} WHERE {where}", (id_,))
            store.execute(
                "UPDATE stage SET status = 'failed', class = 'export', error = ?"
                " WHERE attempt_id = ?",
                (f"ValueError: {SCRIPT} {IMAGE}", id_),
            )
            store.execute("UPDATE attempt SET verdict = 'failed', timing = '' WHERE id = ?", (id_,))
        (larger,) = store.execute(
            "SELECT id FROM attempt WHERE verdict = 'accepted' ORDER BY id LIMIT 1"
        ).fetchone()
        store.execute(
            "UPDATE stage SET peak_bytes = 5 * peak_bytes WHERE attempt_id = ?", (larger,)
        )
    return run


def comparison_page(folder: Path, attempts: int) -> Path:
    words = f"compare RUN{attempts} WORSE --format html --to comparison.html"
    assay(folder, *words.split())
    return folder / "comparison.html"


def standings_page(folder: Path, attempts: int) -> Path:
    words = f"report RUN{attempts} WORSE --format html --to standings.html"
    assay(folder, *words.split())
    return folder / "standings.html"


def search_page(folder: Path) -> Path:
    """Of answers that nobody has judged, by a model that says what is hostile."""
    (folder / "model.sh").write_text(
        "cat >/dev/null\n"
        "echo '```c'\n"
        "echo 'int assay_kernel(const assay_call* call) { return 0; }'\n"
        "echo '```'\n"
    )
    model = f"command:sh {folder / 'model.sh'}"
    words = "write relu.py --lang c --until answer --samples 2 --quiet --out WRITTEN --model"
    assay(folder, *words.split(), model)
    assay(folder, "report", "WRITTEN", "--format", "html", "--to", "search.html")
    return folder / "search.html"
