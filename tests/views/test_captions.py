"""Captions: one sentence for what happened, at most two for why, the same in both languages."""

import re
import unicodedata
from collections.abc import Callable
from typing import get_args

import pytest
from runs import page_run, sample
from views import gallery

from fusionlab.events import facts as f
from fusionlab.i18n import Texts, texts
from fusionlab.lab import Lab
from fusionlab.views.levels import levels_of
from fusionlab.views.narrate import Caption, caption

LANGUAGES = ("en", "zh")
EXECUTED = ("mul_add_exp", "liveness", "hole")
EN = texts("en")


def said(of, step: int, lang: str = "en") -> Caption:
    return caption(of, step, texts(lang))


def first(of, kind: type[f.Fact], nth: int = 0) -> Caption:
    return said(of, gallery.steps_of(of, kind)[nth])


# --- the sentences of the page's own run --------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_story_of_the_page(lang: str, golden: Callable[[str, str], None]) -> None:
    run = gallery.run("mul_add_exp")
    levels = levels_of(run)
    lines = []
    for event in run.events:
        if levels[event.step] <= 1:
            told = said(run, event.step, lang)
            lines += [f"{event.step} [{told.badge}] {told.head}", f"    {told.what}"]
            lines += [f"    {told.why}"] if told.why else []
    golden(f"captions/mul_add_exp.{lang}.txt", "\n".join(lines) + "\n")


def test_a_merge_names_the_op_both_blocks_and_the_tensors_between_them():
    told = first(page_run(), f.BlocksMerged)
    assert told.what == "Add reads from blocks 1 and 2, so they merge."
    assert told.why.startswith("Block 1 has t4, block 2 has t5.")


def test_strangers_that_merge_at_a_drain_are_told_as_strangers():
    told = first(gallery.run("five_chains"), f.BlocksMerged)
    assert told.what == "Blocks 1 and 2 merge before the plan is settled."
    assert told.why.endswith("They share no tensor. Nobody asks for that.")


def test_a_win_counts_what_it_saves():
    told = first(page_run(), f.FuserWon, nth=2)
    assert told.what == "ElementWise wins with 630: 6 accesses and 3 launches saved."


def test_a_tie_goes_to_the_earlier_fuser_and_says_so():
    ties = [
        said(run, step).what
        for run in sample()
        for step in gallery.steps_of(run, f.FuserWon)
        if "each" in said(run, step).what
    ]
    assert ties[0].endswith("ElementWise is earlier in the list, so it wins.")


def test_waiting_tells_how_many_ops_match():
    run = page_run()
    waits = [said(run, s).what for s in gallery.steps_of(run, f.ActionChosen)]
    assert "3 of 4 ops match plan #2, so the policy waits." in waits
    assert "All 4 ops match, but plan #2 is triggered OnSync, so the policy waits." in waits


def test_a_hit_says_which_scalar_is_bound_again():
    run = page_run()
    hits = [said(run, s).why for s in gallery.steps_of(run, f.PlanReused)]
    assert any(
        why.endswith("The real value 3.0 is bound again when the kernels start.") for why in hits
    )


def test_a_miss_by_shape_names_the_dimension():
    run = page_run()
    told = [said(run, s).what for s in gallery.steps_of(run, f.ActionChosen)]
    assert (
        "64×32 misses plan #2: dimension 2 needs another number, so this op looks different."
        in told
    )


def test_a_dropped_candidate_says_what_differs():
    dropped = [
        said(run, step).what
        for run in sample()
        for step in gallery.steps_of(run, f.CandidateDropped)
    ]
    assert any(
        re.fullmatch(r"Plan #\d+ is dropped at op \d+: its op is \w+, this one is \w+\.", what)
        for what in dropped
    )


