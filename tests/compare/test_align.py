"""Two sequences of requests find their partners."""

from hypothesis import given
from hypothesis import strategies as st

from fusionlab.views.compare.align import aligned


def written(one: str, two: str) -> str:
    """Pairs as text: ``aa`` partners, ``a-`` and ``-b`` without a partner."""
    pairs = aligned(one, two)
    return " ".join(
        ("-" if a is None else one[a]) + ("-" if b is None else two[b]) for a, b in pairs
    )


def test_equal_sequences_are_partners_throughout() -> None:
    assert written("mse", "mse") == "mm ss ee"


def test_what_is_only_on_one_side_has_no_partner() -> None:
    assert written("mse", "mYse") == "mm -Y ss ee"
    assert written("mYse", "mse") == "mm Y- ss ee"


def test_what_is_replaced_stands_beside_its_replacement() -> None:
    assert written("mse", "mxe") == "mm sx ee"
    assert written("mabe", "mxe") == "mm ax b- ee"


def test_most_partners_are_found_behind_a_change() -> None:
    assert written("mrmrmr", "mrxmrmr") == "mm rr -x mm rr mm rr"
    assert written("abcabba", "cbabac").count("-") <= 5


def test_sequences_that_share_nothing_stand_side_by_side() -> None:
    assert written("aaa", "bb") == "ab ab a-"
    assert written("", "ab") == "-a -b"


def test_sequences_too_different_to_search_pair_up_by_place() -> None:
    one = [f"a{n}" for n in range(900)]
    two = [f"b{n}" for n in range(900)]
    one[450] = two[450] = "same"
    assert aligned(one, two) == [(n, n) for n in range(900)]


words = st.text("abc", max_size=24)


@given(words, words)
def test_every_request_stands_in_one_row_in_its_order(one: str, two: str) -> None:
    pairs = aligned(one, two)
    assert [a for a, _ in pairs if a is not None] == list(range(len(one)))
    assert [b for _, b in pairs if b is not None] == list(range(len(two)))


@given(words, words)
def test_as_many_partners_agree_as_can(one: str, two: str) -> None:
    agreeing = sum(
        a is not None and b is not None and one[a] == two[b] for a, b in aligned(one, two)
    )
    assert agreeing == longest_common(one, two)


def longest_common(one: str, two: str) -> int:
    """The textbook table."""
    row = [0] * (len(two) + 1)
    for a in one:
        new = [0]
        for n, b in enumerate(two):
            new.append(row[n] + 1 if a == b else max(row[n + 1], new[n]))
        row = new
    return row[-1]
