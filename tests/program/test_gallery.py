"""The programs that ship with the lab: each shows what it says it shows."""

import re

import pytest

from fusionlab.conformance import run_program
from fusionlab.i18n import LANGUAGES
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.program import compile_program, parse_program
from fusionlab.program.gallery import gallery, gallery_program


def decided(program_id: str) -> dict:
    return run_program(compile_program(parse_program(gallery_program(program_id).text)))


def units_of(tree: dict) -> list[tuple[str | None, int, list[int]]]:
    if tree["kind"] == "composed":
        return [unit for item in tree["items"] for unit in units_of(item)]
    return [(tree.get("fuser"), tree.get("score", 0), tree["ordering"])]


def last_units(program_id: str) -> list[tuple[str | None, int, list[int]]]:
    """The units of the last execution: fuser, score, positions."""
    executed = [row for event in decided(program_id)["events"] for row in event["executed"]]
    return units_of(executed[-1]["strategy"])


def hits(program_id: str) -> list[str]:
    """The modes and plans of all cache hits, in order."""
    log = [line for event in decided(program_id)["events"] for line in event["log"]]
    found = (re.search(r"cache hit: execute plan (#\d+) \((\w+)", line) for line in log)
    return [f"{match[2]} {match[1]}" for match in found if match]


@pytest.mark.parametrize("entry", gallery(), ids=lambda entry: entry.id)
def test_a_program_of_the_gallery_parses_and_says_what_it_shows(entry):
    assert re.match(r"# \w.*\.\n", entry.text)
    assert parse_program(entry.text, entry.id).instructions
    assert entry.concept in CONCEPTS
    for texts in (entry.title, entry.about):
        assert set(texts) == set(LANGUAGES)
        assert all(texts.values())


def test_the_gallery_starts_with_the_run_that_reuses_a_plan():
    assert gallery()[0].id == "mul_add_exp"
    assert len({entry.id for entry in gallery()}) == len(gallery()) >= 18


def test_the_reuse_run_has_the_ids_and_plans_of_burns_page():
    compiled = compile_program(parse_program(gallery_program("mul_add_exp").text))
    muls = [event for event in compiled["events"] if event.get("op") == "NumericFloat::Mul"]
    named = [[tensor["id"] for tensor in mul["inputs"] + mul["outputs"]] for mul in muls]
    assert named[0] == [1, 2, 4]
    assert named[-1] == [36, 37, 39]
    assert [hit for hit in hits("mul_add_exp") if "sync" in hit] == ["sync #2"] * 4
    assert last_units("mul_add_exp") == [("ElementWise", 630, [0, 1, 2, 3])]


def test_the_five_chains_have_the_ids_and_the_score_of_burns_page():
    compiled = compile_program(parse_program(gallery_program("five_chains").text))
    first = [event for event in compiled["events"] if event["kind"] == "op"][-40]
    assert first["op"] == "NumericFloat::MulScalar"
    assert (first["inputs"][0]["id"], first["outputs"][0]["id"]) == (1, 24)
    assert last_units("five_chains") == [("ElementWise", 7390, list(range(40)))]


@pytest.mark.parametrize(
    ("program_id", "units"),
    [
        ("lone_op", [(None, 0, [0])]),
        ("drop_op", [("ElementWise", 110, [0, 1])]),
        ("dead_result", [("ElementWise", 210, [0, 1])]),
        ("diamond", [("ElementWise", 940, [0, 1, 2, 3, 4])]),
        ("joined_chains", [("ElementWise", 840, [0, 1, 2, 3, 4])]),
        ("gelu", [("ElementWise", 940, [0, 1, 2, 3, 4])]),
        ("linear_relu", [(None, 0, [1]), ("Matmul", 620, [0, 2, 3, 4])]),
        ("reduce_kernel", [("Reduce", 630, [0, 1, 2, 3, 4])]),
        ("softmax", [("ElementWise", 210, [0, 1]), (None, 0, [2, 3])]),
        ("masked_softmax", [("ReduceBroadcasted", 110, [0, 1, 2, 3, 4, 5])]),
        (
            "layer_norm",
            [(None, 0, [6]), (None, 0, [8]), ("ReduceBroadcasted", 1050, [0, 1, 2, 3, 4, 5, 7, 9])],
        ),
        ("pool_relayout", [("NHWCRelayout", 310, [0, 1, 2])]),
        (
            "unfusable_head",
            [("ElementWise", 210, [0, 6]), (None, 0, [1, 2]), ("ElementWise", 420, [3, 4, 5])],
        ),
        (
            "hole",
            [("ElementWise", 210, [0, 5]), (None, 0, [1, 2]), ("ElementWise", 210, [3, 4])],
        ),
    ],
)
def test_the_last_execution_of(program_id, units):
    assert last_units(program_id) == units


def test_a_square_saves_a_read_and_a_product_of_two_does_not():
    executed = [row for event in decided("square")["events"] for row in event["executed"]]
    assert [units_of(row["strategy"])[0][:2] for row in executed] == [
        (None, 0),
        ("ElementWise", 100),
        (None, 0),
        (None, 0),
    ]


def test_moving_shapes_search_three_times():
    plans = decided("moving_shapes")["plans"]
    assert len([plan for plan in plans if plan["num_ops"] == 2]) == 3


def test_a_kept_tensor_needs_a_plan_of_its_own():
    assert len([plan for plan in decided("liveness")["plans"] if plan["num_ops"] == 2]) == 2
    assert "sync #1" in hits("liveness")


def test_an_op_that_no_fuser_takes_becomes_a_trigger():
    (trigger,) = decided("on_operations")["plans"][1]["triggers"]
    assert [op["op"] for op in trigger["OnOperations"]] == ["Custom"]
    assert "lazy #1" in hits("on_operations")


def test_a_lone_opaque_op_may_always_run():
    assert decided("always")["plans"][1]["triggers"] == ["Always"]
    assert hits("always") == ["lazy #1", "lazy #1"]


def test_the_sixth_matmul_stops_the_search():
    log = [line for event in decided("many_blocks")["events"] for line in event["log"]]
    assert any("stopped (max_blocks=5 reached) at op 5 (Float::Matmul)" in line for line in log)


def test_the_second_stream_hits_the_plan_of_the_first():
    assert hits("two_streams") == ["lazy #0", "sync #1"]


def test_past_the_cap_nothing_is_stored_but_hits_go_on():
    result = decided("exploration_cap")
    assert [plan["num_ops"] for plan in result["plans"]] == [1, 1, 2]
    assert any(row["plan"] is None for event in result["events"] for row in event["executed"])
    assert hits("exploration_cap")[-1] == "sync #2"


def test_the_second_and_third_step_of_training_search_nothing():
    explored = [
        index
        for index, event in enumerate(decided("train_step")["events"])
        if any("exploration completed" in line for line in event["log"])
    ]
    assert max(explored) < 10


def test_a_first_use_view_stays_outside_and_a_second_use_costs_fifty():
    assert last_units("second_use_view") == [("ElementWise", 210, [0, 1])]
    plans = [units_of(plan["strategy"]) for plan in decided("second_use_view")["plans"]]
    assert [("ElementWise", 370, [0, 1, 2])] in plans
