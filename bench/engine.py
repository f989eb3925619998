"""What the engine itself costs, without any kernel: `python -m bench.engine`.

Three things are measured, each on op streams built beforehand and decided by a dry backend:
*hit* (a stored plan runs again, no recorder), *explore* (every segment is new to the store), and
*traced* (one long program with the recorder on). Times are medians of the thread's own time, so
that other work on the machine hardly counts, in microseconds per op.
"""

import argparse
import gc
import json
import statistics
import sys
from collections.abc import Callable, Iterator
from itertools import count
from time import thread_time

from fusionlab.config import FusionConfig
from fusionlab.engine.client import FusionClient, FusionTensor
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import EventLog, NullRecorder, Recorder
from fusionlab.ir.operation import Args, OperationIr, Scalar
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, StreamId, TensorIr, TensorStatus

STREAM = StreamId(0)
RO, RW, NEW = TensorStatus.READ_ONLY, TensorStatus.READ_WRITE, TensorStatus.NOT_INIT
CHAIN = ("NumericFloat::MulScalar", "Float::Exp", "NumericFloat::AddScalar", "Float::Tanh")
SHAPE = (64, 64)
KEPT = 1_000_000_000
"""Ids from here on belong to inputs that outlive the program."""
BATCH = 20
"""Segments between two looks at the clock: a look costs as much as an op."""

Segment = list[OperationIr]


def op(name: str, inputs: list[TensorIr], output: int) -> OperationIr:
    """One op on 64x64 floats."""
    spec = OPSET[name]
    args: Args = (("dtype", DType.F32),)
    if spec.args:
        args = (("dtype", DType.F32), ("rhs", Scalar("Float", 2.0)))
    return OperationIr(spec, tuple(inputs), (tensor(output, NEW),), args)


def tensor(number: int, status: TensorStatus) -> TensorIr:
    """A 64x64 float tensor as an op sees it."""
    return TensorIr(number, SHAPE, status, DType.F32)


def expression(ids: Iterator[int]) -> Segment:
    """exp(a * b + c * 2.0): four ops."""
    product, scaled, total, out = (next(ids) for _ in range(4))
    kept = [tensor(KEPT + index, RO) for index in range(3)]
    return [
        op("NumericFloat::Mul", kept[:2], product),
        op("NumericFloat::MulScalar", kept[2:], scaled),
        op("NumericFloat::Add", [tensor(product, RW), tensor(scaled, RW)], total),
        op("Float::Exp", [tensor(total, RW)], out),
    ]


def chains(ids: Iterator[int], lengths: tuple[int, ...] = (8,) * 5) -> Segment:
    """Chains that never meet, one after the other: by default five of eight ops."""
    segment = []
    for index, length in enumerate(lengths):
        source = tensor(KEPT + index, RO)
        for step in range(length):
            made = next(ids)
            segment.append(op(CHAIN[step % 4], [source], made))
            source = tensor(made, RW)
    return segment


def new_server(recorder: Recorder | None = None) -> FusionServer[DryBackend]:
    """A server that decides and computes nothing."""
    return FusionServer(FusionConfig(), DryBackend(), recorder or NullRecorder())


def run(server: FusionServer[DryBackend], segment: Segment) -> None:
    """Register every op of a segment and drain."""
    register = server.register
    for operation in segment:
        register(STREAM, operation)
    server.drain(STREAM)


def settle() -> None:
    """Let the collector forget what is there already, as the app does after its imports."""
    gc.collect()
    gc.freeze()


def per_op(times: list[float], ops: int) -> float:
    """The median, in microseconds per op."""
    return statistics.median(times) / ops * 1e6


def hit(build: Callable[[Iterator[int]], Segment], rounds: int) -> float:
    """Microseconds per op when every segment hits the plan that the first one stored."""
    ids = count()
    server = new_server()
    segments = [build(ids) for _ in range(rounds + 1)]
    settle()
    run(server, segments[0])
    times = []
    for first in range(1, rounds + 1, BATCH):
        batch = segments[first : first + BATCH]
        start = thread_time()
        for segment in batch:
            run(server, segment)
        times.append((thread_time() - start) / len(batch))
    if len(server.store.plans) != 1:
        raise SystemExit("the segments were not alike: this would not measure hits")
    return per_op(times, len(segments[0]))


