"""The recorded programs notice when a single rule of the engine is wrong.

Each mutant runs in a process of its own, on the sample that every run of the tests looks at.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutation.mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parent.parent.parent
FEW_WORDS = 400


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return subprocess.run(
        [sys.executable, "-m", "mutation.run_mutant", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("number", range(len(MUTANTS)), ids=[m.rule for m in MUTANTS])
def test_a_wrong_rule_is_noticed(number: int) -> None:
    result = run(str(number))
    assert result.stderr == ""
    assert result.returncode == 1, "no recorded program of the sample depends on this rule"
    assert result.stdout


def test_the_engine_itself_passes_where_its_mutants_fail() -> None:
    result = run()
    assert (result.returncode, result.stdout[:FEW_WORDS], result.stderr) == (0, "", "")


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.rule for m in MUTANTS])
def test_a_mutant_changes_one_place_of_todays_engine(mutant: Mutant) -> None:
    source = (ROOT / "fusionlab" / f"{mutant.module}.py").read_text("utf-8")
    assert source.count(mutant.old) == 1
    assert mutant.new != mutant.old
