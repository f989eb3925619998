"""Turning decisions into numbers: buffers, NumPy meanings, generated kernels, the executor."""
