"""Writes folders of weights: those of net.py, and some that nobody can take."""

import json
import os
import sys

import torch

folder, seed = (sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else ("hub", 0)
torch.manual_seed(seed)
tensors = {
    "base.0.weight": torch.randn(50, 8).bfloat16(),
    "base.1.weight": torch.randn(4, 8).bfloat16(),
    "base.1.bias": torch.zeros(4).bfloat16(),
    "head.weight": torch.zeros(1).bfloat16(),
}
WORDS = {torch.bfloat16: "BF16", torch.float32: "F32", torch.float8_e4m3fn: "F8_E4M3"}


def file_of(tensors: dict[str, torch.Tensor]) -> bytes:
    header, body = {}, b""
    for name, tensor in tensors.items():
        data = bytes(tensor.reshape(-1).view(torch.uint8).numpy())
        offsets = [len(body), len(body) + len(data)]
        word = WORDS[tensor.dtype]
        header[name] = {"dtype": word, "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


content = file_of(tensors)


def write(path: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


write(f"{folder}/model.safetensors", content)
# As those who quantise to eight bits leave it.
quantised = {"base.1.weight": tensors["base.1.weight"].to(torch.float8_e4m3fn)}
scale = {"base.1.weight_scale_inv": torch.tensor([0.5])}
write("scaled/model.safetensors", file_of(tensors | quantised | scale))
write("cut/model.safetensors", content[:-7])
write("pickles/pytorch_model.bin", b"")
index = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
write("shards/model.safetensors.index.json", json.dumps(index).encode())
