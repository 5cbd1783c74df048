"""Figures 3 and 5 of the paper, played on a small drive; and the size of its mapping table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from reclaim.paper.toolkit import Brought, Figure, Level, Tell, exact
from reclaim.trace.trace import Operation

PAGE = 4096
SECOND = 1_000_000_000
DRAINING = 52
"""Writes after which chip 0 can take one page more before it is collected."""
DRIVE: Mapping[str, Any] = {
    "geometry.channels": 8,
    "geometry.blocks_per_plane": 24,
    "geometry.pages_per_block": 4,
    "geometry.user_capacity": "786432B",
    "gc.trigger.start": "2 blocks",
    "redundancy.stripe_chips": 4,
    "warmup.kind": "filled",
}
GIB = 1 << 30
LATE = {"w0": (0, 3), "w1": (5, 1), "w2": (6, 2)}
"""First page and number of pages of the three writes."""
TARGET = "redundancy.unreadable_chip"
"""Reads of a page on this chip are counted as degraded ones, which tells where pages lie."""
WAYS = ("full_stripe_writes", "update_writes", "rebuild_writes")


def figures(level: Level, tell: Tell) -> Brought:  # noqa: ARG001
    """All of them, at every level the same."""
    tell("example", 0, 2)
    raid5 = Example.of("raid5")
    tell("example", 1, 2)
    dgc = Example.of("dgc", {TARGET: 4})
    tell("example", 2, 2)
    on_chip_4 = {name: Example.of("dgc", {TARGET: 4}, read=name).counted["degraded_reads"] for name in LATE}
    together = _same_stripe_redirects()
    # The erase and the moves of a victim come on top of what W2 takes on a drive that need not collect.
    unhindered = 2 * dgc.latency_ns["w0"] + dgc.latency_ns["w1"] - dgc.latency_ns["w0"]
    alone = {name: Alone.of(name) for name in LATE}
    return {
        # A whole stripe is rebuilt without reading anything.
        "w0-rebuilds": _holds(alone["w0"].way == "full_stripe_writes"),
        "w0-writes": _number(alone["w0"].writes),
        "w1-updates": _holds(alone["w1"].way == "update_writes"),
        "w1-reads": _number(alone["w1"].reads),
        "w1-writes": _number(alone["w1"].writes),
        "w2-rebuilds": _holds(alone["w2"].way == "rebuild_writes"),
        "w2-reads": _number(alone["w2"].reads),
        "w2-writes": _number(alone["w2"].writes),
        "w2-collects": _holds(raid5.jobs == 1 and raid5.latency_ns["w2"] > unhindered),
        "w2-slower": _ratio(raid5.latency_ns["w2"] / unhindered),
        # A page of W0 has left its chip because of the only warning.
        "warned": _holds(dgc.counted["warnings"] == 1 and on_chip_4["w0"] == 1),
        "idle-chips": _holds(Alone.of(*LATE).idle_chips == (4, 5)),
        # Whichever write it is of: the page that was redirected lies on chip 4.
        "target": _holds(sum(on_chip_4.values()) == 1),
        "before-collection": _holds(dgc.jobs == 1 and dgc.job_began_ns >= dgc.ended_ns["w2"]),
        # A slot is what W0 takes, which reads nothing; the paper counts whole ones.
        "slots": _number(math.ceil(dgc.latency_ns["w2"] / dgc.latency_ns["w0"])),
        "part of slots": _number(dgc.latency_ns["w2"] / dgc.latency_ns["w0"]),
        "example-better": _ratio(dgc.latency_ns["w2"] / raid5.latency_ns["w2"]),
        "extra-bits": _number(extra_bits(64)),
        "table-traditional": _number(table_bytes(256 * GIB, 8 * 8) / 2**20),
        "table-extra": _number(table_bytes(256 * GIB, extra_bits(64)) / 2**20),
        "reliability": _holds(together == 0),
        "overhead": _ratio(extra_bits(64) / (8 * 8)),
    }


def _same_stripe_redirects() -> int:
    """Pages that the paper's own rule sends to a chip with another page of their stripe, of random writes."""
    import reclaim

    device = reclaim.Device.preset("deferred-raid").with_scheme("dgc")
    crowded: dict[str, str | int | float | bool] = {
        "geometry.blocks_per_plane": 64,
        "geometry.spare_factor": "30%",
        "redundancy.stripe_chips": 4,
        "gc.deferral.same_stripe": "allowed",
        "warmup.kind": "overwrite",
        "warmup.overwrites": 0.5,
    }
    device = device.with_settings(crowded)
    trace = reclaim.generate_trace(
        requests=40_000,
        size="4KiB",
        operations={"write": 1.0},
        address={"kind": "uniform", "footprint": "256MiB"},
        arrivals={"kind": "constant", "interval": "20us"},
    )
    with warnings.catch_warnings():
        # No figure of speed is taken from it.
        warnings.simplefilter("ignore")
        tree = reclaim.simulate(device, trace).to_dict()
    return int(tree["policies"]["gc.deferral"]["same_stripe_redirects"]["value"])


