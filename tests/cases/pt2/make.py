"""Writes programs of torch.export: one for each thing that the case looks at."""

import json
import os
import pickle
import zipfile

import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(50, 8)
        self.layer = torch.nn.Linear(8, 4)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layer(self.table(ids)), -1)


class Evil:
    def __reduce__(self) -> object:
        return os.mkdir, (os.environ["MARKER"],)


torch.manual_seed(0)
torch.export.save(torch.export.export(Net(), (torch.zeros(2, 6, dtype=torch.int64),)), "net.pt2")


def write(path: str, **changes: object) -> None:
    """The same with other files in it: bytes, or what is done to its JSON."""
    with zipfile.ZipFile("net.pt2") as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            for name, change in changes.items():
                if name not in info.filename.replace("/", "_"):
                    continue
                if isinstance(change, bytes):
                    content = change
                else:
                    value = json.loads(content)
                    change(value)
                    content = json.dumps(value).encode()
            new.writestr(info.filename, content)


def pickled(config: dict) -> None:
    for each in config["config"].values():
        each["use_pickle"] = True


def calls(target: str, text: str = "") -> object:
    def change(program: dict) -> None:
        node = program["graph_module"]["graph"]["nodes"][0]
        node["target"] = target
        if text:
            node["inputs"] = [{"name": "", "arg": {"as_string": text}, "kind": 1}]

    return change


def newer(program: dict) -> None:
    program["schema_version"] = {"major": 99, "minor": 1}


evil = pickle.dumps(Evil())
write("samples.pt2", sample_inputs=evil)
write("pickled.pt2", weights_config=pickled, weights_weight_=evil)
write("calls.pt2", models_model=calls("torch.os.mkdir", os.environ["MARKER"]))
write("custom.pt2", models_model=calls("torch.ops.mylib.fused.default"))
write("newer.pt2", models_model=newer)
content = open("net.pt2", "rb").read()
open("cut.pt2", "wb").write(content[: len(content) // 2])
open("text.pt2", "w").write("no archive\n")
with open("huge.pt2", "wb") as file:  # has no blocks on the disk
    file.truncate((1 << 30) + 1)
