"""`fusionlab compile`: one line of JSON, or one line that says what is wrong and where."""

import json

import pytest
from click.testing import CliRunner, Result

from fusionlab.cli import main
from fusionlab.conformance import run_program

GOOD = "x = random(2, 3)\nread(exp(x))\n"
BAD = "a = random(2, 3)\nb = a +  random(3, 2)\n"


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["compile", *arguments], input=text)


def test_a_program_becomes_one_line_that_the_decider_reads(tmp_path):
    file = tmp_path / "tiny.lab"
    file.write_text(GOOD, "utf-8")
    result = run(str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    compiled = json.loads(result.stdout)
    assert compiled["name"] == "tiny"
    assert len(run_program(compiled)["events"]) == 3


def test_a_dash_reads_standard_input():
    result = run("-", text=GOOD)
    assert json.loads(result.stdout)["name"] == "stdin"


def test_a_wrong_program_is_one_line_with_its_place_and_exit_code_2(tmp_path):
    file = tmp_path / "wrong.lab"
    file.write_text(BAD, "utf-8")
    result = run(str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"{file}:2:7: Add: 2×3 and 3×2 do not broadcast. Make the sizes equal, or use a 1.\n"
    )


def test_a_wrong_program_on_standard_input_is_named_so():
    assert run("-", text="read(x)\n").stderr.startswith("<stdin>:1:6: Nothing is called x here.")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (b"\xff\xfe", "<stdin>: not UTF-8 text"),
        (b"x = 1\0", "<stdin>:1:6: The text holds the character U+0000"),
        (b"x = 1\n" * 20_000, "<stdin>:1:1: The program has 120000 bytes"),
        (b"# \xe4\xb8\xad" * 500_000, "<stdin>:1:1: The program has"),
    ],
    ids=["no text", "NUL", "too long", "cut in a character"],
)
def test_input_that_is_no_program_is_one_line_too(text, start):
    result = run("-", text=text)
    assert result.exit_code == 2
    assert result.stderr.startswith(start)
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    result = run(str(tmp_path / "absent.lab"))
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path / 'absent.lab'}: No such file or directory\n"
