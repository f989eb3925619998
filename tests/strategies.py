"""Random lab programs for property tests: valid by construction, small, and quick to draw.

`programs()` draws the text of a program. It tracks shapes and element types by rules of its own, so
it does not trust the code under test. What it may use is chosen by groups of ops:

    @given(programs(groups=ELEMENTWISE, max_statements=8))
    def test_a_law(text): ...

The strategy shrinks to fewer statements, earlier ops and smaller extents.
"""

from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from program_ops import EMITTERS, new, scalar, unary
from program_writer import Emitter, Var, Writer, draw_shape, replaced, shape_of

ELEMENTWISE = frozenset({"unary", "scalar", "binary", "mask"})
"""Ops that work element by element on floats, with masks."""

FUSABLE = ELEMENTWISE | {"cast", "view", "reduce", "matmul", "softmax", "pool", "index"}
"""Every group that some fuser has a rule for."""

GROUPS = FUSABLE | {"rearrange", "join", "scan", "sort", "window", "norm", "ints", "new", "opaque"}
"""All groups."""


def draw_inputs(w: Writer) -> None:
    """Inputs that often go together: one shape, and broadcasts of it."""
    shape = draw_shape(w)
    for _ in range(w.integer(1, 3)):
        kept = w.chance(6)
        if w.chance(3):
            dim = w.integer(0, len(shape) - 1)
            drawn = replaced(shape, dim, 1)
        else:
            drawn = shape if w.chance(7) else draw_shape(w)
        made = f"random({shape_of(drawn)})"
        w.name(Var(f"keep({made})" if kept else made, drawn))


def draw_op(w: Writer, emitters: Sequence[Emitter]) -> None:
    made = w.choose(emitters)(w)
    if made is None:
        made = scalar(w) or new(w)
    if made.kind == "f" and w.chance(3):
        made = wrapped(w, made)
    if w.chance(2):
        made = made._replace(text=f"keep({made.text})")
    same = [var for var in w.alive if var[1:] == made[1:]]
    if same and w.chance(2):
        # The name moves on to a new value; what it held may end here.
        w.line(f"{w.choose(same).text} = {made.text}")
    else:
        w.name(made)


def wrapped(w: Writer, made: Var) -> Var:
    """One more op around an expression, so that a line makes temporaries."""
    alive, w.alive = w.alive, [made._replace(text=f"({made.text})")]
    around = w.choose((scalar, unary))(w)
    w.alive = alive
    return around or made


def draw_end(w: Writer) -> None:
    """Give up a value, or look at one."""
    var = w.choose(w.alive[::-1])
    if len(w.alive) > 1 and w.chance(4):
        w.line(w.choose(("drop({})", "del {}")).format(var.text))
        w.alive.remove(var)
    else:
        w.line(f"read({var.text})")


@st.composite
def programs(
    draw: Callable,
    *,
    groups: frozenset[str] = GROUPS,
    max_statements: int = 12,
    extents: Sequence[int] = (2, 3, 4, 1, 8),
    most_elements: int = 4096,
    streams: int = 2,
    loops: bool = True,
    ends: bool = True,
) -> str:
    """The text of a valid program.

    Args:
        draw: Given by Hypothesis.
        groups: Which ops may appear; see `GROUPS`.
        max_statements: How many ops, reads, drops and blocks at most, inputs not counted.
        extents: The sizes that dimensions may have, the simplest first.
        most_elements: No tensor has more elements.
        streams: How many streams may be used; 1 leaves `with stream` out.
        loops: Whether `for` may appear.
        ends: Whether reads, syncs and drops may appear before the last statement.
    """
    w = Writer(draw, tuple(extents), most_elements)
    emitters = [emitter for name, emitter in EMITTERS.items() if name in groups]
    if draw(st.integers(0, 9)) == 9:
        w.line(f"config(max_blocks={w.integer(1, 4)})")
    draw_inputs(w)
    for _ in range(w.integer(1, max_statements)):
        kind = w.integer(0, 19)
        if kind == 19 and loops:
            with w.block(f"for n in range({w.integer(1, 3)}):"):
                for _ in range(w.integer(1, 3)):
                    draw_op(w, emitters)
        elif kind == 18 and streams > 1:
            with w.block(f"with stream({w.integer(1, streams - 1)}):"):
                draw_op(w, emitters)
                draw_end(w)
        elif kind == 17 and ends:
            w.line("sync()")
        elif kind >= 15 and ends:
            draw_end(w)
        else:
            draw_op(w, emitters)
    w.line(f"read({w.choose(w.alive[::-1]).text})")
    return "\n".join(w.lines) + "\n"


def elementwise_programs(**options) -> st.SearchStrategy[str]:
    """Programs of element-wise ops on floats only."""
    return programs(groups=ELEMENTWISE, **options)
