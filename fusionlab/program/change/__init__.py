"""What if? One thing in a program changed, and the rest as it was.

``apply`` makes a ``Change`` and gives back a checked program whose text shows the changed line.
"""

from fusionlab.program.change.apply import apply
from fusionlab.program.change.model import (
    Change,
    DisableFuser,
    DropValue,
    InsertRead,
    InsertSync,
    InText,
    Keep,
    Move,
    Reach,
    Release,
    Remove,
    ReplaceOp,
    SetDtype,
    SetLimit,
    SetScalar,
    SetShape,
)

__all__ = [
    "Change",
    "DisableFuser",
    "DropValue",
    "InText",
    "InsertRead",
    "InsertSync",
    "Keep",
    "Move",
    "Reach",
    "Release",
    "Remove",
    "ReplaceOp",
    "SetDtype",
    "SetLimit",
    "SetScalar",
    "SetShape",
    "apply",
]
