"""Who is measured: each contender binds a workload to inputs and becomes a call.

In: a workload at a size, inputs. Out: calls, in groups that are timed call by call in turn. What
is not installed is left out, and said.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fusionlab.bench.formulas import CONSTANTS, IN_PLACE, NUMEXPR, PLAIN, Buffers, torch_own
from fusionlab.bench.fused import FusedProgram, LaunchesAlone, PlanRun
from fusionlab.bench.memory_twin import memory_twin
from fusionlab.bench.model import ENGINE, FUSIONLAB, KERNEL, NUMPY, TWIN
from fusionlab.bench.workloads import Size, Workload
from fusionlab.kernels.dtypes import Array

Inputs = Sequence[Array]


@dataclass(frozen=True, slots=True)
class Call:
    """One contender, bound to inputs. ``results`` turns what ``run`` gave into arrays.

    ``results`` is ``None`` for the twin, which computes nothing that could be compared.
    """

    name: str
    run: Callable[[], Any]
    results: Callable[[Any], Iterable[Any]] | None


Group = tuple[Call, ...]
"""Calls that work on the same arrays: they are timed one after the other, in turn."""
Bind = Callable[[Inputs], Group]

_NEEDS = {"numexpr": "numexpr", "torch_eager": "torch", "torch_compile": "torch", "jax": "jax"}


def absent() -> tuple[str, ...]:
    """The contenders that cannot be measured here, because a library is not installed."""
    return tuple(
        name for name, module in _NEEDS.items() if importlib.util.find_spec(module) is None
    )


def groups_for(
    workload: Workload, size: Size, wanted: Iterable[str], threads: int
) -> tuple[Bind, ...]:
    """The groups of a workload: each binds inputs, what has to be compiled is compiled once."""
    chosen = set(wanted) - set(absent())
    text = workload.text(size)
    binds: list[Bind] = []
    if FUSIONLAB in chosen:
        binds.append(lambda inputs: (_plan(text, inputs),))
    if ENGINE in chosen:
        binds.append(lambda inputs: (_engine(text, inputs),))
    if chosen & {KERNEL, TWIN}:
        binds.append(lambda inputs: _kernel_and_twin(workload, text, inputs, chosen))
    makers: dict[str, Callable[[Workload, int], Callable[[Inputs], Call] | None]] = {
        NUMPY: _numpy,
        "numpy_out": _numpy_out,
        "numexpr": _numexpr,
        "torch_eager": _torch_eager,
        "torch_compile": _torch_compile,
        "jax": _jax,
    }
    for name, maker in makers.items():
        made = maker(workload, threads) if name in chosen else None
        if made is not None:
            binds.append(_alone(made))
    return tuple(binds)


def _alone(made: Callable[[Inputs], Call]) -> Bind:
    return lambda inputs: (made(inputs),)


def _plan(text: str, inputs: Inputs) -> Call:
    plan = PlanRun(text, inputs)
    return Call(FUSIONLAB, plan, lambda _: plan.results())


def _engine(text: str, inputs: Inputs) -> Call:
    program = FusedProgram(text, inputs)
    return Call(ENGINE, program, lambda _: program.results())


def _kernel_and_twin(workload: Workload, text: str, inputs: Inputs, chosen: set[str]) -> Group:
    """Both write to the same memory, so that only what they compute differs."""
    kernel = LaunchesAlone(text, inputs)
    twin = memory_twin(workload, inputs, kernel.outputs)
    calls = [Call(KERNEL, kernel, lambda _: kernel.outputs)]
    if twin is not None:
        calls.append(Call(TWIN, twin, None))
    return tuple(call for call in calls if call.name in chosen)


def _numpy(workload: Workload, _: int) -> Callable[[Inputs], Call]:
    plain = PLAIN[workload.name]
    return lambda inputs: Call(NUMPY, lambda: plain(np, *inputs), tuple)


def _numpy_out(workload: Workload, _: int) -> Callable[[Inputs], Call]:
    in_place = IN_PLACE[workload.name]

    def bind(inputs: Inputs) -> Call:
        buffers: Buffers = {}
        return Call("numpy_out", lambda: in_place(inputs, buffers), tuple)

    return bind


def _numexpr(workload: Workload, threads: int) -> Callable[[Inputs], Call] | None:
    text = NUMEXPR.get(workload.name)
    if text is None:
        return None
    numexpr: Any = importlib.import_module("numexpr")
    numexpr.set_num_threads(threads)
    constants = [name for name in CONSTANTS if name in text]
    arrays = [name for name in ("x", "y", "z") if name in text.replace("exp", "")]
    # Its word for a 32-bit float is Python's.
    kernel = numexpr.NumExpr(text, signature=[(name, float) for name in arrays + constants])
    values = [np.float32(CONSTANTS[name]) for name in constants]

    def bind(inputs: Inputs) -> Call:
        step = len(arrays)
        parts = [inputs[i : i + step] for i in range(0, len(inputs), step)]
        return Call("numexpr", lambda: tuple([kernel(*part, *values) for part in parts]), tuple)

    return bind


def _torch(threads: int) -> Any:
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    return torch


def _torch_eager(workload: Workload, threads: int) -> Callable[[Inputs], Call]:
    torch = _torch(threads)
    own = torch_own(torch, workload.name)
    plain = PLAIN[workload.name]
    formula = own or (lambda *arrays: plain(torch, *arrays))
    return lambda inputs: _torch_call("torch_eager", torch, formula, inputs)


def _torch_compile(workload: Workload, threads: int) -> Callable[[Inputs], Call]:
    torch = _torch(threads)
    # A compiled function remembers the sizes it has met; another size must not find them.
    torch.compiler.reset()
    own = torch_own(torch, workload.name)
    plain = PLAIN[workload.name]
    formula = torch.compile(own or (lambda *arrays: plain(torch, *arrays)), dynamic=False)
    return lambda inputs: _torch_call("torch_compile", torch, formula, inputs)


def _torch_call(name: str, torch: Any, formula: Callable[..., Any], inputs: Inputs) -> Call:
    arrays = [torch.from_numpy(array) for array in inputs]
    return Call(name, lambda: formula(*arrays), lambda results: [each.numpy() for each in results])


def _jax(workload: Workload, _: int) -> Callable[[Inputs], Call]:
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    plain = PLAIN[workload.name]
    formula = jax.jit(lambda *arrays: plain(jnp, *arrays))

    def bind(inputs: Inputs) -> Call:
        arrays = [jnp.asarray(array) for array in inputs]
        run = lambda: jax.block_until_ready(formula(*arrays))  # noqa: E731 -- one line, used once
        return Call("jax", run, lambda results: [np.asarray(each) for each in results])

    return bind
