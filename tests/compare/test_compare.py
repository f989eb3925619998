"""Two futures side by side: where they part, why, and how they end, in the engine's numbers."""

import json

import pytest
from compare.sides import SIX_ROUNDS, decided, nth, what_if
from hypothesis import given, settings
from hypothesis import strategies as st

from fusionlab.config import FusionConfig
from fusionlab.i18n import texts
from fusionlab.ir.tensor import DType
from fusionlab.lab import Lab
from fusionlab.program import parse_program
from fusionlab.program.change import (
    Change,
    DisableFuser,
    InsertSync,
    Keep,
    Reach,
    ReplaceOp,
    SetDtype,
    SetLimit,
    SetScalar,
    SetShape,
    apply,
)
from fusionlab.views.compare import Comparison, compare
from fusionlab.views.compare.payload import comparison_payload, comparison_table
from fusionlab.views.compare.source import changed_lines
from fusionlab.views.said import told

EN = texts("en")
RANDOM, MUL, EXP = "Float::Random", "NumericFloat::Mul", "Float::Exp"


def compared(text: str, change: Change) -> Comparison:
    return compare(*what_if(text, change))


def why(found: Comparison) -> str:
    return " ".join(told(EN, line) for line in found.why)


def ends(found: Comparison) -> str:
    assert found.verdict is not None
    return " ".join(told(EN, line) for line in found.verdict)


# --- the example of the design: 64×64 as it ran, 64×32 what if -----------------------------------


@pytest.fixture(scope="module")
def another_shape() -> Comparison:
    """The last of three equal rounds with 64×32; executed, so that launches are counted."""
    program = parse_program(SIX_ROUNDS, "a.lab")
    changed = apply(program, SetShape(nth(SIX_ROUNDS, RANDOM, -3), (64, 32)))
    return compare(Lab().run(program), Lab().run(changed))


def test_the_futures_part_at_the_first_op_that_looks_different(another_shape: Comparison) -> None:
    assert why(another_shape) == (
        "A asks for Random → t0:[1,1], B for Random → t0:[1,2]. "
        "Dimension 2 got a new number in B. "
        "The op hashes differently, so plan #1 is not found in B."
    )


def test_totals_count_from_the_round_in_which_they_part(another_shape: Comparison) -> None:
    one, two = another_shape.totals
    assert (one.hits, one.searches, one.new_plans, one.defers) == (4, 0, 0, 4)
    assert (two.hits, two.searches, two.new_plans, two.defers) == (2, 2, 2, 0)
    assert (one.launches, one.accesses) == (two.launches, two.accesses) == (4, 7)


def test_each_row_says_what_each_side_did(another_shape: Comparison) -> None:
    payload = comparison_payload(another_shape, EN)
    assert comparison_table(payload) == [
        ["a = random(…)", "#1", "no candidate · explore · plan #3 stored"],
        ["b = random(…)", "#1", "#3"],
        ["c = random(…)", "#1", "#3"],
        ["Mul", "1 of 4", "no candidate · explore · new block, total 1"],
        ["MulScalar", "2 of 4", "explore · new block, total 2"],
        ["Add", "3 of 4", "explore · blocks merge, 1/1"],
        ["Exp", "4 of 4, waits for a drain", "explore · accepted, 1/1"],
        ["read(out)", "#2 · 1 launch", "explore · plan #4 stored · 1 launch"],
    ]
    assert [row["parting"] for row in payload["rows"]] == [True] + [False] * 7
    assert payload["before"] == "17 requests before, the same on both sides"


def test_both_end_in_the_same_kernel(another_shape: Comparison) -> None:
    assert ends(another_shape) == (
        "Both end in the same kernel: ElementWise, 630, 4 ops. "
        "Only the key differs, so B paid for 2 searches that it could not reuse."
    )
    lanes = comparison_payload(another_shape, EN)["lanes"]
    assert [side["label"] for side in lanes] == ["queue", "block 1"]
    assert [side["units"][0]["tab"] for side in lanes] == [
        "plan #2 · ElementWise 630",
        "plan #4 · ElementWise 630",
    ]


def test_the_changed_line_is_shown_with_the_changed_number(another_shape: Comparison) -> None:
    program = comparison_payload(another_shape, EN)["program"]
    marked = [
        line["text"][line["mark"][0] : line["mark"][1]] for side in "ab" for line in program[side]
    ]
    assert marked == ["64", "32"]


# --- one thing changed, each with its own reason -------------------------------------------------


def test_another_scalar_changes_no_decision() -> None:
    found = compared(SIX_ROUNDS, SetScalar(nth(SIX_ROUNDS, "NumericFloat::MulScalar", 2), 7.0))
    assert (found.parting, found.why, found.differing) == (None, (), 0)
    assert comparison_payload(found, EN)["foot"]["lead"] == "The futures never part."


def test_another_square_size_changes_no_decision() -> None:
    assert compared(SIX_ROUNDS, SetShape(nth(SIX_ROUNDS, RANDOM, -1), (32, 32))).parting is None


