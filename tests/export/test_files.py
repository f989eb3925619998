"""A run as a file: what each format holds, and that nothing in it is taken for markup."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fusionlab.errors import ContentError
from fusionlab.events.codec import load_events, recorded_event
from fusionlab.events.run import Run
from fusionlab.export import assets, export_run, picture, run_html, run_json, run_log, strip
from fusionlab.export.files import export_text
from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.views.player import player_payload, stops

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def reuse() -> Run:
    return Lab().run_text(gallery_program("mul_add_exp").text, "mul_add_exp.lab", execute=False)


HOSTILE = """\
x = keep(random(4, 4))  # </script><script>alert(1)</script> <!-- ]]> &amp; "quotes" \u2028
read(exp(x))            # <img src=x onerror=alert(1)>
"""


@pytest.fixture(scope="module")
def hostile() -> Run:
    return Lab().run_text(HOSTILE, '</title><script>alert("t")</script>.lab', execute=False)


# --- json and log --------------------------------------------------------------------------------


def test_the_json_lines_read_back_as_the_same_facts(reuse: Run) -> None:
    assert load_events(run_json(reuse).splitlines()) == tuple(map(recorded_event, reuse.events))


def test_the_log_is_burns_own(reuse: Run) -> None:
    lines = run_log(reuse).splitlines()
    assert lines[0] == "[explorer] explore (lazy): 1 deferred of 1 queued"
    assert "[plan] cache hit: execute plan #2 (sync, segment has 4 ops)" in lines


# --- svg -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", assets.THEMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_step_of_every_program_is_a_well_formed_picture(lang: str, theme: str) -> None:
    for program in gallery()[:6]:
        run = Lab().run_text(program.text, program.id, execute=False)
        payload = player_payload(run, texts(lang))
        for position in range(0, len(stops(payload, 1)), 3):
            tree = ET.fromstring(picture(payload, texts(lang), position, theme=theme))  # noqa: S314
            title = tree.find(f"{SVG}title")
            assert title is not None
            assert title.text, "a picture says what it shows"


def test_a_picture_carries_its_own_colours_and_asks_for_nothing(reuse: Run) -> None:
    payload = player_payload(reuse, texts("en"))
    for theme in assets.THEMES:
        drawn = picture(payload, texts("en"), 20, theme=theme)
        assert "var(" not in drawn
        assert set(re.findall(r'(?:href|src)="([^"]*)"', drawn)) == set()
        assert assets.palette(theme)["surface"] in drawn


def test_a_picture_says_where_it_is_from(reuse: Run) -> None:
    payload = player_payload(reuse, texts("en"))
    drawn = picture(payload, texts("en"), 12, address="https://example.org/?step=12")
    last = len(stops(payload, 1)) - 1
    assert f"FusionLab · step 12 of {last} · https://example.org/?step=12" in drawn


def test_the_ops_of_the_round_and_only_they_are_drawn(reuse: Run) -> None:
    payload = player_payload(reuse, texts("en"))
    last = picture(payload, texts("en"), len(stops(payload, 1)) - 1)
    assert "t42" in last
    assert ">t4<" not in last, "the first round is not in a picture of the last one"


def test_the_frame_of_the_winner_shows_its_score_and_its_traffic(reuse: Run) -> None:
    payload = player_payload(reuse, texts("en"))
    positions = [
        n
        for n, step in enumerate(stops(payload, 1))
        if payload["steps"][step]["kind"] == "won" and "630" in payload["steps"][step]["what"]
    ]
    drawn = picture(payload, texts("en"), positions[0])
    assert "630 · 3 reads in, 1 write out" in drawn


def test_a_strip_holds_its_steps_under_each_other_at_one_width(reuse: Run) -> None:
    payload = player_payload(reuse, texts("en"))
    tree = ET.fromstring(strip(payload, texts("en"), [18, 19, 20]))  # noqa: S314
    pictures = tree.findall(f"{SVG}g")
    assert len(pictures) == 3
    widths = {inner.get("width") for group in pictures for inner in group.findall(f"{SVG}svg")}
    assert len(widths) == 1


def test_the_text_of_a_program_stays_text_in_a_picture(hostile: Run) -> None:
    payload = player_payload(hostile, texts("en"))
    tree = ET.fromstring(picture(payload, texts("en"), 0))  # noqa: S314
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} & {"script", "img"} == set()


# --- html ----------------------------------------------------------------------------------------


def test_the_file_holds_everything_and_forbids_the_network(reuse: Run) -> None:
    page = run_html(reuse, texts("en"))
    assert "default-src &#x27;none&#x27;" in page
    outside = re.findall(r"(?:src|href)=[\"']?(?:https?:)?//[^\s\"']+", page)
    assert outside == []
    assert page.count("<script") == 2


def test_the_payload_comes_out_of_the_file_as_it_went_in(hostile: Run) -> None:
    page = run_html(hostile, texts("en"), start=3)
    inner = page.split('<script type="application/json" id="run">')[1].split("</script>")[0]
    held = json.loads(inner)
    assert held["run"] == json.loads(json.dumps(player_payload(hostile, texts("en"))))
    assert held["start"] == 3


def test_hostile_text_ends_no_element_of_the_file(hostile: Run) -> None:
    page = run_html(hostile, texts("en"))
    assert page.count("<script") == 2
    assert "<img" not in page
    assert page.count("</title>") == 1


def test_the_reader_without_scripts_gets_the_run_in_sentences(reuse: Run) -> None:
    page = run_html(reuse, texts("zh"))
    (inner,) = re.findall(r"<noscript><pre>(.*?)</pre></noscript>", page, re.DOTALL)
    assert "630" in inner
    assert len(inner.splitlines()) > 100


# --- the command line ----------------------------------------------------------------------------


def export(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fusionlab", "export", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


PROGRAM = "fusionlab/content/programs/lone_op.lab"


@pytest.mark.parametrize("form", ["html", "svg", "json", "log"])
def test_the_command_writes_each_format(form: str, tmp_path: Path) -> None:
    target = tmp_path / f"out.{form}"
    done = export(PROGRAM, "--to", str(target), "--step", "2", "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "")
    assert target.stat().st_size > 100


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--to", "out.pdf"], "pdf is none of the formats"),
        (["--to", "out.svg", "--step", "99999"], "There is no step 99999"),
        (["--to", "out.svg", "--step", "1-99"], "Steps are written as 12"),
        (["--to", "nowhere/out.svg"], "nowhere/out.svg: "),
    ],
    ids=["format", "step", "strip", "folder"],
)
def test_a_wrong_wish_is_told_in_one_line(arguments: list[str], told: str) -> None:
    done = export(PROGRAM, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_program_with_an_error_is_exported_up_to_it_and_told(tmp_path: Path) -> None:
    program = tmp_path / "wrong.lab"
    program.write_text("x = keep(random(4))\nread(exp(x))\nread(nobody)\n", "utf-8")
    done = export(str(program), "--to", str(tmp_path / "out.log"))
    assert done.returncode == 2
    assert ":3:" in done.stderr
    assert "explore" in (tmp_path / "out.log").read_text("utf-8")


def test_what_no_format_can_be_is_a_content_error(reuse: Run) -> None:
    with pytest.raises(ContentError, match="export_format"):
        export_run(reuse, "gif", texts("en"))
    with pytest.raises(ContentError, match="export_steps"):
        export_text(reuse, "a.svg", texts("en"), "two")
