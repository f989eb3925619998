"""Compiling: once for a structure, never again for another size, scalar or thread."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from kernels.tape import Tape, fuse, last, start

from fusionlab.kernels.compile import COMPILER, KernelCompiler
from fusionlab.kernels.executor import KernelExecutor
from fusionlab.kernels.handles import HandleContainer


def program(shape: tuple[int, ...], factor: float, dtype: str = "f32") -> Tape:
    tape = Tape()
    a, b = tape.input(np.ones(shape), dtype), tape.input(np.ones(shape), dtype)
    y = tape.op("NumericFloat::MulScalar", tape.op("NumericFloat::Mul", a, b), rhs=factor)
    tape.op("NumericFloat::Sub", last(y), b)
    return tape


def compiled_by(*tapes: Tape) -> tuple[int, list[KernelExecutor]]:
    compiler, executors = KernelCompiler(), []
    for tape in tapes:
        executor = start(tape)
        executor = KernelExecutor(executor.handles, compiler=compiler)
        executor.run_fused(fuse(tape.ops), tape.ops)
        executors.append(executor)
    return compiler.compiled, executors


def test_another_scalar_size_or_dynamic_rank_of_flat_loops_does_not_compile_again():
    count, _ = compiled_by(
        program((64, 64), 2.0), program((64, 64), 3.5), program((8, 8), 2.0), program((3, 5), 2.0)
    )
    assert count == 1


def test_another_type_or_broadcast_pattern_is_another_kernel():
    count, executors = compiled_by(program((4, 4), 2.0), program((4, 4), 2.0, "f64"))
    assert count == 2
    assert not set(executors[0].sources) & set(executors[1].sources)


def test_cached_tells_what_this_executor_has_seen_not_what_the_process_has():
    tape = program((4, 4), 2.0)
    fused = fuse(tape.ops)
    for _ in range(2):
        executor = start(tape)
        first = executor.run_fused(fused, tape.ops)[0]
        for number in first.writes:
            executor.free(number)
        for number in first.freed:
            executor.handles.register(number, np.ones((4, 4), np.float32))
        second = executor.run_fused(fused, tape.ops)[0]
        assert (first.cached, second.cached) == (False, True)


def test_the_table_of_kernels_is_bounded_and_forgets_the_least_recently_used():
    compiler = KernelCompiler(capacity=1)
    for dtype in ("f32", "f64", "f32"):
        tape = program((2, 2), 1.0, dtype)
        executor = KernelExecutor(start(tape).handles, compiler=compiler)
        executor.run_fused(fuse(tape.ops), tape.ops)
    assert compiler.compiled == 3


def test_eight_threads_get_right_results_and_compile_one_kernel():
    compiler = KernelCompiler()
    tape = program((50, 41), 2.0)
    fused = fuse(tape.ops)
    failures: list[str] = []

    def work(number: int) -> None:
        for turn in range(40):
            handles = HandleContainer()
            value = np.float32(number + turn)
            for tensor in tape.inputs:
                handles.register(tensor, np.full((50, 41), value, np.float32))
            executor = KernelExecutor(handles, compiler=compiler)
            (launch,) = executor.run_fused(fused, tape.ops)
            result = handles.get(launch.writes[-1])
            if not (result == 2 * value * value - value).all():
                failures.append(f"thread {number}, turn {turn}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert compiler.compiled == 1


@pytest.mark.parametrize("order", ["F", "step", "reversed"])
def test_read_only_and_strided_inputs_are_accepted(order):
    plain = np.arange(24.0, dtype=np.float32).reshape(4, 6)
    array = {"F": np.asfortranarray(plain), "step": plain[:, ::2], "reversed": plain[::-1]}[order]
    tape = Tape()
    x = tape.view_input(array)
    y = tape.op("NumericFloat::MulScalar", tape.op("NumericFloat::AddScalar", x, rhs=1.0), rhs=2.0)
    executor = start(Tape())
    array.flags.writeable = False
    executor.handles.register(x.id, array)
    executor.run_fused(fuse(tape.ops), tape.ops)
    np.testing.assert_array_equal(executor.handles.get(y.id), (array + 1) * 2)


def test_importing_the_executor_does_not_import_numba():
    code = "import sys, fusionlab.kernels.executor; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_shared_compiler_exists_once():
    assert start(Tape())._device.compiler is COMPILER
