"""The benchmark: what fusing is worth on this machine, the losses included.

In: workloads (lab programs beside the same formula in NumPy's words). Out: rows of medians with
their spread, and the findings that these rows allow. NumPy and the contenders are loaded when a
measurement starts, because the number of threads has to be settled before.
"""
