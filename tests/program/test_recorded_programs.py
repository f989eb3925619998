"""Programs with the op streams recorded for them: ids, statuses and arguments included."""

import json
from pathlib import Path
from typing import Any

import pytest

from fusionlab.program import compile_program, parse_program

DATA = Path(__file__).parent.parent / "data" / "lab_programs.jsonl"
RECORDED = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "recorded", [pytest.param(row, id=row["program"]["name"]) for row in RECORDED]
)
def test_a_program_compiles_to_the_recorded_op_stream(recorded: dict[str, Any]) -> None:
    name = recorded["program"]["name"]
    compiled = compile_program(parse_program(recorded["lab"], name))
    assert compiled == recorded["program"]
    assert json.dumps(compiled) == json.dumps(recorded["program"])


def test_there_are_ninety_eight_of_them() -> None:
    assert len(RECORDED) == 98
