"""Quiz items: seeded, endless, and true because the engine answers them.

In: a seed. Out: an item with its options. The right option is read off a run of the engine when
the item is made and again when it is marked; each wrong one is read off a misconception engine. An
item is offered only if all its options differ. The same seed gives the same items everywhere, in
every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from fusionlab.errors import ContentError, InvariantError
from fusionlab.events.facts import RunFailed
from fusionlab.events.run import Run
from fusionlab.learn.answers import Answer
from fusionlab.learn.beliefs import READING_RULES
from fusionlab.learn.concepts import OF_MISCONCEPTION
from fusionlab.learn.difficulty import Difficulty, difficulty
from fusionlab.learn.kinds import KINDS, Args, Kind, deciding_step
from fusionlab.learn.questions import answer
from fusionlab.learn.reading import Reading
from fusionlab.learn.sketches import FAMILIES

MOST_OPTIONS = 4
FEWEST_OPTIONS = 3
_ATTEMPTS = 400
_PLACES = 6
"""Places of one program that are tried before another program is made."""


class Runner(Protocol):
    """Who runs programs: the lab, handed in by the page or the command line."""

    def __call__(self, program: str, misconception: str | None = None, /) -> Run:
        """A new run of a program, by burn's rules or with one of them switched."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its options. Nothing in it depends on a language.

    ``misconceptions`` holds, for each option, who answers so (``None`` for the right one);
    ``origin`` is who prints the line that is to be found (``false_line`` only).
    """

    id: str
    kind: str
    concept: str
    difficulty: Difficulty
    program: str
    args: Args = field(hash=False)
    options: tuple[Answer, ...] = field(hash=False)
    answer: int
    misconceptions: tuple[str | None, ...]
    origin: str | None = None


class Believers:
    """The answers of misconceptions about one program; each engine runs at most once."""

    def __init__(self, program: str, runner: Runner) -> None:
        """Run the program by burn's rules."""
        self.program = program
        self.truth = Reading(runner(program))
        self._runner = runner
        self._runs: dict[str, Reading] = {}

    @property
    def is_sound(self) -> bool:
        """Whether the program runs to its end."""
        events = self.truth.run.events
        return bool(events) and not isinstance(events[-1].fact, RunFailed)

    def reading(self, misconception: str) -> Reading:
        """The run of a misconception engine."""
        if misconception not in self._runs:
            self._runs[misconception] = Reading(self._runner(self.program, misconception))
        return self._runs[misconception]

    def answer(self, kind: str, args: Args, misconception: str) -> Answer | None:
        """What somebody with this misconception answers; ``None`` when there is no such place."""
        rule = READING_RULES.get(misconception, {}).get(kind)
        try:
            if rule is not None:
                return rule(self.truth, **args)
            return answer(kind, self.reading(misconception), **args)
        except (ContentError, InvariantError, IndexError):
            return None


def make(kind: str, seed: str, runner: Runner) -> Item:
    """The item of one kind for one seed.

    A seed that ends in ``@merge`` asks for an item that practises that concept.

    Raises:
        ContentError: ``kind_unknown``.
        InvariantError: No program was found (the families do not fit the kind: our bug).
    """
    wanted = KINDS.get(kind)
    if wanted is None:
        raise ContentError("kind_unknown", kind=kind)
    concept = seed.partition("@")[2] or None
    for attempt in range(_ATTEMPTS):
        rng = Random(f"{kind}/{seed}/{attempt}")  # noqa: S311 -- the same on every machine
        program = FAMILIES[rng.choice(wanted.families)](rng)
        believers = Believers(program, runner)
        if believers.is_sound:
            item = _offered(wanted, seed, believers, rng, concept)
            if item is not None:
                return item
    raise InvariantError("no_item", kind=kind, seed=seed)


def _offered(
    kind: Kind, seed: str, believers: Believers, rng: Random, concept: str | None
) -> Item | None:
    """An item about some place of the program, if one has enough different answers."""
    places = list(kind.places(believers.truth))
    rng.shuffle(places)
    for args in places[:_PLACES]:
        item = item_at(kind, f"{kind.name}.{seed}", believers, args, rng, concept=concept)
        if item is not None and concept in (None, item.concept):
            return item
    return None


def item_at(
    kind: Kind,
    item_id: str,
    believers: Believers,
    args: Args,
    rng: Random,
    *,
    concept: str | None = None,
) -> Item | None:
    """The item about one place of a program; ``None`` when too few answers differ.

    Misconceptions about ``concept`` are asked first.
    """
    origin = None
    names = _asked(kind, rng, concept)
    if kind.name == "false_line":
        options, origin = _lines(kind, believers, args, names)
    else:
        options = _answers(kind, believers, args, names)
    if len(options) < FEWEST_OPTIONS:
        return None
    right, wrong = options[0], options[1:]
    shuffled = list(options)
    rng.shuffle(shuffled)
    return Item(
        id=item_id,
        kind=kind.name,
        concept=_concept(kind, right[0], wrong),
        difficulty=difficulty(believers.truth, deciding_step(kind.name, args, believers.truth)),
        program=believers.program,
        args=args,
        options=tuple(option for option, _ in shuffled),
        answer=shuffled.index(right),
        misconceptions=tuple(name for _, name in shuffled),
        origin=origin,
    )


Option = tuple[Answer, str | None]


def _answers(kind: Kind, believers: Believers, args: Args, names: Sequence[str]) -> list[Option]:
    """The true answer, then wrong ones with who gives them."""
    truth = answer(kind.name, believers.truth, **args)
    options: list[Option] = [(truth, None)]
    for name in names:
        wrong = believers.answer(kind.name, args, name)
        if wrong is None or any(wrong == option for option, _ in options):
            continue
        if _fits(kind.name, truth, wrong):
            options.append((wrong, name))
        if len(options) == MOST_OPTIONS:
            break
    return options


