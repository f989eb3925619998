"""The queue: global and relative ops in lockstep, renamed from scratch when a prefix has run."""

from notation import op, ops

from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.relative import OperationConverter
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog, NullRecorder

CHAIN = ops(
    "Exp(t5[8,9] → t6[8,9]); MulScalar(!t6[8,9] → t7[8,9]); Mul(!t7[8,9], t5[8,9] → t8[8,9])"
)


def queue_of(operations, log=None) -> OperationQueue:
    queue = OperationQueue(log or NullRecorder())
    for each in operations:
        queue.add(each)
    return queue


def relative(operations) -> list:
    converter = OperationConverter()
    return [converter.convert(each) for each in operations]


def test_both_forms_are_kept_side_by_side() -> None:
    queue = queue_of(CHAIN)
    assert queue.operations == CHAIN
    assert queue.relative == relative(CHAIN)
    assert queue.shapes_assigned == [3, 3, 3]
    assert len(queue) == 3


def test_what_is_left_is_renamed_as_a_segment_of_its_own() -> None:
    queue = queue_of(CHAIN)
    assert queue.remove_front(2) == CHAIN[:2]
    assert queue.operations == CHAIN[2:]
    assert queue.relative == relative(CHAIN[2:])
    assert [each.id for each in queue.relative[0].inputs] == [0, 1]


def test_a_queue_without_leftovers_starts_over() -> None:
    queue = queue_of(CHAIN)
    queue.remove_front(3)
    queue.add(CHAIN[0])
    assert queue.relative == relative(CHAIN[:1])


def test_every_tensor_mentioned_is_a_variable_of_the_stream() -> None:
    assert queue_of(CHAIN).variables == {5, 6, 7, 8}


def test_a_tensor_is_mentioned_by_whoever_reads_or_makes_it() -> None:
    queue = queue_of(CHAIN[:1])
    assert queue.mentions(5)
    assert queue.mentions(6)
    assert not queue.mentions(7)


def test_the_facts_tell_which_names_an_op_gave_out() -> None:
    log = EventLog()
    queue_of(CHAIN, log)
    told = [event.fact for event in log.events]
    assert [fact.new_tensors for fact in told] == [((5, 0), (6, 1)), ((7, 2),), ((8, 3),)]
    assert [fact.new_shapes for fact in told] == [((8, 1), (9, 2)), (), ()]
    assert [fact.scalars for fact in told] == [(), (2.0,), ()]
    assert not any(fact.renumbered for fact in told)


def test_renaming_is_told_as_such() -> None:
    log = EventLog()
    queue = queue_of(CHAIN, log)
    first = len(log.events)
    queue.remove_front(1)
    told = [event.fact for event in log.events[first:]]
    assert [type(fact) for fact in told] == [f.OpRelativized] * 2
    assert all(fact.renumbered for fact in told)
    assert told[0].new_tensors == ((6, 0), (7, 1))


def test_an_expected_op_is_taken_over_and_told_the_same() -> None:
    queue = OperationQueue(NullRecorder())
    (expected,) = relative(CHAIN[:1])
    queue.add(op("Exp(t70[4,5] → t71[4,5])"), expected)
    assert queue.relative[0] is expected
