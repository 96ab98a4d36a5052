"""Does what each row of the manual's table for users of geak-eval says, and holds what comes of it against the run's records.

Prints what is not so, and how many rows there are of each kind. What a row says of a file or a number is then spoiled, and
the row's check has to tell: one that cannot fail is printed, too."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path
from typing import Any

MARKED = re.compile(r"<!-- geak:begin -->\n(.*?)<!-- geak:end -->", re.DOTALL)
LINE = "#" * 146
STAMPED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d => File: ")
NO_TIME = "time: needs a card"
SOME = ("vector_add", "leaky_relu")
MANUAL, SUITE = Path(sys.argv[1]), Path(sys.argv[2])
STANDS_FOR = {
    "triton:SUITE": f"triton:{SUITE}",
    "file:RESULTS": f"file:{SUITE}/answers/pass_1.json",
    "file:PASSES/pass_*": "file:passes/pass_*",
    "file:KERNELS": "file:kernels",
    "DIR": "tests",
    "URL": "http://127.0.0.1:9/",
    "N": "1",
    "NAME": "kernels",
}


def run(command: str) -> tuple[int, str]:
    words = [STANDS_FOR.get(word, word) for word in shlex.split(command)]
    # What a whole suite comes to, the case has judged before: the folders are there.
    if words[1] == "run":
        words += ["--filter", ",".join(SOME)]
        words[words.index("--out") + 1] += "-again"
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def attempts(folder: str) -> list[dict[str, Any]]:
    said = subprocess.run(["assay", "report", folder, "--format", "json"], stdout=subprocess.PIPE, check=True).stdout
    return list(json.loads(said)["attempts"])


def suite_of(attempt: dict[str, Any]) -> dict[str, Any]:
    return dict(attempt["stages"][-1]["evidence"]["suite"])


def counted(of: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in of if suite_of(each)["exec"] is not None]


def share(of: list[dict[str, Any]], step: str) -> float:
    return sum(suite_of(each)[step] for each in counted(of)) / len(counted(of))


def pass_at(k: int, of: list[dict[str, Any]], step: str) -> float:
    """What the original means: the mean over kernels of 1 - C(n - c, k) / C(n, k)."""
    found = []
    for name in {each["workload"] for each in counted(of)}:
        mine = [each for each in of if each["workload"] == name]
        left_out = len(mine) - len(counted(mine))
        n = max(each["candidate"] for each in of) - left_out
        right = sum(suite_of(each)[step] for each in counted(mine))
        found.append(1 - comb(n - right, k) / comb(n, k) if k <= n else float(right > 0))
    return sum(found) / len(found)


def table(score: str, head: str) -> list[dict[str, str]]:
    """The rows below a line that begins with "who" and has this column."""
    lines = iter(score.splitlines())
    names = next((line for line in lines if line.startswith("who") and head in line), "")
    columns = re.split(r"\s{2,}", names.strip())
    rows = []
    for line in lines:
        cells = re.split(r"\s{2,}", line.strip())
        if len(cells) != len(columns):
            break
        rows.append(dict(zip(columns, cells, strict=True)))
    return rows


RUN = attempts("RUN")

# What each option's command has come to. Its output, then the folder that it wrote, if it is a run.
Check = Callable[[str], Iterator[str]]


def of_run(folder: str, authors: set[str], candidates: set[int], kernels: set[str] = {*SOME}) -> Iterator[str]:
    found = attempts(folder + "-again")
    for name, want, got in (
        ("authors", authors, {each["author"] for each in found}),
        ("candidates", candidates, {each["candidate"] for each in found}),
        ("kernels", kernels, {each["workload"] for each in found}),
        ("attempts", len(candidates) * len(kernels), len(found)),
    ):
        if want != got:
            yield f"{name} are {got}, and not {want}"
    if not all(suite_of(each)["call"] for each in found):
        yield "there is one whose tests do not run"


def results(_: str) -> Iterator[str]:
    yield from of_run("RUN", {"pass_1.json"}, {1})


def dataset(_: str) -> Iterator[str]:
    yield from of_run("OWN", {"reference"}, {1})
    if not all(suite_of(each)["assay"] for each in attempts("OWN-again")):
        yield "a suite's own kernel is not right"


def outfile(_: str) -> Iterator[str]:
    for name in ("pass_1/out.json", "pass_2/out.json_results_1.json", "pass_1/exec/performance_analysis.txt"):
        if not Path("FOLDER", name).is_file():
            yield f"{name} is not there"


def pattern(_: str) -> Iterator[str]:
    yield from of_run("SOME", {"passes"}, {1, 2})


def k_values(score: str) -> Iterator[str]:
    if [row["k"] for row in table(score, "exec pass@k")] != ["1", "2"]:
        yield "it has other k"
    if [row["k"] for row in table(run("assay report RUN --format score --k 2")[1], "exec pass@k")] != ["2"]:
        yield "it has more than the k that it was asked for"


def on_code(_: str) -> Iterator[str]:
    yield from of_run("CODE", {"kernels"}, {1}, {"vector_add"})


def other_tests(_: str) -> Iterator[str]:
    with_them = {each["workload"]: each["path"].partition("@tests=")[2] for each in attempts("OTHER-again")}
    if with_them != {"vector_add": str(Path("tests/vector_add.py").resolve()), "leaky_relu": ""}:
        yield f"the tests of {with_them}"
    compared = {each["workload"]: suite_of(each)["compared"]["tensors"] for each in attempts("OTHER-again")}
    if compared["vector_add"] != 1:
        yield "vector_add was not run with other tests"


def debug(_: str) -> Iterator[str]:
    yield from of_run("FEW", {"pass_1.json"}, {1}, {attempts("FEW-again")[0]["workload"]})
    (row,) = [row for row in table(run("assay report FEW-again --format score")[1], "call accuracy") if row["of"] == "all"]
    if row["answers"] != "1":
        yield "its accuracies are of more than what was run"


def team(shown: str) -> Iterator[str]:
    if json.loads(shown[: shown.rindex("}") + 1])["data"][0] != "kernels":
        yield "the team's name is not in it"
    if "nothing was sent" not in shown:
        yield "it does not say that nothing was sent"


# What each file has to hold.
def log(folder: Path) -> Iterator[str]:
    for number, file in (1, "pass_1.json"), (2, "pass_2.jsonl"):
        mine = [each for each in RUN if each["candidate"] == number]
        lines = (folder / f"pass_{number}/out.json").read_text().splitlines()
        if sum(STAMPED.match(line) is not None and ", Call Status: " in line for line in lines) != len(mine):
            yield "not a line for each answer"
        call, executed = (repr(share(mine, step)).removesuffix(".0") for step in ("call", "exec"))
        want = f"=> File: {file}, Call Accuracy: {call}, Exec Accuracy: {executed}"
        if not lines[-1].endswith(want):
            yield f"it lacks '{want}'"


def status(value: bool | None, is_counted: bool) -> int | None:
    return int(bool(value)) if is_counted else None


def results_of(number: int) -> dict[str, tuple[Any, ...]]:
    told = {}
    for each in (each for each in RUN if each["candidate"] == number):
        suite = suite_of(each)
        is_counted = suite["exec"] is not None
        steps = [status(suite[step], is_counted) for step in ("call", "exec", "assay")]
        told[f"{each['workload']}.py"] = (*steps, not is_counted, int(suite["difficulty"]))
    return told


def result_file(folder: Path) -> Iterator[str]:
    fields = ("call_status", "exec_status", "assay_status", "unverifiable", "difficulty")
    read = json.loads((folder / "pass_1/out.json_results_0.json").read_text())
    if {each["file_name"]: tuple(each[name] for name in fields) for each in read} != results_of(1):
        yield "it says something else than the records"
    if any({"pass_num", "stdout", "stderr"} - set(each) or each["pass_num"] != 0 for each in read):
        yield "it lacks fields of the original"


def all_passes(folder: Path) -> Iterator[str]:
    parts = [json.loads((folder / f"pass_{number + 1}/out.json_results_{number}.json").read_text()) for number in (0, 1)]
    if json.loads((folder / "out.json_all_passes.json").read_text()) != parts[0] + parts[1]:
        yield "it is not what the passes are"


def summary(folder: Path) -> Iterator[str]:
    want: dict[str, dict[str, int]] = {}
    for each in counted(RUN):
        suite = suite_of(each)
        none = {"call_status": 0, "exec_status": 0, "difficulty": int(suite["difficulty"])}
        kernel = want.setdefault(f"{each['workload']}.py", none)
        for step in ("call", "exec"):
            kernel[f"{step}_status"] += suite[step]
    if json.loads((folder / "out.json_summary.json").read_text()) != want:
        yield "it is not the sum of the passes"


def performance(folder: Path) -> Iterator[str]:
    if json.loads((folder / "pass_1/out.json_perf_0.json").read_text()) != {"speed_up": [], "efficiency": [], "why": NO_TIME}:
        yield "it has times, or does not say why it has none"


def pass_at_k(folder: Path) -> Iterator[str]:
    lines = (folder / "out.jsonpassk.txt").read_text().splitlines()
    want = [
        f"{name} Accuracy for k={k}: {100 * pass_at(k, RUN, step):.6g}"
        for k in (1, 2)
        for name, step in (("Call", "call"), ("Exec", "exec"))
    ]
    if lines != want:
        yield f"it has {lines}, and not {want}"


def passed_first() -> set[str]:
    return {each["workload"] for each in RUN if each["candidate"] == 1 and suite_of(each)["exec"]}


def kernel(folder: Path) -> Iterator[str]:
    answer, _, tests = (folder / "pass_1/exec/vector_add.py").read_text().partition(f"\n{LINE}\n")
    own = (SUITE / "g/vector_add.py").read_text()
    if tests.strip() != own.partition(LINE)[2].strip():
        yield "below the line are other tests"
    if "@triton.jit" not in answer or answer.strip() == own.partition(LINE)[0].strip():
        yield "above the line is no answer"
    if {each.stem for each in (folder / "pass_1/exec").glob("*.py")} != passed_first():
        yield "there are other kernels than those that pass"


def analysis(folder: Path) -> Iterator[str]:
    rows = (folder / "pass_1/exec/performance_analysis.txt").read_text().splitlines()[2:]
    if {tuple(row.split(", ")) for row in rows} != {(name, "-", "-", NO_TIME) for name in passed_first()}:
        yield "it has other rows than kernels that pass"


def times(folder: Path) -> Iterator[str]:
    logs = folder / "pass_1/exec/gen_perf/logs"
    if (logs / "vector_add_perf.py.log").read_text() != NO_TIME + "\n":
        yield "it does not say why there is no time"
    if (logs / "vector_add_perf.py.err").read_text():
        yield "it has an error"


# Numbers of the score.
def accuracy(column: str, step: str) -> Check:
    def check(score: str) -> Iterator[str]:
        rows = [row for row in table(score, column) if row["of"] == "all"]
        want = f"{100 * share(RUN, step):.1f} %"
        if [row[column] for row in rows] != [want]:
            yield f"{column} is {rows}, and not {want}"

    return check


def exec_at_k(score: str) -> Iterator[str]:
    found = {row["k"]: row["exec pass@k"] for row in table(score, "exec pass@k")}
    want = {str(k): f"{100 * pass_at(k, RUN, 'exec'):.1f} %" for k in (1, 2)}
    if found != want:
        yield f"pass@k is {found}, and not {want}"


def no_times(score: str) -> Iterator[str]:
    if NO_TIME not in score.splitlines():
        yield "it does not say why there is none"


OPTIONS: dict[str, Check] = {
    "--folder_or_file PATH": results,
    "--dataset tbg": dataset,
    "--outfile out.json": outfile,
    "--file_pat PATTERN": pattern,
    "--k_vals 1,2": k_values,
    "--run_on_code": on_code,
    "--custom_tests_path DIR": other_tests,
    "--debug N": debug,
    "--team NAME": team,
}
FILES: dict[str, Callable[[Path], Iterator[str]]] = {
    "out.json": log,
    "out.json_results_0.json": result_file,
    "out.json_all_passes.json": all_passes,
    "out.json_summary.json": summary,
    "out.json_perf_0.json": performance,
    "out.jsonpassk.txt": pass_at_k,
    "exec/KERNEL.py": kernel,
    "exec/performance_analysis.txt": analysis,
    "exec/gen_perf/logs/KERNEL_perf.py.log": times,
}
NUMBERS: dict[str, tuple[str, Check]] = {
    "Call Accuracy": ("call accuracy", accuracy("call accuracy", "call")),
    "Exec Accuracy": ("exec accuracy", accuracy("exec accuracy", "exec")),
    "pass@k": ("exec pass@k", exec_at_k),
    "speed-up, efficiency": (NO_TIME, no_times),
}


def complaints(check: Callable[[Any], Iterator[str]], of: Any) -> list[str]:
    """What it finds; what it cannot even read is a finding as well."""
    try:
        return list(check(of))
    except (OSError, ValueError, KeyError, IndexError) as error:
        return [repr(error)]


def option(there: str, code: list[str]) -> list[str]:
    status, said = run(code[0])
    if status not in (0, 1):
        return [f"it ends with {status}: {said}"]
    return complaints(OPTIONS[there], said)


def file(there: str, code: list[str]) -> list[str]:
    name = there.replace("KERNEL", "vector_add")
    if code[0] not in (f"FOLDER/{name}", f"FOLDER/pass_1/{name}"):
        return [f"{code[0]} is another file"]
    found = complaints(FILES[there], Path("FOLDER"))
    spoiled = Path("spoiled")
    shutil.copytree("FOLDER", spoiled)
    path = spoiled / Path(code[0]).relative_to("FOLDER")
    path.write_text(re.sub(r"[0-9]+|card", "7", path.read_text()))
    if not complaints(FILES[there], spoiled):
        found.append("its check does not tell it from another file")
    shutil.rmtree(spoiled)
    return found


def number(there: str, code: list[str]) -> list[str]:
    name, check = NUMBERS[there]
    if code[0] != name:
        return [f"{code[0]} is not {name}"]
    _, score = run("assay report RUN --format score")
    found = complaints(check, score)
    if not complaints(check, re.sub(r"[0-9.]+ %|card", "7.7 %", score)):
        found.append("its check does not tell it from another number")
    return found


def main() -> None:
    Path("kernels").mkdir()
    shutil.copy(SUITE / "g/vector_add.py", "kernels")
    Path("tests").mkdir()
    Path("tests/vector_add.py").write_text(
        "def test_other():\n    x = torch.rand(40, device='cuda')\n    return {'one': vector_add(x, x)}\n\nresult_gold = test_other()\n"
    )
    Path("passes").mkdir()
    for name in ("pass_1.json", "pass_2.jsonl"):
        shutil.copy(SUITE / "answers" / name, "passes")
    shutil.copy("passes/pass_1.json", "passes/other.json")  # which the pattern does not match
    rows: Counter[str] = Counter()
    checks = {"option": (OPTIONS, option), "file": (FILES, file), "number": (NUMBERS, number)}
    left = {(kind, there) for kind, (known, _) in checks.items() for there in known}
    for line in MARKED.search(MANUAL.read_text())[1].splitlines()[2:]:
        kind, there, here = (cell.strip() for cell in line.strip("|").split("|"))
        there = there.strip("`")
        rows[kind] += 1
        if (kind, there) not in left:
            print(kind, there, "has no check, or two rows")
            continue
        left.remove((kind, there))
        for complaint in checks[kind][1](there, re.findall(r"`([^`]+)`", here)):
            print(kind, there, "->", complaint)
    print(*sorted(left), dict(rows))


main()
