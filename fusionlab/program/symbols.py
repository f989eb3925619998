"""The operators of the lab language as the program writes them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

SYMBOLS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.UAdd: "+",
    ast.USub: "-",
    ast.Invert: "~",
}
"""How the program writes each operator."""
