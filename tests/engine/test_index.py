"""The tree of stored plans: what a segment finds, and in which order."""

from notation import ops

from fusionlab.engine.index import PlanNode
from fusionlab.plan import PlanId

A, B, C, A_OTHER = ops("Exp(t0 → t1); Log(!t1 → t2); Sin(!t1 → t2); Exp(t0[1] → t1[1])")


def tree(*plans: tuple) -> PlanNode:
    root = PlanNode()
    for number, operations in enumerate(plans):
        root.add(PlanId(number), operations)
    return root


def test_plans_that_start_with_the_same_op_are_found_together_oldest_first() -> None:
    node = tree((A, B, A), (A, A, B)).step(A)
    assert node is not None
    assert node.plans() == [0, 1]


def test_plans_that_start_with_another_op_are_not_found() -> None:
    root = tree((A, B), (B, A))
    assert root.step(A).plans() == [0]
    assert root.step(B).plans() == [1]
    assert root.step(C) is None


def test_ops_that_differ_in_their_kind_only_are_told_apart() -> None:
    root = tree((B,), (C,))
    assert (root.step(B).plans(), root.step(C).plans()) == ([0], [1])


def test_ops_that_differ_in_a_shape_id_only_are_told_apart() -> None:
    root = tree((A,), (A_OTHER,))
    assert root.step(A_OTHER).plans() == [1]


def test_a_node_tells_the_plans_that_end_from_those_that_go_on() -> None:
    node = tree((A, B, C), (A,), (A, C)).step(A)
    assert (node.complete, node.longer) == ([1], [0, 2])
    assert node.plans() == [0, 1, 2]


def test_equal_plans_of_two_streams_are_both_kept() -> None:
    node = tree((A, B), (A, B)).step(A).step(B)
    assert node.complete == [0, 1]


def test_a_node_remembers_where_it_led_last() -> None:
    root = tree((A, B), (A, C))
    node = root.step(A)
    assert node.likely is None
    for op in (B, C, B):
        node.step(op)
        assert node.likely.op is op


def test_a_step_that_leads_nowhere_does_not_change_what_is_likely() -> None:
    root = tree((A,))
    root.step(A)
    assert root.step(C) is None
    assert root.likely.op is A


def test_an_equal_op_is_as_good_as_the_stored_one() -> None:
    root = tree((A,))
    (again,) = ops("Exp(t0 → t1)")
    assert again is not A
    assert root.step(again) is root.step(A)
