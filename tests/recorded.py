"""A small recording made by hand: two rounds of ``exp(a * b + c * s)``, told as facts.

Round one explores, merges two blocks and stores plan #0; round two hits it with another scalar.
It says what the engine says, so that the reading side has its own examples, fact by fact.
"""

from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.fusers.base import (
    FuserAnswer,
    FuserStatus,
    Refusal,
    RefusalCode,
    ScoreTerms,
)
from fusionlab.fusers.fused import Fusion
from fusionlab.ir.operation import OperationIr, Scalar
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.plan import (
    BlockId,
    Defer,
    Execute,
    ExecutionMode,
    Explore,
    OnSync,
    Optimization,
    PlanId,
)

LAZY, SYNC = ExecutionMode.LAZY, ExecutionMode.SYNC
STATUS = {"w": TensorStatus.READ_WRITE, "o": TensorStatus.READ_ONLY, "n": TensorStatus.NOT_INIT}
ACCEPTED = FuserAnswer(None, FuserStatus.OPEN)
NOT_A_MATMUL = FuserAnswer(Refusal(RefusalCode.NOT_MATMUL), FuserStatus.CLOSED)
PROGRAM = "a, b, c = ...\nfor s in [2.0, 3.0]:\n    read(exp(a * b + c * s))\n"


def tensor(text: str, shape: tuple[int, ...] = (64, 64)) -> TensorIr:
    """``wt4`` is tensor 4 at its last use; ``o`` is still used, ``n`` is new."""
    return TensorIr(int(text[2:]), shape, STATUS[text[0]], DType.F32)


def op(name: str, tensors: str, shape: tuple[int, ...] = (64, 64), **scalars: float) -> OperationIr:
    """``op("NumericFloat::Mul", "wt1 wt2>nt4")``."""
    inputs, _, outputs = tensors.partition(">")
    args: list[tuple[str, object]] = [("dtype", DType.F32)]
    args += [(k, Scalar("UInt" if type(v) is int else "Float", v)) for k, v in scalars.items()]
    return OperationIr(
        OPSET[name],
        tuple(tensor(t, shape) for t in inputs.split()),
        tuple(tensor(t, shape) for t in outputs.split()),
        tuple(args),
    )


RELATIVE = (
    op("NumericFloat::Mul", "wt0 wt1>nt2", (1, 1)),
    op("NumericFloat::MulScalar", "wt3>nt4", (1, 1), rhs=0),
    op("NumericFloat::Add", "wt2 wt4>nt5", (1, 1)),
    op("Float::Exp", "wt5>nt6", (1, 1)),
)
STRATEGY = Optimization(Fusion("ElementWise", RELATIVE, 1), (0, 1, 2, 3), 630)
SCORES = {1: ScoreTerms(2, 1, 1, 2, 1), 2: ScoreTerms(5, 3, 3, 3, 1), 4: ScoreTerms(6, 4, 4, 3, 1)}


def global_ops(first: int, scalar: float) -> tuple[OperationIr, ...]:
    """The four ops over tensors ``first``, ``first + 1``, …: a, b, c, then the results."""
    a, b, c, d, e, f_, g = range(first, first + 7)
    return (
        op("NumericFloat::Mul", f"wt{a} wt{b}>nt{d}"),
        op("NumericFloat::MulScalar", f"wt{c}>nt{e}", rhs=scalar),
        op("NumericFloat::Add", f"wt{d} wt{e}>nt{f_}"),
        op("Float::Exp", f"wt{f_}>nt{g}"),
    )


def relativized(position: int, operations: tuple[OperationIr, ...]) -> f.OpRelativized:
    """The relative form of one of the four ops, with the numbers that it gives out."""
    new = ([(0, 0), (1, 1), (3, 2)], [(2, 3), (4, 4)], [(5, 5)], [(6, 6)])[position]
    first = operations[0].inputs[0].id
    shapes = ((64, 1),) if position == 0 else ()
    scalars = (operations[1].args[1][1].value,) if position == 1 else ()
    ids = tuple((first + offset, relative) for offset, relative in new)
    return f.OpRelativized(position, RELATIVE[position], ids, shapes, scalars, 2, renumbered=False)


def score(log: EventLog, block: int, ops: int) -> None:
    """How the fusers stand in a block of ``ops`` ops."""
    terms = SCORES[ops]
    points = {1: 0, 2: 420, 4: 630}[ops]
    log.emit(
        f.FuserScored(BlockId(block), "ElementWise", FuserStatus.OPEN, True, points, ops, (terms,))
    )
    log.emit(f.FuserScored(BlockId(block), "Matmul", FuserStatus.CLOSED, False, 0, 1, ()))


