"""Pools: values that many steps share are stored once and referred to by index."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


class Pool:
    """Distinct values in order of first use."""

    def __init__(self) -> None:
        """An empty pool."""
        self.items: list[Json] = []
        self._index: dict[str, int] = {}

    def add(self, value: Json) -> int:
        """The index of a value, which joins the pool when it is new."""
        key = json.dumps(value, ensure_ascii=False)
        known = self._index.get(key)
        if known is None:
            known = self._index[key] = len(self.items)
            self.items.append(value)
        return known


def without_nothing(value: Json) -> Json:
    """The value without keys that say nothing: ``None``, empty texts and empty lists."""
    return {key: item for key, item in value.items() if item is not None and item not in ("", [])}
