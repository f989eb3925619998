"""The player's payload: every index leads somewhere, no frame lies, every line can be counted."""

import json
import re
from dataclasses import replace
from functools import cache

import pytest
from recorded import tensor
from runs import page_run, sample
from views import gallery

from fusionlab.config import FusionConfig
from fusionlab.events import facts as f
from fusionlab.events.facts import BlocksMerged, PlanReused
from fusionlab.events.log import EventLog
from fusionlab.events.run import ProgramInfo, Run
from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.views.player import player_json, player_payload


@cache
def payload(name: str, lang: str = "en") -> dict:
    return player_payload(gallery.run(name), texts(lang))


@pytest.fixture(params=gallery.NAMES)
def shown(request):
    return payload(request.param)


POOL_OF = {
    "column": "columns",
    "place": "places",
    "segment": "segments",
    "queue": "queues",
    "pane": "panes",
    "store": "stores",
    "miss": "misses",
}


def test_every_index_of_a_step_leads_somewhere(shown):
    for step in shown["steps"]:
        for key, pool in POOL_OF.items():
            assert 0 <= step.get(key, 0) < max(1, len(shown[pool])), (key, step)
        assert step["kind"] in shown["kinds"]
        assert step["log"] <= len(shown["log"])


def test_every_index_of_a_pool_leads_somewhere(shown):
    for queue in shown["queues"]:
        assert all(row < len(shown["rows"]) for row in queue["rows"] + queue["ghosts"])
    for store in shown["stores"]:
        assert all(plan < len(shown["plans"]) for plan in store["plans"])
    for segment in shown["segments"]:
        assert all(column < len(shown["columns"]) for column in segment["columns"])


def test_nothing_is_stored_that_no_step_shows(shown):
    for key, pool in POOL_OF.items():
        if key != "column":
            used = {step[key] for step in shown["steps"] if key in step}
            assert used == set(range(len(shown[pool])))


def test_an_op_is_born_before_it_moves_and_moves_before_it_is_done(shown):
    last = len(shown["steps"])
    for column in shown["columns"]:
        moves = [step for step, _ in column.get("moves", [])]
        assert moves == sorted(set(moves))
        assert column["born"] <= min(moves, default=last)
        assert max([column["born"], *moves]) <= column.get("done", last)


def lane_at(column: dict, step: int) -> int:
    lanes = [lane for at, lane in column.get("moves", []) if at <= step]
    return lanes[-1] if lanes else 0


def test_a_frame_stands_around_ops_of_its_own_lane(shown):
    for frame in shown["frames"]:
        for step in range(frame["from"], frame["to"]):
            lanes = {lane_at(shown["columns"][index], step) for index in frame["columns"]}
            assert lanes == {frame["lane"]}, (step, frame)


def test_two_frames_never_hold_the_same_op(shown):
    for step in range(len(shown["steps"])):
        live = [f["columns"] for f in shown["frames"] if f["from"] <= step < f["to"]]
        held = [column for columns in live for column in columns]
        assert len(held) == len(set(held)), step


COUNTS = re.compile(r"(\d+) reads? in, (\d+) writes? out")


def test_the_lines_that_cross_a_frame_are_the_counts_on_its_tab(shown):
    for frame in shown["frames"]:
        counts = COUNTS.search(frame.get("tab", ""))
        if counts is not None:
            lines = len(frame.get("in", [])), len(frame.get("out", []))
            assert tuple(map(int, counts.groups())) == lines


def test_each_request_has_one_coarsest_step(shown):
    coarse = [step for step in shown["steps"] if step["level"] == 0]
    columns = [step["column"] for step in coarse]
    assert columns == sorted(columns)
    assert set(columns) == set(range(len(shown["columns"])))


