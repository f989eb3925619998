"""Compiling: once for a structure, never again for another size, scalar or thread."""

import stat
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from kernels.tape import Tape, fuse, last, start

from fusionlab.kernels.compile import COMPILER, KernelCompiler
from fusionlab.kernels.executor import KernelExecutor, KernelMode, warm_up
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.kernel_store import KernelStore, default_store


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


def ready(compiler: KernelCompiler, count: int) -> bool:
    """Wait until the background thread has made so many kernels ready."""
    deadline = time.monotonic() + 30
    while compiler.compiled < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return compiler.compiled >= count


def test_tiered_execution_answers_at_once_and_uses_the_kernel_when_it_is_ready():
    tape = program((6, 5), 3.0)
    fused, compiler = fuse(tape.ops), KernelCompiler()
    launches = []
    for expected in (0, 1):
        executor = KernelExecutor(start(tape).handles, mode=KernelMode.TIERED, compiler=compiler)
        assert compiler.compiled == expected
        (launch,) = executor.run_fused(fused, tape.ops)
        launches.append(launch)
        np.testing.assert_array_equal(executor.handles.get(launch.writes[-1]), 2.0)
        assert ready(compiler, 1)
    assert launches[0] == launches[1]


def test_warming_up_compiles_in_the_background(monkeypatch):
    compiler = KernelCompiler()
    monkeypatch.setattr("fusionlab.kernels.executor.COMPILER", compiler)
    warm_up()
    assert ready(compiler, 1)


def run_with_store(store: KernelStore) -> Any:
    """Run a program with a new compiler; the compiled kernel with its cache statistics."""
    tape, compiler = program((3, 3), 2.0), KernelCompiler(store=store)
    executor = KernelExecutor(start(tape).handles, compiler=compiler)
    (launch,) = executor.run_fused(fuse(tape.ops), tape.ops)
    np.testing.assert_array_equal(executor.handles.get(launch.writes[-1]), 1.0)
    return next(iter(compiler._kernels.values()))


def test_a_second_process_loads_machine_code_instead_of_compiling(tmp_path):
    store = KernelStore(tmp_path / "cache")
    assert sum(run_with_store(store).stats.cache_hits.values()) == 0
    assert sum(run_with_store(store).stats.cache_hits.values()) == 1
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    run_with_store(KernelStore(folder))
    assert list(folder.iterdir()) == []


def test_a_damaged_file_costs_a_compilation_and_nothing_else(tmp_path):
    store = KernelStore(tmp_path / "cache")
    run_with_store(store)
    for path in (tmp_path / "cache").rglob("*.nb?"):
        path.write_bytes(b"not a cache")
    run_with_store(store)


def test_the_store_can_be_moved_and_switched_off(monkeypatch, tmp_path):
    monkeypatch.setenv("FUSIONLAB_KERNEL_CACHE", "off")
    assert default_store() is None
    monkeypatch.setenv("FUSIONLAB_KERNEL_CACHE", str(tmp_path))
    assert default_store() == KernelStore(tmp_path)
