"""The words of the lab language: what each function and operator adds to the program.

``WORDS`` has every function by name, with its signature and a one-line summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fusionlab.program.words import (
    arithmetic,
    control,
    creation,
    layout,
    masking,
    neural,
    reducing,
    rows,
)
from fusionlab.program.words.core import Word, WordTable

__all__ = ["WORDS", "Word"]


def _merged() -> Mapping[str, Word]:
    merged = WordTable()
    for module in (control, creation, arithmetic, masking, reducing, layout, neural):
        for word in module.WORDS.values():
            merged.add(word)
    for word in rows.RAW.values():
        merged.add(word)
    for word in rows.row_words(merged).values():
        merged.add(word)
    return MappingProxyType(merged)


WORDS: Final = _merged()
