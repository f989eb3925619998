"""The contract of the command line: one JSON program a line in, one result a line out."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from fusionlab.conformance import read_lines, run_lines

EXP = {"kind": "op", "op": "Float::Exp", "inputs": [{"id": 0, "shape": [2]}]}
PROGRAM = {"name": "p", "events": [{**EXP, "outputs": [{"id": 1, "shape": [2]}]}]}


def run(*lines: object) -> list:
    return list(run_lines(line if isinstance(line, str) else json.dumps(line) for line in lines))


def test_a_bare_program_and_a_recorded_row_give_the_same_result() -> None:
    bare, row = run(PROGRAM, {"program": PROGRAM, "result": "ignored"})
    assert bare == row
    assert bare["events"][0]["queued"] == 1


def test_blank_lines_are_skipped() -> None:
    assert [result["name"] for result in run("", PROGRAM, "  \n")] == ["p"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "malformed"),
        ("[1]", "malformed"),
        ({"name": "p"}, "malformed"),
        ({"name": "p", "events": [{"kind": "nap"}]}, "unknown event kind 'nap'"),
        ({"name": "p", "events": [{**EXP, "op": "Float::Nope"}]}, "Float::Nope"),
        ({"name": "p", "events": [EXP]}, "Float::Exp takes out outputs, got 0"),
        ({"name": "p", "events": [{"kind": "drop", "tensor": {"id": -1, "shape": []}}]}, "-1"),
        ({"name": "p", "events": [{"kind": "drop", "tensor": {"id": 1}}]}, "'shape'"),
    ],
    ids=["not JSON", "no object", "no events", "kind", "op", "arity", "id", "no shape"],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(line: object, said: str) -> None:
    bad, good = run(line, PROGRAM)
    assert said in bad["error"]
    assert set(bad) == {"name", "error"}
    assert "error" not in good


def test_left_out_arguments_take_the_default_of_the_op_table() -> None:
    add = {
        "kind": "op",
        "op": "NumericFloat::AddScalar",
        "inputs": [{"id": 0, "shape": [4]}],
        "outputs": [{"id": 1, "shape": [4]}],
    }
    (result,) = run({"name": "p", "events": [add]})
    assert result["relative"] == [
        {
            "op": "NumericFloat::AddScalar",
            "inputs": [{"id": 0, "shape": [1], "dtype": "f32", "status": "ReadOnly"}],
            "outputs": [{"id": 1, "shape": [1], "dtype": "f32", "status": "NotInit"}],
            "args": {"dtype": "f32", "rhs": {"UInt": 0}},
        }
    ]


@pytest.mark.parametrize(("suffix", "opener"), [("", open), (".gz", gzip.open), (".xz", lzma.open)])
def test_a_file_may_be_compressed(tmp_path: Path, suffix: str, opener) -> None:
    path = tmp_path / f"programs.jsonl{suffix}"
    with opener(path, "wt", encoding="utf-8") as out:
        out.write("one\ntwo\n")
    assert list(read_lines(path)) == ["one\n", "two\n"]
