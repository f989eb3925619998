"""A misconception engine is burn with one rule switched, and parts from it as it was recorded to.

A parting is the first step of a program at which the logs (without tables and closings), the
executions or the queue lengths differ, with what each side says there and the other does not.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from learn.recordings import programs, rows

from fusionlab.config import FusionConfig
from fusionlab.conformance import run_program
from fusionlab.engine.misconceptions import MISCONCEPTIONS, Misconception
from fusionlab.engine.parts import BURN, Parts

Json = Any
Parting = tuple[int, str, str]

SETTINGS_ONLY = {"cap_ignored", "one_block_only"}
SILENT_HERE = {"cache_per_stream"}
"""Only programs with several streams show it; the recording holds one, by its hit pattern."""


@cache
def result(program: str, engine: str | None = None) -> Json:
    """Run a recorded program on burn or on a misconception engine."""
    recorded = programs()[program]["program"]
    misconception = MISCONCEPTIONS[engine] if engine else Misconception()
    config = misconception.configure(FusionConfig(**recorded["config"]))
    settings = {name: getattr(config, name) for name in recorded["config"]}
    return run_program(recorded | {"config": settings}, misconception.parts())


def lines(event: Json) -> list[str]:
    return [line for line in event["log"] if not line.startswith(("══", "[fuser]"))]


def units(strategy: Json) -> list[tuple[Any, ...]]:
    if strategy["kind"] == "composed":
        return [unit for item in strategy["items"] for unit in units(item)]
    return [(strategy.get("fuser"), strategy.get("score"), strategy["ordering"])]


def seen(event: Json) -> tuple[Any, ...]:
    executed = [units(execution["strategy"]) for execution in event["executed"]]
    return lines(event), executed, event["queued"]


def said(event: Json, other: Json) -> str:
    """Return the first line that the other side does not have."""
    alone = [line for line in lines(event) if line not in lines(other)]
    return alone[0] if alone else f"queued {event['queued']}"


def parting(program: str, engine: str) -> Parting | None:
    pairs = zip(result(program)["events"], result(program, engine)["events"], strict=True)
    for step, (burn, mutant) in enumerate(pairs):
        if seen(burn) != seen(mutant):
            return step, said(burn, mutant), said(mutant, burn)
    return None


def recorded_partings(engine: str) -> dict[str, Parting]:
    return {
        row["program"]: (row["step"], row["burn"], row["mutant"])
        for row in rows("partings")
        if row["engine"] == engine
    }


LEFT_OUT = {
    ("rank_only_in_key", "050_faded2"),
    ("rank_only_in_key", "F10_start"),
    ("rank_only_in_key", "F10_solution"),
    ("every_op_its_own_block", "060_matmuls"),
}
"""See the note beside the data."""


@pytest.mark.parametrize("engine", sorted(set(MISCONCEPTIONS) - SILENT_HERE))
def test_it_parts_from_burn_exactly_where_it_was_recorded_to(engine: str) -> None:
    recorded = recorded_partings(engine)
    assert recorded, "nothing recorded: nothing checked"
    for program in programs():
        if (engine, program) not in LEFT_OUT:
            assert parting(program, engine) == recorded.get(program), program


def test_a_stream_with_a_cache_of_its_own_explores_what_another_stream_found() -> None:
    step, burn, mutant = parting("110_faded2", "cache_per_stream") or (None, "", "")
    assert step == 4
    assert burn.startswith("[plan] cache hit: execute plan #0")
    assert mutant.startswith("[explorer] explore (lazy)")


def test_a_stream_keeps_its_cache_when_all_its_tensors_have_gone() -> None:
    # Every read of this program gives back the last tensor of the only stream.
    assert parting("030_batch", "cache_per_stream") is None


@pytest.mark.parametrize("program", sorted(programs()))
def test_with_no_rule_switched_it_decides_as_burn_was_recorded_to(program: str) -> None:
    recorded = programs()[program]["facts"]
    decided = result(program)
    log = [[line for line in e["log"] if not line.startswith("══")] for e in decided["events"]]
    assert log == recorded["log"]
    assert [event["queued"] for event in decided["events"]] == recorded["queued"]


@pytest.mark.parametrize("engine", sorted(MISCONCEPTIONS))
def test_exactly_one_rule_is_switched(engine: str) -> None:
    parts, settings = MISCONCEPTIONS[engine].parts(), MISCONCEPTIONS[engine].settings
    switched = [name for name in Parts.__slots__ if getattr(parts, name) is not getattr(BURN, name)]
    if engine in SETTINGS_ONLY:
        assert switched == []
        assert len(settings or {}) == 1
    else:
        assert switched
        assert settings is None


def test_every_recorded_engine_exists() -> None:
    reading_rules = {"only_sync_runs", "registration_order"}
    recorded = {row["engine"] for row in rows("partings")}
    in_items = {name for row in rows("items") for name in row["distractors"]}
    assert (recorded | in_items) - reading_rules == set(MISCONCEPTIONS)


def test_two_servers_of_the_same_misconception_share_nothing() -> None:
    engine = MISCONCEPTIONS["cache_per_stream"]
    assert engine.parts().processor is not engine.parts().processor
    assert replace(engine.parts()) != BURN
