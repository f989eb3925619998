"""The five competitors, in burn's registry order: an equal score goes to the earlier one.

A sixth fuser is one file and one line in ``FUSERS``.

Source: burn-cubecl, fusion/registry.rs.
"""

from __future__ import annotations

from collections.abc import Callable

from fusionlab.fusers.base import OperationFuser
from fusionlab.fusers.elementwise import ElementWiseFuser
from fusionlab.fusers.matmul import MatmulFuser
from fusionlab.fusers.nhwc_relayout import NHWCRelayoutFuser
from fusionlab.fusers.reduce import ReduceFuser
from fusionlab.fusers.reduce_broadcasted import ReduceBroadcastedFuser

FuserFactory = Callable[[int], OperationFuser]
"""Makes an empty fuser from ``max_bindings``."""

FUSERS: tuple[FuserFactory, ...] = (
    ElementWiseFuser,
    MatmulFuser,
    ReduceFuser,
    ReduceBroadcastedFuser,
    NHWCRelayoutFuser,
)
"""Everybody who competes in a block."""


def new_fusers(
    max_bindings: int, disabled: frozenset[str] = frozenset()
) -> tuple[OperationFuser, ...]:
    """A fresh set of fusers for one stream, without those switched off by display name."""
    fusers = (make(max_bindings) for make in FUSERS)
    return tuple(fuser for fuser in fusers if fuser.name not in disabled)
