"""The elementary functions against the same functions in a longer format, over the whole range."""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.intrinsics import WORDS

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
REFERENCES: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}


def compiled(name: str, arity: int = 1) -> Callable[..., Array]:
    """The function as a loop over arrays, as a kernel would use it."""
    names = ["x", "y"][:arity]
    call = ", ".join(f"{one}[i]" for one in names)
    header = f"def loop({', '.join(names)}, out):"
    text = f"{header}\n    for i in range(out.size):\n        out[i] = {name}({call})\n"
    space: dict[str, Any] = dict(WORDS)
    exec(text, space)  # noqa: S102 -- the text is two lines up
    loop = numba.njit(space["loop"], error_model="numpy")

    def run(*arrays: Array) -> Array:
        out = np.empty_like(arrays[0])
        loop(*arrays, out)
        return out

    return run


def every_f32(step: int = 4099) -> Array:
    """Bit patterns spread over all of f32, with the special values and the usual range denser."""
    patterns = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    usual = np.linspace(-20, 20, 40001, dtype=np.float32)
    return np.concatenate([patterns, usual, np.array([*SPECIAL, 1e-45, -1e-45], np.float32)])


def every_f64() -> Array:
    patterns = (
        np.random.default_rng(0).integers(0, 2**64, 200_000, dtype=np.uint64).view(np.float64)
    )
    usual = np.linspace(-750, 750, 60001)
    return np.concatenate([patterns, usual, usual / 300, np.array([*SPECIAL, 5e-324, 1e-310])])


def worst_error(got: Array, exact: Array) -> float:
    """The largest distance in units in the last place; special results must be equal."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        special = ~np.isfinite(rounded)
        np.testing.assert_array_equal(got[special], rounded[special])
        unit = np.spacing(np.abs(rounded)).astype(exact.dtype)
        return float(np.max(np.where(special, 0, np.abs(got.astype(exact.dtype) - exact) / unit)))


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_f32_functions_are_within_two_units_over_the_whole_range(name):
    x = every_f32()
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](x.astype(np.float64))
    assert worst_error(compiled(name)(x), exact) <= 2.0


def test_exp_is_as_exact_on_processors_without_an_instruction_for_scaling(monkeypatch):
    monkeypatch.setattr("fusionlab.kernels.lanes.HAS_SCALE_INSTRUCTION", False)
    x = every_f32()
    with np.errstate(all="ignore"):
        exact = np.exp(x.astype(np.float64))
    assert worst_error(compiled("exp")(x), exact) <= 2.0


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no longer format to compare with")
@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh"])
def test_f64_functions_are_within_two_units_over_the_whole_range(name):
    x = every_f64()
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](x.astype(np.longdouble))
    # Exact results of denormals come from a format without denormals there.
    assert worst_error(compiled(name)(x), exact) <= 2.0


def test_odd_functions_keep_the_sign_of_zero():
    zeros = np.array([0.0, -0.0], np.float32)
    for name in ("tanh", "sin", "erf", "log1p"):
        assert np.signbit(compiled(name)(zeros)).tolist() == [False, True], name


def test_powers_are_within_one_unit_and_follow_the_rules_for_special_values():
    rng = np.random.default_rng(1)
    usual = np.exp(rng.uniform(-60, 60, 50_000)), rng.uniform(-3, 3, 50_000)
    bases = np.array([*SPECIAL, 0.5, -0.5, 2.0, -2.0, 3e38, 1e-45])
    exponents = np.array([*SPECIAL, 2.0, 3.0, -2.0, -3.0, 0.5, -0.5, 1e10])
    left, right = np.meshgrid(bases, exponents)
    x = np.concatenate([usual[0], left.ravel()]).astype(np.float32)
    y = np.concatenate([usual[1], right.ravel()]).astype(np.float32)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    got = compiled("power", 2)(x, y)
    assert worst_error(got, exact) <= 1.0
    zero = (got == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))


def test_large_angles_are_reduced_exactly():
    x = np.array([1e6, 1e10, 1e20, 3.4e38, 2.0**100, 355.0], np.float32)
    exact = [math.sin(float(value)) for value in x]
    np.testing.assert_allclose(compiled("sin")(x), exact, rtol=2e-7)


def test_f16_and_bf16_rounding_agree_with_numpy_for_every_short_pattern():
    patterns = np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        expected = patterns.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(compiled("round_f16")(patterns), expected)
