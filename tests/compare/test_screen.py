"""The compare page without a browser: widgets, every kind of change, links, bad input."""

from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from fusionlab.program.change import Reach
from fusionlab.ui.compare.choice import KINDS, Choice, chosen, written

PAGE = Path(__file__).parents[2] / "pages" / "compare.py"
SECONDS = 60


def opened(**params: str) -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=SECONDS)
    for key, value in params.items():
        test.query_params[key] = value
    test.run()
    assert not test.exception
    return test


def text(test: AppTest) -> str:
    """The comparison as the page writes it in words."""
    (block,) = [code.value for code in test.code if " | " in code.value]
    return str(block)


def link(test: AppTest) -> dict[str, str]:
    (address,) = [code.value for code in test.code if "?v=" in code.value]
    return dict(parse_qsl(address.partition("?")[2]))


def pick(test: AppTest, kind: str) -> AppTest:
    test.selectbox(key="compare_kind").set_value(kind).run()
    assert not test.exception
    return test


def run(test: AppTest) -> AppTest:
    test.button[0].click().run()
    assert not test.exception
    return test


def test_the_first_visit_shows_a_comparison_at_once() -> None:
    shown = text(opened())
    assert "The futures part here. A asks for Random → t0:[1,2], B for Random → t0:[1,1]." in shown
    assert "Both end in the same kernel: ElementWise, 630, 4 ops." in shown


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_change_can_be_chosen_and_run(kind: str) -> None:
    test = run(pick(opened(program="mul_add_exp"), kind))
    if kind in {"keep", "release", "sync", "read", "remove", "max_blocks", "fuser"}:
        assert "change" in link(test), "the change is done and its link can be copied"
        assert link(test)["change"].startswith(kind)


def test_two_programs_are_compared_under_their_names() -> None:
    test = run(pick(opened(), "programs"))
    assert "A · mul_add_exp.lab | B · " in text(test)


def test_a_link_shows_the_same_comparison_again() -> None:
    first = opened(program="softmax")
    again = opened(**link(first))
    assert text(again) == text(first)
    assert link(again) == link(first)


def test_a_value_that_cannot_be_read_leaves_the_old_comparison_and_says_so() -> None:
    test = opened()
    before = text(test)
    test.text_input[0].set_value("<b>wide</b>").run()
    run(test)
    assert text(test) == before


def test_a_cut_off_link_opens_what_it_can() -> None:
    whole = link(opened())
    cut = opened(**{**whole, "b": whole["b"][:-6]})
    assert "Both end in the same kernel" in text(cut)


@pytest.mark.parametrize(
    "params",
    [
        {"program": "z.notapack"},
        {"program": "x" * 20_000},
        {"v": "99", "program": "softmax", "b": "softmax"},
        {"v": "99"},
        {"program": "softmax", "b": "d.AAAA", "change": "shape@9=1x1"},
        {"program": "softmax", "change": "shape@999999=64x64"},
        {"program": "softmax", "change": "<script>"},
    ],
    ids=["unreadable", "oversized", "newer", "empty", "bad second", "bad place", "bad change"],
)
def test_a_broken_link_never_breaks_the_page(params: dict[str, str]) -> None:
    assert not opened(**params).exception


def test_a_program_with_an_error_is_compared_up_to_its_error() -> None:
    from fusionlab.ui.share import Shared, Side, query  # noqa: PLC0415

    wrong = Side("x = keep(random(4))\nread(exp(x))\nread(nobody)\n")
    right = Side("x = keep(random(4))\nread(exp(x))\n")
    params = dict(parse_qsl(query(Shared(wrong, other=right))))
    assert "stopped" in text(opened(**params))


@pytest.mark.parametrize(
    "choice",
    [
        Choice("shape", 41, "64×32"),
        Choice("scalar", 5, "-2.5"),
        Choice("op", 7, "+", Reach.EVERY),
        Choice("keep", 3),
        Choice("max_blocks", -1, "2"),
        Choice("fuser", -1, "ReduceBroadcasted"),
    ],
    ids=lambda choice: choice.kind,
)
def test_a_choice_comes_back_from_its_text(choice: Choice) -> None:
    assert chosen(written(choice)) == choice


@pytest.mark.parametrize("bad", ["", "shape@x", "nothing@3", "shape@3=" + "9" * 99, "shape@-1"])
def test_what_is_no_choice_is_none(bad: str) -> None:
    assert chosen(bad) is None
