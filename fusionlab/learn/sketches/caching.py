"""Families about the cache: the same expression again, with something changed."""

from __future__ import annotations

from random import Random

from fusionlab.learn.sketches.pieces import chain, lines, scalar, scaled, size, unary


def _expression(rng: Random) -> tuple[list[str], str]:
    """Inputs and an expression over them, with ``{s}`` where a scalar goes."""
    return rng.choice(
        [
            (["x"], f"{rng.choice(['exp', 'tanh', 'sqrt'])}(x * {{s}})"),
            (["x"], f"x * {{s}} + {scalar(rng)}"),
            (["x"], f"abs({rng.choice(['exp', 'sin'])}(x + {{s}}))"),
            (["x", "y"], "x * y + {s}"),
            (["x", "y"], f"{rng.choice(['exp', 'tanh'])}(x * {{s}} + y)"),
            (["x", "y", "z"], f"{rng.choice(['exp', 'cos'])}(x * y + z * {{s}})"),
        ]
    )


def _sizes(rng: Random, rounds: int) -> list[tuple[int, int]]:
    """Shapes of which some look alike: squares, oblongs, and some with a 1."""
    pool = rng.sample([2, 3, 4, 6, 8, 9, 12, 16, 24, 32, 48, 64], 4)
    shapes = []
    for _ in range(rounds):
        a, b = rng.choice(pool), rng.choice(pool)
        shapes.append(rng.choice([(a, a), (a, b), (a, b), (b, a), (1, a), (a, 1)]))
    return shapes


def rounds(rng: Random) -> str:
    """The same expression over several shapes and scalars, read each time."""
    inputs, expression = _expression(rng)
    count = rng.randint(3, 6)
    sizes = _sizes(rng, count)
    keep = rng.random() < 0.5
    made = ", ".join(["random(*size)"] * len(inputs))
    made = f"keep({made})" if keep else made
    if rng.random() < 0.5:
        pairs = ", ".join(f"({shape}, {rng.choice([2.0, 2.0, 3.0])})" for shape in sizes)
        head, s = f"for size, s in [{pairs}]:", "s"
    else:
        head, s = f"for size in {sizes}:", str(scalar(rng))
    return lines(head, f"    {', '.join(inputs)} = {made}", f"    read({expression.format(s=s)})")


def shapes(rng: Random) -> str:
    """One segment over inputs of several sizes, some of them 1: for numbering by hand."""
    a = size(rng)
    b = size(rng, [a])
    c = size(rng, [a, b])
    first, second = rng.choice(
        [
            ((a, 1, b), (1, 1, b)),
            ((a, b), (1, b)),
            ((a, b), (a, 1)),
            ((a, a), (1, a)),
            ((a, b, a), (1, b, 1)),
            ((a, b, c), (a, 1, c)),
            ((1, a), (1, 1)),
        ]
    )
    if rng.random() < 0.3:
        return lines(
            f"x, y, b = keep(random({a}, {b}), random({b}, {c}), random(1, {c}))",
            f"read({unary(rng, 'x @ y + b')})",
        )
    inner = scaled(rng, "x")
    return lines(
        f"x = keep(random{first})",
        f"y = keep(random{second})",
        f"read({unary(rng, f'{inner} + y')})",
        f"read({scaled(rng, unary(rng, 'y'))})",
    )


def changes(rng: Random) -> str:
    """The same expression again with exactly one thing changed in each round."""
    a = size(rng)
    b = size(rng, [a])
    name, s = rng.choice(["exp", "tanh", "sqrt"]), scalar(rng)
    other = rng.choice([value for value in (2.0, 3.0, 4.0, 5.0) if value != s])
    shape = (a, a) if rng.random() < 0.5 else (a, b)
    start = f"x = keep(random{shape})\nread({name}(x * {s}))"
    variants = [
        f"read({name}(x * {other}))",
        f"y = random{shape}\nread({name}(y * {s}))",
        f'h = cast(x, "f16")\nread({name}(h * {s}))',
        f"read({name}(x + {s}))",
        f"y = keep(random({b}, {b}))\nread({name}(y * {other}))",
        f"y = keep(random({b}, {a}))\nread({name}(y * {s}))",
        f"y = keep(random(1, {a}))\nread({name}(y * {s}))",
        f"y = keep(random({a}, {b}, 2))\nread({name}(y * {s}))",
        f"t = keep(x * {other})\nread({name}(t))",
        f"read(abs({name}(x * {s})))",
    ]
    return lines(start, *rng.sample(variants, rng.randint(2, 4)))


def capped(rng: Random) -> str:
    """Chains of several lengths, twice over, with a cap on explorations."""
    lengths = rng.sample([1, 2, 3, 4, 5], rng.randint(2, 4))
    again = lengths.copy()
    rng.shuffle(again)
    cap = rng.randint(2, len(lengths) + 1)
    op = rng.choice([f"y + {scalar(rng)}", f"y * {scalar(rng)}", "tanh(y)", "exp(y)"])
    return lines(
        f"config(max_explorations={cap})",
        f"x = keep(random({size(rng)}))",
        f"for n in {lengths + again}:",
        "    y = x",
        "    for k in range(n):",
        f"        y = {op}",
        "    read(y)",
    )


def guarded(rng: Random) -> str:
    """Few bindings: an op that is refused has already widened the shape of the kernel."""
    a = size(rng)
    b = size(rng, [a])
    one, two = rng.choice([((a, 1), (a, b)), ((1, a), (b, a)), ((1, 1), (a, b)), ((a, 1), (a, a))])
    return lines(
        "config(max_bindings=3)",
        f"x, y = keep(random{one}, random{two})",
        f"a = {chain(rng, 'x', rng.randint(1, 3))}",
        f"read({unary(rng, 'a + y') if rng.random() < 0.5 else 'a + y'})",
    )


def streams(rng: Random) -> str:
    """The same expression on two streams of one device."""
    a = size(rng)
    b = size(rng, [a])
    inner, outer = rng.choice([("* 2.0", "exp"), ("+ 0.5", "tanh"), ("* 3.0", "sqrt")])
    second = rng.choice([(a, a), (b, b), (a, b)])
    rows = [f"x = keep(random({a}, {a}))", f"read({outer}(x {inner}))"]
    if rng.random() < 0.5:
        rows.append(f"read(abs({outer}(x {inner})))")
    rows += ["with stream(1):", f"    y = keep(random{second})", f"    read({outer}(y {inner}))"]
    if rng.random() < 0.5:
        rows.append(f"    read({outer}(y {inner.split()[0]} 7.0))")
    return lines(*rows)
