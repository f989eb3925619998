"""Machine code of kernels on disk, so that a restarted server does not compile them again.

One folder for each state of the code generator, Numba and Python; in it a Python file for each
kernel, beside which Numba keeps what it made of it (keyed by processor model and features too).
Numba reads its files back with ``pickle``, so only a folder that belongs to us and that nobody else
may write to is used; without one, kernels live in memory.

The environment variable ``FUSIONLAB_KERNEL_CACHE`` names the folder, or is ``off``.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fusionlab.kernels.codegen.params import KernelSource

_VARIABLE: Final = "FUSIONLAB_KERNEL_CACHE"
_MOST_KERNELS: Final = 1000


@dataclass(frozen=True, slots=True)
class KernelStore:
    """The folder of one state of the generator; made and checked before its first use."""

    root: Path

    def file_for(self, source: KernelSource) -> Path | None:
        """The file that holds the kernel's text, written if need be; ``None``: use memory."""
        folder = self.root / _generation()
        try:
            if not (_private(self.root) and _private(folder)):
                return None
            path = folder / f"{source.name}.py"
            if not path.exists():
                self._make_room(folder)
                _write(path, source.text)
            return path
        except OSError:
            return None

    def _make_room(self, folder: Path) -> None:
        """Start afresh when the folder is full; folders of other states go with it."""
        if sum(1 for _ in folder.glob("*.py")) < _MOST_KERNELS:
            return
        for old in self.root.iterdir():
            shutil.rmtree(old, ignore_errors=True)
        _private(folder)


def default_store() -> KernelStore | None:
    """The store that the environment asks for: the user's cache folder unless told otherwise."""
    wanted = os.environ.get(_VARIABLE, "")
    if wanted == "off":
        return None
    if wanted:
        return KernelStore(Path(wanted))
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return KernelStore(
            (Path(base) if base else Path.home() / ".cache") / "fusionlab" / "kernels"
        )
    except RuntimeError:
        # No home folder: a container with an unknown user.
        return None


def _private(folder: Path) -> bool:
    """Whether the folder (made if missing) is ours and closed to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    closed = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and ours and closed and os.access(folder, os.W_OK)


def _write(path: Path, text: str) -> None:
    """Write a file at once, so that another process never reads half of it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)


def _generation() -> str:
    """A digest of everything but the text that decides what a kernel is compiled to."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {importlib.metadata.version(package)}".encode())
    for name in ("angles.py", "intrinsics.py", "jit.py", "lanes.py", "vmath.py"):
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]
