"""A room: ask, vote alone, talk it over, vote again, reveal."""

from dataclasses import replace

import pytest
from examples import question, room
from hypothesis import given
from hypothesis import strategies as st

from fusionlab.classroom import codec
from fusionlab.classroom.model import (
    DECK_SIZE,
    LONGEST_TALK,
    Ask,
    CloseRound,
    Discard,
    End,
    Extend,
    Finish,
    Lock,
    Move,
    Prepare,
    Reveal,
    Room,
    RoomError,
    Show,
    ShowResult,
    Stage,
    StopTimer,
    Talk,
    VoteAgain,
    after,
)
from fusionlab.classroom.question import Option, Question, Words, plain, question_from
from fusionlab.errors import ContentError


def played(*moves: Move, start: Room | None = None) -> Room:
    now = start or room(deck=(question(),))
    for move in moves:
        now = after(now, move)
    return now


def test_a_class_votes_talks_votes_again_and_learns_the_truth() -> None:
    told = played(Ask(), CloseRound(), Talk(ends=120.0), VoteAgain(), CloseRound(), Reveal())
    assert told.poll is not None
    assert (told.poll.round, told.poll.stage, told.poll.closed_rounds) == (2, Stage.REVEALED, 2)


def test_the_talk_may_be_left_out() -> None:
    told = played(Ask(), CloseRound(), Reveal())
    assert told.poll is not None
    assert told.poll.stage is Stage.REVEALED


def test_a_second_round_may_follow_without_a_talk() -> None:
    assert played(Ask(), CloseRound(), VoteAgain()).ballot == "1/2"


def test_only_an_open_round_takes_votes() -> None:
    voting = played(Ask())
    assert voting.ballot == "1/1"
    assert played(CloseRound(), start=voting).ballot is None


def test_the_first_result_stays_hidden_until_it_is_shown() -> None:
    closed = played(Ask(), CloseRound())
    assert closed.poll is not None
    assert not closed.poll.shown
    shown = played(ShowResult(), start=closed)
    assert shown.poll is not None
    assert shown.poll.shown


def test_the_second_result_is_seen_as_soon_as_the_round_is_closed() -> None:
    closed = played(Ask(), CloseRound(), VoteAgain(), CloseRound())
    assert closed.poll is not None
    assert closed.poll.shown


@pytest.mark.parametrize(
    ("before", "move"),
    [
        ((Ask(),), Reveal()),
        ((Ask(),), VoteAgain()),
        ((Ask(),), Talk(None)),
        ((Ask(),), ShowResult()),
        ((Ask(), CloseRound()), CloseRound()),
        ((Ask(), CloseRound()), StopTimer()),
        ((Ask(), CloseRound(), VoteAgain(), CloseRound()), Talk(None)),
        ((Ask(), CloseRound(), VoteAgain(), CloseRound()), VoteAgain()),
        ((Ask(), CloseRound(), Reveal()), Reveal()),
        ((Ask(), CloseRound(), Reveal()), VoteAgain()),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, tuple) else "after",
)
def test_a_move_out_of_turn_is_refused(before: tuple[Move, ...], move: Move) -> None:
    with pytest.raises(RoomError, match="not_now"):
        after(played(*before), move)


def test_a_timer_can_be_extended_from_its_end() -> None:
    talking = played(Ask(), CloseRound(), Talk(ends=100.0), Extend(60.0, now=90.0))
    assert talking.poll is not None
    assert talking.poll.talk_ends == 160.0


def test_a_timer_that_has_run_out_is_extended_from_now() -> None:
    talking = played(Ask(), CloseRound(), Talk(ends=100.0), Extend(60.0, now=130.0))
    assert talking.poll is not None
    assert talking.poll.talk_ends == 190.0


def test_a_timer_never_runs_longer_than_an_hour() -> None:
    talking = played(Ask(), CloseRound(), Talk(ends=100.0), Extend(1e9, now=0.0))
    assert talking.poll is not None
    assert talking.poll.talk_ends == LONGEST_TALK


def test_a_talk_goes_on_without_its_timer() -> None:
    talking = played(Ask(), CloseRound(), Talk(ends=100.0), StopTimer())
    assert talking.poll is not None
    assert (talking.poll.stage, talking.poll.talk_ends) == (Stage.TALKING, None)


def test_one_question_at_a_time() -> None:
    two = room(deck=(question("a"), question("b")))
    with pytest.raises(RoomError, match="poll_open"):
        played(Ask(), Ask(), start=two)


