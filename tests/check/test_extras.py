"""What the documents have people install with assay is what it offers."""

import re
import unittest
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[2]


class Extras(unittest.TestCase):
    def test_what_is_named_is_there(self) -> None:
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
        offered = project["optional-dependencies"]
        named = set()
        for page in (REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")):
            text = page.read_text()
            for listed in re.findall(r"'\.\[([\w,-]+)\]'", text):
                named |= set(listed.split(","))
            for row in re.findall(r"the extras of `pip install`: ((?:`[\w-]+`(?:, )?)+)", text):
                named |= set(re.findall(r"`([\w-]+)`", row))
        self.assertIn("ort", named)
        self.assertEqual(named - set(offered), set())
        own = re.compile(rf"^{project['name']}\[([\w-]+)\]$")
        for packages in offered.values():
            for each in packages:
                if (one := own.match(each)) is not None:
                    self.assertIn(one[1], offered)


if __name__ == "__main__":
    unittest.main()
