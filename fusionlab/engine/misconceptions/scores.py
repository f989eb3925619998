"""Misconceptions about what a fuser promises: its score, and whether it is ready.

The five fusers stay as they are; a wrapper changes what they say about themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import (
    FuserAnswer,
    FuserProperties,
    FuserStatus,
    OperationFuser,
    ScoreTerms,
)
from fusionlab.fusers.elementwise import ElementWiseFuser
from fusionlab.fusers.matmul import MATMUL, MatmulFuser
from fusionlab.fusers.nhwc_relayout import NHWCRelayoutFuser
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import FusedOperation

FuserSet = Callable[[int, frozenset[str]], tuple[OperationFuser, ...]]
Rule = Callable[[ScoreTerms], int]


class Wrapped:
    """A fuser that does everything as the one inside; subclasses change a promise."""

    __slots__ = ("inner", "name")

    def __init__(self, inner: OperationFuser) -> None:
        """Take over the fuser and its name."""
        self.inner = inner
        self.name = inner.name

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op."""
        return self.inner.fuse(op)

    @property
    def status(self) -> FuserStatus:
        """As inside."""
        return self.inner.status

    @property
    def is_open(self) -> bool:
        """As inside."""
        return self.inner.is_open

    @property
    def is_ready(self) -> bool:
        """As inside."""
        return self.inner.is_ready

    def properties(self) -> FuserProperties:
        """As inside."""
        return self.inner.properties()

    def __len__(self) -> int:
        """As inside."""
        return len(self.inner)

    def finish(self, operations: tuple[OperationIr, ...]) -> FusedOperation:
        """As inside."""
        return self.inner.finish(operations)

    def reset(self) -> None:
        """Start over."""
        self.inner.reset()

    def clone(self) -> Self:
        """A copy of the same kind."""
        new = object.__new__(type(self))
        new.inner, new.name = self.inner.clone(), self.name
        return new


def wrapped(wrapper: Callable[[OperationFuser], OperationFuser]) -> FuserSet:
    """Burn's fusers, each inside ``wrapper``."""

    def make(max_bindings: int, disabled: frozenset[str]) -> tuple[OperationFuser, ...]:
        return tuple(wrapper(fuser) for fuser in new_fusers(max_bindings, disabled))

    return make


class ClosedMeansFailed(Wrapped):
    """A fuser whose own trace is closed is not ready, whatever it holds."""

    __slots__ = ()

    @property
    def is_ready(self) -> bool:
        """Ready inside, and the trace behind the promise still takes ops."""
        inner = self.inner
        if isinstance(inner, ElementWiseFuser | MatmulFuser | NHWCRelayoutFuser):
            return inner.is_ready and not inner.trace.closed
        return inner.is_ready

    def properties(self) -> FuserProperties:
        """The score stays, the promise goes."""
        return replace(self.inner.properties(), ready=self.is_ready)


class ReadsCountedOncePerTensor(Wrapped):
    """An op that reads a tensor twice counts one read."""

    __slots__ = ("repeats",)

    def __init__(self, inner: OperationFuser) -> None:
        """Nothing read yet."""
        super().__init__(inner)
        self.repeats: dict[int, int] = {}
        """For each part of the kernel the reads that are not counted."""

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op and note what it reads twice. The product itself never counts."""
        answer = self.inner.fuse(op)
        repeated = len(op.inputs) - len({tensor.id for tensor in op.inputs})
        if answer.refusal is None and repeated and op.spec is not MATMUL:
            part = len(self.inner.properties().terms) - 1
            self.repeats[part] = self.repeats.get(part, 0) + repeated
        return answer

    def properties(self) -> FuserProperties:
        """Ready as inside, with fewer reads to save."""
        state = self.inner.properties()
        terms = tuple(
            replace(term, reads=term.reads - self.repeats.get(part, 0))
            for part, term in enumerate(state.terms)
        )
        return FuserProperties(state.ready, sum(map(evaluate, terms)), terms)

    def reset(self) -> None:
        """Start over."""
        super().reset()
        self.repeats = {}

    def clone(self) -> Self:
        """A copy with its own notes."""
        new = super().clone()
        new.repeats = self.repeats.copy()
        return new


def counted_by(rule: Rule) -> FuserSet:
    """Burn's fusers, each part of a kernel scored by another rule."""

    class Recounted(Wrapped):
        __slots__ = ()

        def properties(self) -> FuserProperties:
            state = self.inner.properties()
            return replace(state, score=sum(map(rule, state.terms)))

    return wrapped(Recounted)


def launches_forgotten(terms: ScoreTerms) -> int:
    """No points for launches."""
    return evaluate(replace(terms, ops=min(terms.ops, 1)))


def launches_not_minus_one(terms: ScoreTerms) -> int:
    """As many launches saved as there are ops."""
    return evaluate(replace(terms, ops=terms.ops + 1))


def writes_not_counted(terms: ScoreTerms) -> int:
    """Points for saved reads only."""
    return evaluate(replace(terms, writes=0, fused_writes=0))


def views_are_free(terms: ScoreTerms) -> int:
    """No points lost for views."""
    return evaluate(replace(terms, views=0))


def score_is_op_count(terms: ScoreTerms) -> int:
    """One point an op, whatever it saves (and the bonus of a relayout)."""
    return terms.ops + terms.bonus
