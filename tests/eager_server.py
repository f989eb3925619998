"""A server that computes each op the moment it is registered, in plain NumPy."""

import numpy as np

from fusionlab.ir.tensor import TensorStatus
from fusionlab.kernels.reference import run_operation


class EagerServer:
    """No queue, no decisions: the values that a program means."""

    def __init__(self):
        self.arrays = {}

    def register(self, _stream, operation):
        if operation.kind.startswith("Init"):
            return
        results = run_operation(operation, [self.arrays[t.id] for t in operation.inputs])
        for tensor in operation.inputs:
            if tensor.status is TensorStatus.READ_WRITE:
                self.arrays.pop(tensor.id, None)
        self.arrays |= {t.id: a for t, a in zip(operation.outputs, results, strict=True)}

    def drain(self, _stream):
        pass

    def upload(self, tensor, data):
        self.arrays[tensor.id] = np.asarray(data)

    def read(self, _stream, tensor):
        array = self.arrays[tensor.id]
        if tensor.status is TensorStatus.READ_WRITE:
            del self.arrays[tensor.id]
        return array

    def share_view(self, _stream, source, view):
        self.arrays[view] = self.arrays[source]

    def foreign_drop(self, _stream, tensor):
        del self.arrays[tensor.id]
