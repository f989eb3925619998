"""What one launch did: the executor's answer, from which the engine makes its facts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: a generated kernel with what belongs to it, or one op on its own.

    ``fuser`` is ``None`` for an op that ran on its own. ``reads`` and ``writes`` are the global
    ids of the tensors that cross memory. ``source_id`` names the generated source in the
    executor's ``sources`` (``None``: NumPy did it) and ``cached`` tells that this executor has
    used that source before; both depend on the program only, never on the clock or on other runs.
    ``reused`` pairs (input, output) that share a buffer; ``freed`` are tensors whose handles went.

    ``seconds`` is what the launch took, ``waiting`` whether NumPy did it because the kernel was
    still being compiled; two launches that differ only there are equal.
    """

    fuser: str | None
    kinds: tuple[str, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    source_id: str | None = None
    cached: bool = False
    reused: tuple[tuple[int, int], ...] = ()
    freed: tuple[int, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    waiting: bool = field(default=False, compare=False)
