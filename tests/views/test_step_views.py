"""What each pane says at a step: the queue, the arena, the store, the match, the strategy."""

from collections.abc import Callable

import pytest
from runs import page_run, sample
from views import gallery

from fusionlab.events import facts as f
from fusionlab.export.assets import palette
from fusionlab.fusers.base import ScoreTerms
from fusionlab.i18n import texts
from fusionlab.plan import Composed, Operations
from fusionlab.views.arithmetic import ledger, saved
from fusionlab.views.blocks import lanes_of
from fusionlab.views.diff import changes
from fusionlab.views.dot import blocks_dot
from fusionlab.views.fusers import arena, competitors
from fusionlab.views.kernels import Traffic, kernels_view
from fusionlab.views.kinds import KINDS
from fusionlab.views.levels import levels_of
from fusionlab.views.miss import compare_keys, nearest_plans, numbers_of, shapes_that_would, tokens
from fusionlab.views.moment import Moment
from fusionlab.views.narrate import said_of
from fusionlab.views.pipeline import numbering, queue_row
from fusionlab.views.plans import PlanMark, plan_match, store_view
from fusionlab.views.strategy import execution_view, strategy_tree

EN, ZH = texts("en"), texts("zh")
PAGE = page_run()


def page(kind: type[f.Fact], nth: int = 0) -> int:
    """The step of the nth fact of a kind in the page's run."""
    return gallery.steps_of(PAGE, kind)[nth]


def accepted(op: str) -> int:
    """The first step at which a block takes an op of this kind."""
    return next(s for s in gallery.steps_of(PAGE, f.OpAccepted) if PAGE.events[s].fact.kind == op)


EXP, ADD = accepted("Float::Exp"), accepted("NumericFloat::Add")


# --- queue ----------------------------------------------------------------------------------------


def test_the_queue_shows_both_forms_side_by_side():
    queue = Moment(PAGE, EXP).stream.queue
    rows = [queue_row(queue, position) for position in range(len(queue))]
    assert [(row.op, row.asked, row.relative) for row in rows] == [
        ("Mul", "wt1 wt2>nt4", "wt0 wt1>nt2"),
        ("MulScalar", "wt3>nt5", "wt3>nt4"),
        ("Add", "wt4 wt5>nt6", "wt2 wt4>nt5"),
        ("Exp", "wt6>nt7", "wt5>nt6"),
    ]


def test_the_queue_shows_how_sizes_and_scalars_got_their_numbers():
    numbers = numbering(Moment(PAGE, EXP).stream.queue, EN)
    assert [(n.what, n.value, n.number) for n in numbers] == [
        ("shape", "[64, 64]", "[1, 1]"),
        ("scalar", "2.0", "scalar#0"),
    ]


# --- arena ----------------------------------------------------------------------------------------


def test_the_leader_comes_first_and_the_others_in_registry_order():
    found = arena(PAGE, EXP, EN)
    assert found is not None
    names = [card.fuser for card in found.cards]
    assert names[0] == "ElementWise"
    assert names == ["ElementWise", *[n for n in competitors() if n != "ElementWise"]]
    assert [card.leads for card in found.cards] == [True, False, False, False, False]


def test_the_score_of_the_page_is_630_by_its_own_arithmetic():
    found = arena(PAGE, EXP, EN)
    assert found is not None
    leader = found.cards[0]
    assert leader.score == 630
    assert [(r.label, r.one_by_one, r.fused, r.saved) for r in leader.ledger] == [
        ("reads", 6, 3, 3),
        ("writes", 4, 1, 3),
        ("launches", 4, 1, 3),
    ]
    assert leader.points == ("(3 + 3) × 100 = 600", "3 × 10 = 30")


def test_every_loser_says_why_it_does_not_count():
    found = arena(PAGE, EXP, EN)
    assert found is not None
    assert {card.letter: card.why for card in found.cards[1:]} == {
        "M": "closed at Mul: its first op must be a matmul",
        "R": "not ready: it has seen no reduce yet",
        "B": "not ready: it has seen no reduce yet",
        "N": "not ready: it has seen no pooling op yet",
    }


@pytest.mark.parametrize(
    ("terms", "score"),
    [
        (ScoreTerms(2, 2, 2, 1, 1), 210),
        (ScoreTerms(2, 2, 2, 1, 1, views=1), 160),
        (ScoreTerms(1, 1, 2, 1, 1, views=1), 0),
        (ScoreTerms(6, 4, 4, 3, 1), 630),
        (ScoreTerms(40, 40, 40, 5, 5), 7390),
    ],
    ids=["two ops", "with a view", "a view costs more than it saves", "the page", "five chains"],
)
def test_a_ledger_adds_up_to_the_score(terms: ScoreTerms, score: int) -> None:
    assert ledger(terms).score == score


