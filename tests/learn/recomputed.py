"""Answers once more, by another way: the program as recorded requests, the decisions as JSON.

Nothing here looks at a run, at facts or at states: the text is compiled to the event form, decided
by the conformance runner, and the answers are read off log lines, strategies and queue lengths.
"""

import re
from collections.abc import Callable
from typing import Any

from fusionlab.conformance import run_program
from fusionlab.engine.misconceptions import MISCONCEPTIONS
from fusionlab.program import compile_program, parse_program

Json = Any


class Decided:
    """A program in the event form with what was decided about it."""

    def __init__(self, text: str, misconception: str | None = None) -> None:
        self.program = compile_program(parse_program(text, "item"))
        engine = MISCONCEPTIONS[misconception] if misconception else None
        if engine is None:
            self.result = run_program(self.program)
        else:
            config = {**(self.program.get("config") or {}), **(engine.settings or {})}
            self.result = run_program({**self.program, "config": config}, engine.parts())
        self.requests: list[Json] = self.program["events"]
        self.events: list[Json] = self.result["events"]

    def stream(self, step: int) -> int:
        return self.requests[step].get("stream", 0)

    def drains(self) -> list[int]:
        return [step for step, request in enumerate(self.requests) if request["kind"] == "sync"]

    def lines(self, step: int) -> list[str]:
        log = self.events[step]["log"]
        return [line for line in log if not line.startswith(("══", "[fuser]"))]

    def ops(self) -> list[int]:
        """Return the steps that queue an op."""
        return [step for step, request in enumerate(self.requests) if request["kind"] != "sync"]

    def waiting(self, until: int) -> list[int]:
        """Return the steps of the ops that wait on a stream when a step begins."""
        queue: list[int] = []
        for step in range(until):
            if self.stream(step) == self.stream(until):
                if self.requests[step]["kind"] != "sync":
                    queue.append(step)
                for ran in self.events[step]["executed"]:
                    del queue[: len(positions(ran["strategy"]))]
        return queue


def leaves(strategy: Json) -> list[Json]:
    if strategy["kind"] == "composed":
        return [leaf for item in strategy["items"] for leaf in leaves(item)]
    return [strategy]


def positions(strategy: Json) -> list[int]:
    return [position for leaf in leaves(strategy) for position in leaf["ordering"]]


def unit(leaf: Json) -> str:
    if leaf["kind"] == "optimization":
        return f"{leaf['fuser']}({leaf['score']}){leaf['ordering']}"
    return f"un-fused{leaf['ordering']}"


def units(strategy: Json) -> list[str]:
    return [unit(leaf) for leaf in leaves(strategy)]


def short(op: str) -> str:
    return op.rpartition("::")[2].removesuffix("OperationIr") or op


# --- one reader a kind -----------------------------------------------------------------


def cache_hit(decided: Decided, read: int) -> str:
    step = decided.drains()[read]
    hit = re.search(r"cache hit: execute plan #(\d+)", "\n".join(decided.lines(step)))
    if hit:
        return f"hit #{hit[1]}"
    ran = decided.events[step]["executed"]
    if not ran:
        return "waits" if decided.events[step]["queued"] else "nothing runs"
    plan = ran[0]["plan"]
    return "unfused, no plan" if plan is None else f"explore → #{plan}"


def hit_pattern(decided: Decided) -> str:
    letter = {"hit": "H", "exp": "E", "unf": "U", "wai": "Q", "not": "-"}
    reads = range(len(decided.drains()))
    return " ".join(letter[cache_hit(decided, read)[:3]] for read in reads)


def why_miss(decided: Decided, read: int, other: int) -> str:
    there = renamed(decided, decided.waiting(decided.drains()[other]))
    here = renamed(decided, decided.waiting(decided.drains()[read]))
    for number, (one, two) in enumerate(zip(there, here, strict=False)):
        if one != two:
            return f"op {number}: {first_field(one, two)}"
    return "length" if len(there) != len(here) else "nothing"


def renamed(decided: Decided, steps: list[int]) -> list[Json]:
    """Number tensors, sizes and scalars by first appearance over these ops."""
    tensors: dict[int, int] = {}
    sizes = {1: 0}
    made = []
    scalars = 0
    for step in steps:
        request = decided.requests[step]
        op = {"op": request["op"], "inputs": [], "outputs": []}
        for side in ("inputs", "outputs"):
            for tensor in request[side]:
                number = tensors.setdefault(tensor["id"], len(tensors))
                shape = [sizes.setdefault(size, len(sizes)) for size in tensor["shape"]]
                op[side].append({**tensor, "id": number, "shape": shape})
        args = dict(request.get("args") or {})
        if "rhs" in args:
            args["rhs"], scalars = f"#{scalars}", scalars + 1
        made.append(op | {"args": args})
    return made


def first_field(one: Json, two: Json) -> str:
    if one["op"] != two["op"]:
        return "kind"
    for side in ("inputs", "outputs"):
        for index, (left, right) in enumerate(zip(one[side], two[side], strict=True)):
            for field in ("id", "shape", "status", "dtype"):
                if left[field] != right[field]:
                    return f"{side}[{index}].{field}"
    differing = [name for name in one["args"] if one["args"][name] != two["args"].get(name)]
    return f"args.{differing[0]}"


