"""The arithmetic of a score."""

import pytest

from fusionlab.fusers.base import ScoreTerms
from fusionlab.fusers.scoring import evaluate


@pytest.mark.parametrize(
    ("terms", "score"),
    [
        (ScoreTerms(), 0),
        (ScoreTerms(2, 2, 2, 1, 1), 210),
        (ScoreTerms(2, 2, 2, 1, 1, views=1), 160),
        (ScoreTerms(1, 1, 2, 1, 1, views=1), 0),
        (ScoreTerms(6, 4, 4, 3, 1), 630),
        (ScoreTerms(40, 40, 40, 5, 5), 7390),
        (ScoreTerms(1, 1, 1, 3, 3), 0),
        (ScoreTerms(3, 1, 0, 1, 1), 200),
        (ScoreTerms(1, 1, 1, 1, 1, bonus=100), 100),
        (ScoreTerms(1, 1, 2, 1, 1, views=1, bonus=100), 100),
    ],
    ids=[
        "nothing",
        "two accesses and a launch",
        "a view costs fifty",
        "never below zero",
        "the seed expression",
        "five chains of eight",
        "a kernel that needs more than the ops saves nothing",
        "without ops there is no launch to save",
        "a relayout is worth a hundred",
        "the bonus comes on top of what is left",
    ],
)
def test_score(terms: ScoreTerms, score: int) -> None:
    assert evaluate(terms) == score