def test_the_ledger_restates_every_score_that_the_fusers_gave():
    for run in sample():
        for event in run.events:
            if isinstance(event.fact, f.FuserScored) and event.fact.terms:
                parts = [ledger(part) for part in event.fact.terms]
                assert sum(part.score for part in parts) == event.fact.score


def test_what_is_saved_is_summed_over_the_parts_of_a_kernel():
    assert saved((ScoreTerms(6, 4, 4, 3, 1), ScoreTerms(2, 2, 2, 1, 1))) == (8, 4)


def test_no_arena_where_nobody_was_asked():
    assert arena(PAGE, page(f.CandidatesFound), EN) is None


# --- store and match ------------------------------------------------------------------------------


def test_the_store_tells_what_each_plan_is_to_the_segment():
    first = next(
        s for s in gallery.steps_of(PAGE, f.ActionChosen) if PAGE.states[s].stream(0).candidates
    )
    rows = {row.plan: row for row in store_view(PAGE, first, EN).rows}
    assert (rows[2].key, rows[2].trigger, rows[2].mark) == ("Mul [1,1] …", "OnSync", PlanMark.ON)
    assert rows[2].sub == "1 of 4 ops match"
    assert rows[0].mark is PlanMark.IDLE


def test_a_plan_that_will_be_found_is_a_ghost():
    rows = store_view(PAGE, page(f.OpQueued), EN).rows
    assert [(row.plan, row.mark) for row in rows] == [(0, PlanMark.GHOST)]


def test_a_dropped_plan_says_where_it_parted():
    run, step = next(
        (run, s) for run in sample() for s in gallery.steps_of(run, f.CandidateDropped)
    )
    dropped = run.events[step].fact
    row = next(r for r in store_view(run, step, EN).rows if r.plan == dropped.plan)
    assert row.mark is PlanMark.OUT
    assert row.sub.startswith(f"out at op {dropped.position}: ")


def test_a_short_store_keeps_the_plans_that_matter():
    run = gallery.run("moving_shapes")
    step = gallery.steps_of(run, f.PlanReused)[-1]
    view = store_view(run, step, EN, limit=2)
    hit = run.events[step].fact.plan
    assert hit in [row.plan for row in view.rows]
    assert view.notes[-1].endswith("not shown.")


def test_a_match_counts_op_by_op():
    second = next(
        s
        for s in gallery.steps_of(PAGE, f.CandidateAdvanced)
        if (PAGE.events[s].fact.plan, PAGE.events[s].fact.position) == (2, 1)
    )
    found = plan_match(PAGE, second, EN)
    assert found is not None
    assert [(row.ok, row.right) for row in found.rows] == [
        (True, "1/4"),
        (True, "2/4"),
        (None, ""),
        (None, ""),
    ]
    assert not found.fits


def test_a_full_match_fits():
    found = plan_match(PAGE, page(f.PlanReused, nth=-1), EN)
    assert found is not None
    assert found.fits


def test_nothing_matches_when_nothing_is_stored():
    assert plan_match(PAGE, page(f.ActionChosen), EN) is None


# --- miss -----------------------------------------------------------------------------------------

MISS = next(
    s
    for s in reversed(gallery.steps_of(PAGE, f.CandidatesFound))
    if PAGE.events[s].fact.plans == ()
)


def test_the_nearest_plan_to_64x32_is_the_one_for_squares():
    near = nearest_plans(PAGE, MISS)
    assert (near[0].plan, near[0].field, near[0].dimension) == (2, "inputs[0].shape", 2)
    assert near[0].extents == (64, 32)
    assert [n.plan for n in near] == [2, 0, 1, 3]


def test_two_keys_part_at_one_token():
    compared = compare_keys(PAGE, MISS)
    assert compared is not None
    assert tokens(compared.stored)[1] == ("t0", "1", "1", "f32", "RW")
    assert tokens(compared.asked)[1] == ("t0", "1", "2", "f32", "RW")
    assert compared.differing[0] == (1, 2)


def test_the_shapes_that_would_hit_are_numbered_like_the_plan():
    hits, misses = shapes_that_would((1, 1), (64, 32))
    assert all(numbers_of(shape) == (1, 1) for shape in hits)
    assert all(numbers_of(shape) != (1, 1) for shape in misses)


# --- strategy, kernels ---------------------------------------------------------------------------


