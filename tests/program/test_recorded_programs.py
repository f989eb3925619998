"""Programs with the op streams recorded for them: ids, statuses and arguments included."""

import json

import pytest
from learn.recordings import programs

from fusionlab.program import compile_program, parse_program


@pytest.mark.parametrize("name", programs())
def test_a_program_compiles_to_the_recorded_op_stream(name: str) -> None:
    recorded = programs()[name]
    compiled = compile_program(parse_program(recorded["lab"], name))
    assert compiled == recorded["program"]
    assert json.dumps(compiled) == json.dumps(recorded["program"])


def test_there_are_ninety_eight_of_them() -> None:
    assert len(programs()) == 98
