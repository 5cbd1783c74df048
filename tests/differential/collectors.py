"""Random collectors: triggers, victims, relocations and limits, in legal combinations that come to an end."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from differential.drawing import MILLION, TIES, Section, asks_for_both, percent, sometimes

CACHE = "ftl.slc_cache."
PACE = "gc.pace"

ODD_EVEN = ["copyback-odd-even", "pcgc", "coupled"]
CHIPS = ["fewest-waiting", "roomiest", "rotating", "fewest-erases"]
LABELS = ["half", "any", "collected", "share"]
PACES = ["by-victim", "by-victim", "by-victim", "0%", "50%", "100%", "33.3333%", "300%", "off"]
SHARES = ["0%", "25%", "50%", "70%", "100%"]


@dataclass(frozen=True)
class Place:
    """Where a collector works."""

    levels: int
    program_unit: int
    """Pages."""
    blocks: int
    """In each plane."""
    pages_per_block: int
    shared_frontier: bool
    on_arrival: bool
    by_page: bool
    """Host writes are striped by page, whether a plane has room or not."""
    whole_tasks: bool = False
    """Whether channels are kept for jobs."""
    priorities: bool = False
    """Whether the network has a use for pages that are written back together."""
    deferring: bool = False
    """Whether writes leave their chips: not every trigger and limit goes with that."""
    stripes: bool = False
    """Pages have their planes, and parity."""
    stripe_blocks: int = 0
    """Blocks of each plane that are needed for that."""

    host_open_blocks: int = 1
    """Of each plane."""
    parts_of_page: int = 1
    """Pages that make up one of flash."""
    gc_open_blocks: int = 1
    """Of each plane, where they are not the host's."""
    cached_blocks: int = 0
    """Of each plane, in single-level mode: those are folded through the controller, one job at a time."""
    superblocks: bool = False
    """Whether planes share superblocks."""
    asked: tuple[str, ...] = ()
    """Settings that are asked for: of what goes together, chance alone draws the oldest part."""

    @property
    def plain(self) -> bool:
        """Whether jobs move pages through the controller, when they are asked to."""
        return self.cached_blocks > 0 or self.superblocks

    @property
    def open_blocks(self) -> int:
        """Of the host and of the collector, in each plane."""
        return self.host_open_blocks + (0 if self.shared_frontier else self.gc_open_blocks)

    @property
    def whole_units(self) -> bool:
        """Whether several pages are programmed together."""
        return self.program_unit > 1


@dataclass(frozen=True)
class Collector:
    """The section, and what it asks of the drive."""

    section: Section
    kept_blocks: int
    """Free in each plane."""
    invalid_pages: int
    """So many must some sealed block of each plane have, so that a job frees something: see `most_valid`."""
    even_planes: bool
    """Whether each plane must hold its share of the pages, not more."""

    def most_valid(self, place: Place) -> int:
        """Pages of a plane that may be valid so that, spread over its sealed blocks, one has `invalid_pages`.

        A unit that is not full is padded. Where no block has a unit of invalid pages, jobs free nothing
        and follow each other for ever.
        """
        sealed = place.blocks - self.kept_blocks - place.gc_open_blocks - place.host_open_blocks
        sealed -= place.cached_blocks
        return sealed * (place.pages_per_block - self.invalid_pages + 1) - place.parts_of_page


@st.composite
def collectors(draw: st.DrawFn, place: Place) -> Collector:
    """Any collector that is legal there, and that frees something at last."""
    relocation = draw(relocations(place))
    odd_even = relocation["kind"] in ODD_EVEN
    concurrency: Section = {"kind": "all"} if place.plain else draw(concurrencies())
    padded = place.whole_units and not (odd_even and relocation.get("carry", True))
    trigger, kept = draw(
        triggers(
            place,
            one_job=place.shared_frontier or odd_even or place.whole_tasks or place.cached_blocks > 0,
            least_invalid=place.program_unit if padded else 1,
        )
    )
    victim = draw(victims(place, padded=padded))
    # The lightest block may have more valid pages than another, where weights are not the same: up to twice.
    uneven = 2 if victim["kind"] == "word-line" else 1
    section = {
        "trigger": trigger,
        "victim": victim,
        "relocation": relocation,
        "concurrency": concurrency,
        "pages_in_flight": draw(st.sampled_from([1, 1, 2, 5])),
        "block_victim_access": False if place.stripes else draw(st.booleans()),
    }
    if may_be_paced(place, section):
        sometimes(draw, section, pace=st.sampled_from(PACES))
    return Collector(
        section,
        kept,
        place.program_unit * uneven if padded else 1,
        even_planes=padded and not place.superblocks,
    )


