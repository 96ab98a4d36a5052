"""TOML is part of Python since 3.11; before, pip brings it."""

import importlib
import sys
from pathlib import Path
from typing import Any

tomllib: Any = importlib.import_module(
    "tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli"
)


def read_toml(path: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(path.read_text())
    return table
