"""Families about the search: blocks that grow, meet, fill up, and compete."""

from __future__ import annotations

from random import Random

from fusionlab.learn.sketches.pieces import chain, lines, names, scalar, size, step, unary


def _shapes(rng: Random, count: int, *, alike: float) -> list[tuple[int, ...]]:
    a = size(rng)
    b = size(rng, [a])
    shapes: list[tuple[int, ...]] = [(a, b) if rng.random() < 0.5 else (a, a)]
    while len(shapes) < count:
        shapes.append(shapes[0] if rng.random() < alike else (size(rng), size(rng)))
    return shapes


def _made(inputs: list[str], shapes: list[tuple[int, ...]]) -> str:
    values = ", ".join(f"random{shape}" for shape in shapes)
    return f"{', '.join(inputs)} = keep({values})"


def chains(rng: Random) -> str:
    """Two or three chains that grow in turn, and perhaps meet, with a stranger in between."""
    count = rng.choice([2, 2, 3])
    inputs = names(count)
    shapes = _shapes(rng, count, alike=0.75)
    rows, ends, fresh = [_made(inputs, shapes)], list(inputs), iter("abcdefghmnpq")
    for _ in range(rng.randint(count, count + 3)):
        index = rng.randrange(count)
        name = next(fresh)
        rows.append(f"{name} = {step(rng, ends[index])}")
        ends[index] = name
    if rng.random() < 0.35:
        rows.insert(rng.randint(2, len(rows)), f"k = keep(sum({rng.choice(inputs)}, dim=1))")
    live = [end for end, source in zip(ends, inputs, strict=True) if end != source]
    if len(live) > 1 and shapes[0] == shapes[1] and rng.random() < 0.6:
        one, two = rng.sample(live[:2], 2)
        rows.append(f"{(name := next(fresh))} = {one} {rng.choice('+*-')} {two}")
        live = [value for value in live if value not in {one, two}] + [name]
    rows += [f"keep({', '.join(live)})", "sync()"]
    return lines(*rows)


def crowded(rng: Random) -> str:
    """More chains than the set of blocks holds."""
    limit = rng.choice([2, 2, 3])
    count = limit + rng.randint(0, 1)
    inputs = names(count)
    shapes = _shapes(rng, count, alike=rng.choice([0.0, 0.6, 1.0]))
    ops = rng.sample(["exp", "tanh", "sqrt", "cos", "abs"], 2)
    rows = [f"config(max_blocks={limit})", _made(inputs, shapes)]
    results = names(count, "a")
    for result, value in zip(results, inputs, strict=True):
        rows.append(f"{result} = {rng.choice(ops)}({value} * {scalar(rng)})")
    rows += [f"keep({', '.join(results)})", "sync()"]
    return lines(*rows)


def heads(rng: Random) -> str:
    """A view of a computed value in the middle of a block, beside another block."""
    a = size(rng)
    shape, other = (a, a), (size(rng), size(rng))
    tail = chain(rng, "v", rng.randint(1, 3))
    rows = [
        f"x, y = keep(random{shape}, random{other})",
        f"q = {unary(rng, 'y')}",
        f"a = {step(rng, 'x')}",
        "v = swap_dims(a, 0, 1)",
        f"b = keep({tail})",
    ]
    rows.append(f"keep({unary(rng, 'q')})" if rng.random() < 0.7 else "keep(q)")
    if rng.random() < 0.2:
        rows.pop(1)
        rows[-1] = f"keep({unary(rng, 'y')})"
    return lines(*rows, "sync()")


def block(rng: Random) -> str:
    """One block to count by hand: kept values, drops, values read twice, views."""
    a, b = size(rng), size(rng)
    rows = [f"x, y = keep(random({a}, {b}), random({a}, {b}))"]
    first = rng.choice(["x * x", f"x * {scalar(rng)}", "x + y", "x * y", f"x + {scalar(rng)}"])
    rows.append(f"a = {first}")
    kind = rng.random()
    if kind < 0.2:
        rows[0] = f"x = keep(random({a}, {a}))"
        rows[1] = f"a = x * {scalar(rng)}"
        rows += ["v = swap_dims(x, 0, 1)", f"read({unary(rng, 'a + v')})"]
        return lines(*rows)
    rows.append(f"b = {rng.choice([step(rng, 'a'), 'a * a', 'a + x', 'a * x'])}")
    if kind < 0.4:
        rows.append("keep(a)")
    elif kind < 0.6:
        rows.append("drop(a)")
    rows.append(f"c = {rng.choice([step(rng, 'b'), 'b * b', 'b + x', unary(rng, 'b')])}")
    if rng.random() < 0.3:
        rows.append("keep(b)")
    rows.append(f"read({rng.choice(['c', unary(rng, 'c'), 'c + x', 'c * c'])})")
    if "y" not in "".join(rows[1:]):
        rows[0] = f"x = keep(random({a}, {b}))"
    return lines(*rows)


def contest(rng: Random) -> str:
    """Ops for which several fusers are ready."""
    a, b, c = size(rng), size(rng), size(rng)
    reduce = rng.choice(["sum", "max", "mean", "min"])
    dim = rng.choice([1, 1, 1, 0])
    before, after = chain(rng, "x", rng.randint(1, 3)), chain(rng, "s", rng.randint(0, 3))
    made = f"x = keep(random({a}, {b}))"
    product = rng.choice(["x @ w + b", "relu(x @ w + b)", "exp(x @ w) * 2.0", "tanh(x @ w)"])
    kinds = [
        [made, f"s = {reduce}({before}, dim={dim})", f"read({after})"],
        [made, f"s = {reduce}({before}, dim={dim})", f"read({after})"],
        [made, f"read({reduce}({before}, dim=1))"],
        [made, f"read(opaque({before}))"],
        [made, f"read(abs(opaque({before})))"],
        [
            made,
            f"m = {rng.choice(['max', 'mean'])}(x, dim=1)",
            f"e = {unary(rng, 'x - m', rng.randint(1, 2))}",
            f"read(e / sum(e, dim=1){rng.choice(['', ' * 2.0'])})",
        ],
        [
            f"x, w, b = keep(random({a}, {b}), random({b}, {c}), random(1, {c}))"
            if "+ b" in product
            else f"x, w = keep(random({a}, {b}), random({b}, {c}))",
            f"read({product})",
        ],
        [f"x = random(1, {size(rng)}, 8, 8)", f"read(max_pool2d({unary(rng, 'x')}, 2))"],
        [made, f"read({rng.choice(['x + 1.0', 'x * x', 'exp(x)', 'x * 3.0'])})"],
        [
            made,
            f"h = {before}",
            "d = h - mean(h, dim=1)",
            f"read({unary(rng, 'd')})",
        ],
    ]
    return lines(*rng.choice(kinds))