STRAIGHT = "x = keep(random(8, 8))\ny = exp(x * 2.0)\nz = y + 1.0\nread(z)\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            SetShape(0, (8, 1)),
            (
                "A asks for Random → t0:[1,1], B for Random → t0:[1,0]. "
                "In B dimension 2 is 1, and size 1 is always number 0."
            ),
        ),
        (
            SetShape(0, (8, 8, 8)),
            (
                "A asks for Random → t0:[1,1], B for Random → t0:[1,1,1]. "
                "A's tensor has 2 dimensions, B's has 3."
            ),
        ),
        (
            SetDtype(0, DType.F16),
            (
                "A asks for Random → t0:f32, B for Random → t0:f16. "
                "The dtype of t0 is part of the key."
            ),
        ),
        (
            ReplaceOp(nth(STRAIGHT, EXP, 0), "log"),
            "A asks for Float::Exp, B for Float::Log. It is another op, so it has another key.",
        ),
        (
            Keep(nth(STRAIGHT, EXP, 0)),
            (
                "A asks for AddScalar(t2:RW), B for AddScalar(t2:RO). In A this is the last use of "
                "t2, in B it is still needed. That is part of the key."
            ),
        ),
        (InsertSync(nth(STRAIGHT, EXP, 0)), "Only B asks for sync here."),
    ],
    ids=["size 1", "rank", "dtype", "op", "last use", "sync"],
)
def test_the_reason_names_the_field_of_the_op(change: Change, expected: str) -> None:
    assert why(compared(STRAIGHT, change)).startswith(expected)


def test_a_kept_value_drops_the_plan_at_the_op_that_uses_it() -> None:
    twice = f"{STRAIGHT}b = exp(x * 3.0)\nc = b + 1.0\nread(c)\n"
    found = compared(twice, Keep(nth(twice, EXP, 1)))
    assert "Plan #1 goes on fitting in A; in B it is dropped at op 2." in why(found)


def test_a_setting_is_told_by_the_decision_that_it_changes() -> None:
    two = "a, b = keep(random(8)), keep(random(8))\nread(exp(a) + log(b))\n"
    found = compared(two, SetLimit("max_blocks", 1))
    assert found.runs[1].config.max_blocks == 1
    assert "Both ask for the same op, but the decision differs." in why(found)
    settings_row = comparison_payload(found, EN)["settings"]
    assert settings_row == [{"label": "max_blocks", "a": "5", "b": "1"}]


def test_a_fuser_that_is_off_shows_where_its_absence_is_felt() -> None:
    found = compared(STRAIGHT, DisableFuser("ElementWise"))
    assert found.parting is not None
    assert "ElementWise" in ends(found)
    assert comparison_payload(found, EN)["settings"][0]["b"] == "ElementWise"


def test_two_whole_programs_are_compared_under_their_names() -> None:
    found = compare(decided(SIX_ROUNDS), decided(STRAIGHT))
    payload = comparison_payload(found, EN, ("A · rounds", "B · straight"))
    assert [head["title"] for head in payload["heads"]] == ["A · rounds", "B · straight"]
    assert why(found) == "Only A asks for Init here."
    assert payload["program"] is None, "another program is not shown as a changed line"


def test_a_run_that_stops_early_is_compared_up_to_there() -> None:
    wrong = Lab().run_text(
        STRAIGHT.replace("z = y + 1.0", "z = y + nobody"), "a.lab", execute=False
    )
    found = compare(decided(STRAIGHT), wrong)
    assert found.parting is not None
    assert "stopped" in json.dumps(comparison_payload(found, EN))


def test_no_launch_is_claimed_when_nothing_was_computed() -> None:
    payload = comparison_payload(compare(decided(STRAIGHT), decided(SIX_ROUNDS)), EN)
    assert [name for _, name in payload["heads"][0]["totals"]][-1] == "defers"


# --- the changed lines ---------------------------------------------------------------------------


def test_an_inserted_line_stands_on_its_side_alone() -> None:
    sides = changed_lines("a\nb\n", "a\nsync()\nb\n")
    assert sides is not None
    assert [[(line.number, line.text) for line in side] for side in sides] == [[], [(2, "sync()")]]


def test_equal_texts_have_no_changed_lines() -> None:
    assert changed_lines("a\n", "a\n") is None


# --- laws ----------------------------------------------------------------------------------------

SMALL = [
    STRAIGHT,
    SIX_ROUNDS,
    "x = keep(random(4, 8))\nread(exp(x).sum(dim=1) + 1.0)\n",
    "x = keep(random(6))\nfor i in range(3):\n    read(exp(x * i) + 1.0)\n",
]


@given(st.sampled_from(SMALL), st.sampled_from(SMALL), st.sampled_from([1, 2, 5]))
@settings(max_examples=30)
def test_a_run_never_parts_from_itself_and_the_sides_can_be_swapped(
    one: str, two: str, blocks: int
) -> None:
    config = FusionConfig(max_blocks=blocks)
    a, b = decided(one, config), decided(two, config)
    assert compare(a, a).parting is None
    there, back = compare(a, b), compare(b, a)
    assert there.totals == back.totals[::-1] or there.start != back.start
    assert (there.parting is None) == (back.parting is None)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "change",
    [
        SetShape(0, (8, 1)),
        Keep(2),
        InsertSync(1),
        ReplaceOp(2, "sum"),
        SetLimit("max_explorations", 0),
        DisableFuser("ElementWise"),
        SetScalar(1, 5.0, reach=Reach.EVERY),
    ],
    ids=lambda change: type(change).__name__,
)
def test_every_outcome_can_be_told_in_both_languages(change: Change, lang: str) -> None:
    payload = comparison_payload(compared(STRAIGHT, change), texts(lang))
    assert json.loads(json.dumps(payload)) == payload
