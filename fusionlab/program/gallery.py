"""The programs that ship with the lab: ``content/programs``, in the order of ``gallery.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from fusionlab.errors import ContentError

_FOLDER: Final = Path(__file__).parent.parent / "content" / "programs"


@dataclass(frozen=True, slots=True)
class GalleryProgram:
    """One program: its id (the file name), its text, and what it shows.

    ``concept`` is one of ``learn.concepts``; ``title`` and ``about`` are texts by language.
    """

    id: str
    text: str
    concept: str
    title: Mapping[str, str]
    about: Mapping[str, str]


@cache
def gallery() -> tuple[GalleryProgram, ...]:
    """All programs, in the order in which a newcomer should meet them.

    Raises:
        ContentError: The list names a program without a file, or an entry lacks a field.
    """
    listed = tomllib.loads((_FOLDER / "gallery.toml").read_text("utf-8"))
    return tuple(_entry(row) for row in listed["program"])


def gallery_program(program_id: str) -> GalleryProgram:
    """One program by id; raises ``KeyError`` when there is none."""
    return {program.id: program for program in gallery()}[program_id]


def _entry(row: Mapping[str, Any]) -> GalleryProgram:
    try:
        text = (_FOLDER / f"{row['id']}.lab").read_text("utf-8")
        return GalleryProgram(row["id"], text, row["concept"], row["title"], row["about"])
    except (KeyError, OSError) as problem:
        raise ContentError(
            "gallery_entry", entry=str(row.get("id")), problem=str(problem)
        ) from None
