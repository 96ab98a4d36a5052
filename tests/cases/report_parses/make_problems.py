import pathlib

NAMES = [
    "new\nline",
    "\"quotes\" and 'ticks'",
    "comma, semicolon; tab\t",
    "]]><!-- & -->",
    "<script>x",
    "| pipe `code` *bold*",
    "=1+1",
    "esc \x1b[2J \x07",
    "\u202egnp.exe",
    "\u91cf\u5b50 \U0001f600",
    "cr\rcr",
]

suite = pathlib.Path("suite")
suite.mkdir()
for name in NAMES:
    (suite / f"{name}.py").write_text(f"raise ValueError({name!r})\n")
(suite / "plain.py").write_text(
    "import torch\n"
    "class Model(torch.nn.Module):\n"
    "    def forward(self, x):\n"
    "        return x + 1\n"
    "def get_inputs():\n"
    "    return [torch.rand(4)]\n"
)