def answer(log: EventLog, block: int, position: int) -> None:
    """ElementWise takes the op, Matmul does not."""
    for fuser, said in (("ElementWise", ACCEPTED), ("Matmul", NOT_A_MATMUL)):
        log.emit(f.FuserAnswered(BlockId(block), fuser, position, "NumericFloat", said))


def first_round(log: EventLog) -> None:
    """Everything is new: search, merge, store."""
    operations = global_ops(1, 2.0)
    log.emit(f.StreamCreated())
    for position, operation in enumerate(operations):
        with log.span(f.OpQueued(position, operation, position + 1)):
            log.emit(relativized(position, operations))
            if position == 0:
                log.emit(f.CandidatesFound(()))
            log.emit(f.ActionChosen(Explore(), LAZY))
            with log.span(f.ExplorationStarted(LAZY, 1, position + 1)):
                place(log, position, operation.kind)
    with log.span(f.SyncRequested(4)):
        log.emit(f.ActionChosen(Explore(), SYNC))
        log.emit(f.ExplorationStarted(SYNC, 0, 4))
        with log.span(f.SettlingStarted((BlockId(1),))):
            log.emit(f.FuserWon(BlockId(1), "ElementWise", 630, (0, 1, 2, 3)))
            log.emit(f.StrategySelected(1))
        log.emit(f.ExplorationCompleted(SYNC, 4, 4, STRATEGY))
        log.emit(f.PlanStored(PlanId(0), RELATIVE, OnSync(), STRATEGY, (0, 1, 2, 3)))
        execute(log, operations)
    log.emit(f.TensorRead(tensor("wt7"), last=True))


def place(log: EventLog, position: int, kind: str) -> None:
    """The search places one op of the first round."""
    if position < 2:
        answer(log, position + 1, position)
        score(log, position + 1, 1)
        log.emit(f.BlockOpened(BlockId(position + 1), position, kind, position + 1))
        return
    if position == 2:
        with log.span(f.MergeTried(BlockId(1), BlockId(2))):
            answer(log, 1, 1)
            log.emit(f.MergeJudged(BlockId(1), BlockId(2), f.MergeVerdict.KEPT_OPEN))
        log.emit(f.BlocksMerged(BlockId(1), (BlockId(2),), (0, 1)))
    answer(log, 1, position)
    score(log, 1, 2 if position == 2 else 4)
    log.emit(f.OpAccepted((BlockId(1),), position, kind, 1))


def second_round(log: EventLog) -> None:
    """The same with another scalar: the plan fits, nothing is searched."""
    operations = global_ops(11, 3.0)
    plan = PlanId(0)
    for position, operation in enumerate(operations):
        with log.span(f.OpQueued(position, operation, position + 1)):
            log.emit(relativized(position, operations))
            if position == 0:
                log.emit(f.CandidatesFound((plan,)))
            log.emit(
                f.CandidateMatched(plan, 4)
                if position == 3
                else f.CandidateAdvanced(plan, position, 4)
            )
            log.emit(f.ActionChosen(Defer(), LAZY))
    with log.span(f.SyncRequested(4)):
        log.emit(f.ActionChosen(Execute(plan), SYNC))
        log.emit(f.PlanReused(plan, SYNC, 4))
        execute(log, operations)
    log.emit(f.TensorRead(tensor("wt17"), last=True))


def execute(log: EventLog, operations: tuple[OperationIr, ...]) -> None:
    """One kernel runs all four ops."""
    a, out = operations[0].inputs[0].id, operations[3].outputs[0].id
    block = f.ExecutedBlock("ElementWise", 630, operations)
    with log.span(f.ExecutionStarted(PlanId(0), STRATEGY, (block,), fallback=False)):
        log.emit(f.KernelBuilt("elementwise-1", cached=False))
        kinds = tuple(operation.kind for operation in operations)
        reads = (a, a + 1, a + 2)
        log.emit(f.KernelLaunched("ElementWise", kinds, reads, (out,), "elementwise-1"))
        for freed in reads:
            log.emit(f.HandleFreed(freed))
        log.emit(f.QueueDrained(4, 0))


def two_rounds() -> tuple[f.Event, ...]:
    """Both rounds."""
    log = EventLog()
    first_round(log)
    second_round(log)
    return tuple(log.events)
