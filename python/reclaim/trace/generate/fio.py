"""Jobs of fio (the flexible I/O tester) as generated traces.

The options that say *which* requests there are have a meaning here; those that say how fio gets them to the
device (engine, file names, queue depth) do not: queue depth is a matter of the run
(`--mode closed-loop --queue-depth N`).
Option names and meanings are those of fio 3's manual, HOWTO.rst.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.parsing import text_of
from reclaim.suggestions import near

OPERATIONS = ("read", "write", "trim")
DIRECTIONS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "read": (False, ("read",)),
    "write": (False, ("write",)),
    "trim": (False, ("trim",)),
    "rw": (False, ("read", "write")),
    "readwrite": (False, ("read", "write")),
    "randread": (True, ("read",)),
    "randwrite": (True, ("write",)),
    "randtrim": (True, ("trim",)),
    "randrw": (True, ("read", "write")),
}
"""Value of rw: whether addresses are random, and which operations there are."""
ALIASES = {"readwrite": "rw", "blocksize": "bs", "blockalign": "ba", "iops_rate": "rate_iops"}
OF_THE_HOST = {
    "ioengine": "how fio reaches the device",
    "direct": "how fio reaches the device",
    "filename": "what fio writes to",
    "directory": "what fio writes to",
    "name": "what the job is called",
    "description": "what the job is called",
    "group_reporting": "what fio prints",
    "thread": "how fio runs",
    "iodepth": "use --mode closed-loop --queue-depth N",
}
"""Accepted without effect on the requests."""
MEANINGFUL = (
    "rw",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "bssplit",
    "ba",
    "size",
    "offset",
    "io_size",
    "number_ios",
    "runtime",
    "time_based",
    "rate_iops",
    "rate_process",
    "random_distribution",
    "percentage_random",
    "norandommap",
    "randseed",
)
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class FioJob:
    """A job as a description of a generated trace."""

    description: dict[str, Any]
    """Keys of a generator file, without `generator`."""
    notes: list[str] = field(default_factory=list)
    """What was accepted and has no effect here."""


def fio_job(options: Mapping[str, str], *, origin: str = "fio") -> FioJob:
    """Translate the options of one job; `origin` is what errors call it.

    >>> fio_job({"rw": "randrw", "rwmixread": "70", "bs": "8k", "size": "1g"}).description["operations"]
    {'write': 0.3, 'trim': 0.0}

    Raises:
        InputError: for an unknown option, a value that is not understood, or one without meaning for a trace.
    """
    return _Translation(options, origin).job()


def fio_job_file(path: Path) -> FioJob:
    """Translate a job file with one job, and with a `[global]` section if it has one.

    Raises:
        InputError: if it cannot be read or has more jobs than one.
    """
    parser = configparser.RawConfigParser(
        allow_no_value=True, strict=True, interpolation=None, default_section="global", delimiters=("=",)
    )
    try:
        parser.read_string(text_of(path), source=str(path))
    except configparser.Error as error:
        raise InputError(f"{path}: not a fio job file: {error}") from None
    jobs = parser.sections()
    if len(jobs) != 1:
        named = f": {', '.join(jobs)}" if jobs else ""
        raise InputError(
            f"{path}: {len(jobs)} jobs{named}; a trace is made of one job: keep one section beside [global]"
        )
    values = {key: value if value is not None else "1" for key, value in parser.items(jobs[0])}
    return fio_job(values, origin=str(path))


class _Translation:
    def __init__(self, options: Mapping[str, str], origin: str) -> None:
        self.origin = origin
        self.notes: list[str] = []
        self.options: dict[str, str] = {}
        for key, value in options.items():
            name = ALIASES.get(key, key)
            if name in OF_THE_HOST:
                self.notes.append(f"{key} has no effect on the requests ({OF_THE_HOST[name]})")
            elif name not in MEANINGFUL:
                hint = near(name, [*MEANINGFUL, *OF_THE_HOST])
                raise self.fault(key, f"is not a fio option known here{hint}; known: {', '.join(MEANINGFUL)}")
            elif name in self.options:
                raise self.fault(key, f"and {name} are the same option; give one")
            else:
                self.options[name] = value.strip()

    def fault(self, key: str, reason: str) -> InputError:
        return InputError(f"{self.origin}: {key} {reason}")

    def number(self, key: str, default: float, low: float, high: float) -> float:
        text = self.options.get(key)
        return default if text is None else self.number_of(key, text, low, high)

    def number_of(self, key: str, text: str, low: float, high: float) -> float:
        try:
            value = float(text)
        except ValueError:
            raise self.fault(key, f'"{text}" is not a number') from None
        if not low <= value <= high:
            raise self.fault(key, f"must be from {low:g} to {high:g}, not {text}")
        return value

    def flag(self, key: str) -> bool:
        return self.options.get(key, "0") not in {"0", "false"}

    def bytes_of(self, key: str, text: str) -> int:
        match = re.fullmatch(r"(\d+)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
        if not match:
            raise self.fault(key, f'"{text}" is not a size; write it as 4k, 1m or 2g (powers of 1024)')
        value = int(match[1]) * UNITS[match[2]]
        if value == 0:
            raise self.fault(key, "must be above 0")
        return value

    def per_operation(self, key: str) -> dict[str, str]:
        """Split values for reads, writes and trims by comma: the last holds for the rest, as in fio."""
        values = self.options[key].split(",")
        if len(values) > len(OPERATIONS):
            raise self.fault(key, "takes at most three values: for reads, writes and trims")
        return {op: values[min(index, len(values) - 1)] for index, op in enumerate(OPERATIONS)}

    def sizes(self) -> dict[str, list[tuple[int, float]]]:
        if "bssplit" in self.options:
            if "bs" in self.options:
                raise self.fault("bssplit", "and bs both give sizes; give one")
            return {op: self.split("bssplit", text) for op, text in self.per_operation("bssplit").items()}
        if "bs" not in self.options:
            return {op: [(4096, 100.0)] for op in OPERATIONS}
        return {op: [(self.bytes_of("bs", text), 100.0)] for op, text in self.per_operation("bs").items()}

    def split(self, key: str, text: str) -> list[tuple[int, float]]:
        """`4k/80:64k/20`; what has no percentage shares what is left evenly."""
        pairs = [part.partition("/") for part in text.split(":") if part]
        try:
            given = [float(share) if share else None for _, _, share in pairs]
        except ValueError:
            raise self.fault(key, f'"{text}" is not understood; write it as 4k/80:64k/20') from None
        left = 100.0 - sum(share for share in given if share is not None)
        blank = given.count(None)
        if (
            left < -1e-9
            or (blank == 0 and left > 1e-9)
            or any(share is not None and share < 0 for share in given)
        ):
            raise self.fault(key, f'the percentages of "{text}" do not add up to 100')
        sizes = [self.bytes_of(key, size) for size, _, _ in pairs]
        return [
            (size, left / blank if share is None else share) for size, share in zip(sizes, given, strict=True)
        ]

    def job(self) -> FioJob:
        rw = self.one_of("rw", self.options.get("rw", "read"), DIRECTIONS)
        random, ops = DIRECTIONS[rw]
        if "size" not in self.options:
            raise self.fault("size", "is missing: it is the range of addresses used, as in size=1g")
        footprint = self.bytes_of("size", self.options["size"])
        sizes = self.sizes()
        rates = self.rates(ops)
        shares = self.shares(ops, rates)
        rate = self.rate(shares, rates)
        mean = sum(shares[op] * sum(s * w for s, w in sizes[op]) / 100.0 for op in OPERATIONS)
        address = self.address(footprint, random)
        if len(ops) > 1 and address.get("once"):
            # fio has one random map for a file, whatever is done to it.
            address["shared"] = True
        description: dict[str, Any] = {
            "requests": self.requests(footprint, mean, rate),
            "seed": int(self.number("randseed", 1, 0, 2**63)),
            "operations": {"write": shares["write"], "trim": shares["trim"]},
            "arrivals": self.arrivals(rate),
            "address": address,
        }
        for op in ops:
            weights = [[f"{size}B", weight] for size, weight in sizes[op] if weight > 0]
            description[op] = {"size": weights}
            percent = self.number("percentage_random", 100.0 if random else 0.0, 0, 100)
            if random and percent < 100:
                description[op]["sequential"] = 1 - percent / 100
            elif not random and percent > 0:
                raise self.fault("percentage_random", f"with rw={rw}: use rw=rand{rw} and percentage_random")
        return FioJob(description, self.notes)

    def one_of(self, key: str, value: str, valid: Collection[str]) -> str:
        if value not in valid:
            raise self.fault(key, f'"{value}" is not one of {", ".join(valid)}{near(value, valid)}')
        return value

    def rates(self, ops: tuple[str, ...]) -> dict[str, float] | None:
        """Requests per second of each operation there is; None if there is no rate."""
        if "rate_iops" not in self.options:
            return None
        found = {}
        for op, text in self.per_operation("rate_iops").items():
            if op not in ops:
                continue
            if not text.strip():
                raise self.fault(
                    "rate_iops", f"gives {op}s no rate: how fast they then come is for a drive to say"
                )
            found[op] = self.number_of("rate_iops", text, 1e-9, 1e9)
        return found

    def shares(self, ops: tuple[str, ...], rates: dict[str, float] | None) -> dict[str, float]:
        mixed = len(ops) > 1
        given = [key for key in ("rwmixread", "rwmixwrite") if key in self.options]
        if given and not mixed:
            raise self.fault(given[0], f"needs rw=rw or rw=randrw; there are only {ops[0]}s")
        if not mixed:
            return {op: float(op in ops) for op in OPERATIONS}
        reads = self.number("rwmixread", 50, 0, 100)
        if rates and not given:
            # Each direction keeps its own rate, so the rates are the mix.
            reads = 100 * rates["read"] / (rates["read"] + rates["write"])
        writes = self.number("rwmixwrite", 100 - reads, 0, 100)
        if "rwmixread" in self.options and abs(reads + writes - 100) > 1e-9:
            raise self.fault("rwmixwrite", "and rwmixread do not add up to 100; give one of them")
        return {"read": round(1 - writes / 100, 12), "write": round(writes / 100, 12), "trim": 0.0}

    def rate(self, shares: dict[str, float], rates: dict[str, float] | None) -> float | None:
        """Requests per second of all operations: as many as the mix has before one goes beyond its rate."""
        if rates is None:
            return None
        whole = {op: rates[op] / shares[op] for op in rates if shares[op] > 0}
        total = min(whole.values())
        slow = [op for op in whole if shares[op] * total < rates[op] * (1 - 1e-9)]
        if slow:
            self.notes.append(
                f"rate_iops: the mix is kept, so {slow[0]}s come at {shares[slow[0]] * total:g} per second, "
                f"below their {rates[slow[0]]:g}; fio would keep the rates and let the mix slip"
            )
        return total

    def requests(self, footprint: int, mean: float, rate: float | None) -> int:
        """How many requests there are until the first of all that ends a job."""
        amount = self.options.get("io_size")
        ends = {
            "io_size" if amount else "size": max(
                1, round((self.bytes_of("io_size", amount) if amount else footprint) / mean)
            )
        }
        if self.flag("time_based"):
            if "runtime" not in self.options:
                raise self.fault("time_based", "needs runtime and rate_iops")
            ends.clear()
        if "runtime" in self.options:
            match = re.fullmatch(r"([\d.]+)\s*(ms|us|[smhd]?)", self.options["runtime"].lower())
            if not match or rate is None:
                raise self.fault(
                    "runtime",
                    "needs a time and rate_iops: how many requests fit into a time is for a drive to say; "
                    "without a rate, give number_ios or io_size",
                )
            ends["runtime"] = max(1, round(float(match[1]) * SECONDS[match[2]] * rate))
        if "number_ios" in self.options:
            ends["number_ios"] = int(self.number("number_ios", 0, 1, 2**53))
        first = min(ends, key=lambda key: ends[key])
        unmet = [key for key in ends if key in {"runtime", "number_ios"} and ends[key] > ends[first]]
        if unmet and first in {"size", "io_size"}:
            self.notes.append(
                f"{first} ends the job after {ends[first]} requests, before {' and '.join(unmet)}; "
                "a larger io_size, or time_based with runtime, makes it longer"
            )
        return ends[first]

    def arrivals(self, rate: float | None) -> dict[str, Any]:
        process = self.one_of(
            "rate_process", self.options.get("rate_process", "linear"), ("linear", "poisson")
        )
        if rate is None:
            if "rate_process" in self.options:
                raise self.fault("rate_process", "needs rate_iops")
            return {"kind": "closed-loop"}
        interval = max(1, round(1e9 / rate))
        return {"kind": "poisson" if process == "poisson" else "constant", "interval": f"{interval}ns"}

    def address(self, footprint: int, random: bool) -> dict[str, Any]:
        region: dict[str, Any] = {"footprint": f"{footprint}B"}
        if self.options.get("offset", "0") != "0":
            region["offset"] = f"{self.bytes_of('offset', self.options['offset'])}B"
        if "ba" in self.options:
            region["align"] = f"{self.bytes_of('ba', self.options['ba'])}B"
        distribution = self.options.get("random_distribution", "random")
        if not random:
            if distribution != "random":
                raise self.fault(
                    "random_distribution", "needs random addresses: rw=randread, randwrite, randrw"
                )
            return {"kind": "streams", **region}
        kind, _, parameter = distribution.partition(":")
        makers: dict[str, Callable[[str], dict[str, Any]]] = {
            "random": lambda _: {"kind": "uniform", "once": not self.flag("norandommap")},
            "zipf": lambda text: {"kind": "zipf", "theta": self.theta(text)},
            "zoned": lambda text: {"kind": "hot-cold", "zones": self.zones(text)},
        }
        return {**makers[self.one_of("random_distribution", kind, makers)](parameter), **region}

    def theta(self, text: str) -> float:
        try:
            return float(text or "1.1")
        except ValueError:
            raise self.fault("random_distribution", f'"{text}" is not a theta, as in zipf:1.2') from None

    def zones(self, text: str) -> list[dict[str, float]]:
        """`60/10:30/20:10/70`: shares of the requests / of the space, in percent."""
        zones = []
        for part in text.split(":"):
            access, slash, space = part.partition("/")
            try:
                zones.append({"space": float(space) / 100, "access": float(access) / 100})
            except ValueError:
                raise self.fault(
                    "random_distribution",
                    f'"{part}" is not understood; write zones as zoned:60/10:30/20:10/70',
                ) from None
            if not slash:
                raise self.fault("random_distribution", f'"{part}" lacks its share of the space')
        return zones