def test_a_launch_counts_what_crosses_memory_and_what_stays_inside():
    run = gallery.executed("mul_add_exp")
    told = [said(run, s) for s in gallery.steps_of(run, f.KernelLaunched)]
    fused = next(t for t in told if "4 ops" in t.what)
    assert fused.what == "One kernel runs 4 ops: 3 reads, 1 write."
    assert fused.why.startswith("t4, t5 and t6 stay in registers and never reach memory.")


def test_a_read_shows_its_first_values():
    run = Lab().run_text("a = tensor([1.0, 2.0])\nread(a + 1.0)\n")
    assert first(run, f.TensorRead).why.endswith("It starts with 2, 3.")


def test_a_failure_says_why_in_the_words_of_the_error():
    run = Lab().run_text("a = ones(2)\nb = nosuch(a)\n", execute=False)
    told = said(run, len(run.events) - 1)
    assert told.what.startswith("The run stops here: ")
    assert "nosuch" in told.what


def test_a_fault_of_our_own_is_told_too():
    event = f.Event(0, None, 0, f.RunFailed("deferred_in_sync", (("queued", 3),)))
    run = type(page_run()).of(page_run().program, page_run().config, [event])
    assert "deferred_in_sync" in said(run, 0).what


def test_the_header_names_the_op_its_position_and_the_mode():
    run = page_run()
    assert first(run, f.OpAccepted).head == "op 2 **Add** · lazy"
    assert first(run, f.FuserWon, nth=2).head == "**drain** · sync"


# --- laws over many runs --------------------------------------------------------------------------


def test_the_samples_hold_every_kind_of_fact():
    seen = {type(event.fact) for run in sample() for event in run.events}
    seen |= {type(event.fact) for event in gallery.executed("mul_add_exp").events}
    rare = {f.PlanUnfit, f.OpDropped, f.RunFailed}
    assert set(get_args(f.Fact)) - seen <= rare


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_event_of_many_runs_has_a_finished_caption(lang: str) -> None:
    for run in (*sample(), *map(gallery.run, gallery.NAMES)):
        for event in run.events:
            told = said(run, event.step, lang)
            assert told.what.endswith((".", "。"))
            assert not re.search(r"[{}]|\bNone\b|  ", told.what + told.why)


def width(text: str) -> float:
    """The width of a text in ems: Han fills an em, Latin about half of one."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.5 for c in text)


TWO_LINES_OF_20_PX = 2 * 576 / 20
TWO_LINES_OF_13_PX = 2 * 576 / 13


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_caption_fits_two_lines_and_two_small_ones(lang: str) -> None:
    for run in (*sample(), *map(gallery.executed, EXECUTED)):
        levels = levels_of(run)
        for event in run.events:
            told = said(run, event.step, lang)
            if levels[event.step] <= 1:
                assert width(told.what) <= TWO_LINES_OF_20_PX, told.what
                assert width(told.why) <= TWO_LINES_OF_13_PX, told.why


class Listener(Texts):
    """Texts that remember which of them were used."""

    used: set[str]

    def __call__(self, key: str, /, **values: object) -> str:
        self.used.add(key)
        return super().__call__(key, **values)


RARE = re.compile(
    # Needs a broken stream, a quantised tensor, a sixth fuser or a bug.
    r"fact\.(PlanUnfit|OpDropped|ExecutionStarted\.fallback|OpAccepted\.what|BlocksMerged\.(ready|drops))"
    r"|fact\.MergeJudged\.kept_newly_ready|refusal\.|difference\.|not_ready\.other"
)


def test_no_caption_is_written_for_nothing():
    listener = Listener("en", EN.catalog)
    listener.used = set()
    runs = [*sample(), *map(gallery.executed, EXECUTED)]
    runs.append(Lab().run_text("a = ones(2)\nb = nosuch(a)\n", execute=False))
    for run in runs:
        for event in run.events:
            caption(run, event.step, listener)
    written = {key for key in EN.catalog if key.startswith(("fact.", "head.", "trigger."))}
    assert {key for key in written - listener.used if not RARE.match(key)} == set()
