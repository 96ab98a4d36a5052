"""Two extensions of one name, with flags as people write them; what they register is not here."""

import os

import torch
from torch.utils.cpp_extension import load


def build(folder, flags):
    os.makedirs(f"/tmp/{folder}", exist_ok=True)
    with open(f"/tmp/{folder}/kernels.cu", "w") as file:
        file.write(f"__global__ void {folder}(float* out) {{ out[threadIdx.x] = 1; }}\n")
    load("kernels", [f"/tmp/{folder}/kernels.cu"], extra_cuda_cflags=flags, is_python_module=False)


build("first", ["-gencode", "arch=compute_70,code=sm_70", "-Xptxas -v"])
build("second", ["--use_fast_math"])


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return torch.ops.kernels.add(x, y)