def _asked(kind: Kind, rng: Random, concept: str | None) -> list[str]:
    """Who is asked for a wrong answer, in a random order, the crude ones last."""
    fine = rng.sample(kind.misconceptions, len(kind.misconceptions))
    names = fine + rng.sample(kind.crude, len(kind.crude))
    return sorted(names, key=lambda name: OF_MISCONCEPTION[name] != concept) if concept else names


def _fits(kind: str, truth: Answer, wrong: Answer) -> bool:
    """Whether a wrong answer looks like an answer: it covers the same ops, it is not empty."""
    if wrong in ([], "", -1, "nothing"):
        return False
    if kind in ("partition", "execution_order"):
        return _covered(truth) == _covered(wrong)
    return True


def _covered(value: Answer) -> list[int]:
    if isinstance(value, list) and value and isinstance(value[0], str):
        inside = [str(unit).partition("[")[2].rstrip("]") for unit in value]
        return sorted(int(n) for unit in inside for n in unit.split(",") if n.strip())
    return sorted(n for n in value if isinstance(n, int)) if isinstance(value, list) else []


def _lines(
    kind: Kind, believers: Believers, args: Args, names: Sequence[str]
) -> tuple[list[Option], str | None]:
    """A false line, then true ones, each with a misconception by which it would be false.

    Also who prints the false line.
    """
    said = answer(kind.name, believers.truth, **args)
    true_lines = [str(line) for line in said] if isinstance(said, list) else []
    false: tuple[str, str] | None = None
    doubted: dict[str, str] = {}
    for name in names:
        told = believers.answer(kind.name, args, name)
        if not isinstance(told, list) or told == said:
            continue
        invented = [str(line) for line in told if line not in true_lines]
        if false is None and invented:
            false = invented[0], name
        for line in true_lines:
            if line not in told:
                doubted.setdefault(line, name)
    if false is None:
        return [], None
    options: list[Option] = [(false[0], None)]
    options += [(line, doubted[line]) for line in true_lines if line in doubted]
    return options[:MOST_OPTIONS], false[1]


_OF_FIELD = {"shape": "relative_ids", "status": "liveness", "id": "relative_ids"}


def _concept(kind: Kind, truth: Answer, wrong: Sequence[Option]) -> str:
    """What the item practises: what most of its wrong answers are about."""
    if kind.name == "why_miss":
        return _OF_FIELD.get(str(truth).rpartition(".")[2], "placeholders")
    named = [OF_MISCONCEPTION[name] for _, name in wrong if name is not None]
    if kind.concept in named:
        return str(kind.concept)
    return max(named, key=lambda concept: (named.count(concept), -named.index(concept)))


# --- the question of the page --------------------------------------------------------------------

TEASER = "cache_hit.page"
"""The id of the first item of every quiz: 64×32 after 64×64."""

TEASER_PROGRAM = """\
w = keep(tensor([0.0]))
for size, s in [((64, 64), 2.0), ((64, 64), 2.0), ((64, 64), 2.0), ((64, 64), 3.0), \
((32, 32), 2.0), ((64, 32), 2.0)]:
    a, b, c = random(*size), random(*size), random(*size)
    out = exp(a * b + c * s)
    read(out)
"""


def teaser(runner: Runner) -> Item:
    """The brain teaser of the page that this lab teaches."""
    believers = Believers(TEASER_PROGRAM, runner)
    rng = Random(TEASER)  # noqa: S311 -- only the order of the options
    item = item_at(KINDS["cache_hit"], TEASER, believers, {"read": 5}, rng)
    if item is None:
        raise InvariantError("no_item", kind="cache_hit", seed=TEASER)
    return item


# --- a row of items ------------------------------------------------------------------------------


def items(seed: int, runner: Runner, kinds: Sequence[str] = ()) -> Iterator[Item]:
    """Items without end: the page's question first, then every kind in turn, in a seeded order.

    With ``kinds`` only those are asked.
    """
    if not kinds or "cache_hit" in kinds:
        yield teaser(runner)
    order = list(kinds or KINDS)
    number = 1
    while True:
        round_ = order.copy()
        Random(f"{seed}/{number}").shuffle(round_)  # noqa: S311
        for kind in round_:
            yield make(kind, f"{seed}-{number}", runner)
            number += 1


def item_of(item_id: str, runner: Runner) -> Item:
    """The item with this id, made anew.

    Raises:
        ContentError: ``item_unknown``.
    """
    if item_id == TEASER:
        return teaser(runner)
    kind, _, seed = item_id.partition(".")
    if kind not in KINDS or not seed:
        raise ContentError("item_unknown", id=item_id)
    return make(kind, seed, runner)


def variant(item: Item, number: int, runner: Runner) -> Item:
    """The same kind of question, about the same concept, over another program."""
    seed = item.id.partition(".")[2].partition("@")[0]
    return make(item.kind, f"{seed}~{number}@{item.concept}", runner)


def truth(item: Item, runner: Runner) -> Answer:
    """The true answer, asked of the engine again."""
    told = answer(item.kind, Reading(runner(item.program)), **item.args)
    if item.kind != "false_line":
        return told
    lines = told if isinstance(told, list) else []
    false = [option for option in item.options if option not in lines]
    return false[0] if len(false) == 1 else ""


def mark(item: Item, choice: int, runner: Runner) -> bool:
    """Whether an option is right: asked of the engine now, whatever the item says."""
    return item.options[choice] == truth(item, runner)