def explore(build: Callable[[Iterator[int]], Segment], rounds: int) -> float:
    """Microseconds per op when nothing is stored yet."""
    ids = count()
    segments = [build(ids) for _ in range(rounds)]
    settle()
    times = []
    for segment in segments:
        server = new_server()
        start = thread_time()
        run(server, segment)
        times.append(thread_time() - start)
    return per_op(times, len(segments[0]))


def client_hit(rounds: int) -> float:
    """Microseconds per op from handle to decision: ids, statuses and counters included."""
    client = FusionClient(new_server())
    kept = [FusionTensor(KEPT + index, SHAPE, DType.F32, STREAM, [2]) for index in range(3)]
    specs = {name: OPSET[name] for name in (*CHAIN, "NumericFloat::Mul", "NumericFloat::Add")}
    plain: Args = (("dtype", DType.F32),)
    scalar: Args = (*plain, ("rhs", Scalar("Float", 2.0)))
    made = [(SHAPE, DType.F32)]

    def one() -> None:
        a, b, c = (client.clone(STREAM, each) for each in kept)
        (product,) = client.register(STREAM, specs["NumericFloat::Mul"], (a, b), made, plain)
        (scaled,) = client.register(STREAM, specs[CHAIN[0]], (c,), made, scalar)
        pair = (product, scaled)
        (total,) = client.register(STREAM, specs["NumericFloat::Add"], pair, made, plain)
        client.register(STREAM, specs["Float::Exp"], (total,), made, plain)

    settle()
    one()
    client.sync(STREAM)
    times = []
    for _ in range(rounds // BATCH):
        start = thread_time()
        for _ in range(BATCH):
            one()  # the result is kept: giving it up would be a fifth op
            client.sync(STREAM)
        times.append((thread_time() - start) / BATCH)
    return per_op(times, 4)


def traced(ops: int, rounds: int) -> float:
    """Microseconds per op for a program of so many ops with every fact recorded.

    Segments of 8 to 13 ops, so that some hit and some explore.
    """
    times = []
    for _ in range(rounds):
        ids = count()
        segments, queued = [], 0
        while queued < ops:
            segments.append(chains(ids, (4 + len(segments) % 6, 4)))
            queued += len(segments[-1])
        log = EventLog()
        server = new_server(log)
        settle()
        start = thread_time()
        for segment in segments:
            run(server, segment)
        times.append(thread_time() - start)
    return per_op(times, queued)


def one_segment(ops: int, rounds: int) -> float:
    """Microseconds per op for a single chain of so many ops that ends in one drain."""
    return explore(lambda ids: chains(ids, (ops,)), rounds)


def measure(*, quick: bool) -> dict[str, float]:
    """All figures by name."""
    rounds = 300 if quick else 2_000
    few = 1 if quick else 5
    figures = {
        "hit, 4-op segments": hit(expression, rounds),
        "hit, 40-op segments": hit(chains, rounds // 5),
        "hit, 4-op segments, from the client": client_hit(rounds),
        "explore, 4 ops": explore(expression, rounds // 10),
        "explore, 40 ops in five chains": explore(chains, rounds // 40),
    }
    for ops in (100, 1_000, 5_000, 10_000):
        figures[f"explore, one segment of {ops} ops"] = one_segment(ops, 1 if ops > 1000 else few)
    for ops in (100, 1_000, 5_000, 10_000):
        figures[f"traced, program of {ops} ops"] = traced(ops, few)
    return figures


def main(arguments: list[str]) -> None:
    """Print the figures as a table or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m bench.engine")
    parser.add_argument("--json", action="store_true", help="machine-readable")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    options = parser.parse_args(arguments)
    figures = measure(quick=options.quick)
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in figures.items()}, indent=2))
        return
    print(f"{'microseconds per op':40} {'us':>8} {'ops/s':>10}")
    for name, value in figures.items():
        print(f"{name:40} {value:8.2f} {1e6 / value:10,.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
