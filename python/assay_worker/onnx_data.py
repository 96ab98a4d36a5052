"""Graphs in ONNX whose weights lie in a second file, as torch.onnx.export leaves them.

The source is a line that says how many bytes the graph has and what the other file is called, and
then both (src/workload/graph_file.cc).
"""

import json

from assay_worker import onnx_file
from assay_worker.graph_file import GraphProblem


def read(content: bytes, sizes: dict[str, int]) -> GraphProblem:
    """Raises BadGraphFile, or Unplanned of an operation."""
    first, _, both = content.partition(b"\n")
    said = json.loads(first)
    graph = memoryview(both)[: said["graph_bytes"]]
    return onnx_file.read(bytes(graph), sizes, said["data"], memoryview(both)[len(graph) :])
