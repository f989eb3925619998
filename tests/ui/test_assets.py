"""What is shipped to the browser: words in both languages, readable colours, nothing foreign."""

import re
import tomllib
from pathlib import Path

import pytest

from fusionlab.export.assets import labels, palette, script, script_of
from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery_program
from fusionlab.ui.home_figure import figure
from fusionlab.views.first_screen import first_screen

ROOT = Path(__file__).parents[2]
PLAYER = ROOT / "fusionlab" / "ui" / "player"
HTML = (PLAYER / "player.html").read_text("utf-8")
FUSERS = "EMRBNX"
SURFACES = ("bg", "surface", "sunken", "raised", "now-wash")


def words_of_the_player() -> set[str]:
    """Every label that the player's page and script ask for."""
    named = set(re.findall(r'data-[la]="(\w+)"', HTML))
    keyed = set(re.findall(r'data-do="(\w+)" data-key="[^"]*"(?! data-l)', HTML))
    spoken = set(re.findall(r'\.say\("(\w+)"', script()))
    read = set(re.findall(r"labels\.(\w+)", script()))
    taken = re.findall(r"const ?\{([^}]*)\} ?= ?p\.labels|labels: ?\{([^}]*)\}", script())
    split = {part.split(":")[0].strip() for pair in taken for part in ",".join(pair).split(",")}
    states = {f"is_{state}" for state in ("done", "now", "wait", "ghost")}
    return (named | keyed | spoken | read | split | states | {"play", "pause"}) - {""}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_word_that_the_player_asks_for_is_in_the_catalog(lang: str) -> None:
    assert words_of_the_player() - set(labels(texts(lang))) == set()


def test_the_catalog_holds_no_word_that_the_player_does_not_use() -> None:
    assert set(labels(texts("en"))) - words_of_the_player() == set()


def test_both_languages_have_the_same_words_and_the_same_keys_on_the_sheet() -> None:
    en, zh = labels(texts("en")), labels(texts("zh"))
    assert set(en) == set(zh)
    assert [keys for keys, _ in en["key_sheet"]] == [keys for keys, _ in zh["key_sheet"]]


def test_only_spaces_around_signs_are_taken_out_of_the_players_code() -> None:
    source = script_of((PLAYER / "js").glob("*.js"))
    assert re.sub(r"\s", "", script()) == re.sub(r"\s", "", source)
    texts_of = re.compile(r'"(?:\\.|[^"\\\n])*"')
    assert texts_of.findall(script()) == texts_of.findall(source)


def test_the_player_is_one_small_module_that_asks_nobody_and_parses_no_markup() -> None:
    code = script()
    assert len(code.encode()) <= 50 * 1024
    assert len(re.findall(r"\bexport\b", code)) == 1
    assert not re.search(r"innerHTML|insertAdjacent|document\.write|\beval\b|new Function", code)
    assert not re.search(r"\bimport\b|\bfetch\b|XMLHttp|https?://(?!www\.w3\.org/2000/svg)", code)


def test_the_first_screen_tells_what_the_engine_decided_in_that_run() -> None:
    story = first_screen(Lab().run_text(gallery_program("mul_add_exp").text, execute=False))
    assert story is not None
    assert story.ops == ("Mul", "MulScalar", "Add", "Exp")
    assert (story.merging, story.moved) == (2, (1,))
    assert (story.winner, story.ledger.score) == ("ElementWise", 630)
    assert [call.hit for call in story.calls] == [False, True, True, True, True, False]


def test_another_program_gives_another_first_screen() -> None:
    text = gallery_program("mul_add_exp").text.replace(
        "exp(a * b + c * s)", "tanh(exp(a * b + c * s))"
    )
    story = first_screen(Lab().run_text(text, execute=False))
    assert story is not None
    page = figure(texts("en"), story, dark=False)
    assert "Tanh" in page
    assert "8 × 100 + 4 × 10 =" in page
    assert "840" in page


# --- colours -----------------------------------------------------------------------------------


def colours(theme: str) -> dict[str, str]:
    """The colours of a theme by token name, and those of a fuser that has none of its own."""
    found = palette(theme)
    return {**found} | {
        f"X-{part}": found[name]
        for part, name in (("line", "border"), ("text", "text-2"), ("wash", "sunken"))
    }


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT_PAIRS = [
    *((text, surface) for text in ("text", "text-2", "text-3", "link") for surface in SURFACES),
    *((f"{x}-text", f"{x}-wash") for x in FUSERS),
    *((f"{x}-text", "surface") for x in FUSERS),
    *((text, f"{x}-wash") for x in FUSERS for text in ("text", "text-2")),
    *(
        (f"{kind}-text", f"{kind}-wash")
        for kind in ("hit", "miss", "defer", "warn", "explore", "execute")
    ),
    ("on-ink", "ink"),
    ("on-accent", "accent"),
]
LINE_PAIRS = [
    *(("border", surface) for surface in SURFACES),
    *((f"{x}-line", ground) for x in FUSERS for ground in ("surface", f"{x}-wash", "now-wash")),
    *((f"{kind}-line", surface) for kind in ("hit", "miss") for surface in SURFACES),
    *((name, surface) for name in ("ink", "focus") for surface in SURFACES),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_on_every_surface_it_stands_on(theme: str) -> None:
    colour = colours(theme)
    faint = {pair: contrast(colour[pair[0]], colour[pair[1]]) for pair in TEXT_PAIRS}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_signs_can_be_seen_on_every_surface_they_cross(theme: str) -> None:
    colour = colours(theme)
    faint = {pair: contrast(colour[pair[0]], colour[pair[1]]) for pair in LINE_PAIRS}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 3} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_streamlits_own_parts_have_the_colours_of_the_player(theme: str) -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    ours, theirs = palette(theme), config["theme"][theme]
    pairs = {
        "primaryColor": "accent",
        "backgroundColor": "bg",
        "secondaryBackgroundColor": "sunken",
        "textColor": "text",
        "linkColor": "link",
        "redColor": "miss-line",
        "greenColor": "hit-line",
        "blueColor": "E-line",
    }
    assert {key: theirs[key] for key in pairs} == {key: ours[name] for key, name in pairs.items()}
