"""LSTM, GRU and RNN."""

from assay_worker import counted_loop, recurrent
from assay_worker.passes.base import Pass

RECURRENT = Pass(
    name="recurrent",
    why="""Torch takes a recurrent network apart step by step: 512 steps take half a minute, and
    give a program of thousands of operations. As a loop, its size is that of one step.""",
    tracing=lambda note: recurrent.as_loops(),
)

COUNTED_LOOPS = Pass(
    name="counted_loops",
    why="""The importer translates only loops that carry all that they read, and every loop as one
    whose condition is data, which the compiler computes and waits for in each step.""",
    rewrite=counted_loop.steps_of_loops,  # changes nothing: this is for the record
    importing=lambda note: counted_loop.imported(),
)