def may_be_paced(place: Place, section: Section) -> bool:
    """Whether nothing could wait for a job that waits for the host."""
    trigger = section["trigger"]
    one_job = trigger["kind"] != "frontier-filled" or trigger.get("jobs") == 1
    others = place.whole_tasks or section["block_victim_access"]
    others |= (place.stripes or place.plain) and not asks_for_both(place.asked, PACE, CACHE, "redundancy.")
    return one_job and not others and section["relocation"]["kind"] != "buffered"


@st.composite
def relocations(draw: st.DrawFn, place: Place) -> Section:
    kinds = ["controller"]
    copies = asks_for_both(place.asked, "gc.relocation.kind=copyback", CACHE, "ftl.superblock")
    if (place.cached_blocks or place.superblocks) and copies and place.parts_of_page == 1:
        kinds = ["copyback"]
    elif not place.on_arrival and place.parts_of_page == 1 and not place.plain:
        kinds.append("copyback")
        if not place.shared_frontier and place.gc_open_blocks == 1:
            kinds += ["copyback-odd-even", "pcgc"]
            if not place.stripes:
                kinds += ["coupled", "coupled"]
            if not place.whole_units and not place.stripes:
                kinds += ["buffered"] * (20 if place.priorities else 3)
    relocation: Section = {"kind": draw(st.sampled_from(kinds))}
    if relocation["kind"] in ODD_EVEN:
        sometimes(draw, relocation, carry=st.sampled_from([True, True, False]))
    if relocation["kind"] in [*ODD_EVEN, "copyback"]:
        sometimes(draw, relocation, max_consecutive_copybacks=st.integers(1, 3))
    if relocation["kind"] == "coupled":
        relocation |= draw(couplings())
    elif relocation["kind"] == "buffered":
        relocation |= draw(buffers(place))
    return relocation


@st.composite
def buffers(draw: st.DrawFn, place: Place) -> Section:
    """What `buffered` goes by."""
    section: Section = {}
    capacities = st.sampled_from(["1 block", "1 block", "2 blocks", "3 blocks"])
    destinations = st.sampled_from(["home"] if place.by_page else ["free", "free", "chip", "chip", "home"])
    sometimes(draw, section, capacity=capacities, destination=destinations)
    if section.get("destination") == "chip" and draw(st.integers(0, 3)) > 0:
        section["chip"] = draw(st.sampled_from(CHIPS))
    if not place.whole_tasks:
        sometimes(draw, section, batches=st.sampled_from([1, 2, 2, 3, 4]))
    if draw(st.integers(0, 3)) > 0:
        section["host_writes"] = draw(st.sampled_from(["absorb", "absorb", "replace"]))
    sometimes(draw, section, planes=st.sampled_from(["even", "by-space", "by-space"]))
    sometimes(draw, section, ties=st.sampled_from(TIES))
    sometimes(draw, section, hold=st.sampled_from(["batch", "batch", "transfer"]))
    return section