def relative_form(decided: Decided, op: int) -> str:
    named = decided.result["relative"][op]
    tensors = [*named["inputs"], *named.get("outputs", [])]
    return " ".join("[" + ",".join(map(str, tensor["shape"])) + "]" for tensor in tensors)


def relative_op(decided: Decided, op: int) -> str:
    named = decided.result["relative"][op]

    def tensor(one: Json) -> str:
        last = "!" if one["status"] == "ReadWrite" else ""
        return f"{last}t{one['id']}[{','.join(map(str, one['shape']))}]"

    inputs = [tensor(one) for one in named["inputs"]]
    rhs = (named.get("args") or {}).get("rhs")
    if isinstance(rhs, dict):
        ((kind, value),) = rhs.items()
        inputs.append(f"#{value}" if kind == "UInt" else f"{value}")
    outputs = ", ".join(tensor(one) for one in named["outputs"])
    return f"{short(named['op'])}({', '.join(inputs)} → {outputs})"


def when_runs(decided: Decided, op: int) -> int:
    at = decided.ops()[op]
    for step in range(at, len(decided.requests)):
        if decided.stream(step) != decided.stream(at):
            continue
        waiting = decided.waiting(step) + ([step] if step in decided.ops() else [])
        ran = sum(len(positions(e["strategy"])) for e in decided.events[step]["executed"])
        if at in waiting[:ran]:
            return step
    return -1


def queue_length(decided: Decided, step: int) -> int:
    return decided.events[step]["queued"]


def action_now(decided: Decided, step: int) -> list[str]:
    """The log tells of searches and hits; waiting is what it does not tell."""
    actions, asked_again = [], True
    for line in decided.events[step]["log"]:
        hit = re.search(r"cache hit: execute plan #(\d+)", line)
        if hit or line.startswith("[explorer] explore"):
            actions.append(f"Execute #{hit[1]}" if hit else "Explore")
            asked_again = False
        elif line.startswith("══"):
            asked_again = True
    is_op = decided.requests[step]["kind"] != "sync"
    waits = decided.events[step]["queued"] and asked_again
    return [*actions, "Defer"] if waits and is_op else actions


_STREAM = re.compile(r"\[stream\] (?:op \d+ \S+ → )?(new|accepted|stopped)(.*)")


def placement(decided: Decided, step: int) -> str:
    for line in decided.lines(step):
        match = _STREAM.fullmatch(line)
        if match:
            return match[1] + match[2]
    return "no line"


def blocks_now(decided: Decided, step: int) -> int:
    total = 0
    for earlier in range(step + 1):
        if decided.stream(earlier) != decided.stream(step):
            continue
        for line in decided.events[earlier]["log"]:
            if line.startswith("══"):
                total = 0
            found = re.search(r"\(total: (\d+)\)|accepted in \d+/(\d+)", line)
            if found:
                total = int(found[1] or found[2])
    return total


def partition(decided: Decided, plan: int) -> list[str]:
    return units(decided.result["plans"][plan]["strategy"])


def winning_fuser(decided: Decided, plan: int) -> str:
    leaf = leaves(decided.result["plans"][plan]["strategy"])[0]
    return f"{leaf['fuser']} {leaf['score']}" if "fuser" in leaf else "none: un-fused"


def winning_score(decided: Decided, plan: int) -> int:
    return leaves(decided.result["plans"][plan]["strategy"])[0].get("score", 0)


def execution_order(decided: Decided, plan: int) -> list[int]:
    return decided.result["plans"][plan]["ordering"]


def triggers(decided: Decided, plan: int) -> list[str]:
    told = []
    for trigger in decided.result["plans"][plan]["triggers"]:
        if isinstance(trigger, dict):
            following = ", ".join(short(op["op"]) for op in trigger["OnOperations"])
            told.append(f"OnOperations[{following}]")
        else:
            told.append(trigger)
    return told


def launches(decided: Decided, step: int) -> int:
    waiting = decided.waiting(step) + ([step] if step in decided.ops() else [])
    count = 0
    for ran in decided.events[step]["executed"]:
        for leaf in leaves(ran["strategy"]):
            names = [
                short(decided.requests[waiting[p]].get("op", "Drop")) for p in leaf["ordering"]
            ]
            if leaf["kind"] == "optimization":
                count += 2 if leaf["fuser"] == "NHWCRelayout" else 1
            else:
                count += sum(n not in {"Init", "Drop", "SwapDims", "Reshape"} for n in names)
        del waiting[: len(positions(ran["strategy"]))]
    return count


def explorations(decided: Decided) -> int:
    told = [line for event in decided.events for line in event["log"]]
    return sum(line.startswith("[plan] exploration completed") for line in told)


def guard(decided: Decided, step: int) -> list[list[str]]:
    return [units(ran["strategy"]) for ran in decided.events[step]["executed"]]


def log_lines(decided: Decided, step: int) -> list[str]:
    return decided.lines(step)


READERS: dict[str, Callable[..., Any]] = {
    reader.__name__: reader
    for reader in (
        cache_hit, hit_pattern, why_miss, relative_form, relative_op, when_runs, queue_length,
        action_now, placement, blocks_now, partition, winning_fuser, winning_score,
        execution_order, triggers, launches, explorations, guard,
    )
}  # fmt: skip
