"""The lab language: a small, checked subset of Python that describes tensor programs.

``parse_program`` turns text into a ``Program``; ``compile_program`` writes it as an op stream,
``drive`` performs it against a client. Nothing in a program is ever run as Python.
"""

from fusionlab.program.compile import compile_program
from fusionlab.program.drive import drive, execute
from fusionlab.program.model import (
    Drop,
    Instruction,
    Position,
    Program,
    Read,
    Register,
    Sync,
    Tensor,
    Upload,
    Use,
)
from fusionlab.program.parser import parse_partial, parse_program
from fusionlab.program.words import WORDS, Word

__all__ = [
    "WORDS",
    "Drop",
    "Instruction",
    "Position",
    "Program",
    "Read",
    "Register",
    "Sync",
    "Tensor",
    "Upload",
    "Use",
    "Word",
    "compile_program",
    "drive",
    "execute",
    "parse_partial",
    "parse_program",
]
