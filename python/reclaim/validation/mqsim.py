"""The preset `mqsim-mirror` against figures of MQSim itself, request by request the same work.

The figures were measured on MQSim of 2022-10-05 (commit 7ec40e3), repaired of the defects that lose requests
or move pages wrongly, with a probe of nanosecond resolution for what MQSim does not print. What they are and
why the mirror has each of its settings: docs/validation.md, "Against MQSim".
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from reclaim import input_file, output_file
from reclaim.device import Device, Value
from reclaim.errors import SimulationError
from reclaim.result.result import Result
from reclaim.simulate import simulate
from reclaim.trace.generate.uniform import uniform_trace
from reclaim.trace.trace import Operation, Trace, open_trace
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat

AGAINST = "MQSim"
PAGE, SECTOR = 4096, 512
EXACT = 0.0
COUNTS = 0.02
TIMES = 0.05

CHANNEL, CHIP, DIE, PLANE = 1, 4, 32, 64
"""How far apart the logical pages are that lie on neighbours of that kind: CWDP on 4 x 8 x 2 x 2."""
REST_NS = 100_000_000

Latencies = Mapping[str, float]


@dataclass(frozen=True)
class RequestPair:
    """Two requests of a page, and how long each takes."""

    label: str
    operation: Operation
    apart: int
    latencies: tuple[int, int]


PAIRS = (
    RequestPair("dies of a chip", "read", DIE, (88_898, 176_496)),
    RequestPair("dies of a chip", "write", DIE, (763_974, 1_526_623)),
    RequestPair("planes of a die", "read", PLANE, (88_898, 176_496)),
    RequestPair("planes of a die", "write", PLANE, (763_974, 1_526_623)),
    RequestPair("chips of a channel", "read", CHIP, (88_898, 101_186)),
    RequestPair("chips of a channel", "write", CHIP, (763_974, 776_623)),
    RequestPair("channels", "read", CHANNEL, (88_898, 90_157)),
)


@dataclass(frozen=True)
class MqsimColumn:
    """What MQSim measured on the open-loop trace: counts, and latencies in µs."""

    label: str
    settings: Mapping[str, Value]
    amplification: float
    collections: int
    moved: int
    read: Latencies
    write: Latencies


COLUMNS = (
    MqsimColumn(
        "collection first",
        {"scheduler.gc_first": "always"},
        1.8144,
        54_956,
        2_421_952,
        {"mean": 5_203, "p50": 88.898, "p90": 177.5, "p95": 38_387, "p99": 118_296},
        {"mean": 6_549, "p50": 763.957, "p90": 939.0, "p95": 41_056, "p99": 127_206},
    ),
    MqsimColumn(
        "preemptible collection",
        {"scheduler.gc_first": "urgent"},
        1.8144,
        54_959,
        2_422_128,
        {"mean": 142.1, "p50": 88.898, "p90": 114.4, "p95": 478.4, "p99": 812.4},
        {"mean": 819.3, "p50": 763.957, "p90": 820.6, "p95": 1_135.0, "p99": 1_497.6},
    ),
)


@dataclass(frozen=True)
class Loop:
    """A closed loop of random pages in which nothing is collected, and latencies in µs."""

    operation: Operation
    depth: int
    count: int
    iops: float
    latencies: Latencies


LOOPS = (
    Loop("read", 1, 20_000, 11_247.8, {"mean": 88.906}),
    Loop("write", 1, 20_000, 1_308.96, {"mean": 763.965}),
    Loop("read", 64, 1_000_000, 163_904, {"mean": 390.4, "p50": 291.3, "p99": 1_515}),
    Loop("write", 64, 1_000_000, 32_356, {"mean": 1_977.8, "p50": 1_526.6, "p99": 6_875}),
)


def checks() -> list[Check]:
    """Rows of the comparison; nothing in them is random, so they need no level."""
    return [
        Check("MQSim: alone and in pairs", _micro, against=AGAINST),
        *(_closed(loop) for loop in LOOPS),
        *(_open(column) for column in COLUMNS),
    ]


def _latencies(
    records: list[tuple[int, Operation, int, int]], warmup: str, heartbeat: Heartbeat
) -> list[int]:
    """How long each of `records` takes, in ns, in order of arrival and address."""
    result = simulate(
        Device.preset("mqsim-mirror-mini"),
        Trace.from_records(records),
        warmup=warmup,
        record_requests=True,
        progress=heartbeat,
        warn=False,
    )
    rows = pl.DataFrame(result.requests).sort("arrival_ns", "offset_bytes")
    return (rows["completion_ns"] - rows["arrival_ns"]).to_list()


def _micro(_: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
    def exact(name: str, measured: int, expected: int) -> ExpectedFigure:
        return ExpectedFigure(name, measured, expected, EXACT, "ns")

    def one(name: str, operation: Operation, size: int, expected: int) -> ExpectedFigure:
        return exact(name, _latencies([(0, operation, 0, size)], "filled", heartbeat)[0], expected)

    points = [
        one("read of 4 KiB", "read", PAGE, 88_898),
        one("write of 4 KiB", "write", PAGE, 763_957),
        one("read of a sector", "read", SECTOR, 77_054),
        one("write of a sector over a full page", "write", SECTOR, 838_175),
    ]
    for pair in PAIRS:
        both: list[tuple[int, Operation, int, int]] = [
            (0, pair.operation, 0, PAGE),
            (0, pair.operation, pair.apart * PAGE, PAGE),
        ]
        took = _latencies(both, "filled", heartbeat)
        points += [
            exact(f"{which} of two {pair.operation}s, different {pair.label}", measured, expected)
            for which, measured, expected in zip(("first", "second"), took, pair.latencies, strict=True)
        ]
    for where, apart in (("the die", PLANE), ("the chip, other die", DIE)):
        during: list[tuple[int, Operation, int, int]] = [
            (0, "write", 0, PAGE),
            (100_000, "read", apart * PAGE, PAGE),
        ]
        name = f"read 100 µs into a program of {where}"
        points.append(exact(name, _latencies(during, "filled", heartbeat)[1], 752_803))
    points.append(one("read of 512 KiB, a page of every plane", "read", 128 * PAGE, 704_932))
    # In MQSim's run one plane was a page ahead of its partner, so that a chip needed three operations.
    ahead: list[tuple[int, Operation, int, int]] = [
        (0, "write", 7 * CHIP * PAGE, PAGE),
        (REST_NS, "write", 0, 128 * PAGE),
    ]
    points.append(exact("write of 512 KiB", _latencies(ahead, "empty", heartbeat)[1], 2_654_230))
    return points


def _closed(loop: Loop) -> Check:
    def run(_: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        settings: dict[str, Value] = {"host.mode": "closed-loop", "host.queue_depth": loop.depth}
        device = Device.preset("mqsim-mirror").with_settings(settings)
        reads = loop.operation == "read"
        trace = uniform_trace(
            footprint_bytes=device.facts()["logical_pages"] * PAGE,
            count=loop.count,
            write_fraction=0 if reads else 1,
            seed=1,
        )
        result = simulate(
            device, trace, warmup="filled" if reads else "empty", progress=heartbeat, warn=False
        )
        iops = loop.count * 1e9 / result.to_dict()["simulated_ns"]
        name = f"{loop.operation}s, queue depth {loop.depth}"
        return [
            ExpectedFigure(f"{name}: requests a second", iops, loop.iops, TIMES, "count"),
            *_times(name, result, loop.operation, loop.latencies),
        ]

    return Check("MQSim: closed loop, nothing collected", run, against=AGAINST)


def _open(column: MqsimColumn) -> Check:
    def run(_: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        device = Device.preset("mqsim-mirror-mini").with_settings(column.settings)
        with tempfile.TemporaryDirectory(prefix="reclaim-") as folder:
            path = Path(folder) / "xval_mini.trace"
            write_xval(path)
            result = simulate(device, open_trace(path), warmup="empty", progress=heartbeat, warn=False)
        gc = result.to_dict()["gc"]
        return [
            ExpectedFigure(
                "write amplification", result.write_amplification or 0, column.amplification, COUNTS, "ratio"
            ),
            ExpectedFigure("collections", gc["jobs"], column.collections, COUNTS, "count"),
            ExpectedFigure("pages moved", gc["pages_moved"], column.moved, COUNTS, "count"),
            *_times("reads", result, "read", column.read),
            *_times("writes", result, "write", column.write),
        ]

    return Check(f"MQSim: open loop, {column.label}", run, against=AGAINST)


def _times(name: str, result: Result, operation: Operation, expected: Latencies) -> list[ExpectedFigure]:
    """Latencies of `operation`; `expected` in µs."""
    stats = result.read if operation == "read" else result.write
    points = []
    for figure, value in expected.items():
        measured = (
            stats.mean_ns if figure == "mean" else stats.latency.percentile(float(figure.removeprefix("p")))
        )
        points.append(ExpectedFigure(f"{name}: {figure}", measured or 0, 1000 * value, TIMES, "ns"))
    return points


LOGICAL_PAGES = 128 * 256 * 64 * 3 // 4
"""Of the preset `mqsim-mirror-mini`: 6 GiB."""
REQUESTS = 2_000_000
PER_SECOND = 2000.0
WRITES = 0.7
SEED = 20_240_607
SHA256 = "20f7b7a569dee44098cb1254bb335d11ccf1d60f4469c00ceae778c60a37f578"


def write_xval(path: Path) -> None:
    """Write the trace as MQSim reads it: time in ns, device, first sector, sectors, 0 to write or 1 to read.

    Every logical page is written once, 64 KiB a millisecond. Five seconds later come 2 million requests of a
    page, at random, 70 % writes, 2000 a second, Poisson.

    Raises:
        SimulationError: if NumPy is missing, or draws other numbers than when MQSim was measured.
    """
    try:
        import numpy as np
    except ImportError:
        raise SimulationError(
            "the comparison with MQSim needs NumPy, which drew the requests: pip install numpy"
        ) from None
    fill = LOGICAL_PAGES // 16
    times = 1_000_000 * np.arange(1, fill + 1)
    draws = np.random.default_rng(SEED)
    gaps = draws.exponential(1e9 / PER_SECOND, REQUESTS).astype(np.int64)
    pages = draws.integers(0, LOGICAL_PAGES, REQUESTS)
    reads = (draws.random(REQUESTS) >= WRITES).astype(np.int64)
    begin = times[-1] + 1_000_000 + 5_000_000_000
    table = pl.DataFrame(
        {
            "time": np.concatenate([times, begin + np.cumsum(gaps)]),
            "device": np.zeros(fill + REQUESTS, np.int64),
            "sector": np.concatenate([128 * np.arange(fill), 8 * pages]),
            "sectors": np.concatenate([np.full(fill, 128), np.full(REQUESTS, 8)]),
            "kind": np.concatenate([np.zeros(fill, np.int64), reads]),
        }
    )
    # polars would take its name for more than a name.
    output_file.write_text(path, table.write_csv(include_header=False, separator=" "))
    with input_file.opened(path) as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise SimulationError(
                f"NumPy {np.__version__} draws other requests than those that MQSim was given"
            )
