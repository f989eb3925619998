"""A server with a pencil: feed it ops, read off what it decided."""

from collections.abc import Iterable

from notation import ops, tree

from fusionlab.config import FusionConfig
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.fusers.base import OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import Always, ExecutionTrigger, OnOperations, OnSync
from fusionlab.views.burn_log import messages
from fusionlab.views.table import block_text


class Engine:
    """Burn's engine, with its own fusers or with those given, and nothing that computes."""

    def __init__(
        self,
        fusers: tuple[OperationFuser, ...] | None = None,
        *,
        backend: DryBackend | None = None,
        **config: int | None,
    ) -> None:
        self.events = EventLog()
        backend = backend or DryBackend()
        self.server = FusionServer(FusionConfig(**config), backend, self.events, fusers=fusers)
        self._told = 0

    def register(self, what: str | OperationIr | Iterable[OperationIr], stream: int = 0) -> None:
        """Queue ops: a text in the notation, one op, or several."""
        if isinstance(what, str):
            what = ops(what)
        for op in [what] if isinstance(what, OperationIr) else what:
            self.server.register(StreamId(stream), op)

    def sync(self, stream: int = 0) -> None:
        """Drain a stream."""
        self.server.drain(StreamId(stream))

    def run(self, *texts: str) -> None:
        """Queue each text and drain after it."""
        for text in texts:
            self.register(text)
            self.sync()

    def queued(self, stream: int = 0) -> int:
        """How many ops wait."""
        home = self.server.streams.get(StreamId(stream))
        return 0 if home is None else len(home.queue)

    def facts(self, *kinds: type) -> list:
        """All facts of these kinds so far."""
        return [event.fact for event in self.events.events if isinstance(event.fact, kinds)]

    def executed(self) -> list[str]:
        """The strategies that ran, in order."""
        return [tree(fact.strategy) for fact in self.facts(f.ExecutionStarted)]

    def hits(self) -> list[int]:
        """The plans that were reused, in order."""
        return [fact.plan for fact in self.facts(f.PlanReused)]

    @property
    def explorations(self) -> int:
        """How many searches came to a result."""
        return len(self.facts(f.ExplorationCompleted))

    def plans(self) -> list[str]:
        """Every stored plan as ``strategy | triggers``."""
        return [
            f"{tree(plan.optimization.strategy)} | {', '.join(map(_trigger, plan.triggers))}"
            for plan in self.server.store.plans
        ]

    def log(self) -> list[str]:
        """The log lines since the last call; a table is a line that names each unit's ops."""
        fresh = self.events.events[self._told :]
        self._told = len(self.events.events)
        return [line for event in fresh for line in _lines(event.fact)]


def _lines(fact: f.Fact) -> list[str]:
    if not isinstance(fact, f.ExecutionStarted):
        return [text for _, text in messages(fact)]
    blocks = (
        f"{block_text(block)} {' '.join(op.spec.variant for op in block.operations)}"
        for block in fact.blocks
    )
    return ["table: " + ", ".join(blocks)]


def _trigger(trigger: ExecutionTrigger) -> str:
    match trigger:
        case OnOperations(operations):
            return f"on {' '.join(op.spec.variant for op in operations)}"
        case OnSync():
            return "sync"
        case Always():
            return "always"
