"""The passes of an export, one subject a file. `base.py` says what a pass is; `table.py` has all.

Nothing is imported here: what builds a model and exports nothing does without the importer.
"""
