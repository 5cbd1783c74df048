"""A job of fio (the flexible I/O tester) as a generated trace.

The options that say *which* requests there are have a meaning here; those that say how fio gets them to the
device (engine, file names, queue depth) do not: queue depth is a matter of the run
(`--mode closed-loop --queue-depth N`). `fio_options.py` says which are which; option names and meanings are
those of fio 3's manual, HOWTO.rst. Several jobs are taken apart by `fio_jobs.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from reclaim.errors import InputError
from reclaim.suggestions import near
from reclaim.trace.generate.fio_options import (
    ALIASES,
    DIRECTIONS,
    KEYWORDS,
    LEFT_OUT,
    MEANINGFUL,
    MOST_SIZES,
    NO_EFFECT,
    OPERATIONS,
    OTHER_ENGINES,
    REFUSED,
    SECONDS,
    SYNCHRONOUS,
    UNITS,
    matching,
)


@dataclass(frozen=True)
class FioJob:
    """A job as a description of a generated trace."""

    description: dict[str, Any]
    """Keys of a generator file, without `generator`."""
    notes: list[str] = field(default_factory=list)
    """What was accepted and has no effect here."""
    depth: int = 1
    """Requests that it keeps waiting, where nothing says when they arrive."""
    interval_ns: int | None = None
    """Mean time between its requests; None where it waits for the drive."""
    region: str | None = None
    """The file or device that it shares with other jobs of this name; None for one of its own."""
    room_bytes: int = 0
    """Where its addresses end."""


def fio_job(
    options: Mapping[str, str],
    *,
    origin: str = "fio",
    clone: int = 0,
    places: Mapping[str, str] | None = None,
) -> FioJob:
    """Translate the options of one job; `origin` is what errors call it. Of several jobs see `fio_jobs`.

    >>> fio_job({"rw": "randrw", "rwmixread": "70", "bs": "8k", "size": "1g"}).description["operations"]
    {'write': 0.3, 'trim': 0.0}

    Raises:
        InputError: for an unknown option, a value that is not understood, or one without meaning for a trace.
    """
    return _Translation(options, origin, clone, places or {}).job()


class _Translation:
    def __init__(
        self, options: Mapping[str, str], origin: str, clone: int, places: Mapping[str, str]
    ) -> None:
        self.origin = origin
        self.places = places
        self.clone = clone
        self.notes: list[str] = []
        self.options: dict[str, str] = {}
        engine = options.get("ioengine", "").strip().split(",")[0]
        if (does := OTHER_ENGINES.get(engine)) is not None:
            raise self.fault("ioengine", f"={engine} {does}: it asks nothing of a block device")
        for key, value in options.items():
            name = ALIASES.get(key, key)
            if name not in MEANINGFUL:
                self.pass_over(key)
            elif name in self.options:
                raise self.fault(key, f"and {name} are the same option; give one")
            else:
                self.options[name] = self.expanded(key, value.strip())
        for key in ("filename", "iodepth", "ioengine"):
            if key in options:
                self.pass_over(key)

    def pass_over(self, key: str) -> None:
        """Note what becomes of an option that says nothing of the requests."""
        if key == "iodepth":
            self.note(
                f"iodepth has no effect on the requests (use --mode closed-loop --queue-depth {self.depth()})"
            )
        elif (about := matching(NO_EFFECT, key)) is not None:
            self.note(f"{key} has no effect on the requests ({about})")
        elif (lost := matching(LEFT_OUT, key)) is not None:
            self.note(f"{key}: {lost}")
        elif (why := matching(REFUSED, key)) is not None:
            raise self.fault(key, why)
        else:
            hint = near(key, MEANINGFUL)
            raise self.fault(key, f"is not a fio option known here{hint}; known: {', '.join(MEANINGFUL)}")

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def expanded(self, key: str, value: str) -> str:
        """Put variables of the environment in, as fio does."""

        def of(match: re.Match[str]) -> str:
            found = os.environ.get(match[1])
            if found is None:
                raise self.fault(key, f"{match[0]} is not set: export {match[1]}=… first")
            return found

        for word, number in KEYWORDS.items():
            value = value.replace(word, number)
        return re.sub(r"\$\{(\w+)\}", of, value)

    def fault(self, key: str, reason: str) -> InputError:
        between = "" if reason.startswith("=") else " "
        return InputError(f"{self.places.get(key, self.origin)}: {key}{between}{reason}")

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

    def time_of(self, key: str) -> float | None:
        """Seconds."""
        if key not in self.options:
            return None
        match = re.fullmatch(r"([\d.]+)\s*(ms|msec|us|usec|[smhd]?)", self.options[key].lower())
        if not match:
            raise self.fault(key, f'"{self.options[key]}" is not a time; write it as 10, 500ms or 5m')
        return float(match[1]) * SECONDS[match[2].replace("sec", "s")]

    def depth(self) -> int:
        """How many requests the job keeps waiting."""
        depth = int(self.number("iodepth", 1, 1, 2**20))
        engine = self.options.get("ioengine", SYNCHRONOUS[0])
        return 1 if "ioengine" in self.options and engine in SYNCHRONOUS else depth

    def room(self) -> int:
        """The bytes that are addressed, from `offset` on."""
        key = "size" if "size" in self.options else "filesize"
        text = self.options.get(key)
        if text is None:
            raise self.fault(
                "size",
                "is missing: fio asks the device for it; give the range of addresses used, as in size=1g",
            )
        if text.endswith("%") or text == "100":
            whole = self.options.get("filesize")
            if whole is None or key == "filesize" or not text.endswith("%"):
                raise self.fault(
                    key, f"={text} is a share of a device that is not here: give it as in size=1g"
                )
            return max(512, int(self.bytes_of("filesize", whole) * float(text[:-1]) / 100) // 512 * 512)
        # A range of sizes of files: the largest.
        return max(self.bytes_of(key, each) for each in re.split(r"[-:]", text))

    def begin(self) -> int:
        """The first byte that may be addressed."""
        begin = self.options.get("offset", "0")
        step = self.options.get("offset_increment", "0")
        for key, text in (("offset", begin), ("offset_increment", step)):
            if text.endswith("%") and text != "0%":
                raise self.fault(key, f"={text} is a share of a device that is not here: give bytes")
        first = 0 if begin in {"0", "0%"} else self.bytes_of("offset", begin)
        return first + (0 if step in {"0", "0%"} else self.clone * self.bytes_of("offset_increment", step))

    def bytes_of(self, key: str, text: str) -> int:
        match = re.fullmatch(r"(0x[0-9a-f]+|\d+)\s*([kmgtp]?)(?:i?b)?", text.strip().lower())
        if not match:
            raise self.fault(key, f'"{text}" is not a size; write it as 4k, 1m or 2g (powers of 1024)')
        value = int(match[1], 0 if match[1].startswith("0x") else 10) * UNITS[match[2]]
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
        if "bsrange" in self.options:
            if "bs" in self.options:
                self.note("bs and bsrange both give sizes: bsrange is taken, as fio does")
            return {op: self.between("bsrange", text) for op, text in self.per_operation("bsrange").items()}
        if "bs" not in self.options:
            return {op: [(4096, 100.0)] for op in OPERATIONS}
        return {op: [(self.bytes_of("bs", text), 100.0)] for op, text in self.per_operation("bs").items()}

    def between(self, key: str, text: str) -> list[tuple[int, float]]:
        """`1k-16k`: whole multiples of the smaller, each as often."""
        low, dash, high = text.partition("-")
        if not dash:
            low, dash, high = text.partition(":")
        if not dash:
            raise self.fault(key, f'"{text}" is not a range; write it as 4k-64k')
        smallest, largest = self.bytes_of(key, low), self.bytes_of(key, high)
        if largest < smallest:
            raise self.fault(key, f'"{text}" ends below its beginning')
        step = smallest * max(1, -(-(largest // smallest) // MOST_SIZES))
        sizes = range(smallest, largest + 1, step)
        return [(size, 100.0 / len(sizes)) for size in sizes]

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
        rw, _, modifier = self.options.get("rw", "read").partition(":")
        rw = self.one_of("rw", rw, DIRECTIONS)
        random, ops = DIRECTIONS[rw]
        before = self.before_a_jump(rw, modifier, random)
        footprint = self.room()
        sizes = self.sizes()
        mean = {op: sum(s * w for s, w in sizes[op]) / 100.0 for op in OPERATIONS}
        rates = self.rates(ops, mean)
        shares = self.shares(ops, rates)
        rate = self.rate(shares, rates)
        address = self.address(footprint, random)
        if len(ops) > 1 and address.get("once"):
            # fio has one random map for a file, whatever is done to it.
            address["shared"] = True
        size = sum(shares[op] * mean[op] for op in OPERATIONS)
        description: dict[str, Any] = {
            "requests": self.requests(footprint, size, rate),
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
            elif random and before > 1:
                description[op]["sequential"] = round(1 - 1 / before, 9)
            elif not random and percent > 0:
                raise self.fault("percentage_random", f"with rw={rw}: use rw=rand{rw} and percentage_random")
        self.of_the_run()
        return FioJob(
            description,
            self.notes,
            self.depth(),
            None if rate is None else max(1, round(1e9 / rate)),
            self.options.get("filename"),
            self.begin() + footprint,
        )

    def before_a_jump(self, rw: str, modifier: str, random: bool) -> int:
        """How many requests follow each other before a random one is drawn."""
        if not modifier:
            return 1
        if not random:
            raise self.fault(
                "rw", f"={rw}:{modifier}: holes and steps backwards have no counterpart; rw={rw} has none"
            )
        return int(self.number_of("rw", modifier, 1, 2**31))

    def of_the_run(self) -> None:
        """Note what is said of the run, not of the requests."""
        ramp = self.options.get("ramp_time")
        if ramp is not None:
            self.note(
                f"ramp_time: not measured in fio; here reclaim run --set measure.after={_with_unit(ramp)}"
            )
        if "ss" in self.options:
            self.note("ss: reclaim run --warmup workload replays the job until write amplification is flat")
        if self.options.get("randrepeat", "1") in {"0", "false"}:
            self.note(
                "randrepeat: fio draws others each time; here randseed chooses, and --draw N makes others"
            )
        if "startdelay" in self.options and "rate_iops" not in self.options and "rate" not in self.options:
            self.note("startdelay is left out: without a rate there is no time before the drive has any")

    def one_of(self, key: str, value: str, valid: Collection[str]) -> str:
        if value not in valid:
            raise self.fault(key, f'"{value}" is not one of {", ".join(valid)}{near(value, valid)}')
        return value

    def rates(self, ops: tuple[str, ...], mean: Mapping[str, float]) -> dict[str, float] | None:
        """Requests per second of each operation there is; None if there is no rate."""
        if "rate" in self.options and "rate_iops" in self.options:
            raise self.fault("rate", "and rate_iops both give rates; give one")
        if "thinktime" in self.options and not {"rate", "rate_iops"} & self.options.keys():
            return self.thinking(ops)
        key = "rate" if "rate" in self.options else "rate_iops"
        if key not in self.options:
            return None
        found = {}
        for op, text in self.per_operation(key).items():
            if op not in ops:
                continue
            if not text.strip():
                raise self.fault(key, f"gives {op}s no rate: how fast they then come is for a drive to say")
            if key == "rate":
                found[op] = self.bytes_of(key, text) / mean[op]
            else:
                found[op] = self.number_of(key, text, 1e-9, 1e9)
        return found

    def thinking(self, ops: tuple[str, ...]) -> dict[str, float] | None:
        """What comes of pauses between requests: a rate, to which fio adds the time that they take."""
        text = self.options["thinktime"]
        # A bare number is in microseconds.
        pause = float(text) * 1e-6 if re.fullmatch(r"[\d.]+", text) else self.time_of("thinktime")
        if not pause:
            return None
        blocks = self.number("thinktime_blocks", 1, 1, 2**31)
        self.note(
            "thinktime: requests come once a pause here; fio waits for the one before it, too, and is slower "
            "by its latency"
        )
        return {op: blocks / pause / len(ops) for op in ops}

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
            self.note(
                f"rate_iops: the mix is kept, so {slow[0]}s come at {shares[slow[0]] * total:g} per second, "
                f"below their {rates[slow[0]]:g}; fio would keep the rates and let the mix slip"
            )
        return total

    def requests(self, footprint: int, mean: float, rate: float | None) -> int:
        """How many requests there are until the first of all that ends a job."""
        amount = self.options.get("io_size")
        if amount is not None and amount.endswith("%"):
            raise self.fault("io_size", f"={amount} is a share of a device that is not here: give bytes")
        loops = int(self.number("loops", 1, 1, 2**31))
        one = self.bytes_of("io_size", amount) if amount else footprint
        ends = {"io_size" if amount else "size": loops * max(1, round(one / mean))}
        time = self.time_of("runtime")
        if self.flag("time_based"):
            if time is None:
                self.note("time_based says nothing without runtime, as in fio")
            elif rate is not None:
                ends.clear()
        if time is not None and rate is not None:
            # What comes first is not measured, but asked for.
            time += self.time_of("ramp_time") or 0
            ends["runtime"] = max(1, round(time * rate))
        elif time is not None:
            again = "goes round until then" if self.flag("time_based") else "may end before it"
            self.note(
                f"runtime: how many requests fit into a time is for a drive to say: fio {again}, here are "
                f"{min(ends.values())}; number_ios or io_size asks for more, rate_iops makes it a time"
            )
        if "number_ios" in self.options:
            ends["number_ios"] = int(self.number("number_ios", 0, 1, 2**53))
        first = min(ends, key=lambda key: ends[key])
        unmet = [key for key in ends if key in {"runtime", "number_ios"} and ends[key] > ends[first]]
        if unmet and first in {"size", "io_size"}:
            self.note(
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
        if self.begin() > 0:
            region["offset"] = f"{self.begin()}B"
        if "ba" in self.options:
            region["align"] = f"{self.bytes_of('ba', self.options['ba'])}B"
        distribution = self.options.get("random_distribution", "random")
        if not random:
            if distribution != "random":
                raise self.fault(
                    "random_distribution", "needs random addresses: rw=randread, randwrite, randrw"
                )
            files = int(self.number("nrfiles", 1, 1, 1 << 20))
            return {"kind": "streams", **({"streams": files} if files > 1 else {}), **region}
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
        zones: list[dict[str, float]] = []
        parts = [part.partition("/") for part in text.split(":")]
        # What has no share gets an even part of what is left, as with bssplit.
        blank = sum(not space.strip() for _, _, space in parts)
        try:
            left = 100 - sum(float(space) for _, _, space in parts if space.strip())
            for access, _, space in parts:
                share = float(space) if space.strip() else left / blank
                zones.append({"space": share / 100, "access": float(access) / 100})
        except ValueError:
            raise self.fault(
                "random_distribution", f'"{text}" is not understood; write zones as zoned:60/10:30/20:10/70'
            ) from None
        return zones


def _with_unit(time: str) -> str:
    """Write a time of fio, whose unit is the second, as ours."""
    return f"{time}s" if time.isdigit() else time.replace("m", "min") if time.endswith("m") else time
