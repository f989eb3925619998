"""Lines of Python source with the right indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_COMMENT_COLUMN = 44


class Writer:
    """Collects source lines; ``block`` indents what is written inside."""

    __slots__ = ("_depth", "_lines")

    def __init__(self, depth: int = 0) -> None:
        self._lines: list[str] = []
        self._depth = depth

    def line(self, code: str, comment: str = "") -> None:
        """One line of code, with an aligned comment behind it."""
        text = "    " * self._depth + code
        self._lines.append(f"{text:<{_COMMENT_COLUMN}}  # {comment}" if comment else text)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """``header:`` and an indented body; a body without lines becomes ``pass``."""
        self.line(f"{header}:")
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self.line("pass")
        self._depth -= 1

    def text(self) -> str:
        """The source so far."""
        return "\n".join(self._lines) + "\n"
