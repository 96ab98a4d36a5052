"""The Python half of assay: what needs torch or iree.turbine, and nothing else.

A leaf. It does what one job frame asks and answers with what happened; deadlines, limits, verdicts
and everything shown to a person are assay's.
"""
