"""Writes what a bench measured, and on what: bench/results/NAME.json."""

import json
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def machine() -> dict[str, str | int | None]:
    return {
        "cores": os.cpu_count(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
    }


def rounded(figures: dict[str, float]) -> dict[str, float]:
    """To two decimals, as documents quote them."""
    return {key: round(value, 2) for key, value in figures.items()}


def write(name: str, figures: dict[str, float], **more: Any) -> None:
    """Prints the file, too."""
    result = {
        "figures": rounded(figures),
        **more,
        "machine": machine(),
    }
    text = json.dumps(result, indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    print(text)