def test_rounds_cover_all_columns_and_steps_in_order(shown):
    rounds = shown["rounds"]
    assert [r["columns"][0] for r in rounds[1:]] == [r["columns"][1] + 1 for r in rounds[:-1]]
    assert [r["steps"][0] for r in rounds[1:]] == [r["steps"][1] + 1 for r in rounds[:-1]]
    assert (rounds[0]["columns"][0], rounds[-1]["columns"][1]) == (0, len(shown["columns"]) - 1)
    assert (rounds[0]["steps"][0], rounds[-1]["steps"][1]) == (0, len(shown["steps"]) - 1)


def test_ghosts_are_rows_of_ops_that_are_not_queued_yet(shown):
    for step_number, step in enumerate(shown["steps"]):
        queue = shown["queues"][step["queue"]]
        for row in queue["ghosts"]:
            assert shown["columns"][shown["rows"][row]["column"]]["born"] > step_number


def test_one_card_of_an_arena_leads_at_most_and_it_comes_first(shown):
    for pane in shown["panes"]:
        if pane["type"] == "arena":
            leads = [card.get("leads", False) for card in pane["cards"]]
            assert not any(leads[1:])
            assert len(pane["cards"]) == 5


def test_both_languages_have_the_same_shape_so_the_player_keeps_its_place():
    one, two = payload("mul_add_exp", "en"), payload("mul_add_exp", "zh")
    for key in ("run", "lanes", "columns", "steps", "panes", "queues", "stores"):
        assert skeleton(one[key]) == skeleton(two[key]), key


def skeleton(value: object) -> object:
    """A value without its texts."""
    match value:
        case str():
            return ""
        case list():
            return [skeleton(item) for item in value]
        case dict():
            return {key: skeleton(item) for key, item in value.items()}
        case _:
            return value


def test_the_same_run_gives_the_same_bytes():
    text = gallery.program("mul_add_exp")
    runs = [Lab().run_text(text, "mul_add_exp.lab", execute=False) for _ in range(2)]
    assert player_json(runs[0], texts("en")) == player_json(runs[1], texts("en"))


