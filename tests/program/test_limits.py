"""No program hangs the lab or fills its memory: each limit has its own error and place."""

import time

import pytest

from fusionlab.config import Limits
from fusionlab.errors import ProgramError
from fusionlab.program import parse_program


def refused(text: str, limits: Limits | None = None) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        parse_program(text, limits=limits)
    return caught.value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("x = " + "-" * 60_000 + "1", "too_deep", id="signs"),
        pytest.param("x = " + "(" * 60_000, "too_deep", id="brackets"),
        pytest.param("x = 1" + " + 1" * 15_000, "too_deep", id="a long sum"),
        pytest.param("x = 1" + " ** 1" * 12_000, "too_deep", id="a long power"),
        pytest.param("x = a" + ".b" * 30_000, "too_deep", id="attributes"),
        pytest.param("x = a" + "[0]" * 20_000, "too_deep", id="indices"),
        pytest.param("x = " + "f(" * 150 + ")" * 150, "too_deep", id="calls"),
        pytest.param("x = " + "not " * 15_000 + "1", "too_deep", id="words"),
        pytest.param("x = " + "lambda: " * 8_000 + "1", "too_deep", id="lambdas"),
        pytest.param(
            "".join(f"{' ' * n}for a in [1]:\n" for n in range(99)) + " " * 99 + "pass",
            "too_deep",
            id="blocks",
        ),
        pytest.param("x = 1\0", "odd_character", id="NUL"),
        pytest.param("x = '\ud800'", "odd_character", id="half a surrogate pair"),
        pytest.param("x = " + "9" * 5_000, "number_too_large", id="digits"),
        pytest.param("x = 10 ** 19", "number_too_large", id="a large power"),
        pytest.param("x = 10 ** 10 ** 10", "number_too_large", id="a tower of powers"),
        pytest.param("x = 1 << 10 ** 9", "number_too_large", id="a far shift"),
        pytest.param("x = 0x" + "f" * 17, "number_too_large", id="hex"),
        pytest.param("x = 1e999", "number_not_finite", id="1e999"),
        pytest.param("x = 1e308 * 10", "number_not_finite", id="overflow"),
        pytest.param("x = 10.0 ** 400", "number_not_finite", id="a float power"),
        pytest.param("x = 1 / 0", "division_by_zero", id="division"),
        pytest.param("x = 5 % 0", "division_by_zero", id="remainder"),
        pytest.param("x = (-1.0) ** 0.5", "number_not_real", id="a root"),
        pytest.param("for n in range(10 ** 9):\n    pass", "loop_too_long", id="a huge loop"),
        pytest.param("x = random(*range(1, 100))", "rank_too_large", id="rank"),
        pytest.param("x = random(100000, 100000)", "tensor_too_large", id="a huge tensor"),
        pytest.param("x = random(2 ** 62, 2 ** 62, 2 ** 62)", "tensor_too_large", id="2**186"),
        pytest.param("x = expand(random(1), 2 ** 40)", "tensor_too_large", id="expand"),
        pytest.param("x = repeat_dim(random(4), 0, 2 ** 40)", "tensor_too_large", id="repeat"),
        pytest.param("x = " + "[1, " * 40_000, "program_too_long", id="a long text"),
    ],
)
def test_a_bomb_is_refused_at_once(text, code):
    started = time.monotonic()
    error = refused(text)
    assert error.code == code
    assert error.line >= 1
    assert error.column >= 1
    assert time.monotonic() - started < 10


def test_loops_in_loops_run_out_of_steps():
    text = "for a in range(9000):\n    for b in range(9000):\n        c = a * b\n"
    error = refused(text)
    assert (error.code, error.line) == ("too_many_steps", 3)


def test_empty_loops_run_out_of_steps_too():
    inner = "    for b in range(9000):\n        for c in range(9000):\n            pass\n"
    assert refused("for a in range(9000):\n" + inner).code == "too_many_steps"


def test_spread_lists_count_as_steps():
    doubling = "xs = [1, 1]\n" + "xs = [*xs, *xs]\n" * 60
    assert refused(doubling).code == "too_many_steps"


@pytest.mark.parametrize("grow", ["[x, x]", "keep(x, x)", "[x]", "[[x, x], [x, x]]"])
def test_lists_that_hold_themselves_over_and_over_are_refused(grow):
    error = refused(f"x = [random(2)]\nfor n in range(500):\n    x = {grow}\n")
    assert (error.code, error.line) == ("too_deep", 3)


def test_wide_lists_of_wide_lists_run_out_of_steps():
    text = "x = [1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
        f"x = [{', '.join(['x'] * 50)}]\n" for _ in range(8)
    )
    assert refused(text).code == "too_many_steps"


def test_the_op_that_is_one_too_many_is_named():
    error = refused("x = random(2)\nfor n in range(5):\n    x = x + 1.0\n", Limits(operations=5))
    assert (error.code, error.line, error.column) == ("too_many_operations", 3, 11)
    assert error.params["limit"] == 5


def test_exactly_as_many_ops_as_allowed_are_fine():
    text = "x = random(2)\nfor n in range(4):\n    x = x + 1.0\n"
    assert len(parse_program(text + "read(x)\n", limits=Limits(operations=6)).instructions) == 6


def test_the_values_alive_at_once_are_counted_not_all_that_ever_were():
    limits = Limits(live_bytes=4096)
    chain = "x = random(128)\nfor n in range(50):\n    x = x + 1.0\nread(x)\n"
    assert parse_program(chain, limits=limits)
    error = refused("x = random(128)\nfor n in range(50):\n    keep(x + 1.0)\n", limits)
    assert (error.code, error.line) == ("too_much_memory", 3)


def test_a_value_given_up_makes_room():
    limits = Limits(live_bytes=1024)
    crowded = "a = random(128)\nb = random(128)\nc = random(128)\nread(a + b + c)\n"
    assert refused(crowded, limits).code == "too_much_memory"
    assert parse_program("a = random(128)\ndrop(a)\nb = random(128)\nread(b * b)\n", limits=limits)


def test_half_precision_takes_half_the_room():
    limits = Limits(live_bytes=256)
    assert refused("x = random(128)\n", limits).code == "tensor_too_large"
    assert parse_program('x = random(128, dtype="f16")\n', limits=limits)


def test_twenty_thousand_ops_are_unrolled_in_seconds():
    started = time.monotonic()
    text = "x = random(8)\nfor n in range(9990):\n    x = exp(x * 0.5)\nread(x)\n"
    assert len(parse_program(text).instructions) > 19_000
    assert time.monotonic() - started < 10
