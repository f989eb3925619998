"""The predict gate: what is asked and offered, and that nothing behind the question is told."""

import json

import pytest

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.views.gate import KINDS, Gate, Said, gated_payload, next_gate


def run_of(program: str = "mul_add_exp") -> Run:
    return Lab().run_text(gallery_program(program).text, program, execute=False)


def gates(run: Run, kind: str) -> list[Gate]:
    found, seen = [], 0
    while (gate := next_gate(run, kind, seen)) is not None:
        found.append(gate)
        seen = gate.event
    return found


def told(gate: Gate) -> list[str]:
    return [texts("en")(option.key, **option.values) for option in gate.options]


def test_the_reuse_run_asks_where_three_ops_go_in_each_round_that_is_searched() -> None:
    asked = [told(gate)[gate.answer] for gate in gates(run_of(), "block")]
    round_ = [
        "It opens a new block.",
        "Blocks merge, and the merged block takes it.",
        "Block 1 takes it.",
    ]
    assert asked == round_ * 2


def test_the_winner_of_the_reuse_run_is_asked_among_all_five_fusers_and_nobody() -> None:
    first = gates(run_of(), "winner")[0]
    assert told(first)[first.answer] == "ElementWise"
    assert len(first.options) == 6


def test_a_drain_stores_a_plan_with_the_trigger_on_sync() -> None:
    answers = [told(gate)[gate.answer].split(":")[0] for gate in gates(run_of(), "trigger")]
    assert answers == ["Always", "Always", "OnSync", "Always", "OnSync"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_of_every_program_has_one_true_option_and_others(kind: str) -> None:
    count = 0
    for program in gallery():
        for gate in gates(run_of(program.id), kind):
            count += 1
            assert gate.until < gate.event
            assert len(set(map(str, gate.options))) == len(gate.options) >= 2
    assert count > 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_sent_with_a_question_is_the_run_up_to_it_and_not_one_event_more(
    kind: str, lang: str
) -> None:
    run = run_of()
    gate = gates(run, kind)[0]
    payload = gated_payload(run, texts(lang), gate)
    assert max(step["event"] for step in payload["steps"]) == gate.until
    shorter = {key: list(value) for key, value in payload.items() if isinstance(value, list)}
    longer = gated_payload(run, texts(lang), None)
    assert len(shorter["log"]) <= len(longer["log"])
    assert all(column.get("done", 0) <= len(payload["steps"]) for column in payload["columns"])


def test_nothing_on_the_way_to_a_merge_is_sent_before_the_question_is_answered() -> None:
    run = run_of()
    merge = gates(run, "block")[1]
    assert isinstance(run.events[merge.event].fact, f.OpAccepted)
    sent = json.dumps(gated_payload(run, texts("en"), merge))
    assert "so they merge" not in sent
    assert "accepted in 1/1" not in sent
    assert "so they merge" in json.dumps(gated_payload(run, texts("en"), None))


def test_a_verdict_says_the_truth_and_what_was_said_at_the_step_that_decided() -> None:
    run = run_of()
    first, merge = gates(run, "block")[:2]
    said = (Said(first, first.answer), Said(merge, 0))
    payload = gated_payload(run, texts("en"), gates(run, "block")[2], said)
    verdicts = {
        step["event"]: payload["panes"][step["pane"]]["verdict"]["text"]
        for step in payload["steps"]
        if "verdict" in payload["panes"][step["pane"]]
    }
    assert verdicts == {
        first.event: "Yes: It opens a new block.",
        merge.event: "Not yet: Blocks merge, and the merged block takes it. "
        "You said: Block 1 takes it.",
    }


def test_to_be_shown_is_neither_right_nor_wrong() -> None:
    run = run_of()
    gate = gates(run, "winner")[0]
    payload = gated_payload(run, texts("en"), None, (Said(gate, None),))
    verdicts = [pane["verdict"] for pane in payload["panes"] if "verdict" in pane]
    assert {v["text"] for v in verdicts} == {"Shown, not counted: ElementWise"}


def test_a_position_names_the_same_step_before_and_after_the_answer() -> None:
    run = run_of()
    whole = gated_payload(run, texts("en"), None)
    for kind in KINDS:
        for gate in gates(run, kind):
            cut = gated_payload(run, texts("en"), gate)
            for level in (0, 1, 2):
                one, two = (
                    [step["event"] for step in steps if step["level"] <= level]
                    for steps in (whole["steps"], cut["steps"][:-1])
                )
                assert two == one[: len(two)]
