"""The engine decides as burn did on every recorded program: log lines, executions, names, plans.

A short run takes all small programs and a fixed sample of the random ones; continuous integration
(``CI``) and ``--all-recorded`` take all 1,867.
"""

import os

import pytest
from conformance.corpus import (
    ABSENT,
    CORPORA,
    Difference,
    Recorded,
    explain,
    first_difference,
    recorded,
    sample,
)

from fusionlab.conformance import run_program

SHOWN = 3


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_engine_decides_as_burn_did(corpus: str, request: pytest.FixtureRequest) -> None:
    everything = request.config.getoption("--all-recorded") or os.environ.get("CI")
    differences, checked = [], 0
    for program in recorded(corpus) if everything else sample(corpus):
        checked += 1
        if said := explain(program, run_program(program.program)):
            differences.append(said)
    shown = "\n\n".join(differences[:SHOWN])
    assert not differences, f"{len(differences)} of {checked} programs differ\n\n{shown}"
    assert checked == CORPORA[corpus] or (not everything and checked >= 50)


def test_a_difference_names_its_place_the_event_and_both_values() -> None:
    events = [{"kind": "sync"}, {"kind": "op", "op": "Float::Exp", "inputs": [{"id": 4}]}]
    want = {"events": [{"queued": 0}, {"queued": 1}]}
    program = Recorded("seed", 2, {"name": "p", "events": events}, want)
    assert explain(program, {"events": [{"queued": 0}, {"queued": 2}]}) == (
        "seed.jsonl:2 p\n  at   events[1].queued\n  in   event 1: Float::Exp 4\n  want 1\n  got  2"
    )


@pytest.mark.parametrize(
    ("want", "got", "difference"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, None),
        ({"a": [1, 2]}, {"a": [1, 3]}, Difference(".a[1]", 2, 3)),
        ({"a": [1]}, {"a": [1, 3]}, Difference(".a[1]", ABSENT, 3)),
        ({"a": 1}, {"a": 1, "b": 2}, Difference(".b", ABSENT, 2)),
        ({"a": None}, {}, Difference(".a", None, ABSENT)),
        ({"a": 1}, {"a": True}, Difference(".a", 1, True)),
        ([], {}, Difference("(whole)", [], {})),
    ],
    ids=["equal", "value", "longer", "another key", "missing null", "type", "other kind"],
)
def test_the_first_difference_of_two_results(want, got, difference) -> None:
    assert first_difference(want, got) == difference
