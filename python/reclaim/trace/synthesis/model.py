"""From targets to a description: what can be met directly is, and a few knobs remain for calibration.

The space of a stand-in, from address 0: zones drawn evenly, hottest first; one written once; one only read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reclaim.trace.synthesis import chosen, counts
from reclaim.trace.synthesis import sizes as size_laws
from reclaim.trace.synthesis.bursts import windows
from reclaim.trace.synthesis.counts import Zone
from reclaim.trace.synthesis.knobs import Knobs
from reclaim.trace.synthesis.metrics import OPS
from reclaim.trace.synthesis.sizes import Sizes
from reclaim.trace.synthesis.targets import UNIT, Targets

MOST_LANES = 512
LARGEST_IN_A_LANE = 3
RUNS_IN_A_LANE = 4
LONG_RUN = 2.0
LANES = 40
"""Lanes of a swept region: more than the 32 requests among which streams are looked for."""


@dataclass
class Model:
    """Everything about a stand-in that does not change in calibration."""

    targets: Targets
    requests: int
    shares: dict[str, float]
    sizes: dict[str, Sizes]
    split: dict[str, tuple[Sizes, Sizes] | None]
    """Sizes of random requests and of those in a stream, where both means are published."""
    zones: list[Zone]
    write_footprint: float
    """Units."""
    footprint: float
    """Units read or written."""
    read_footprint: float | None
    """Units; None if not known."""
    align: int
    interval_ns: float
    run: float | None = None
    """Mean number of writes that stay in a zone; None where a zone is drawn for each."""

    def written_units(self) -> float:
        """Units written, counted at every write."""
        return self.requests * self.shares["write"] * units_per_request(self.sizes["write"], self.align)

    def read_units(self) -> float:
        """Units read, counted at every read."""
        if not self.shares["read"]:
            return 0.0
        return self.requests * self.shares["read"] * units_per_request(self.sizes["read"], self.align)


def units_per_request(sizes: Sizes, align: int) -> float:
    """Mean number of 4 KiB units that a request touches when it begins at a multiple of `align`."""
    total = sum(weight for _, weight in sizes)
    places = max(1, UNIT // align)
    touched = 0.0
    for size, weight in sizes:
        touched += weight * sum(math.ceil((at * align % UNIT + size) / UNIT) for at in range(places)) / places
    return touched / total


def model_of(targets: Targets, even: int = 1, *, circular: bool = False) -> Model:
    """Take what is known of the targets, choose what is not, and note what was chosen.

    Places written up to `even` times in a measured trace may be taken for places all written equally often;
    if `circular`, all of these for one region written round and round, as logs and journals are: what is
    written again then is so after one whole round.
    """
    found = targets.characteristics
    requests = round(targets.choose("requests.total", 1e6, "1 000 000"))
    trim, flush = (targets.measured(f"requests.{each}_share") or 0.0 for each in ("trim", "flush"))
    write = (targets.measured("requests.write_ratio") or 0.0) * (1 - trim - flush)
    shares = {"read": max(0.0, 1 - trim - flush - write), "write": write, "trim": trim, "flush": flush}
    if round(shares["read"] * requests) == 0:
        shares["read"] = 0.0
    sizes: dict[str, Sizes] = {}
    split: dict[str, tuple[Sizes, Sizes] | None] = {}
    for op in OPS:
        if not shares[op]:
            continue
        if found:
            sizes[op] = size_laws.compressed(found["sizes"][op]["counts"])
        else:
            sizes[op], split[op] = _chosen_sizes(targets, op)
    if not found:
        targets.chosen.append(
            "distribution of sizes: only means are published; multiples of 4 KiB, falling by powers of two"
        )
    align = _align(targets, sizes)
    model = Model(targets, requests, shares, sizes, split, [], 0.0, 0.0, None, align, _interval(targets))
    written = model.written_units()
    model.write_footprint = _write_footprint(targets, written)
    if found:
        model.zones = counts.mixture(found["skew"]["writes_per_unit"]["buckets"], even)
        if circular:
            model.zones = counts.circular(model.zones)
        model.read_footprint = found["space"]["read_footprint_bytes"] / UNIT
        model.footprint = found["space"]["footprint_bytes"] / UNIT
    else:
        log = "sequentiality.write.next_to_previous_share" not in targets.figures
        model.zones = chosen.zones(model.write_footprint, written, log=log)
        model.run = chosen.RUN
        targets.chosen.append(chosen.skew(log=log))
        only_read = min(model.write_footprint, model.read_units() / 2)
        model.footprint = (
            targets.choose(
                "space.footprint_bytes",
                (model.write_footprint + only_read) * UNIT,
                "what is written, and as much again that is only read, or what half of the reads can touch",
            )
            / UNIT
        )
    return model


def _chosen_sizes(targets: Targets, op: str) -> tuple[Sizes, tuple[Sizes, Sizes] | None]:
    """Sizes that meet the published mean, and of random and streaming requests apart where both are known."""
    mean = targets.choose(f"sizes.{op}.mean_bytes", 8192.0, "8 KiB")
    share = targets.get(f"sequentiality.{op}.next_to_previous_share")
    streaming_mean = targets.get(f"sequentiality.{op}.mean_in_stream_bytes")
    if not (streaming_mean and 0 < share < 1):
        return size_laws.chosen(mean), None
    random = size_laws.chosen((mean - share * streaming_mean) / (1 - share))
    streaming = size_laws.chosen(streaming_mean)
    together = [(size, weight * (1 - share)) for size, weight in random]
    together += [(size, weight * share) for size, weight in streaming]
    return together, (random, streaming)


def _align(targets: Targets, sizes: Mapping[str, Sizes]) -> int:
    """Multiples on which requests begin: those under which writes touch as many units as in the trace."""
    found = targets.characteristics
    if not found:
        return UNIT
    per_write = found["requests"]["write_units"] / found["requests"]["writes"]
    return min((UNIT, 512), key=lambda align: abs(units_per_request(sizes["write"], align) - per_write))


def _interval(targets: Targets) -> float:
    if targets.characteristics and "arrivals.requests_per_s" not in targets.figures:
        return 0.0
    rate = targets.choose("arrivals.requests_per_s", 100.0, "100 requests per second")
    return 1e9 / rate


def _write_footprint(targets: Targets, written: float) -> float:
    """Units written at least once: by the overwrite ratio or by the footprint, whichever is known."""
    overwritten = targets.measured("overwrites.overwrite_ratio")
    if overwritten is not None:
        return max(1.0, written * (1 - overwritten))
    bytes_ = targets.choose(
        "space.write_footprint_bytes",
        written * (1 - chosen.OVERWRITTEN) * UNIT,
        "seven tenths of what is written overwrite something",
    )
    return min(written, bytes_ / UNIT)


def describe(model: Model, knobs: Knobs, *, seed: int = 1) -> dict[str, Any]:
    """Write the description of a generated trace."""
    targets = model.targets
    description: dict[str, Any] = {
        "generator": 1,
        "name": targets.name,
        "requests": model.requests,
        "seed": seed,
        "operations": {key: model.shares[key] for key in ("write", "trim", "flush")},
        "arrivals": windows(targets, model.requests, model.interval_ns, knobs.spread, knobs.peak),
        "stand_in": {
            "of": targets.of,
            "source": targets.source,
            "date": targets.date,
            "terms": targets.terms,
            "chosen": targets.chosen,
            "targets": targets.figures,
        },
    }
    zoned, swept = _written_space(model, knobs)
    space = sum(places for _, places in [*zoned, *swept])
    patterns: dict[str, Callable[[], dict[str, Any]]] = {
        "write": lambda: _write_address(model, knobs, zoned, swept),
        "read": lambda: _read_address(model, knobs, space),
        "trim": lambda: {"kind": "uniform", **_region(0, space, model.align)},
    }
    for op, pattern in patterns.items():
        if model.shares[op]:
            description[op] = _operation(model, knobs, op, pattern())
    return description


def _region(start: float, units: float, align: int) -> dict[str, Any]:
    region = {"footprint": f"{max(1, round(units)) * UNIT}B", "align": f"{align}B"}
    return region | ({"offset": f"{round(start) * UNIT}B"} if round(start) else {})


Sized = list[tuple[Zone, int]]
"""Zones with their sizes in units."""


def _written_space(model: Model, knobs: Knobs) -> tuple[Sized, Sized]:
    """Zones drawn evenly, and zones swept a whole number of times."""
    largest = -(-max(size for size, _ in model.sizes["write"]) // UNIT)
    zones = [
        (zone, max(1, round(zone.places * knobs.write_space))) for zone in model.zones if not zone.passes
    ]
    swept = [(zone, max(largest, round(zone.touched * knobs.swept))) for zone in model.zones if zone.passes]
    # The largest request must fit somewhere.
    if zones and max(places for _, places in zones) < largest:
        zones[-1] = (zones[-1][0], largest)
    return zones, swept


def _write_address(model: Model, knobs: Knobs, zoned: Sized, swept: Sized) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    written = sum(zone.written * zone.factor * (knobs.swept if zone.passes else 1.0) for zone in model.zones)
    total = sum(places for _, places in zoned)
    run = {} if model.run is None else {"run": model.run}
    if zoned:
        share = sum(zone.written * zone.factor for zone, _ in zoned)
        accesses = _accesses(model, zoned, share)
        half, so_far, specs = share / 2, 0.0, []
        for (zone, places), access in zip(zoned, accesses, strict=True):
            window = knobs.hot_window if so_far < half else knobs.cold_window
            so_far += zone.written
            specs.append({"space": places / total, "access": access, "window": round(min(1.0, window), 6)})
        parts.append(
            {
                "weight": share / written,
                "address": {"kind": "hot-cold", "zones": specs, **_region(0, total, model.align)} | run,
            }
        )
    for zone, places in swept:
        address = {
            "kind": "sweep",
            "lanes": zone.lanes or _lanes(model, "write", places),
            # Small requests begin at units of their own, or a sweep would write units twice.
            **_region(total, places, UNIT),
        }
        parts.append({"weight": zone.written * zone.factor * knobs.swept / written, "address": address})
        total += places
    return _together(parts)


def _together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """One pattern of several with their weights."""
    if len(parts) > 1:
        return {"kind": "mixed", "parts": parts}
    alone: dict[str, Any] = parts[0]["address"]
    return alone


def _accesses(model: Model, zoned: Sized, share: float) -> list[float]:
    """Shares of the requests with which zones get their shares of the units.

    What is larger than its zone goes to the next that holds it, so a small zone gets only small requests,
    and a larger one what the small ones cannot take.
    """
    sizes = [(-(-size // UNIT), weight) for size, weight in model.sizes["write"]]
    weights = sum(weight for _, weight in sizes)
    per_request = sum(size * weight for size, weight in sizes) / weights
    accesses: list[float] = []
    for index, (zone, places) in enumerate(zoned):
        wanted = zone.written * zone.factor / share * per_request
        holds = sum(size * weight for size, weight in sizes if size <= places) / weights
        passed_on = 0.0
        for earlier, access in enumerate(accesses):
            below = max(each for _, each in zoned[earlier:index])
            passed_on += access * sum(s * w for s, w in sizes if below < s <= places) / weights
        accesses.append(max(0.0, wanted - passed_on) / holds if holds else 0.0)
    whole = sum(accesses)
    return [access / whole for access in accesses]


def _lanes(model: Model, op: str, places: float) -> int:
    """Lanes of a swept region: long enough for large requests and for runs of sequential ones.

    Yet so many that a lane's turn comes again only after more requests than are looked at for streams.
    """
    sizes = model.sizes[op]
    largest = -(-max(size for size, _ in sizes) // UNIT)
    in_stream = model.targets.measured(f"sequentiality.{op}.in_stream_share") or 0.0
    run = min(50.0, 1 / (1 - min(in_stream, 0.99)))
    longest = max(LARGEST_IN_A_LANE * largest, RUNS_IN_A_LANE * run * size_laws.mean(sizes) / UNIT)
    fewest = LANES / run if run > LONG_RUN else LANES
    return int(max(1, min(places // 8, max(fewest, min(MOST_LANES, places // longest)))))


def _reading(model: Model, sweeps: bool, places: float) -> dict[str, Any]:
    return {"kind": "sweep", "lanes": _lanes(model, "read", places)} if sweeps else {"kind": "uniform"}


def _read_address(model: Model, knobs: Knobs, written_space: int) -> dict[str, Any]:
    reads = model.read_units()
    unwritten = max(0.0, model.footprint - model.write_footprint)
    unwritten = min(unwritten, reads)
    span = model.targets.get("space.address_span_bytes") / UNIT
    if model.read_footprint is None:
        own = reads * 0.5 if unwritten else 0.0
        written_touched = written_space / 2
    else:
        own = reads * unwritten / max(1.0, model.read_footprint)
        written_touched = max(0.0, model.read_footprint - unwritten)
    own = min(reads, max(own, 1.1 * unwritten))
    parts: list[dict[str, Any]] = []
    if unwritten >= 1:
        largest = -(-max(size for size, _ in model.sizes["read"]) // UNIT)
        sweeps = own < 1.5 * unwritten
        places = unwritten if sweeps else counts.places_for(own, unwritten)
        places = max(largest, places * knobs.read_space)
        # The published range of addresses is reached by laying what is only read at its end.
        start = max(written_space, span - places) if span else written_space
        region = _region(start, places, model.align)
        parts.append({"weight": own / reads, "address": {**_reading(model, sweeps, places), **region}})
    else:
        own = 0.0
    if own < reads:
        largest = -(-max(size for size, _ in model.sizes["read"]) // UNIT)
        draws = reads - own
        touched = min(written_touched, draws)
        sweeps = draws < 1.5 * touched
        places = touched if sweeps else counts.places_for(draws, max(1.0, touched))
        places = max(largest, min(places, written_space))
        kind = _reading(model, sweeps, places)
        parts.append({"weight": draws / reads, "address": {**kind, **_region(0, places, model.align)}})
    return _together(parts)


def _operation(model: Model, knobs: Knobs, op: str, address: dict[str, Any]) -> dict[str, Any]:
    targets = model.targets
    path = f"sequentiality.{op}"
    next_to = targets.measured(f"{path}.next_to_previous_share")
    if next_to is None:
        next_to = targets.choose(f"{path}.next_to_previous_share", 0.1, "a tenth")
    in_stream = targets.measured(f"{path}.in_stream_share")
    in_stream = next_to if in_stream is None else in_stream
    sequential = min(1.0, max(0.0, next_to + knobs.sequential.get(op, 0.0)))
    interleaved = min(1 - sequential, max(0.0, in_stream - next_to + knobs.interleaved.get(op, 0.0)))
    sizes = model.sizes[op]
    spec: dict[str, Any] = {
        "sequential": sequential,
        "interleaved": interleaved,
        "address": _fitting(address, sizes),
    }
    streaming_mean = targets.measured(f"{path}.mean_in_stream_bytes")
    share = sequential + interleaved
    if streaming_mean and 0 < share < 1 and len(sizes) > 1:
        wanted = streaming_mean * knobs.streaming_size.get(op, 1.0)
        random, streaming = model.split.get(op) or size_laws.divided(sizes, share, wanted)
        return {"size": _weights(random), "sequential_size": _weights(streaming), **spec}
    return {"size": _weights(sizes), **spec}


def _weights(sizes: Sizes) -> list[list[Any]]:
    return [[f"{size}B", round(weight, 6)] for size, weight in sizes]


def _fitting(address: dict[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Widen a footprint that is smaller than the largest request."""
    largest = max(size for size, _ in sizes)
    if "parts" in address:
        return address | {
            "parts": [part | {"address": _fitting(part["address"], sizes)} for part in address["parts"]]
        }
    if int(address["footprint"][:-1]) < largest:
        return address | {"footprint": f"{-(-largest // UNIT) * UNIT}B"}
    return address
