"""Which blocks become one: halves first, then what failed against what merged."""

from collections.abc import Sequence

import pytest
from engine.blocks import block, scripted
from notation import op, ops

from fusionlab.engine.block import Block
from fusionlab.engine.dag import Reachability
from fusionlab.engine.merging import Fail, Full, MergeResult, Partial, merge_blocks
from fusionlab.fusers.base import OperationFuser

OP1, OP2, OP3 = ops("Add(t0, t1 → t2); AddScalar(t0 → t2); Log(t0 → t0)")
ONE_KIND_EACH = scripted([OP1] * 10, [OP2] * 10)
"""Two fusers: one that wants only the first kind of op, one that wants only the second."""


def merge(
    *groups: tuple[Sequence[object], Sequence[int]],
    fusers: Sequence[OperationFuser] = ONE_KIND_EACH,
) -> MergeResult:
    """Merge blocks of these ops at these positions, with all of them in the guard."""
    blocks = [
        block(operations, positions, fusers=fusers, constituent=index)
        for index, (operations, positions) in enumerate(groups)
    ]
    return merge_blocks(blocks, Reachability(blocks))


def positions(blocks: Sequence[Block]) -> list[list[int]]:
    """What each block holds, sorted by the lowest position."""
    return sorted(sorted(each.positions) for each in blocks)


def shape(result: MergeResult) -> object:
    """A result as nested positions: what merged, and what failed."""
    match result:
        case Full(whole):
            return sorted(whole.positions)
        case Partial(merged, failed):
            return positions(merged), positions(failed)
        case Fail():
            return None


def test_nothing_merges_to_nothing() -> None:
    assert merge() == Fail()


def test_one_block_is_merged_already() -> None:
    assert shape(merge(([], []))) == []


def test_two_blocks_that_one_fuser_takes_become_one() -> None:
    assert shape(merge(([OP1, OP1], [0, 1]), ([OP1, OP1], [2, 3]))) == [0, 1, 2, 3]


def test_two_blocks_that_no_fuser_takes_together_stay_two() -> None:
    assert shape(merge(([OP1], [0]), ([OP2], [1]))) is None


@pytest.mark.parametrize(
    ("kinds", "result"),
    [
        ([OP1, OP1, OP1], [0, 1, 2]),
        ([OP1, OP2, OP1], ([[0, 2], [1]], [])),
        ([OP1, OP2, OP1, OP3], ([[0, 2]], [[1], [3]])),
        ([OP1, OP2, OP1, OP3, OP2], ([[0, 2], [1, 4]], [[3]])),
    ],
    ids=["all alike", "one stranger", "two strangers", "two pairs and a stranger"],
)
def test_blocks_of_one_op_each(kinds, result) -> None:
    assert shape(merge(*(([kind], [index]) for index, kind in enumerate(kinds)))) == result


def test_blocks_merge_in_the_order_that_their_tensors_allow() -> None:
    x, y, z, w = ops("Add(t1, t2 → t10); Add(t50, t3 → t11); Add(t4, t5 → t50); Add(t6, t7 → t12)")
    result = merge(([x, y], [0, 5]), ([z], [3]), ([w], [6]), fusers=scripted([z, x, y, w, x]))
    assert isinstance(result, Full)
    assert result.block.positions == [3, 0, 5, 6]


FAMILIES = {letter: op(f"Add(t0, t1 → t{number})") for number, letter in enumerate("ABC", 2)}


@pytest.mark.parametrize(
    ("letters", "merged", "failed"),
    [
        ("AB", None, None),
        ("ABA", [[0, 2], [1]], []),
        ("ABC", [[0], [1], [2]], []),
        ("ABAC", [[0, 2]], [[1], [3]]),
        ("AABB", [[0, 1], [2, 3]], []),
        ("ABBA", [[0, 3]], [[1], [2]]),
        ("ABACB", [[0, 2], [1, 4]], [[3]]),
    ],
)
def test_letters_merge_with_their_like(letters: str, merged, failed) -> None:
    """``ABBA``: the two Bs are never tried against each other, because neither is the base."""
    fusers = scripted(*([each] * 10 for each in FAMILIES.values()))
    result = merge(*(([FAMILIES[c]], [i]) for i, c in enumerate(letters)), fusers=fusers)
    assert shape(result) == (None if merged is None else (merged, failed))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7, 8])
def test_blocks_that_are_all_alike_become_one_in_their_order(count: int) -> None:
    result = merge(*(([OP1], [index]) for index in range(count)))
    assert isinstance(result, Full)
    assert result.block.positions == list(range(count))


def test_merging_leaves_the_given_blocks_as_they_were() -> None:
    blocks = [block([OP1], [i], fusers=ONE_KIND_EACH, constituent=i) for i in range(3)]
    merge_blocks(blocks, Reachability(blocks))
    assert positions(blocks) == [[0], [1], [2]]


def test_a_block_that_lies_between_two_others_keeps_them_apart() -> None:
    """A makes t100, C makes t200 of it, B reads that: A and B alone may not become one."""
    a, c, b = ops("Add(t1, t2 → t100); Exp(t100 → t200); Add(t200, t3 → t300)")
    fusers = scripted([a, b, a, b])
    blocks = [block([each], [i], fusers=fusers, constituent=i) for i, each in enumerate([a, c, b])]
    assert merge_blocks([blocks[0], blocks[2]], Reachability(blocks)) == Fail()
