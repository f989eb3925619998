"""Programs that users of fusion engines reported as computed wrongly, with what they mean.

The values are those that NumPy gives; whoever fuses these programs must come to the same.
"""

import numpy as np
import pytest
from eager_server import EagerServer

from fusionlab.engine.client import FusionClient
from fusionlab.program import execute, parse_program


def values_of(text: str) -> list[np.ndarray]:
    """What each read of a program gives."""
    seen = []
    client = FusionClient(EagerServer())
    execute(parse_program(text), client, lambda _, array: seen.append(np.array(array)))
    return seen


SWAPPED_MEAN = """\
x = tensor([[[.03365147, .64734447, .74192876, .06468803],
             [.39552283, .55383015, .4253056, .8396726]]])
v = swap_dims(x, 1, 2)
m = mean_dim(v, 2)
q = (v - m) ** 2.0
read(m)
read(sum_dim(q, 2) / 2.0)
"""
REPORTED = {
    "mean and variance over a swapped input": (
        SWAPPED_MEAN,
        [
            [0.2145872, 0.6005873, 0.5836172, 0.4521803],
            [0.0327377, 0.0021862, 0.0250626, 0.1501503],
        ],
    ),
    "softmax of a transposed input": (
        "x = (arange(12) + 1).float().reshape(3, 4)\nread(softmax(transpose(x), dim=1)[0:1])\n",
        [[3.2932e-4, 1.79803e-2, 0.98169035]],
    ),
    "two reductions after a permute": (
        (
            "x = arange(1024).float().reshape(2, 2, 256)\n"
            "read(mean_dim(mean_dim(permute(x, 1, 2, 0), 0), 1))\n"
        ),
        [[255.5, 767.5]],
    ),
    "a reduce whose input the same kernel writes": (
        (
            "x = opaque(ones(128, 32, 1))\ng = sqrt(sum_dim(x ** 2, 2) + 1e-5)\n"
            "n = g / mean_dim(g, 1)\nread(sum(x * n + x))\n"
        ),
        [[8192.0]],
    ),
    "a last matmul with one column": (
        (
            "x = arange(45).float().reshape(5, 9) / 100\nw = full((9, 1), 1 / 9)\n"
            "b = tensor([0.5])\nread(tanh(x @ w + b.reshape(1, 1)))\n"
        ),
        [[0.492988, 0.5580522, 0.6169093, 0.6695903, 0.7162978]],
    ),
    "matmul of a tensor with itself": (
        "x = tensor([[1.0, 2.0], [3.0, 4.0]])\nread(x @ x + 1)\n",
        [[8.0, 11.0, 16.0, 23.0]],
    ),
    "an in-place update that reads its own output": (
        "base = tensor([1.0, 2.0, 3.0, 4.0])\nbase[1:4] = base[0:3]\nread(base)\n",
        [[1.0, 1.0, 2.0, 3.0]],
    ),
    "a running sum between element-wise ops": (
        "x = tensor([0.0, 1.0, 2.0, 3.0])\nread(cumsum(x + 1, 0) * 2)\n",
        [[2.0, 6.0, 12.0, 20.0]],
    ),
    "a write by index and a read by another index": (
        "y = scatter(zeros(4), 0, arange(2), ones(2))\nread(gather(y, 0, arange(3)))\n",
        [[1.0, 1.0, 0.0]],
    ),
    "a rounding boundary in half precision": (
        (
            'v = tensor([[.1, .3, .7], [.2, .9, .9]], dtype="f16")\ns = v / 1.7\n'
            "read(sum_dim((s == max_dim(s, 1)).int(), 1))\n"
        ),
        [[1, 2]],
    ),
    "assignments in a ring": (
        "a, b = ones(4), ones(4)\nc = a + 1\na = b + 1\nb = c\nread(a)\nread(b)\n",
        [[2.0] * 4, [2.0] * 4],
    ),
    "reductions of two lengths": (
        "q = arange(4)\nread(max(q[1:4]) - min(q[1:3]))\n",
        [[2]],
    ),
    "sums along either side of a square": (
        "x = arange(16).float().reshape(4, 4)\nread(sum_dim(x, 0))\nread(sum_dim(x, 1))\n",
        [[24.0, 28.0, 32.0, 36.0], [6.0, 22.0, 38.0, 54.0]],
    ),
    "empty tensors": (
        "read(random(2, 0) + random(2, 1))\nread(random(0, 3) + random(1, 3))\n",
        [[], []],
    ),
    "a tensor read on another stream": (
        (
            "with stream(1):\n    a = keep(ones(2))\n    b = (a + 1) * 2\n"
            "with stream(2):\n    read(b)\ndrop(a)\nsync()\n"
        ),
        [[4.0, 4.0]],
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_a_reported_program_means(name):
    text, expected = REPORTED[name]
    values = values_of(text)
    assert len(values) == len(expected)
    for array, numbers in zip(values, expected, strict=True):
        np.testing.assert_allclose(array.reshape(-1), numbers, rtol=1e-4, atol=1e-6)


def test_nan_survives_a_maximum():
    (rows,) = values_of(
        "a = tensor([[1.0, 0.0, 3.0, 2.0], [1.0, 4.0, 3.0, 2.0]])\n"
        "a[0, 1] = tensor([[0.0]]) / tensor([[0.0]])\nm = max_dim(a, 1)\nread(m + a + 1)\n"
    )
    assert np.isnan(rows[0]).all()
    assert rows[1].tolist() == [6.0, 9.0, 8.0, 7.0]


def test_a_loop_of_results_nobody_reads_leaves_no_handle_behind():
    server = EagerServer()
    text = (
        "big, idx = keep(random(4, 3)), keep(arange(2))\nfor n in range(100):\n"
        "    m = select(big, 0, idx)\n    s = sum(m)\n    drop(s)\nsync()\n"
    )
    execute(parse_program(text), FusionClient(server))
    assert len(server.arrays) == 2
