"""Be the optimizer: the fusers judge the learner's lanes as they judge the engine's."""

import pytest

from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab.decide import decide
from fusionlab.learn.boards import boards, engine_lanes, judge, operations
from fusionlab.learn.questions import answer
from fusionlab.learn.reading import Reading
from fusionlab.plan import Optimization, leaves


@pytest.mark.parametrize("name", boards())
def test_the_engines_lanes_get_the_engines_scores(name: str) -> None:
    board = boards()[name]
    reading = Reading(decide(board.program))
    verdict = judge(operations(board, decide), engine_lanes(board, decide))
    plan = reading.plans[board.plan]
    fused = [leaf for leaf in leaves(plan.strategy) if isinstance(leaf, Optimization)]
    assert [(lane.fuser, lane.score) for lane in verdict.lanes] == [
        (leaf.fused.fuser, leaf.score) for leaf in fused
    ]
    assert verdict.legal
    last = [step for step in reading.drains if answer("runs_at", reading, step=step.index)][-1]
    assert verdict.launches == answer("launches", reading, step=last.index)


def test_one_lane_for_everything_is_not_always_better() -> None:
    board = boards()["softmax"]
    ops = operations(board, decide)
    together, engine = judge(ops, [0] * len(ops)), judge(ops, engine_lanes(board, decide))
    assert [lane.fuser for lane in together.lanes] == ["ReduceBroadcasted"]
    assert together.score == 110 < engine.score == 210
    assert together.launches < engine.launches


def test_a_lane_that_no_fuser_takes_says_where_it_stopped_and_why() -> None:
    board = boards()["view"]
    ops = operations(board, decide)
    (lane,) = judge(ops, [None, 0, 0, 0, None, None]).lanes
    assert lane.fuser is None
    assert lane.stopped_at == 2
    assert lane.refusal is not None
    assert f"refusal.{lane.refusal.code.value}" in texts("en")


def test_lanes_that_need_each_other_are_illegal_and_save_nothing() -> None:
    ops = operations(boards()["meeting"], decide)
    # Lane 0 holds the first and the last op of a chain, lane 1 what lies between.
    verdict = judge(ops, [0, None, 1, None, 0])
    assert not verdict.legal
    assert verdict.score == 0


def test_nothing_in_a_lane_saves_nothing() -> None:
    ops = operations(boards()["meeting"], decide)
    verdict = judge(ops, [None] * len(ops))
    assert verdict.score == 0
    assert verdict.launches == len(ops)


@pytest.mark.parametrize("name", boards())
def test_every_board_has_words(name: str) -> None:
    assert all(f"learn.board.{name}.ask" in texts(lang) for lang in LANGUAGES)
