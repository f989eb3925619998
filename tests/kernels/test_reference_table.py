"""Every row of the table of ops has a meaning, and it agrees with the row's shape rule."""

import numpy as np
import pytest
from kernels.samples import sample

from fusionlab.ir.opset import OPSET
from fusionlab.kernels.dtypes import storage_dtype
from fusionlab.kernels.reference import MEANINGS, run_operation


def test_every_op_kind_has_a_meaning_and_no_meaning_is_without_a_row():
    assert set(MEANINGS) == set(OPSET)


@pytest.mark.parametrize("name", sorted(OPSET))
def test_a_meaning_returns_what_the_shape_rule_says(name):
    tape = sample(name)
    op = tape.ops[0]
    inputs = [tape.inputs[tensor.id] for tensor in op.inputs]
    before = [array.copy() for array in inputs]
    results = run_operation(op, inputs, seed=5)
    assert [array.shape for array in results] == [out.shape for out in op.outputs]
    assert [array.dtype for array in results] == [storage_dtype(out.dtype) for out in op.outputs]
    for array, old in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, old, err_msg="an input was written to")
