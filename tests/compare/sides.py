"""Runs for these tests: real programs in a fresh lab, decided by the real engine."""

from functools import cache

from fusionlab.config import FusionConfig
from fusionlab.events.run import Run
from fusionlab.lab import Lab
from fusionlab.program import Program, Register, parse_program
from fusionlab.program.change import Change, apply

SIX_ROUNDS = """\
w = keep(tensor([0.0]))
for size, s in [((64, 64), 2.0), ((64, 64), 3.0), ((64, 64), 2.0)]:
    a, b, c = random(*size), random(*size), random(*size)
    out = exp(a * b + c * s)
    read(out)
"""


@cache
def decided(text: str, config: FusionConfig | None = None) -> Run:
    """The run of a program; values are not computed."""
    return Lab(config).run(parse_program(text, "a.lab"), execute=False)


def what_if(text: str, change: Change) -> tuple[Run, Run]:
    """The run as it is, and the run with one thing changed."""
    program = parse_program(text, "a.lab")
    changed = apply(program, change)
    return Lab().run(program, execute=False), Lab().run(changed, execute=False)


def nth(text: str, kind: str, index: int) -> int:
    """The instruction of a kind; negative numbers count from the end."""
    return places(parse_program(text), kind)[index]


def places(program: Program, kind: str) -> list[int]:
    """All instructions of a kind."""
    return [
        n
        for n, instruction in enumerate(program.instructions)
        if isinstance(instruction, Register) and instruction.spec.name == kind
    ]
