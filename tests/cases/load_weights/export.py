"""Exports what a file's get_model() gives."""

import runpy
import sys

import torch

names = runpy.run_path(sys.argv[1])
program = torch.export.export(names["get_model"]().eval(), (names["get_dummy_input"](),))
torch.export.save(program, sys.argv[2])
