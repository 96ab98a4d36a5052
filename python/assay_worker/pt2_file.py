"""Programs of torch.export as problems (graph_file.py). What they hold has the original's names."""

from typing import Any

from torch import Tensor, nn

from assay_worker.graph_file import BadGraphFile, GraphProblem, returned
from assay_worker.pt2_archive import Archive, Saved
from assay_worker.pt2_graph import Plan


def read(content: bytes, sizes: dict[str, int]) -> GraphProblem:
    """Raises BadGraphFile."""
    archive = Archive(content)
    plan = Plan(archive.program, sizes)
    persistent, others = archive.tensors("weights"), archive.tensors("constants")
    held = persistent | others
    # Also what no call reads: candidates are given all that the model had.
    names = list(dict.fromkeys([*persistent, *plan.held.values()]))
    for own in names:
        if own not in held:
            raise BadGraphFile(f"it is damaged: it has no values for '{own}'")
        if not all(part.isidentifier() or part.isdigit() for part in own.split(".")):
            raise BadGraphFile(
                f"its '{own}' has a name that is not taken: modules are named as in Python, or "
                "numbered"
            )

    class Model(nn.Module):  # type: ignore[misc]
        """The program, one call after the other."""

        def __init__(self) -> None:
            super().__init__()
            made: dict[int, Tensor] = {}  # tied ones stay one
            for own in names:
                each = held[own]
                if id(each.tensor) not in made:
                    made[id(each.tensor)] = _fresh(each)
                _hold(self, own, made[id(each.tensor)], own in persistent)

        def forward(self, *values: Tensor) -> Any:
            given = {name: _at(self, own) for name, own in plan.held.items()}
            return returned(plan.run(given, values))

    return GraphProblem(Model, plan.inputs)


def _fresh(each: Saved) -> Tensor:
    tensor = each.tensor.clone()
    if each.is_parameter:
        return nn.Parameter(tensor, requires_grad=False)
    return tensor


def _hold(module: nn.Module, name: str, tensor: Tensor, persistent: bool) -> None:
    """Under its name, in modules that are made where they are not there."""
    *path, key = name.split(".")
    for part in path:
        if part not in module._modules:
            module._modules[part] = nn.Module()
        child = module._modules[part]
        assert child is not None
        module = child
    if isinstance(tensor, nn.Parameter):
        module._parameters[key] = tensor
    else:
        module._buffers[key] = tensor
        if not persistent:
            module._non_persistent_buffers_set.add(key)


def _at(module: nn.Module, name: str) -> Tensor:
    *path, key = name.split(".")
    for part in path:
        child = module._modules[part]
        assert child is not None
        module = child
    held = module._parameters[key] if key in module._parameters else module._buffers[key]
    assert held is not None
    return held
