import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[1] / "assay_worker" / "render.py"
HOSTILE = "{{''.__class__}} {{'a'*10**10}} {% include 'system.j2' %}"


class Render(unittest.TestCase):
    """The process as assay starts it: lines in, lines out."""

    process: subprocess.Popen[str]
    start_cpu_seconds: float  # of importing jinja2, most of it

    @classmethod
    def setUpClass(cls) -> None:
        cls.process = subprocess.Popen(
            [sys.executable, "-I", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"LANG": "C.UTF-8"},
        )
        cls.addClassCleanup(cls.process.wait)
        assert cls.process.stdin and cls.process.stdout
        for stream in (cls.process.stdin, cls.process.stdout):
            cls.addClassCleanup(stream.close)
        assert cls.process.stdout.readline() == '{"ready": true}\n'
        cls.start_cpu_seconds = cls.cpu_seconds()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def render(self, text: str, **values: str) -> dict[str, Any]:
        return self.ask({"render": ["a.j2"], "templates": {"a.j2": text}, "values": values})

    def test_templates_include_one_another(self) -> None:
        answer = self.ask(
            {
                "render": ["a.j2", "b.j2"],
                "templates": {"a.j2": "one\n{% include 'b.j2' %}\n", "b.j2": "{{ x }}"},
                "values": {"x": "two"},
            }
        )
        self.assertEqual(answer, {"texts": ["one\ntwo", "two"]})

    def test_a_value_is_no_template(self) -> None:
        answer = self.render("<{{ source }}>", source=HOSTILE)
        self.assertEqual(answer, {"texts": [f"<{HOSTILE}>"]})

    def test_what_a_template_may_not_is_an_error_that_names_it(self) -> None:
        for text, error in (
            ("a\n{{''.__class__}}", "'__class__' of 'str' object is unsafe"),
            ("a\n{{'a'*10**10}}", "more than 512 MiB"),
            ("a\n{{ x|center(10**10) }}", "more than 512 MiB"),
            ("a\n{{ x.format.__globals__ }}", "is unsafe"),
            ("a\n{{ '{0.__class__}'.format(x) }}", "is unsafe"),
            ("a\n{{ nothing }}", "'nothing' is undefined"),
            ("a\n{% if %}", "Expected an expression"),
            ("a\n{{ 1 / 0 }}", "division by zero"),
            ("a\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
             "more than 2 s of CPU time"),
        ):  # fmt: skip
            with self.subTest(text):
                answer = self.render(text, x="v")
                self.assertIn(error, answer.get("error", "no error"))
                self.assertEqual(answer["at"], "a.j2, line 2")

    def test_output_is_limited(self) -> None:
        line = "x" * 64
        answer = self.render("{% for i in range(99999) %}" + line + "{% endfor %}")
        self.assertIn("more than 1 MiB", answer["error"])

    def test_a_template_that_is_not_there(self) -> None:
        answer = self.render("{% include 'etc.j2' %}")
        self.assertEqual(answer, {"error": "there is no template 'etc.j2'", "at": "a.j2"})

    def test_patterns(self) -> None:
        found = self.ask({"search": ["relu|gelu", "mm", "^19"], "in": "19_ReLU"})
        self.assertEqual(found, {"found": [0, 2]})
        refused = self.ask({"search": ["fine", "a("], "in": "x"})
        self.assertEqual(refused["at"], "a(")

    def test_a_pattern_that_takes_for_ever(self) -> None:
        slow = self.ask({"search": ["(a+)+$"], "in": "a" * 40 + "b"})
        self.assertIn("2 s of CPU time", slow["error"])
        self.assertEqual(slow["at"], "(a+)+$")

    def test_it_is_quick(self) -> None:
        text = "line\n" * 300 + "{{ x }}{% if x %}{% include 'b.j2' %}{% endif %}"
        request = {
            "render": ["a.j2", "b.j2"],
            "templates": {"a.j2": text, "b.j2": text.replace("{% include 'b.j2' %}", "")},
            "values": {"x": "v" * 4000},
        }
        self.ask(request)  # compiles them
        before = self.cpu_seconds()
        for _ in range(50):
            self.assertIn("texts", self.ask(request))
        # A fifth of a start, whatever the machine: what one would cost that started a process.
        self.assertLess((self.cpu_seconds() - before) / 50, self.start_cpu_seconds / 5)

    @classmethod
    def cpu_seconds(cls) -> float:
        """Of the process and of its children that have ended."""
        fields = Path(f"/proc/{cls.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
