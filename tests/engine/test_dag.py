"""The graph of blocks: order, cycles, what may become one, and the life of tensors."""

import pytest
from notation import ops

from fusionlab.engine.dag import (
    Node,
    Reachability,
    dependencies,
    order_is_valid,
    topological_order,
)


def node(start: int, *, reads=(), makes=(), frees=()) -> Node:
    """A node; what it frees it reads too."""
    return Node(frozenset(makes), frozenset(reads) | frozenset(frees), frozenset(frees), start)


def test_nodes_that_share_nothing_run_in_the_order_of_their_first_ops() -> None:
    nodes = [node(2, reads=[200, 201], makes=[202]), node(0, reads=[100, 101], makes=[102])]
    assert dependencies(nodes) == [[], []]
    assert topological_order(nodes) == [1, 0]


def test_a_reader_runs_after_the_maker_even_when_it_starts_earlier() -> None:
    nodes = [node(0, reads=[50], makes=[2]), node(5, reads=[9], makes=[50])]
    assert dependencies(nodes) == [[1], []]
    assert topological_order(nodes) == [1, 0]


def test_nodes_that_read_each_other_have_no_order() -> None:
    assert (
        topological_order([node(0, reads=[200], makes=[100]), node(1, reads=[100], makes=[200])])
        is None
    )


def test_a_tensor_is_freed_after_its_last_reader() -> None:
    nodes = [node(0, reads=[100], makes=[2]), node(1, frees=[100], makes=[4])]
    assert dependencies(nodes) == [[], [0]]
    assert topological_order(nodes) == [0, 1]


def test_a_diamond_runs_top_sides_bottom() -> None:
    diamond = [
        node(0, makes=[10]),
        node(1, reads=[10], makes=[11]),
        node(2, reads=[10], makes=[12]),
        node(3, reads=[11, 12], makes=[13]),
    ]
    assert topological_order(diamond) == [0, 1, 2, 3]


def test_the_earlier_start_goes_first_among_those_that_are_ready() -> None:
    nodes = [node(0, makes=[1]), node(9, reads=[1]), node(3, reads=[1]), node(6, reads=[1])]
    assert topological_order(nodes) == [0, 2, 3, 1]


A, C, B = 0, 1, 2
TRAPPED = [
    node(0, makes=[100]),
    node(1, reads=[100], makes=[200]),
    node(2, reads=[200], makes=[300]),
]
"""A makes what C reads, C makes what B reads."""


@pytest.mark.parametrize(
    ("one", "two", "allowed"),
    [
        ({A}, {C}, True),
        ({C}, {B}, True),
        ({A}, {B}, False),
        ({A, C}, {B}, True),
        (set(), {B}, False),
        ({A}, set(), False),
    ],
    ids=["neighbours", "neighbours too", "C between", "C taken in", "empty", "empty too"],
)
def test_two_groups_may_become_one_unless_a_third_lies_between(one, two, allowed) -> None:
    assert Reachability(TRAPPED).can_contract(one, two) is allowed
    assert Reachability(TRAPPED).can_contract(two, one) is allowed


def chain(length: int) -> list[Node]:
    return [node(i, reads=[i - 1] if i else [], makes=[i]) for i in range(length)]


@pytest.mark.parametrize(("one", "two"), [(0, 2), (0, 3), (1, 3)])
def test_links_of_a_chain_with_another_link_between_stay_apart(one: int, two: int) -> None:
    assert not Reachability(chain(4)).can_contract({one}, {two})


def test_a_chain_longer_than_a_machine_word_is_followed_to_its_ends() -> None:
    nodes = chain(70)
    guard = Reachability(nodes)
    assert topological_order(nodes) == list(range(70))
    assert guard.can_contract({68}, {69})
    assert not guard.can_contract({0}, {69})


def test_a_cycle_may_become_one_but_nobody_may_jump_over_half_of_it() -> None:
    nodes = [
        node(0, reads=[200], makes=[100]),
        node(1, reads=[100], makes=[200]),
        node(2, reads=[200], makes=[300]),
    ]
    guard = Reachability(nodes)
    assert guard.can_contract({0}, {1})
    assert not guard.can_contract({0}, {2})


@pytest.mark.parametrize(
    ("order", "valid"),
    [
        ("Exp(t1 → t10); Exp(!t10 → t11)", True),
        ("Exp(!t10 → t11); Exp(t1 → t10)", False),
        ("Exp(!t1 → t10); Exp(t1 → t11)", False),
        ("Exp(t1 → t11); Exp(!t1 → t10)", True),
        ("Exp(t1 → t10); Add(t1, t10 → t11)", True),
        ("Exp(t10 → t11)", True),
        ("Mul(t1, !t1 → t2)", True),
        ("Drop(t1); Exp(t1 → t2)", False),
        ("Exp(t1 → t2); Drop(t1)", True),
        ("Drop(t1); Ones( → t1); Exp(t1 → t2)", False),
    ],
    ids=[
        "made, then freed by its reader",
        "read before it is made",
        "freed, then read",
        "read, then freed",
        "read twice",
        "made elsewhere",
        "read and freed by one op",
        "dropped, then read",
        "read, then dropped",
        "an id cannot be read before it is made here",
    ],
)  # fmt: skip
def test_an_order_is_valid_when_every_op_finds_its_inputs_alive(order: str, valid: bool) -> None:
    assert order_is_valid(ops(order)) is valid
