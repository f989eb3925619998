"""A sitting starts with the page's question and then practises what is open or due."""

import pytest

from fusionlab.lab.decide import decide
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.items import TEASER, item_of
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.mastery import Mastery, Progress
from fusionlab.learn.sitting import Learner, about, kinds_for, next_item

DAY = 739_000
NEW = Learner(Mastery(), DAY)


def test_question_one_is_the_pages() -> None:
    assert next_item(5, 0, NEW, decide).id == TEASER


def test_a_chosen_kind_is_the_only_one_asked() -> None:
    asked = {next_item(5, n, NEW, decide, "triggers").kind for n in range(4)}
    assert asked == {"triggers"}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_concept_can_be_practised(concept: str) -> None:
    assert kinds_for()[concept]
    assert set(kinds_for()[concept]) <= set(KINDS)
    for number in range(3):
        assert about(concept, f"practise-{number}", decide).concept == concept


def test_a_due_concept_is_asked_about() -> None:
    due = Progress(3, ("a", "b"), mastered=True, due=DAY - 1)
    mastery = Mastery({**Mastery().concepts, "triggers": due})
    assert next_item(5, 4, Learner(mastery, DAY), decide).concept == "triggers"


def test_items_of_a_sitting_can_be_made_again_from_their_ids() -> None:
    item = next_item(5, 3, NEW, decide)
    assert item_of(item.id, decide) == item


def test_a_sitting_is_the_same_for_the_same_seed() -> None:
    one, two = (next_item(9, 2, NEW, decide) for _ in range(2))
    assert one == two
