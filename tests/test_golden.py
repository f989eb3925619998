"""Golden traces: a program on top, below it what burn logs for it, small enough to read in review.

`make golden` writes the files anew; the diff is what to look at. Requests that only make inputs
(``Init``, ``Random``) are left out.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby

import pytest

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.lab import Lab
from fusionlab.views.burn_log import burn_log

PROGRAMS = (
    "mul_add_exp",
    "five_chains",
    "unfusable_head",
    "hole",
    "linear_relu",
    "layer_norm",
    "masked_softmax",
    "on_operations",
    "exploration_cap",
    "many_blocks",
    "drop_op",
    "two_streams",
)
INPUTS = {"Init::InitOperationIr", "Float::Random"}


@cache
def run_of(name: str) -> Run:
    text = (files("fusionlab.content") / "programs" / f"{name}.lab").read_text("utf-8")
    return Lab().run_text(text, name, execute=False)


def requests(run: Run) -> Iterator[tuple[f.Event, list[str]]]:
    """Every request with the log lines that it caused."""
    lines: dict[int, list[str]] = {}
    root = 0
    said = {}
    for line in burn_log(run.events):
        said.setdefault(line.step, []).append(line.text)
    for event in run.events:
        root = event.step if event.parent is None else root
        lines.setdefault(root, []).extend(said.get(event.step, []))
    for step, texts in lines.items():
        yield run.events[step], texts


def trace(run: Run) -> str:
    """The program, then every request with its lines; equal neighbours are counted."""
    told = [f"    {line}".rstrip() for line in run.program.source_lines]
    for event, texts in requests(run):
        if texts and not _makes_an_input(event.fact):
            lines = [row.rstrip() for text in texts for row in text.splitlines()]
            told += ["", f"--- line {run.line(event.step)}: {_name(event.fact)}", *_counted(lines)]
    return "\n".join(told) + "\n"


def _counted(lines: list[str]) -> Iterator[str]:
    for line, group in groupby(lines):
        times = len(list(group))
        yield line if times == 1 else f"{line} (×{times})"


def _makes_an_input(fact: f.Fact) -> bool:
    return isinstance(fact, f.OpQueued) and fact.operation.kind in INPUTS


def _name(fact: f.Fact) -> str:
    if isinstance(fact, f.OpQueued):
        ids = " ".join(f"t{tensor.id}" for tensor in fact.operation.nodes)
        return f"{fact.operation.kind} {ids}"
    return "drain" if isinstance(fact, f.SyncRequested) else type(fact).__name__


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_trace_of_a_program(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"traces/{name}.log", trace(run_of(name)))


# --- the page that FusionLab teaches --------------------------------------------------------------

SEARCH = """\
[explorer] explore (lazy): 1 deferred of 1 queued
[stream] op 0 NumericFloat::Mul → new block (total: 1)
[explorer] explore (lazy): 1 deferred of 2 queued
[stream] op 1 NumericFloat::MulScalar → new block (total: 2)
[explorer] explore (lazy): 1 deferred of 3 queued
[stream] op 2 NumericFloat::Add → accepted in 1/1 block(s)
[explorer] explore (lazy): 1 deferred of 4 queued
[stream] op 3 Float::Exp → accepted in 1/1 block(s)
[explorer] explore (sync): 0 deferred of 4 queued
selected single strategy
[plan] exploration completed: sync, 4/4 ops optimized
"""
TABLE = """\
fusion trace (4 ops, 1 block)
idx  block                                     op                       inputs                        outputs
0    ▸ fused ElementWise (score=630, 4 ops)    NumericFloat::Mul        t1:f32[64,64], t2:f32[64,64]  t4:f32[64,64]
1                                              NumericFloat::MulScalar  t3:f32[64,64]                 t5:f32[64,64]
2                                              NumericFloat::Add        t4:f32[64,64], t5:f32[64,64]  t6:f32[64,64]
3                                              Float::Exp               t6:f32[64,64]                 t7:f32[64,64]
"""  # noqa: E501 -- the page's own width
LAST_TABLE = """\
0    ▸ fused ElementWise (score=630, 4 ops)    NumericFloat::Mul        t36:f32[64,32], t37:f32[64,32]  t39:f32[64,32]
"""  # noqa: E501
HIT = "[plan] cache hit: execute plan #2 (sync, segment has 4 ops)"
FIVE_CHAINS = (
    "[stream] op 0 NumericFloat::MulScalar → new block (total: 1)",
    "[stream] op 8 NumericFloat::MulScalar → new block (total: 2)",
    "[stream] op 32 NumericFloat::MulScalar → new block (total: 5)",
    "[stream] op 39 NumericFloat::Abs → accepted in 1/5 block(s)",
    "[explorer] explore (sync): 0 deferred of 40 queued",
    "selected single strategy",
    "[plan] exploration completed: sync, 40/40 ops optimized",
    "fusion trace (40 ops, 1 block)",
    (
        "0    ▸ fused ElementWise (score=7390, 40 ops)    NumericFloat::MulScalar  "
        "t1:f32[256,256]   t24:f32[256,256]"
    ),
)


def rounds() -> list[str]:
    """What the expression logs in each of the six rounds, input tensors and rulers left out."""
    told = [""]
    for event, lines in requests(run_of("mul_add_exp")):
        if not _makes_an_input(event.fact):
            rows = [row.rstrip() for text in lines for row in text.splitlines()]
            told[-1] += "".join(f"{row}\n" for row in rows if not row.startswith(("═", "---")))
        if isinstance(event.fact, f.TensorRead):
            told.append("")
    return told[:-1]


def test_the_page_first_round_searches_and_scores_630() -> None:
    assert rounds()[0] == SEARCH + TABLE


@pytest.mark.parametrize("number", [1, 2, 3, 4], ids=["again", "and again", "scalar", "32x32"])
def test_the_page_the_next_four_rounds_hit_plan_2(number: int) -> None:
    first, *rest = rounds()[number].splitlines()
    assert first == HIT
    assert not any(line.startswith("[") for line in rest)
    assert rest[0] == "fusion trace (4 ops, 1 block)"


def test_the_page_64x32_is_searched_again_and_found_equal() -> None:
    last = rounds()[5]
    assert last.startswith(SEARCH)
    assert LAST_TABLE in last


def test_the_page_64x32_misses_with_its_inputs_too() -> None:
    run = run_of("mul_add_exp")
    stored = [fact for fact in (e.fact for e in run.events) if isinstance(fact, f.PlanStored)]
    firsts = [plan.operations[0].kind for plan in stored]
    assert firsts == [
        "Init::InitOperationIr",
        "Float::Random",
        "NumericFloat::Mul",
        "Float::Random",
        "NumericFloat::Mul",
    ]


def test_the_page_five_chains_leave_in_one_kernel() -> None:
    lines = [
        row for line in burn_log(run_of("five_chains").events) for row in line.text.splitlines()
    ]
    for expected in FIVE_CHAINS:
        assert expected in lines, f"not behind the lines before it: {expected}"
        lines = lines[lines.index(expected) + 1 :]