@st.composite
def couplings(draw: st.DrawFn) -> Section:
    """What `coupled` goes by; short windows, so that it learns something."""
    coupling: Section = {"window": draw(st.integers(1, 12))}
    admissions = st.sampled_from(
        ["text", "text", "pseudocode", "always", "invalid-ratio", "future", "future"]
    )
    sometimes(draw, coupling, blocks=st.integers(0, 8), admission=admissions)
    sometimes(draw, coupling, order=st.sampled_from(["pointers", "source"]))
    sometimes(draw, coupling, invalid=st.sampled_from(["0%", "34%", "66.6667%"]))
    sometimes(draw, coupling, label=st.sampled_from(LABELS), lib_replica=st.booleans())
    sometimes(draw, coupling, fills=st.sampled_from(["any-unit", "victim-units"]))
    sometimes(draw, coupling, retrain_below=st.sampled_from([0.0, 0.5, 1.0]))
    sometimes(draw, coupling, learning_rate=st.sampled_from([0.05, 1.0]), iterations=st.integers(0, 5))
    if draw(st.booleans()):
        weights = st.lists(st.sampled_from([-3.5, 0.0, 0.1, 2.0]), min_size=8, max_size=8)
        scales = st.lists(st.sampled_from([0.1, 0.25, 1.0]), min_size=8, max_size=8)
        coupling["model"] = {
            "bias": draw(st.sampled_from([-2.0, 0.0, 0.7])),
            "weights": draw(weights),
            "means": draw(scales),
            "deviations": draw(scales),
        }
    return coupling


@st.composite
def concurrencies(draw: st.DrawFn) -> Section:
    concurrency: Section = {"kind": draw(st.sampled_from(["all", "channels", "adaptive"]))}
    usage = st.sampled_from(["programmed", "valid"])
    # A little more or less full, and the limit changes.
    shares = st.sampled_from([0, 30, 60, 75, 90, 100])
    if concurrency["kind"] == "channels":
        sometimes(draw, concurrency, share=st.sampled_from(["1%", "34%", "67%", "100%"]))
        sometimes(draw, concurrency, gate=shares.map(lambda share: f"{share}%"), usage=usage)
        if concurrency.get("gate", "0%") != "0%":
            concurrency |= draw(gate_memories(int(concurrency["gate"][:-1])))
    elif concurrency["kind"] == "adaptive":
        low, high = sorted([draw(shares), draw(shares)])
        concurrency |= {"theta1": f"{low}%", "theta2": f"{high}%", "max_channels": draw(st.integers(1, 3))}
        sometimes(draw, concurrency, rounding=st.sampled_from(["ceil", "floor", "nearest"]), usage=usage)
    if concurrency["kind"] != "all":
        sometimes(draw, concurrency, idle=st.booleans())
    return concurrency


@st.composite
def gate_memories(draw: st.DrawFn, gate: int) -> Section:
    """How long a gate of so many per cent stays open."""
    memory: Section = {}
    sometimes(draw, memory, gate_memory=st.sampled_from(["none", "until-drained", "two-thresholds"]))
    if memory.get("gate_memory") == "two-thresholds":
        memory["gate_close"] = f"{draw(st.integers(0, gate))}%"
    return memory


def trigger_kinds(place: Place) -> list[str]:
    """Those that go with the drive; twice what is to be drawn more often."""
    foreground = ["foreground"] * (3 if place.deferring else 1) if place.by_page else []
    if place.plain:
        foreground = []
    others = [] if place.deferring or place.superblocks else ["frontier-filled", "invalid-ratio"]
    return ["free-blocks", *others, *foreground]


