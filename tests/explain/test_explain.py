"""A burn log, explained: every line form is known, the run behind it comes back, lies are found."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from conformance.corpus import recorded, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from learn.recordings import programs

from fusionlab.events import facts as f
from fusionlab.explain import explain, report
from fusionlab.explain.messages import FORMS, messages
from fusionlab.explain.tables import TableError, rows
from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.views.burn_log import burn_log
from fusionlab.views.player import player_payload
from fusionlab.views.table import execution_table

ROOT = Path(__file__).parents[2]
LABS = {name: recorded["lab"] for name, recorded in programs().items()}
LABS |= {program.id: program.text for program in gallery()}
EN = texts("en")


@cache
def log_of(name: str) -> str:
    """What burn prints for a program of ours."""
    run = Lab().run_text(LABS[name], name, execute=False)
    return "".join(f"{line.text}\n" for line in burn_log(run.events))


REUSE = "mul_add_exp"


# --- lines --------------------------------------------------------------------------------------


def test_every_line_that_was_recorded_has_a_known_form() -> None:
    strange = {
        message.text
        for row in sample()
        for event in row.result["events"]
        for text in event["log"]
        for message in messages(text)
        if message.kind == "unknown"
    }
    assert strange == set()


def test_a_table_is_one_message_and_everything_else_one_line() -> None:
    (row,) = [row for row in recorded("seed") if "five" in str(row.program.get("name"))][:1] or [
        next(iter(recorded("seed")))
    ]
    log = [text for event in row.result["events"] for text in event["log"]]
    assert [message.text for message in messages("\n".join(log))] == [
        "\n".join(line.rstrip() for line in text.split("\n")) for text in log
    ]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (
            "left",
            "[explorer] stopped optimizing after 2 new op(s); 3 deferred op(s) left unprocessed",
        ),
        ("dropped", "[stream] Float::Exp dropped (optimizer stopped at op 7)"),
        ("full", "[stream] stopped (max_blocks=5 reached on dependency) at op 9 (Float::Exp)"),
        ("cycle", "[stream] stopped (unresolvable dependency cycle) at op 3 (Drop)"),
        ("repair", "[repair] falling back to unfused stream order (12 ops)"),
        (
            "unfit",
            (
                "[plan] #4 needs relative shape id 3 but the stream assigned 2; "
                "running its 5 operations unfused"
            ),
        ),
        (
            "short",
            "[plan] names operation 6 but the segment holds 5; running its 5 operations unfused",
        ),
        ("composed", "selected composed strategy (3 sub-strategies)"),
    ],
    ids=lambda value: value if value in FORMS else "",
)
def test_rare_lines_are_known_too(kind: str, line: str) -> None:
    (message,) = messages(line)
    assert message.kind == kind


def test_what_a_logger_puts_in_front_and_a_terminal_at_the_end_is_ignored() -> None:
    plain = log_of(REUSE)
    dressed = "\r\n".join(
        line
        if line.startswith(("idx", "---", "fusion trace")) or line[:1].isdigit()
        else f"2026-01-05T10:00:00Z TRACE burn::fusion: {line}".rstrip()
        for line in plain.splitlines()
    )
    assert explain(dressed).complete


def test_the_launch_counts_of_the_demo_are_no_messages() -> None:
    demo = f"{log_of(REUSE)}    1 launch(es)\n       1 burn_cubecl_fusion::optim::ElemwiseFuse\n"
    assert explain(demo).complete


# --- tables -------------------------------------------------------------------------------------


def test_a_table_reads_back_as_its_ops() -> None:
    run = Lab().run_text(LABS["softmax"], "softmax", execute=False)
    for event in run.events:
        if isinstance(event.fact, f.ExecutionStarted):
            ops = [op for block in event.fact.blocks for op in block.operations]
            read = rows(execution_table(event.fact.blocks), 1)
            assert [row.kind for row in read] == [op.kind for op in ops]
            for row, op in zip(read, ops, strict=True):
                tensors = [(t.id, t.shape, t.dtype) for t in (*row.inputs, *row.outputs)]
                assert tensors == [(t.id, t.shape, t.dtype) for t in op.nodes]


def test_a_table_with_a_spoiled_tensor_is_refused_by_name() -> None:
    run = Lab().run_text(LABS["softmax"], "softmax", execute=False)
    (event,) = [e for e in run.events if isinstance(e.fact, f.ExecutionStarted)][:1]
    assert isinstance(event.fact, f.ExecutionStarted)
    table = execution_table(event.fact.blocks).replace(":f32[", ":f33[")
    with pytest.raises(TableError, match="f33"):
        rows(table, 1)


# --- the run behind a log -------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(LABS))
def test_the_run_behind_the_log_of_a_program_comes_back_whole(name: str) -> None:
    found = explain(log_of(name))
    assert found.remarks == ()
    assert found.complete


def test_what_was_recorded_from_burn_is_explained() -> None:
    """One thread, everything executed: that is what a log can tell."""
    told = 0
    for row in [*recorded("seed"), *recorded("curated"), *recorded("stress", 40)]:
        events = row.program["events"]
        if (
            len({event.get("stream", 0) for event in events}) > 1
            or row.result["events"][-1]["queued"]
        ):
            continue
        log = [text for event in row.result["events"] for text in event["log"]]
        assert explain("\n".join(log)).complete, row.label
        told += 1
    assert told > 50


def test_the_rebuilt_run_decides_as_the_first_one() -> None:
    first = Lab().run_text(LABS[REUSE], REUSE, execute=False)
    again = explain(log_of(REUSE)).run
    assert len(again.states[-1].plans) == len(first.states[-1].plans)
    winners = [
        [(e.fact.fuser, e.fact.score) for e in run.events if isinstance(e.fact, f.FuserWon)]
        for run in (first, again)
    ]
    assert winners[0] == winners[1]


def test_the_player_follows_the_log_line_by_line() -> None:
    run = explain(log_of(REUSE)).run
    payload = player_payload(run, EN)
    assert payload["program"] == log_of(REUSE).splitlines()
    lines = [place["line"] for place in payload["places"]]
    assert lines == sorted(lines)
    assert len(set(lines)) > 10


# --- what cannot be explained ---------------------------------------------------------------------


def test_a_changed_score_is_found_with_its_line_and_what_it_should_be() -> None:
    log = log_of(REUSE).replace("score=630", "score=640", 1)
    found = explain(log)
    (remark,) = found.remarks
    assert remark.code == "differs"
    assert log.splitlines()[remark.line - 1].startswith("═")
    assert "score=630" in remark.expected
    assert "score=630" in report(found, EN)


def test_a_line_taken_out_is_missed() -> None:
    lines = log_of(REUSE).splitlines(keepends=True)
    gone = next(n for n, line in enumerate(lines) if "accepted in" in line)
    found = explain("".join([*lines[:gone], *lines[gone + 1 :]]))
    assert not found.complete
    assert lines[gone].rstrip() in found.missing


def test_a_line_from_elsewhere_is_reported_and_the_rest_explained() -> None:
    log = f"Compiling burn v0.22.1\n{log_of(REUSE)}"
    found = explain(log)
    assert [(r.line, r.code) for r in found.remarks] == [(1, "unknown")]
    assert found.explained == found.total - 1


def test_a_log_that_is_cut_off_is_explained_up_to_its_last_table() -> None:
    lines = log_of("softmax").splitlines(keepends=True)
    tables = [n for n, line in enumerate(lines) if line.startswith("═")]
    found = explain("".join(lines[: tables[-1]]))
    assert {remark.code for remark in found.remarks} == {"cut_off"}
    assert found.explained > 0


def test_a_hit_of_a_plan_from_before_the_log_says_so() -> None:
    lines = log_of(REUSE).splitlines(keepends=True)
    start = next(n for n, line in enumerate(lines) if "cache hit: execute plan #2" in line)
    found = explain("".join(lines[start:]))
    assert "earlier_plan" in {remark.code for remark in found.remarks}


def test_an_op_that_the_lab_does_not_know_is_named() -> None:
    found = explain(log_of("lone_op").replace("NumericFloat::AddScalar", "NumericFloat::AddSquare"))
    assert "unknown_op" in {remark.code for remark in found.remarks}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_remark_can_be_told(lang: str) -> None:
    for log in ("", "hello\n", log_of("softmax")[:2000], log_of(REUSE).replace("630", "631")):
        assert report(explain(log), texts(lang))


@given(st.text(max_size=400))
@settings(max_examples=60)
def test_no_text_breaks_it(text: str) -> None:
    report(explain(text), EN)


@given(st.data())
@settings(max_examples=40)
def test_no_spoiled_log_breaks_it(data: st.DataObject) -> None:
    lines = log_of(data.draw(st.sampled_from(["softmax", "lone_op", "many_blocks"]))).splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    what = data.draw(st.sampled_from(["cut", "twice", "digit", "blank"]))
    spoiled = {
        "cut": lines[:at],
        "twice": [*lines[: at + 1], *lines[at:]],
        "digit": [*lines[:at], re.sub(r"\d", "7", lines[at]), *lines[at + 1 :]],
        "blank": [*lines[:at], lines[at].replace(" ", "", 1), *lines[at + 1 :]],
    }[what]
    report(explain("\n".join(spoiled)), EN)


# --- the command line -----------------------------------------------------------------------------


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "fusionlab", "explain", *arguments]
    return subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_reports_and_writes_the_run(tmp_path: Path) -> None:
    log = tmp_path / "burn.log"
    log.write_text(log_of(REUSE), "utf-8")
    done = command(str(log), "--to", str(tmp_path / "run.html"))
    assert done.returncode == 0
    assert "FusionLab explains every line" in done.stdout
    assert (tmp_path / "run.html").stat().st_size > 10_000


def test_the_command_says_by_its_exit_code_that_something_is_left(tmp_path: Path) -> None:
    log = tmp_path / "burn.log"
    log.write_text(gallery_program("softmax").text, "utf-8")
    assert command(str(log)).returncode == 1
    assert command(str(tmp_path / "nothing.log")).returncode == 2
