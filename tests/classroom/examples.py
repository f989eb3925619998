"""A question, a room and a clock to try things on."""

from fusionlab.classroom.codes import new_id, new_key, new_pin
from fusionlab.classroom.model import Room
from fusionlab.classroom.question import Option, Question, Words


def words(text: str) -> Words:
    return Words(text, f"{text}（中文）")


def question(name: str = "score", *, answer: int = 1, marker: str = "") -> Question:
    """Ask for the score of the page's first example; ``marker`` makes its texts unmistakable."""
    rules = ["launches forgotten", None, "one launch too many", "writes not counted"]
    texts = ["600", "630", "640", "330"]
    return Question(
        id=name,
        text=words(f"What score does ElementWise report?{marker}"),
        code="out = exp(a * b + c * 2.0)\nread(out)",
        options=tuple(
            Option(words(text + marker), words(rule + marker) if rule else None)
            for text, rule in zip(texts, rules, strict=True)
        ),
        answer=answer,
        because=words(f"six accesses and three launches saved{marker}"),
        program="mul_add_exp",
        step=14,
        position=9,
        gate=12,
    )


def room(**changes: object) -> Room:
    return Room(id=new_id(), pin=new_pin(), key=new_key(), **changes)  # type: ignore[arg-type]


DAY = 86_400.0


class Clock:
    """A time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now
