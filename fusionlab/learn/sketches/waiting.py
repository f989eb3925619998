"""Families about waiting: what ends a wait, and when a stored plan may run."""

from __future__ import annotations

from random import Random

from fusionlab.learn.sketches.pieces import chain, lines, scaled, size, unary


def _input(rng: Random, name: str = "x") -> str:
    a = size(rng)
    return f"{name} = keep(random({a}, {rng.choice([a, size(rng, [a])])}))"


def closers(rng: Random) -> str:
    """A chain with ops and requests in it that end the wait."""
    rows = [_input(rng)]
    value, names = "x", iter("abcdefgh")
    for _ in range(rng.randint(2, 4)):
        name = next(names)
        rows.append(f"{name} = {chain(rng, value, rng.randint(1, 3))}")
        value = name
        kind = rng.random()
        if kind < 0.45:
            name = next(names)
            rows.append(f"{name} = opaque({value})")
            value = name
        elif kind < 0.6:
            rows.append("sync()")
    rows.append(f"read({unary(rng, value)})")
    return lines(*rows)


def prefixes(rng: Random) -> str:
    """Chains that are the beginning of one another, read one after the other."""
    full = ["x"]
    for _ in range(rng.randint(2, 3)):
        value = full[-1]
        full.append(unary(rng, value) if rng.random() < 0.6 else scaled(rng, value))
    chains = full[1:]
    reads = [rng.choice(chains) for _ in range(rng.randint(3, 4))]
    if rng.random() < 0.6:
        reads[0] = chains[-1]
    if rng.random() < 0.4:
        reads.append(unary(rng, chains[-1]))
    return lines(_input(rng), *(f"read({value})" for value in reads))


def triggered(rng: Random) -> str:
    """The same chain found on several occasions: before an op, at a drain, on its own."""
    value = chain(rng, "x", rng.randint(1, 2))
    rows = [_input(rng)]
    occasions = [
        f"read(opaque({value}))",
        f"read({value})",
        f"read(opaque(sum({value}, dim=1)))",
        f"a = opaque({value})\nread({unary(rng, 'a')})",
        f"keep({value})\nsync()",
    ]
    rows += rng.sample(occasions, rng.randint(2, 3))
    rows += rng.sample(occasions[:2], rng.randint(1, 2))
    return lines(*rows)