@st.composite
def triggers(draw: st.DrawFn, place: Place, *, one_job: bool, least_invalid: int) -> tuple[Section, int]:
    """The trigger, and the free blocks that it keeps in each plane."""
    blocks = place.blocks
    # Of the others some are open, one is collected, and one at least is the host's.
    most = blocks - place.stripe_blocks - 2 - place.gc_open_blocks - place.host_open_blocks
    most -= place.cached_blocks
    start = draw(st.integers(1, min(3, most)))
    hard = draw(st.integers(1, start))

    def level(count: int) -> str:
        if draw(st.booleans()):
            return f"{count} blocks"
        # Shares are rounded down, but not below a block.
        least_ppm = 0 if count == 1 else -(-count * MILLION // blocks)
        return percent(draw(st.integers(least_ppm, ((count + 1) * MILLION - 1) // blocks)))

    kind = draw(st.sampled_from(trigger_kinds(place)))
    # Never urgent, or only where no block is free.
    low = ["off"] if kind == "invalid-ratio" else ["off", "0 blocks"]
    hard_level = draw(st.sampled_from(low)) if draw(st.integers(0, 3)) == 0 else level(hard)
    if kind == "invalid-ratio":
        # What joins a list must be more than a job may pad, or jobs make blocks like those they collect.
        pages = place.pages_per_block
        enough = [at for at in SHARES if max(1, -(-int(at[:-1]) * pages // 100)) >= least_invalid]
        trigger: Section = {"kind": kind, "ratio": draw(st.sampled_from(enough)), "hard": hard_level}
        sometimes(draw, trigger, idle=st.booleans(), order=st.sampled_from(["first-listed", "most-invalid"]))
        return trigger, 1 if hard_level == "off" else hard
    if kind in ("free-blocks", "foreground"):
        stop = draw(st.integers(start, min(start + 1, most)))
        trigger = {"kind": kind, "start": level(start)}
        if draw(st.booleans()):
            trigger["stop"] = level(stop)
        else:
            stop = start
        if draw(st.booleans()):
            trigger["hard"] = hard_level
        waits_for = {"waits_for": st.sampled_from(["any", "writes"])} if kind == "foreground" else {}
        sometimes(draw, trigger, **waits_for)
        if kind == "free-blocks" and not (place.deferring or place.superblocks):
            sometimes(draw, trigger, of=st.sampled_from(["drive", "drive", "plane"]))
        return trigger, stop
    host_stop = draw(st.integers(1, start))
    trigger = {"kind": kind, "start": level(start), "hard": hard_level}
    if draw(st.booleans()):
        trigger["host_stop"] = level(host_stop)
    if one_job:
        trigger["jobs"] = 1
    else:
        sometimes(draw, trigger, jobs=st.integers(1, 4))
    return trigger, start


SCORES = (
    "valid",
    "valid / age",
    "2 * (valid + 1) / sqrt(since_sealed) + erases / 8",
    "-invalid * min(age, 40) - floor(since_sealed / 16)",
    "max(level_0, valid / 2) - abs(erases - 3) / pages",
    "since_sealed / (invalid - 1)",
)
"""Arithmetic for `score`: every name and operation but `pow`, infinities among what it gives."""


@st.composite
def victims(draw: st.DrawFn, place: Place, *, padded: bool) -> Section:
    kinds = [
        "greedy",
        "fifo",
        "random",
        "d-choices",
        "random-threshold",
        "cost-benefit",
        "windowed-greedy",
        "age-threshold",
        *([] if place.superblocks else ["score"]),
    ]
    if not (padded and place.stripes) and not place.superblocks:
        # Stripe writes fill planes up to what free blocks allow, where the lightest block may free nothing.
        kinds += ["word-line", "word-line"]
    victim: Section = {"kind": draw(st.sampled_from(kinds))}
    if victim["kind"] == "greedy":
        sometimes(draw, victim, ties=st.sampled_from(["oldest", "lowest-number"]))
    elif victim["kind"] == "d-choices":
        sometimes(draw, victim, d=st.integers(1, 5))
    elif victim["kind"] == "random-threshold":
        shares = st.sampled_from(["0%", "1%", "34%", "66.6667%", "100%"])
        sometimes(draw, victim, invalid=shares, draws=st.sampled_from([1, 2, 3, 8, 200]))
    elif victim["kind"] == "windowed-greedy":
        sometimes(draw, victim, window=st.sampled_from(["1 block", "2 blocks", "3 blocks", "5%", "40%"]))
    elif victim["kind"] == "age-threshold":
        sometimes(draw, victim, age=st.sampled_from(["0%", "1%", "4.5%", "30%", "100%", "250%"]))
    elif victim["kind"] == "score":
        victim["score"] = draw(st.sampled_from(SCORES))
    elif victim["kind"] == "word-line":
        # Where all pages may weigh nothing, or too unlike each other, full blocks may be chosen for ever.
        weight = st.integers(3, 6) if padded else st.integers(1, 9)
        weights = st.lists(weight, min_size=place.levels, max_size=place.levels)
        if padded or draw(st.booleans()):
            victim["weights"] = draw(weights)
        else:
            sometimes(draw, victim, weigh=st.sampled_from(["read", "read-program", "read-mean-program"]))
        ties = st.sampled_from(["fewest-valid", "oldest", "lowest-number"])
        sometimes(draw, victim, ties=ties, erase=st.booleans())
    return victim