def test_a_strategy_is_told_as_a_tree():
    run = gallery.run("hole")
    stored = run.events[gallery.steps_of(run, f.PlanStored)[-1]].fact
    tree = strategy_tree(stored.strategy, EN)
    assert isinstance(stored.strategy, Composed)
    assert tree.text == "composed of 3 parts"
    assert [child.text for child in tree.children] == [
        "ElementWise, score 210, 2 ops",
        "un-fused, 2 ops",
        "ElementWise, score 210, 2 ops",
    ]
    assert sorted(tree.ordering) == list(range(6))


def test_ops_alone_have_no_letter():
    assert strategy_tree(Operations((0, 1)), ZH).letter == ""


def test_an_execution_lists_its_units_with_running_numbers():
    run = gallery.executed("hole")
    view = execution_view(run, gallery.steps_of(run, f.QueueDrained)[-1], EN)
    assert view is not None
    assert [row.index for unit in view.units for row in unit.rows] == list(range(6))
    assert [unit.letter for unit in view.units] == ["E", "", "E"]


def test_a_kernel_shows_its_source_and_what_no_longer_crosses_memory():
    run = gallery.executed("mul_add_exp")
    step = next(
        s for s in gallery.steps_of(run, f.QueueDrained) if run.events[s].fact.executed == 4
    )
    view = kernels_view(run, step)
    assert (view.before, view.after) == (Traffic(6, 4, 4), Traffic(3, 1, 1))
    (kernel,) = view.kernels
    assert kernel.inside == ("t4", "t5", "t6")
    assert "def " in kernel.source


# --- blocks ---------------------------------------------------------------------------------------


def test_a_lane_shows_its_leader_and_what_crosses_its_border():
    (lane,) = lanes_of(Moment(PAGE, ADD), EN)
    assert (lane.number, lane.letter, lane.tab) == (1, "E", "420 · 3 reads in, 1 write out")
    assert len(lane.border.inside) == 2


def test_a_dependent_block_points_at_the_blocks_that_it_needs():
    lanes = [
        lane
        for run in sample()
        for step in gallery.steps_of(run, f.BlockOpened)
        if run.events[step].fact.depends_on
        for lane in lanes_of(Moment(run, step), EN)
        if lane.depends_on
    ]
    assert lanes
    assert all(lane.number not in lane.depends_on for lane in lanes)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_graph_of_a_segment(theme: str, golden: Callable[[str, str], None]) -> None:
    golden(f"dot/add.{theme}.dot", blocks_dot(PAGE, ADD, EN, palette(theme)) + "\n")


def test_every_op_of_a_segment_is_a_node_at_every_step():
    def nodes(step: int) -> set[str]:
        graph = blocks_dot(PAGE, step, ZH, palette("light"))
        return {line.split()[0] for line in graph.splitlines() if "op" in line}

    assert nodes(ADD) == nodes(EXP)


# --- differences, levels -------------------------------------------------------------------------


def test_a_merge_changes_two_blocks_into_one():
    found = {(c.how, c.text) for c in changes(PAGE, page(f.BlocksMerged), EN)}
    assert ("gone", "block 2") in found
    assert ("changed", "block 1 has 1 op more") in found


def test_a_stored_plan_is_an_addition():
    found = changes(PAGE, page(f.PlanStored, nth=2), EN)
    assert [(c.area, c.how, c.text) for c in found] == [("plans", "added", "plan #2")]


def test_a_fact_that_places_nothing_changes_nothing():
    assert changes(PAGE, page(f.OpExecuted), EN) == ()


def test_finer_levels_stop_at_all_stops_of_coarser_ones():
    levels = levels_of(PAGE)
    requests, decisions = levels.count(0), levels.count(0) + levels.count(1)
    assert 0 < requests < decisions < len(levels) == len(PAGE.events)
    assert set(levels) == {0, 1, 2}


def test_each_request_has_one_stop_at_the_coarsest_level():
    requests = [
        e for e in PAGE.events if isinstance(e.fact, f.OpQueued | f.SyncRequested | f.TensorRead)
    ]
    assert levels_of(PAGE).count(0) == len(requests)


def test_decisions_have_icons():
    stops = (step for step, level in enumerate(levels_of(PAGE)) if level <= 1)
    icons = [KINDS[said_of(Moment(PAGE, step)).kind].icon for step in stops]
    assert icons.count("merge") == 2
    assert icons.count("hit") == sum(isinstance(e.fact, f.PlanReused) for e in PAGE.events)


def test_kinds_keep_to_the_tones_and_icons_that_the_player_draws():
    assert {kind.tone for kind in KINDS.values()} <= {"hit", "miss", "defer", "explore", "execute"}
    assert {kind.icon for kind in KINDS.values()} <= {
        "new", "accept", "merge", "defer", "hit", "store", "execute", "miss", "ask",
    }  # fmt: skip
