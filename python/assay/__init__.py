"""Verdicts on ML kernels, from one resident assay.

    import assay

    with assay.Judge(against="eager", quick=True) as judge:
        verdict = judge.grade("gelu.py", code, language="cpp")
        print(verdict.outcome, verdict.reward())

`Judge.map()` judges many at once, and `await judge.submit(...)` is for asyncio. torch is loaded by
the resident process and not here.
"""

from .errors import Error
from .judge import Judge
from .request import Request
from .resident import Pending
from .verdict import Verdict

__all__ = ["Error", "Judge", "Pending", "Request", "Verdict"]