def test_a_payload_is_plain_json():
    assert json.loads(player_json(page_run(), texts("zh"))) == player_payload(
        page_run(), texts("zh")
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_thousand_steps_fit_into_two_megabytes(lang):
    biggest = max(sample(), key=lambda run: len(run.events))
    shown = player_payload(biggest, texts(lang))
    size = len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= 1_000 * max(2_000, len(shown["steps"]))


def test_a_long_run_leaves_out_single_answers_and_a_longer_one_decisions():
    run = page_run()
    levels = [
        {step["level"] for step in player_payload(run, texts("en"), max_steps=limit)["steps"]}
        for limit in (10_000, 200, 60)
    ]
    assert levels == [{0, 1, 2}, {0, 1}, {0}]


def test_a_very_long_run_shows_its_front_and_says_so():
    shown = player_payload(page_run(), texts("en"), max_columns=12)
    assert len(shown["columns"]) == 12
    assert "first 12" in shown["end"]
    assert shown["log"] == player_payload(page_run(), texts("en"))["log"][: len(shown["log"])]


def test_a_run_that_fails_says_where_it_stopped():
    run = Lab().run_text("a = ones(2, 3)\nb = a + ones(4, 5)\nread(b)\n", "bad.lab", execute=False)
    shown = player_payload(run, texts("en"))
    assert shown["steps"][-1]["kind"] == "failed"
    assert shown["end"].endswith("The steps before it are true.")


def test_created_tensors_carry_the_names_of_the_program():
    text = "a, b = ones(2), ones(2)\nc = a + b\nread(c)\n"
    run = Lab().run_text(text, "names.lab", execute=False)
    assert [c["label"] for c in player_payload(run, texts("en"))["columns"][:2]] == ["a", "b"]


def test_the_op_is_marked_in_the_program_where_there_is_no_doubt():
    text = "a = ones(2)\nb = exp(a) + exp(a)\nread(log(b))\n"
    shown = player_payload(Lab().run_text(text, "marks.lab", execute=False), texts("en"))
    marked = {}
    for column, step in ((s.get("column"), s) for s in shown["steps"] if "place" in s):
        place = shown["places"][step["place"]]
        start, end = place.get("mark", (0, 0))
        line = shown["program"][place["line"] - 1]
        marked[shown["columns"][column]["label"]] = line[start:end]
    assert marked["Log"] == "log"
    assert marked["Add"] == "+"
    assert marked["Exp"] == "", "two exp stand in this line"


def test_a_merge_shows_where_the_other_block_was():
    run = page_run()
    shown = player_payload(run, texts("en"))
    merges = [e.step for e in run.events if isinstance(e.fact, BlocksMerged)]
    was = shown["steps"][merges[0]]["was"]
    assert (was["lane"], was["to"], was["text"]) == (2, 1, "was block 2")
    assert [shown["columns"][c]["label"] for c in was["columns"]] == ["MulScalar"]


def test_a_hit_frames_the_queued_ops_as_its_plan_runs_them():
    run = page_run()
    shown = player_payload(run, texts("en"))
    hits = [e.step for e in run.events if isinstance(e.fact, PlanReused) and e.fact.queued == 4]
    frame = next(f for f in shown["frames"] if f["from"] == hits[0])
    assert (frame["lane"], frame["fuser"], frame["tab"]) == (0, "E", "plan #2 · 630")
    assert len(frame["in"]) == 3
    assert len(frame["inside"]) == 3
    assert len(frame["out"]) == 1


def test_the_miss_of_64x32_ends_at_the_second_size():
    shown = player_payload(page_run(), texts("en"))
    miss = shown["misses"][-1]
    keys = [key["groups"][miss["first"][0]][miss["first"][1]] for key in miss["keys"]]
    assert keys == ["1", "2"]
    assert miss["would"]["hit"] == ["16×16", "128×128"]
    assert miss["would"]["miss"] == ["64×32", "64×1"]
    assert miss["sizes"]["rows"][1]["cells"][2] == "1, **2**"


def test_streams_have_columns_of_their_own():
    shown = payload("two_streams")
    assert {column.get("stream", 0) for column in shown["columns"]} == {0, 1}


def test_a_run_in_a_lab_that_knows_plans_hits_them_at_once():
    lab = Lab()
    text = gallery.program("softmax")
    lab.run_text(text, "softmax.lab", execute=False)
    second = lab.run_text(text, "softmax.lab", execute=False)
    kinds = {step["kind"] for step in player_payload(second, texts("en"))["steps"]}
    assert "hit" in kinds
    assert "new" not in kinds


def test_every_sample_has_a_payload():
    for run in sample()[::6]:
        assert player_payload(run, texts("zh"))["steps"]


def test_an_empty_run_has_an_empty_payload():
    empty = replace(page_run(), events=(), states=(), lines=())
    shown = player_payload(empty, texts("en"))
    assert (shown["columns"], shown["steps"], shown["rounds"], shown["lanes"]) == ([], [], [], 1)


def test_holes_are_searched_in_lanes_of_their_own():
    shown = payload("hole")
    kinds = [step["kind"] for step in shown["steps"]]
    assert "holes" in kinds


def test_what_comes_later_is_not_in_the_payload_of_an_earlier_moment():
    run = page_run()
    asked = next(e.step for e in run.events if isinstance(e.fact, BlocksMerged))
    text = json.dumps(player_payload(run, texts("en"), until=asked), ensure_ascii=False)
    assert "630" not in text
    assert "Float::Exp" not in text
    assert "plan #2" not in text
    later = json.dumps(player_payload(run, texts("en")), ensure_ascii=False)
    assert "630" in later


def test_a_read_of_what_is_there_is_no_drain():
    log = EventLog()
    log.emit(f.TensorRead(tensor("ot7"), last=False))
    run = Run.of(ProgramInfo("read.lab", ""), FusionConfig(), log.events)
    (column,) = player_payload(run, texts("en"))["columns"]
    assert (column["label"], column.get("sub")) == ("read", None)
