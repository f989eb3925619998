"""The programs of the lessons: every recorded fact about them comes out of the engine.

The facts are read off the result in the recorded form; the teaching side has no part in it.
"""

import re
from functools import cache
from typing import Any

import pytest
from learn.recordings import programs

from fusionlab.conformance import run_program
from fusionlab.ir.opset import OPSET

PROGRAMS = sorted(programs())
FREE = {"Init", "Drop", "SwapDims", "Reshape"}
"""Ops that need no kernel: they make, drop or look at a buffer."""
STOPS = ("[stream] stopped", "[repair]", "needs relative shape id")
"""Lines about a search or a plan that could not go on as usual."""

Json = Any


@cache
def result(name: str) -> Json:
    return run_program(programs()[name]["program"])


def facts(name: str) -> Json:
    return programs()[name]["facts"]


def units(strategy: Json) -> list[str]:
    """``ElementWise(210)[0, 1]`` or ``un-fused[2]`` for each unit."""
    match strategy["kind"]:
        case "composed":
            return [unit for item in strategy["items"] for unit in units(item)]
        case "optimization":
            return [f"{strategy['fuser']}({strategy['score']}){strategy['ordering']}"]
        case _:
            return [f"un-fused{strategy['ordering']}"]


def trigger(told: Json) -> str:
    if isinstance(told, str):
        return told
    return f"OnOperations[{', '.join(short(op['op']) for op in told['OnOperations'])}]"


def short(kind: str) -> str:
    return kind.rpartition("::")[2]


def lines(name: str) -> list[str]:
    """All log lines of a program, tables left out."""
    return [line for event in result(name)["events"] for line in event["log"] if "═" not in line]


def count(name: str, words: str) -> int:
    return sum(words in line for line in lines(name))


def tables(event: Json) -> list[list[str]]:
    """The op kinds of each execution table of an event, in order of execution."""
    texts = [text for text in event["log"] if text.startswith("═")]
    return [[_kind(row) for row in text.splitlines()[4:]] for text in texts]


def _kind(row: str) -> str:
    return next(KINDS[word] for word in row.split() if word in KINDS)


KINDS = {spec.name: spec.variant for spec in OPSET.values()}


def launches(strategy: Json, kinds: list[str]) -> int:
    """Kernels of one execution; ``kinds`` are its ops in order of execution."""
    counted, at = 0, 0
    for unit in units(strategy):
        size = unit.count(",") + 1
        own, at = kinds[at : at + size], at + size
        if unit.startswith("un-fused"):
            counted += sum(kind not in FREE for kind in own)
        else:
            counted += 2 if unit.startswith("NHWCRelayout") else 1
    return counted


def in_registration_order(strategy: Json, kinds: list[str]) -> list[str]:
    """The op kinds, listed in order of execution, by their positions in the segment."""
    positions = [int(digits) for unit in units(strategy) for digits in POSITIONS.findall(unit)]
    return [kind for _, kind in sorted(zip(positions, kinds, strict=True))]


POSITIONS = re.compile(r"\d+(?=[,\]])")


def executions(name: str) -> list[Json]:
    told = []
    for number, event in enumerate(result(name)["events"]):
        for execution, kinds in zip(event["executed"], tables(event), strict=True):
            unfit = {"fallback": True} if execution.get("fallback") else {}
            row = {
                "event": number,
                "plan": execution["plan"],
                "blocks": units(execution["strategy"]),
                "launches": launches(execution["strategy"], kinds),
                "ops": in_registration_order(execution["strategy"], kinds),
            }
            told.append(row | unfit)
    return told


def hits(name: str) -> list[Json]:
    """``[event, plan, mode, queued]`` for every cache hit."""
    pattern = re.compile(r"cache hit: execute plan #(\d+) \((\w+), segment has (\d+) ops\)")
    return [
        [number, int(match[1]), match[2], int(match[3])]
        for number, event in enumerate(result(name)["events"])
        for line in event["log"]
        if (match := pattern.search(line))
    ]


each_program = pytest.mark.parametrize("name", PROGRAMS)


@each_program
def test_the_stored_plans(name: str) -> None:
    assert [
        {
            "id": plan["id"],
            "num_ops": plan["num_ops"],
            "triggers": [trigger(told) for told in plan["triggers"]],
            "blocks": units(plan["strategy"]),
        }
        for plan in result(name)["plans"]
    ] == facts(name)["plans"]


@each_program
def test_what_ran_at_which_event_in_which_units(name: str) -> None:
    ours = executions(name)
    assert ours == facts(name)["executions"]
    assert sum(told["launches"] for told in ours) == facts(name)["launches"]


@each_program
def test_every_hit(name: str) -> None:
    assert hits(name) == facts(name)["hits"]


@each_program
def test_every_log_line(name: str) -> None:
    ours = [[x for x in event["log"] if "═" not in x] for event in result(name)["events"]]
    assert ours == facts(name)["log"]


@each_program
def test_the_counts_of_the_search(name: str) -> None:
    told = facts(name)
    assert count(name, "[plan] exploration completed") == told["explorations"]
    assert count(name, "→ new block") == told["new_block"]
    assert count(name, "→ accepted in") == told["accepted"]
    assert count(name, "→ new dependent block") == told["dependent"]
    assert [
        [number, line]
        for number, event in enumerate(result(name)["events"])
        for line in event["log"]
        if any(words in line for words in STOPS)
    ] == told["stops"]


@each_program
def test_the_length_of_the_queue_after_every_event(name: str) -> None:
    queued = [event["queued"] for event in result(name)["events"]]
    assert queued == facts(name)["queued"]
    assert queued[-1] == facts(name)["queued_at_end"]


def test_there_are_ninety_eight_programs() -> None:
    assert len(PROGRAMS) == 98
