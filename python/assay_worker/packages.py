"""What problems import that takes seconds: where theirs does, an image has it before its forks."""

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from assay_worker import hub

# By the name that a problem imports, and that assay starts an image with (src/run/python.cc).
_MODULES = {
    "torch_geometric": ["torch_geometric.nn"],
    "transformers": ["transformers.modeling_utils", "transformers.generation.utils"],
}


def load(names: Sequence[str]) -> None:
    """Imports them as a problem would: what is patched then is patched here.

    What cannot be imported is left to the problem, whose failure it is. Where an import starts a
    thread, which no fork would have, this process begins anew without any. Raises KeyError.
    """
    modules = [module for name in names for module in _MODULES[name]]
    hub.stay_offline()
    # fsspec reads settings from the home folder, which is anybody's where it is /tmp.
    os.environ["FSSPEC_CONFIG_DIR"] = os.devnull
    for module in modules:
        with contextlib.suppress(BaseException):
            import_module(module)
    del os.environ["FSSPEC_CONFIG_DIR"]
    if len(os.listdir("/proc/self/task")) > 1:
        os.execv(sys.executable, sys.orig_argv[: -len(names)])