def test_a_finished_question_makes_room_for_the_next() -> None:
    two = room(deck=(question("a"), question("b")))
    now = played(Ask(), CloseRound(), Reveal(), Finish(), Ask(), start=two)
    assert [poll.question.id for poll in now.past] == ["a"]
    assert now.poll is not None
    assert (now.poll.number, now.poll.question.id) == (2, "b")


def test_any_question_of_the_deck_can_be_asked_next() -> None:
    two = room(deck=(question("a"), question("b")))
    now = played(Ask("b"), start=two)
    assert now.poll is not None
    assert (now.poll.question.id, [one.id for one in now.deck]) == ("b", ["a"])


def test_asking_what_is_not_there_is_refused() -> None:
    with pytest.raises(RoomError, match="deck_empty"):
        after(room(), Ask())
    with pytest.raises(RoomError, match="question_gone"):
        after(room(deck=(question(),)), Ask("other"))


def test_a_question_prepared_twice_waits_once() -> None:
    now = played(Prepare(question("a")), Prepare(question("b")), Prepare(question("a"), first=True))
    assert [one.id for one in now.deck] == ["a", "score", "b"]


def test_a_deck_has_an_end() -> None:
    full = room(deck=tuple(question(str(n)) for n in range(DECK_SIZE)))
    with pytest.raises(RoomError, match="deck_full"):
        after(full, Prepare(question("one more")))
    assert len(after(full, Discard("3")).deck) == DECK_SIZE - 1


def test_a_room_that_has_ended_stays_as_it_is() -> None:
    ended = played(Ask(), CloseRound(), End())
    assert (ended.ended, ended.poll, len(ended.past)) == (True, None, 1)
    with pytest.raises(RoomError, match="room_ended"):
        after(ended, Lock(locked=True))


def test_each_program_on_screen_has_its_number() -> None:
    now = played(Show("mul_add_exp"), Show("softmax"))
    assert (now.showing.number, now.showing.program) == (2, "softmax")


MOVES = st.one_of(
    st.builds(Show, st.sampled_from(["a", "b"])),
    st.builds(lambda name: Prepare(question(name)), st.sampled_from("abc")),
    st.builds(Discard, st.sampled_from("abc")),
    st.builds(Ask, st.sampled_from(["a", None])),
    st.builds(Talk, st.sampled_from([None, 100.0])),
    st.builds(Extend, st.just(60.0), st.just(10.0)),
    st.builds(Lock, st.booleans()),
    st.sampled_from(
        [CloseRound(), StopTimer(), VoteAgain(), ShowResult(), Reveal(), Finish(), End()]
    ),
)


@given(st.lists(MOVES, max_size=40))
def test_whatever_a_teacher_presses_the_room_keeps_its_laws(moves: list[Move]) -> None:
    now = room()
    for move in moves:
        before = now
        try:
            now = after(now, move)
        except RoomError:
            assert now is before
            continue
        assert now.seq == before.seq + 1
        numbers = [poll.number for poll in (*now.past, *([now.poll] if now.poll else []))]
        assert numbers == list(range(1, len(numbers) + 1))
        if now.poll and now.poll.stage is Stage.VOTING and now.poll.round == 1:
            assert not now.poll.shown
        if now.poll and now.poll.stage is Stage.REVEALED:
            assert now.ballot is None
    assert codec.load(codec.dump(now)) == now


def test_a_question_survives_being_written_down() -> None:
    assert question_from(plain(question())) == question()


@pytest.mark.parametrize(
    "change",
    [
        {"options": (Option(Words("a", "a")),)},
        {"options": tuple(Option(Words(str(n), str(n))) for n in range(9))},
        {"answer": 4},
        {"answer": -1},
        {"text": Words("x" * 2000, "x")},
        {"code": "x" * 7000},
        {"program": "x" * 30_000},
        {"id": "x" * 100},
    ],
    ids=[
        "one option",
        "nine options",
        "no such answer",
        "negative",
        "text",
        "code",
        "program",
        "id",
    ],
)
def test_a_question_that_cannot_be_shown_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ContentError, match="question_malformed"):
        replace(question(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("broken", [{}, {"text": 3}, {"options": None}, {"extra": 1}])
def test_what_is_no_question_is_refused(broken: dict[str, object]) -> None:
    body = plain(question()) | broken if broken else {}
    with pytest.raises(ContentError, match="question_malformed"):
        question_from(body)


def test_a_question_is_a_value() -> None:
    assert isinstance(question(), Question)
    assert hash(question()) == hash(question())
