"""What holds for every program, whatever it computes."""

import json

from eager_server import EagerServer
from hypothesis import given, settings
from strategies import ELEMENTWISE, GROUPS, elementwise_programs, programs

from fusionlab.engine.client import FusionClient
from fusionlab.ir.event_form import operation_from_event
from fusionlab.ir.opset import OPSET
from fusionlab.program import Register, compile_program, execute, parse_program


def uses(events):
    """The (id, status) of every use of a tensor, in order."""
    for event in events:
        tensors = event["inputs"] if event["kind"] == "op" else [event.get("tensor")]
        for tensor in filter(None, tensors):
            yield tensor["id"], tensor["status"]


@given(programs())
def test_a_random_program_compiles_and_its_stream_can_be_read_back(text):
    for event in compile_program(parse_program(text))["events"]:
        if event["kind"] == "op":
            assert operation_from_event(event).spec is OPSET[event["op"]]


@given(programs())
def test_compiling_twice_gives_the_same_bytes(text):
    first, second = (json.dumps(compile_program(parse_program(text))) for _ in range(2))
    assert first == second


@given(programs())
def test_a_last_use_happens_once_and_nothing_comes_after_it(text):
    seen = list(uses(compile_program(parse_program(text))["events"]))
    for index, (tensor, status) in enumerate(seen):
        if status == "ReadWrite":
            assert tensor not in {later for later, _ in seen[index + 1 :]}


@given(programs(streams=1))
def test_every_value_that_is_not_kept_has_exactly_one_end(text):
    program = parse_program(text)
    seen = list(uses(compile_program(program)["events"]))
    ended = [tensor for tensor, status in seen if status == "ReadWrite"]
    # On one stream values and tensors are numbered alike.
    assert sorted(ended) == sorted(set(range(len(program.values))) - program.kept)


@given(programs())
def test_tensors_are_made_before_they_are_used_and_numbered_in_order(text):
    made = []
    for event in compile_program(parse_program(text))["events"]:
        if event["kind"] == "op":
            made += [tensor["id"] for tensor in event["outputs"]]
    assert made == sorted(set(made))


@given(programs())
def test_numpy_computes_what_the_shape_rules_promise(text):
    # The reference refuses a result of another shape than the one declared.
    execute(parse_program(text), FusionClient(EagerServer()))


@given(programs(max_statements=6), programs(max_statements=6))
def test_what_a_program_registers_does_not_depend_on_what_ran_before_it(first, second):
    alone = registered(without_config(second))
    assert registered(without_config(first + second))[-len(alone) :] == alone


def without_config(text):
    return "".join(line for line in text.splitlines(keepends=True) if "config" not in line)


def registered(text):
    return [item.spec for item in parse_program(text).instructions if isinstance(item, Register)]


@settings(max_examples=30)
@given(elementwise_programs(streams=1, loops=False))
def test_element_wise_programs_hold_nothing_else(text):
    for item in parse_program(text).instructions:
        if isinstance(item, Register):
            assert item.spec.category in {"NumericFloat", "Float", "BaseFloat", "BaseBool", "Bool"}


def test_the_groups_of_the_strategy_are_all_of_its_emitters():
    from program_ops import EMITTERS  # noqa: PLC0415

    assert set(EMITTERS) == GROUPS
    assert ELEMENTWISE < GROUPS
