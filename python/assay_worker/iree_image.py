"""The image `iree`: has loaded IREE's runtime; a worker calls one artifact."""

from importlib import import_module

from assay_worker.protocol import Channel
from assay_worker.zygote import Image

_RUNNER = "assay_worker.iree_runner"


def warm_up() -> None:
    """Loads it, and what forks would do each for themselves. No device: it may have threads."""
    try:
        import_module(_RUNNER)
    except ImportError:
        return  # each worker says so: only its attempt fails
    from iree.runtime import VmInstance

    VmInstance()


def work(channel: Channel) -> None:
    """Does one job. Raises EndOfStream where there is none, ImportError without a runtime."""
    import_module(_RUNNER).work(channel)


IMAGE = Image("iree", warm_up, work)
