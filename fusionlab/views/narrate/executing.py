"""Captions of station 10: a strategy runs, kernels are launched, buffers come and go."""

from __future__ import annotations

from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.views import words
from fusionlab.views.kernels import kept_inside
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, Said, line

ExecutionFact = (
    f.ExecutionStarted
    | f.KernelBuilt
    | f.KernelLaunched
    | f.OpExecuted
    | f.HandleFreed
    | f.QueueDrained
    | f.RunFailed
)


def executed(moment: Moment, fact: ExecutionFact) -> Said:
    """What ran."""
    match fact:
        case f.ExecutionStarted():
            return _started(fact)
        case f.KernelBuilt(cached=cached):
            variant = "cached" if cached else "what"
            return Said(
                "built", line(f"fact.KernelBuilt.{variant}"), (line("fact.KernelBuilt.why"),)
            )
        case f.KernelLaunched():
            return Said("launched", launch_line(fact), tuple(_kept(moment, fact)))
        case f.OpExecuted(kind=kind):
            return Said("ran", line("fact.OpExecuted.what", op=words.short(kind)))
        case f.HandleFreed(tensor=tensor):
            return Said("freed", line("fact.HandleFreed.what", tensor=words.name(tensor)))
        case f.QueueDrained(executed=count, left=left):
            return _drained(moment, count, left)
        case f.RunFailed(code=code, params=params):
            # Faults of our own have no sentence each: they are for a report, not for a learner.
            unnamed = line("error.unnamed", code=code)
            reason = Line(f"error.{code}", dict(params), otherwise=unnamed)
            return Said("failed", line("fact.RunFailed.what", reason=reason))
        case _:
            assert_never(fact)


def _started(fact: f.ExecutionStarted) -> Said:
    ops = sum(len(block.operations) for block in fact.blocks)
    if fact.plan is None:
        what = line("fact.ExecutionStarted.unplanned", ops=ops)
    else:
        variant = "fallback" if fact.fallback else "what"
        what = line(
            f"fact.ExecutionStarted.{variant}", plan=fact.plan, ops=ops, units=len(fact.blocks)
        )
    return Said("starts", what)


def launch_line(fact: f.KernelLaunched) -> Line:
    """One launch in words."""
    values = {"ops": len(fact.kinds), "reads": len(fact.reads), "writes": len(fact.writes)}
    if fact.fuser is None:
        return line("fact.KernelLaunched.alone", op=words.short(fact.kinds[0]), **values)
    return line("fact.KernelLaunched.what", fuser=fact.fuser, **values)


def _kept(moment: Moment, fact: f.KernelLaunched) -> list[Line]:
    said = []
    execution = moment.after.execution
    inside = kept_inside(execution, fact) if execution else []
    if inside:
        said.append(line("fact.KernelLaunched.inside", tensors=inside, n=len(inside)))
    for source, result in fact.reused[:1]:
        said.append(
            line("fact.KernelLaunched.reused", input=words.name(source), output=words.name(result))
        )
    return said


def _drained(moment: Moment, count: int, left: int) -> Said:
    """The end of an execution is where its sum is told."""
    execution = moment.after.execution
    launches = execution.launches if execution else ()
    rest = (line("fact.QueueDrained.left", left=left),) if left else ()
    if len(launches) == 1:
        kept = _kept(moment, launches[0])
        return Said("execute", launch_line(launches[0]), (*kept, *rest)[:2])
    if launches:
        what = line("fact.QueueDrained.what", ops=count, launches=len(launches))
        fused = [launch.fuser for launch in launches if launch.fuser is not None]
        why = line("fact.QueueDrained.fused", fused=len(fused), alone=len(launches) - len(fused))
        return Said("execute", what, (why, *rest))
    units = len(execution.blocks) if execution else 0
    return Said("execute", line("fact.QueueDrained.none", ops=count, units=units), rest)
