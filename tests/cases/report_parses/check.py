"""Reads each report with a parser that knows nothing of assay."""

import base64
import csv
import gzip
import html.parser
import json
import os
import xml.etree.ElementTree
from collections import Counter

PROBLEMS = {name.removesuffix(".py") for name in os.listdir("suite")}
TARGETS = ["a100", "local"]
WANTED = {(problem, target): 1 for problem in PROBLEMS for target in TARGETS}

with open("OUT.json", encoding="utf-8") as file:
    report = json.load(file)
attempts = report["attempts"]
assert Counter((a["workload"], a["target"]) for a in attempts) == WANTED
assert report["summary"]["all"]["total"] == len(WANTED)
assert report["summary"]["all"]["passed"] == 2
assert report["summary"]["by_target"]["local"]["failed"] == len(PROBLEMS) - 1
assert sum(len(cause["attempts"]) for cause in report["causes"]) == len(WANTED) - 2
print("json")

with open("OUT.jsonl", encoding="utf-8") as file:
    assert [json.loads(line) for line in file] == attempts
print("jsonl")



def spelled(name: str) -> str:
    """The name as CSV has it: what moves a cursor or turns text around is spelled byte by byte."""
    hidden = "\x1b\x07\r\u202e"
    return "".join(
        "".join(f"\\x{byte:02x}" for byte in c.encode()) if c in hidden else c for c in name
    )


with open("OUT.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file, strict=True))
assert Counter((row["problem"], row["target"]) for row in rows) == {
    (spelled(problem), target): 1 for problem, target in WANTED
}
assert [row["id"] for row in rows] == [a["id"] for a in attempts]
for row, attempt in zip(rows, attempts, strict=True):
    assert row["error"] == (attempt["error"] or ""), (row["error"], attempt["error"])
    assert row["reproduce"] == attempt["reproduce"]
    assert row["reached"] == (attempt["reached"] or "")
print("csv")

# Expat refuses what is not well-formed.
root = xml.etree.ElementTree.parse("OUT.junit").getroot()
cases = list(root.iter("testcase"))
ids = [case.find("properties/property[@name='id']").get("value") for case in cases]
assert sorted(ids) == sorted(a["id"] for a in attempts)
by_id = {a["id"]: a for a in attempts}
for case, id in zip(cases, ids, strict=True):
    failure = case.find("failure")
    assert (failure is None) == (by_id[id]["verdict"] == "compiled")
    name = by_id[id]["workload"]
    if all(ord(c) >= 0x20 or c in "\n\t\r" for c in name):  # XML has no other
        assert case.get("name") == name, (case.get("name"), name)
    if failure is not None:
        assert by_id[id]["reproduce"] in failure.text
suites = root.findall("testsuite")
for count in ("tests", "failures", "errors", "skipped"):
    assert int(root.get(count)) == sum(int(suite.get(count)) for suite in suites)
assert (root.get("tests"), root.get("failures")) == (str(len(WANTED)), str(len(WANTED) - 2))
print("junit")

with open("OUT/iree_compile_report.json", encoding="utf-8") as file:
    classic = json.load(file)
summary, statistics = classic["summary"], classic["statistics"]
assert summary["total_compilation_attempts"] == len(WANTED)
assert summary["failed_compilations"] == len(WANTED) - 2
assert statistics["by_target"]["a100"] == {
    "success": 1,
    "failed": len(PROBLEMS) - 1,
    "total": len(PROBLEMS),
}
assert len(classic["details"]["load_failures"]) == len(PROBLEMS) - 1
results = classic["details"]["results"]["suite"]
assert [len(results[target]["success"]) for target in TARGETS] == [1, 1]
assert os.path.exists(results["local"]["success"][0]["output_path"])
with open("OUT/iree_compile.log", encoding="utf-8") as file:
    assert len(file.read().split("\n")) == len(WANTED) + 1
print("classic")


class Page(html.parser.HTMLParser):
    """The elements of a page that hold data, by id; and every tag."""

    def __init__(self) -> None:
        super().__init__()
        self.data: dict[str, object] = {}
        self.tags: Counter[str] = Counter()
        self.id = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.id = dict(attributes).get("id") or "" if tag == "script" else ""

    def handle_data(self, text: str) -> None:
        if self.id:
            self.data[self.id] = json.loads(gzip.decompress(base64.b64decode(text)))
            self.id = ""


page = Page()
with open("OUT.html", encoding="utf-8") as file:
    page.feed(file.read())
assert page.tags["script"] == len(page.data) + 1, page.tags
assert page.data["assay-table"]["rows"] == len(attempts)
blocks = [page.data[f"assay-block-{n}"] for n in range(len(page.data) - 1)]
assert [each["attempt"] for block in blocks for each in block] == attempts
print("html")