def extra_bits(chips: int) -> int:
    """Bits that an entry of the mapping gains: a flag, and the number of a chip (section 4.4).

    >>> extra_bits(64)
    7
    """
    return 1 + (chips - 1).bit_length()


def table_bytes(capacity: int, bits: int) -> float:
    """Bytes of a table with an entry of so many bits for each page of 4 KiB.

    >>> table_bytes(256 * GIB, 64) / 2**20, table_bytes(256 * GIB, 7) / 2**20
    (512.0, 56.0)
    """
    return capacity / PAGE * bits / 8


def _number(value: float) -> Figure:
    return exact(float(value))


def _ratio(value: float) -> Figure:
    return Figure(value, value, value, exact=True)


def _holds(there: bool) -> Figure:
    return _ratio(float(there))


@dataclass(frozen=True)
class Alone:
    """What one of the writes does, or several at once, on a drive that need not collect."""

    way: str
    reads: int
    writes: int
    idle_chips: tuple[int, ...]

    @classmethod
    def of(cls, *names: str) -> Alone:
        """Play them."""
        import reclaim

        device = reclaim.Device.preset("deferred-raid").with_scheme("raid5").with_settings(DRIVE)
        records: list[tuple[int, Operation, int, int]] = [
            (0, "write", page * PAGE, pages * PAGE) for page, pages in (LATE[name] for name in names)
        ]
        trace = reclaim.Trace.from_records(records)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = reclaim.simulate(device, trace, audit=True).to_dict()
        counted = {each: found["value"] for each, found in tree["policies"]["redundancy"].items()}
        flash = tree["flash"]
        return cls(
            way=next(way for way in WAYS if counted[way]),
            reads=int(counted["stripe_reads"]),
            writes=int(flash["host_programs"] + flash["parity_programs"]),
            idle_chips=tuple(chip for chip, used in enumerate(tree["utilisation"]["per_die"]) if used == 0),
        )


@dataclass(frozen=True)
class Example:
    """What W0, W1 and W2 did under one scheme."""

    latency_ns: Mapping[str, int]
    ended_ns: Mapping[str, int]
    counted: Mapping[str, int]
    """Of the redundancy and of what is deferred."""
    jobs: int
    job_began_ns: int
    """The first of them; 0 without one."""

    @classmethod
    def of(cls, scheme: str, more: Mapping[str, Any] | None = None, read: str = "w2") -> Example:
        """Play the example.

        Chip 0 is written until it can take one page more before it is collected. Then W0 writes a whole
        stripe on chips 0 to 3, W1 a page on chips 6 and 7, and W2 two pages on chips 0 and 1 with their
        parity on chip 2, for which it reads chip 3. Long after, the pages of one of them are read.
        """
        import reclaim

        device = reclaim.Device.preset("deferred-raid").with_scheme(scheme)
        device = device.with_settings({**DRIVE, **(more or {})})
        # Pages 0, 6 and 12 are on chip 0, with their parity on three other chips.
        records: list[tuple[int, Operation, int, int]] = [
            (k * 10_000_000, "write", [0, 6, 12][k % 3] * PAGE, PAGE) for k in range(DRAINING)
        ]
        records += [(SECOND, "write", page * PAGE, pages * PAGE) for page, pages in LATE.values()]
        page, pages = LATE[read]
        records += [(2 * SECOND, "read", (page + each) * PAGE, PAGE) for each in range(pages)]
        trace = reclaim.Trace.from_records(records)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = reclaim.simulate(device, trace, audit=True, record_requests=True, record_gc=True)
        rows = pl.DataFrame(result.requests).filter(pl.col("arrival_ns") == SECOND)
        ends = {
            name: int(rows.filter(pl.col("offset_bytes") == page * PAGE)["completion_ns"].item())
            for name, (page, _) in LATE.items()
        }
        tree = result.to_dict()
        kinds = [tree["policies"].get(kind, {}) for kind in ("redundancy", "gc.deferral")]
        jobs = pl.DataFrame(result.gc_log)
        return cls(
            latency_ns={name: end - SECOND for name, end in ends.items()},
            ended_ns=ends,
            counted={name: int(each["value"]) for kind in kinds for name, each in kind.items()},
            jobs=jobs.height,
            job_began_ns=int(jobs["start_ns"][0]) if jobs.height else 0,
        )
