"""How many threads a measurement may use, settled before NumPy is loaded.

In: the number of threads. Out: the processors that they keep to. The processor set bounds every
library at once; the environment tells each of them not to start more threads than that.
"""

from __future__ import annotations

import os

_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def available() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pin(threads: int) -> tuple[int, ...]:
    """Keep this process (and the threads that it starts from now on) on so many processors.

    Returns:
        Their numbers; empty where the system cannot pin, so that the environment alone binds.
    """
    os.environ.update(dict.fromkeys(_VARIABLES, str(threads)))
    if not hasattr(os, "sched_setaffinity"):
        return ()
    # The first processor is where a system likes to do its own work.
    chosen = sorted(os.sched_getaffinity(0))[-threads:]
    os.sched_setaffinity(0, chosen)
    return tuple(chosen)
