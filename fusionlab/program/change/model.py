"""What may be changed in a program: one value a kind of change.

``at`` is an index into ``Program.instructions``. A place inside a loop stands for several
instructions; ``reach`` says whether the change is meant for this round or for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fusionlab.ir.tensor import DType, Shape


class Reach(Enum):
    """How far a change inside a loop goes."""

    ONE = "one"
    """This round; where nothing in the text belongs to one round only, the loop is split."""
    EVERY = "every"
    """Every round: the line of the text is changed where it stands."""


@dataclass(frozen=True, slots=True)
class ReplaceOp:
    """Another word or operator (``log``, ``+``) on the same operands."""

    at: int
    word: str
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class SetShape:
    """Another shape for what the instruction makes, in elements."""

    at: int
    shape: Shape
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class SetScalar:
    """Another value for a scalar argument; ``index`` counts the scalars of the instruction."""

    at: int
    value: float
    index: int = 0
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class SetDtype:
    """Another element type for a tensor that the instruction creates or casts."""

    at: int
    dtype: DType
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class Keep:
    """Hold what the instruction makes beyond the end: no use of it is the last one."""

    at: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class Release:
    """Take back the ``keep`` of what the instruction makes."""

    at: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class DropValue:
    """Give up the name that holds what ``at`` makes, right after instruction ``after``."""

    at: int
    after: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class InsertSync:
    """Drain right after the statement of the instruction."""

    at: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class InsertRead:
    """Read what the statement of the instruction names, right after it."""

    at: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class Remove:
    """Take out the ``read``, ``sync`` or ``drop`` that is the instruction."""

    at: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class Move:
    """Put the ``read``, ``sync`` or ``drop`` behind the statement of instruction ``after``."""

    at: int
    after: int
    reach: Reach = Reach.ONE


@dataclass(frozen=True, slots=True)
class SetLimit:
    """Another ``max_blocks``, ``max_explorations`` or ``max_bindings`` (``None``: no limit)."""

    name: str
    value: int | None


@dataclass(frozen=True, slots=True)
class DisableFuser:
    """One fuser takes no part in the competition."""

    fuser: str


InText = (
    ReplaceOp
    | SetShape
    | SetScalar
    | SetDtype
    | Keep
    | Release
    | DropValue
    | InsertSync
    | InsertRead
    | Remove
    | Move
)
"""Changes that an instruction of the program names."""

Change = InText | SetLimit | DisableFuser
