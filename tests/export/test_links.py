"""Shared links: old ones open, new ones carry everything, broken ones do no harm."""

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionlab.i18n import LANGUAGES, texts
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.ui.share import LEVELS, LONGEST, THEMES, Opened, Shared, Side, opened, query

LINKS = tomllib.loads((Path(__file__).parent / "links.toml").read_text("utf-8"))["link"]


def visit(link: str) -> Opened:
    return opened(dict(parse_qsl(link)))


def head(side: Side | None) -> str:
    """How the list of links names a program."""
    if side is None:
        return ""
    return f"gallery:{side.id}" if side.id else side.text.splitlines()[0]


@pytest.mark.parametrize("link", LINKS, ids=range(len(LINKS)))
def test_a_link_that_was_given_out_still_opens(link: dict[str, Any]) -> None:
    found = visit(link["query"])
    assert found.shared is not None
    assert found.notice is None
    shared = found.shared
    assert head(shared.program) == link["first"]
    assert head(shared.other) == link.get("second", "")
    assert shared.step == link.get("step")
    assert shared.level == link.get("level")
    assert shared.lang == link.get("lang")
    assert shared.change == link.get("change", "")
    if "off" in link:
        assert shared.other is not None
        assert sorted(shared.other.off) == link["off"]


@pytest.mark.parametrize("program", gallery(), ids=lambda program: program.id)
def test_a_program_of_the_gallery_fits_in_two_kilobytes_even_written_out(program: Any) -> None:
    by_name = query(Shared(Side.of(program.text), step=99, level="comparisons", lang="zh"))
    assert f"program={program.id}&" in by_name
    assert len(by_name) < 120
    edited = Side(program.text + "# mine\n")
    what_if = query(Shared(edited, other=Side(edited.text.replace("(", "( "))))
    assert len(what_if) <= 2048


texts_of_programs = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=300)
fusers = st.frozensets(st.sampled_from(["ElementWise", "Reduce", "Matmul"]))
sides = st.builds(Side.of, texts_of_programs, fusers)
shared_things = st.builds(
    Shared,
    sides,
    step=st.none() | st.integers(0, 999_999),
    level=st.none() | st.sampled_from(LEVELS),
    other=st.none() | sides,
    change=st.sampled_from(["", "shape@41=64x32", "op@3*=+", "keep@7"]),
    panels=st.lists(st.sampled_from(["fusers", "plans", "log"]), unique=True).map(tuple),
    lang=st.none() | st.sampled_from(LANGUAGES),
    theme=st.none() | st.sampled_from(THEMES),
    embed=st.booleans(),
)


@given(shared_things)
def test_a_link_carries_everything(shared: Shared) -> None:
    assert visit(query(shared)) == Opened(shared)


@given(shared_things)
def test_the_same_screen_gives_the_same_link(shared: Shared) -> None:
    found = visit(query(shared)).shared
    assert found is not None
    assert query(found) == query(shared)


REUSE = Side.of(gallery_program("mul_add_exp").text)
OTHER = Side(REUSE.text.replace("2.0", "4.0"))


def test_a_link_from_a_newer_version_opens_its_program_alone() -> None:
    later = query(Shared(REUSE, step=3)).replace("v=1", "v=2")
    assert visit(later) == Opened(Shared(REUSE), "share.newer")
    assert visit("v=7&program=q.unknown") == Opened(None, "share.newer")


def test_a_link_that_was_cut_off_opens_what_is_left() -> None:
    link = query(Shared(REUSE, other=OTHER))
    start = link.index("&b=") + 10
    cut = visit(link[:start])
    assert cut.shared is not None
    assert cut.shared.program == REUSE
    assert cut.notice == "share.unreadable"


def test_an_edited_link_says_so() -> None:
    link = query(Shared(REUSE, change="shape@41=64x64"))
    assert visit(link.replace("64x64", "64x16")).notice == "share.changed"


def test_the_place_may_move_in_the_address_without_a_notice() -> None:
    link = query(Shared(REUSE, step=3))
    assert visit(link.replace("step=3", "step=44")).notice is None


def test_an_oversized_link_is_refused_before_it_is_unpacked() -> None:
    assert visit(f"program=z.{'A' * LONGEST}") == Opened(None, "share.too_long")


@given(st.dictionaries(st.sampled_from(["v", "program", "b", "step", "off", "c"]), st.text()))
def test_no_parameters_break_anything(params: dict[str, str]) -> None:
    opened(params)


def test_a_packed_bomb_does_not_unfold() -> None:
    bomb = query(Shared(Side("x" * 65_536)))
    assert visit(bomb).shared is not None
    larger = query(Shared(Side("x" * 2_000_000)))
    assert visit(larger) == Opened(None, "share.unreadable")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_notice_has_a_text(lang: str) -> None:
    for key in ("newer", "changed", "unreadable", "too_long"):
        assert f"share.{key}" in texts(lang)
