"""Random small drives: every policy and every setting of the timed model, in legal combinations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import assume
from hypothesis import strategies as st

from differential.collectors import CACHE, PACE, Collector, Place, collectors
from differential.coverage import has_setting
from differential.drawing import (
    LEVELS,
    MILLION,
    TIES,
    Section,
    asks_for_both,
    open_of_classes,
    percent,
    sometimes,
    times,
)
from differential.networks import ASKING, OTHER_NETWORKS, networks
from differential.redundancies import (
    chips_of,
    data_pages_of_row,
    deferrals,
    host_pages,
    least_stored,
    may_defer,
    parity_dies,
    redundancies,
    spare_blocks,
)
from differential.starts import replay_orders, starts

MAPPING_UNIT = "geometry.mapping_unit"
SUPERBLOCK = "ftl.superblock"
SEPARATION = "ftl.separation."
REDUNDANCY = "redundancy."
PARITY = "redundancy.kind=superblock-parity"
MAPPING = "ftl.mapping_cache"
STATIC = "ftl.wear.static_threshold"
WORD_LINES = "flash.program_unit=word-line"
MULTI_PLANE = "flash.multi_plane=same-page"
BESIDE_STRIPES = (SEPARATION, MAPPING_UNIT, PACE)
"""With which stripes are drawn only where both are asked for."""
ORDERS = ["CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC"]
ORDERS += ["DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC"]


def _scopes(only: Sequence[str]) -> list[str]:
    """The scopes of superblocks that are asked for."""
    asked = [setting.partition("=") for setting in only if setting.startswith(SUPERBLOCK)]
    if PARITY in only:
        return ["channel", "drive"]
    return [scope for _, _, given in asked for scope in ([given] if given else ["die", "channel", "drive"])]


@dataclass(frozen=True)
class Drive:
    """A drive, as the tree of a device file, with what a trace must know of it."""

    tree: Section
    page_bytes: int
    pages: range
    """Pages of the trace's address space that requests may go to."""
    crowded: bool


def _may_be_wanted(tree: Section, only: Sequence[str]) -> bool:
    """Whether a drive that is not whole yet can have one of these settings: what it has of these stays."""
    of_gc = ("gc.trigger.", "gc.relocation.", "gc.deferral.", PACE)
    sections = (*of_gc, SEPARATION, CACHE, SUPERBLOCK)
    decided = all(setting.startswith(sections) for setting in only)
    return not only or not decided or any(has_setting(tree, setting) for setting in only)


@st.composite
def drives(draw: st.DrawFn, only: Sequence[str] = ()) -> Drive:  # noqa: PLR0915 - one draw after another
    """Any legal small drive; where settings are named, one that has one of them."""
    tree: Section = {"name": "random", "seed": draw(st.integers(0, 2**63 - 1))}
    # Many dies on one channel, few pages, times in whole microseconds: everything meets everything else.
    crowded = draw(st.sampled_from([False, False, True]))
    kinds = ["bus", "bus", "bus", "serialized-channel", "ideal", "mesh", "mesh", *OTHER_NETWORKS]
    kind = draw(st.sampled_from(kinds))
    geometry = draw(crowded_geometries() if crowded else geometries())
    # Priorities show where pages of the collector are written back from its buffer.
    buffered = not _scopes(only) and kind == "venice-priority" and draw(st.integers(0, 3)) > 0
    redundant = not buffered and draw(_has_stripes(only))
    tree["interconnect"] = {"kind": kind}
    if buffered or (kind in ("mesh", *OTHER_NETWORKS) and draw(st.integers(0, 2)) > 0):
        geometry |= draw(chips_whose_ways_cross(pages=8 if buffered else 4))
    if (redundant and chips_of(geometry) <= 2) or PARITY in only:
        geometry["chips_per_channel"] = draw(st.sampled_from([2, 3, 4]))
    tree["interconnect"] |= draw(interconnects(kind, geometry["channels"], geometry["chips_per_channel"]))
    tree["ftl"] = draw(translation_layers(plain=buffered))
    parts = 1 if buffered else draw(parts_of_pages(only, redundant=redundant))
    cell = draw(cells(geometry, tree["ftl"], only, by_page=buffered, parts=parts))
    placed, cache_blocks, spans = (
        draw(blocks_apart(geometry, tree["ftl"], cell, only, plain=buffered, network=kind))
        if (not redundant and parts == 1)
        or asks_for_both(only, SEPARATION, REDUNDANCY, MAPPING_UNIT)
        or asks_for_both(only, CACHE, MAPPING_UNIT)
        or asks_for_both(only, SUPERBLOCK, MAPPING_UNIT)
        else (False, 0, False)
    )
    whole_units = cell.get("program_unit") == "word-line"
    stripes = redundancies(geometry, tree["ftl"], whole_units=whole_units or parts > 1)
    redundancy: Section = draw(stripes) if redundant else {"kind": "none"}
    if PARITY in only and spans:
        redundancy = {"kind": "superblock-parity"}
    tree["redundancy"] = redundancy
    if kind == "serialized-channel":
        sometimes(draw, tree["interconnect"], gc_tasks=st.sampled_from(["whole", "whole", "interleaved"]))
    in_units = whole_units or parts > 1
    deferring = (
        may_defer(geometry, redundancy, whole_units=in_units)
        and not ("separation" in tree["ftl"] or asks_for_both(only, REDUNDANCY, PACE))
        and draw(st.integers(0, 3)) > 0
    )
    open_for_mapping = _make_room_for_mapping(geometry, tree["ftl"], only)
    place = place_of(geometry, tree["ftl"], cell, redundancy, parts)
    place = replace(
        place,
        whole_tasks=tree["interconnect"].get("gc_tasks") == "whole",
        deferring=deferring,
        priorities=buffered,
        cached_blocks=cache_blocks,
        superblocks=spans,
        asked=tuple(only),
        host_open_blocks=place.host_open_blocks + open_for_mapping,
    )
    collector = draw(collectors(place))
    tree["gc"] = collector.section
    tree["gc"]["deferral"] = draw(deferrals(redundancy)) if deferring else {"kind": "none"}
    assume(_may_be_wanted(tree, only))
    if collector.even_planes:
        # Only by page each plane gets no more than its share.
        tree["ftl"]["allocation"] = {"kind": "striping", "by": "lpn"}
    most, failing = draw(spare_to_fail(most_valid(place, collector), geometry, redundancy))
    most = draw(mapping_caches(tree, geometry["page_bytes"], most, only))
    dies = parity_dies(geometry, tree["ftl"], redundancy)
    logical_pages = draw(capacities(geometry, redundancy, most, crowded=crowded and not buffered, dies=dies))
    tree["geometry"] = geometry
    page_bytes = _size_pages(geometry, parts)
    weighed = tree["gc"]["victim"]["kind"] == "word-line"
    flash_pages = geometry["pages_per_block"] // parts
    tree["flash"] = draw(
        flash(
            cell,
            flash_pages,
            weighed=weighed,
            placed=placed,
            cached=cache_blocks > 0,
            together=asks_for_both(only, MULTI_PLANE, SEPARATION, CACHE),
            crowded=crowded,
        )
    )
    if failing:
        tree["flash"]["endurance"] = {"failures": draw(failures(tree["flash"].get("initial_erases", 0)))}
    if tree["interconnect"]["kind"] != "serialized-channel":
        # Elsewhere no read reaches a die that works.
        tree["flash"] |= draw(beside_each_other(whole_units=whole_units, crowded=crowded))
    tree["channel"] = draw(channels(page_bytes, crowded=crowded, stripes=redundancy["kind"] == "raid5"))
    tree["controller"] = draw(controllers(page_bytes, redundancy, collector.section, crowded=crowded))
    tree["scheduler"] = draw(schedulers(tree["channel"]))
    tree["host"] = draw(hosts(crowded=crowded))
    tree["warmup"] = draw(starts(tree, _most_share(geometry, logical_pages, redundancy), full=buffered))
    if "policies" in tree["warmup"]:
        # Others could do without more blocks.
        tree["flash"].pop("endurance", None)
    tree["measure"] = draw(measures(cuts="rebuild_chip" not in redundancy))
    tree["trace"], pages = draw(addresses(tree, logical_pages, page_bytes))
    geometry["pages_per_block"] = flash_pages  # so far they were what is mapped
    return Drive(tree, page_bytes, pages, crowded)


def _make_room_for_mapping(geometry: Section, ftl: Section, only: Sequence[str]) -> int:
    """Blocks for translation pages, where they are asked for; how many open ones they have in each plane."""
    if not any(setting.startswith(MAPPING) for setting in only):
        return 0
    geometry["blocks_per_plane"] += 3
    return 0 if "separation" in ftl else 1


@st.composite
def mapping_caches(draw: st.DrawFn, tree: Section, page_bytes: int, most: int, only: Sequence[str]) -> int:
    """Hold a little of the mapping in memory, if that is asked for; most pages of a plane for the host."""
    kinds = [kind for kind in ("dftl", "pages") if not {MAPPING, f"{MAPPING}.kind={kind}"}.isdisjoint(only)]
    if not kinds:
        return most
    ftl = tree["ftl"]
    assume(tree["redundancy"]["kind"] == "none" and "placement" not in ftl)
    assume(tree["gc"]["relocation"]["kind"] in ("controller", "copyback"))
    assume(ftl["gc_frontier"] == "separate" and ftl["assign_pages"] == "at-start")
    kind, wanted = draw(st.sampled_from(kinds)), draw(st.sampled_from([2, 3, 5, 16, 64]))
    entry = page_bytes // wanted
    size = draw(st.integers(1, 9)) * (page_bytes if kind == "pages" else 2 * entry)
    ftl["mapping_cache"] = {"kind": kind, "size": f"{size}B", "entry": f"{entry}B"}
    entries = page_bytes // entry
    most = most * entries // (entries + 1) - 1
    assume(most > 0)
    return most


def _size_pages(geometry: Section, parts: int) -> int:
    """Write down how large pages are; the bytes of what is mapped."""
    page_bytes: int = geometry.pop("page_bytes")
    geometry["page_size"] = f"{page_bytes * parts}B"
    if parts > 1:
        geometry["mapping_unit"] = f"{page_bytes}B"
    return page_bytes


def _most_share(geometry: Section, logical_pages: int, redundancy: Section) -> int | None:
    """The share of all pages that the host sees, ppm; none with redundancy, where none can be asked for."""
    dimensions = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
    dimensions += ["blocks_per_plane", "pages_per_block"]
    pages = math.prod(geometry[dimension] for dimension in dimensions)
    return logical_pages * MILLION // pages if redundancy["kind"] == "none" else None


@st.composite
def addresses(draw: st.DrawFn, tree: Section, logical_pages: int, page_bytes: int) -> tuple[Section, range]:
    """How pages of the trace become the drive's, in which order again, and which of them it may touch."""
    remap = draw(st.sampled_from(["none", "none", "none", "wrap", "compact", "scale"]))
    assume(logical_pages > 0)
    first = 0 if remap == "none" else draw(st.integers(0, 1000))
    count = logical_pages if remap in ("none", "compact") else draw(st.integers(1, 3 * logical_pages))
    pages, found = range(first, first + count), {"remap": remap} | draw(replay_orders(tree))
    separation = tree["ftl"].get("separation", {})
    if separation.get("kind") == "by-stream" and draw(st.booleans()):
        found["streams"] = draw(stream_ranges(separation["open_blocks"], pages, page_bytes))
    return found, pages


@st.composite
def stream_ranges(draw: st.DrawFn, streams: int, pages: range, page_bytes: int) -> list[Section]:
    """Streams by address: ranges that begin and end anywhere, some with a gap between them."""
    byte = st.integers(pages.start * page_bytes, pages.stop * page_bytes)
    ends = sorted(draw(st.sets(byte, min_size=2, max_size=5)))
    named = [(first, end, draw(st.integers(-1, streams - 1))) for first, end in pairwise(ends)]
    ranges = [
        {"first": f"{first}B", "bytes": f"{end - first}B", "stream": stream}
        for first, end, stream in named
        if stream >= 0
    ]
    return draw(st.permutations(ranges))


@st.composite
def geometries(draw: st.DrawFn) -> Section:
    return {
        "channels": draw(st.sampled_from([1, 1, 2, 3])),
        "chips_per_channel": draw(st.sampled_from([1, 2])),
        "dies_per_chip": draw(st.sampled_from([1, 2])),
        "planes_per_die": draw(st.sampled_from([2, 1])),
        "blocks_per_plane": draw(st.one_of(st.integers(5, 14), st.integers(15, 25))),
        "pages_per_block": draw(st.integers(2, 10)),
        "page_bytes": draw(st.sampled_from([512, 1024, 1536, 4096])),
    }


@st.composite
def crowded_geometries(draw: st.DrawFn) -> Section:
    return {
        "channels": 1,
        "chips_per_channel": draw(st.sampled_from([1, 2, 3])),
        "dies_per_chip": draw(st.sampled_from([1, 2])),
        "planes_per_die": draw(st.sampled_from([2, 1, 3])),
        "blocks_per_plane": draw(st.integers(5, 9)),
        "pages_per_block": draw(st.integers(2, 4)),
        "page_bytes": 512,
    }


@st.composite
def chips_whose_ways_cross(draw: st.DrawFn, *, pages: int) -> Section:
    """Up to nine chips, and little on each of them: blocks of half as many pages, or up to so many."""
    return {
        "channels": draw(st.sampled_from([2, 3])),
        "chips_per_channel": draw(st.sampled_from([2, 3])),
        "dies_per_chip": 1,
        "planes_per_die": draw(st.sampled_from([1, 2])),
        "blocks_per_plane": draw(st.integers(5, 9)),
        "pages_per_block": draw(st.integers(pages // 2, pages)),
    }


def some_of(places: list[list[int]], count: int) -> st.SearchStrategy[list[list[int]]]:
    """So many different ones of these places, in any order."""
    return st.lists(st.sampled_from(places), min_size=count, max_size=count, unique_by=tuple)


def interconnects(kind: str, channels: int, chips_per_channel: int) -> st.SearchStrategy[Section]:
    """Parameters of a network for so many chips."""
    if kind == "mesh":
        return meshes(channels, chips_per_channel)
    return networks(kind, channels, chips_per_channel) if kind in OTHER_NETWORKS else st.just({})


@st.composite
def meshes(draw: st.DrawFn, channels: int, chips_per_channel: int) -> Section:
    """A mesh of any shape for so many chips."""
    chips = channels * chips_per_channel
    shapes = [(rows, chips // rows) for rows in range(1, chips + 1) if chips % rows == 0]
    rows, columns = draw(st.sampled_from([(channels, chips_per_channel), *shapes]))
    mesh: Section = {}
    if (rows, columns) != (channels, chips_per_channel) or draw(st.booleans()):
        mesh |= {"rows": rows, "columns": columns}
    places = [[row, column] for row in range(rows) for column in range(columns)]
    count = min(draw(st.sampled_from([0, 1, 2, 2, 3, 3])), chips)
    controllers = draw(some_of(places, count)) if count > 0 else [[row, 0] for row in range(rows)]
    if count > 0:
        mesh["controllers"] = controllers
    left = [place for place in places if place not in controllers]
    of_gc = min(draw(st.sampled_from([0, 0, 1, 1, 2])), len(left))
    if of_gc > 0:
        mesh["gc_controllers"] = draw(some_of(left, of_gc))
    hops = st.sampled_from(["0ns", "1ns", "500ns", "3us"])
    entries = st.sampled_from(["own", "nearest-free", "nearest-free", "nearest-free"])
    sometimes(draw, mesh, hop=hops, entry=entries, ties=st.sampled_from(TIES), order=st.sampled_from(ASKING))
    return mesh


def place_of(geometry: Section, ftl: Section, cell: Section, redundancy: Section, parts: int) -> Place:
    """What the collector must know of the drive, pages of which are parts of a page of flash."""
    levels, (of_host, of_gc) = LEVELS[cell["cell"]], open_of_classes(ftl.get("separation", {}))
    return Place(
        levels=levels,
        program_unit=parts * (levels if cell.get("program_unit") == "word-line" else 1),
        parts_of_page=parts,
        blocks=geometry["blocks_per_plane"],
        pages_per_block=geometry["pages_per_block"],
        shared_frontier=ftl["gc_frontier"] == "shared",
        on_arrival=ftl["assign_pages"] == "on-arrival",
        by_page=ftl["allocation"]["kind"] == "striping" and ftl["allocation"].get("by", "lpn") == "lpn",
        stripes=redundancy["kind"] == "raid5",
        stripe_blocks=spare_blocks(redundancy),
        host_open_blocks=of_host or ftl.get("placement", {}).get("open_blocks", 1),
        gc_open_blocks=of_gc,
    )


def most_valid(place: Place, collector: Collector) -> int:
    """The most pages of a plane that the host may see."""
    stranded_blocks = -(-(place.program_unit - 1) * place.blocks // place.pages_per_block)
    needed_blocks = collector.kept_blocks + place.open_blocks + 1 + stranded_blocks
    needed_blocks += place.stripe_blocks + place.cached_blocks
    most = (place.blocks - needed_blocks) * place.pages_per_block
    return min(most, collector.most_valid(place)) if collector.even_planes else most


@st.composite
def blocks_apart(
    draw: st.DrawFn,
    geometry: Section,
    ftl: Section,
    cell: Section,
    only: Sequence[str],
    *,
    plain: bool,
    network: str,
) -> tuple[bool, int, bool]:
    """Place by level, keep classes apart, have a cache of so many blocks, or superblocks; or none of it."""
    both = asks_for_both(only, SUPERBLOCK, CACHE)
    cached = any(setting.startswith(CACHE) for setting in only)
    if (
        not (plain or (cached and not both))
        and network != "serialized-channel"
        and draw(superblocks(geometry, ftl, cell, only))
    ):
        streams = asks_for_both(only, SUPERBLOCK, SEPARATION)
        by_page = cell.get("program_unit") != "word-line" and not asks_for_both(
            only, SUPERBLOCK, MAPPING_UNIT
        )
        placed = streams and draw(separations(geometry, ftl, cell, plain=True, by_class=by_page, wanted=True))
        blocks = draw(caches(geometry, ftl, cell, wanted=True)) if both else 0
        return placed, blocks, True
    lines = cell.get("program_unit") == "word-line"
    apart = asks_for_both(only, SEPARATION, CACHE, REDUNDANCY, MAPPING_UNIT, WORD_LINES, MULTI_PLANE)
    placed = not (cached or apart or asks_for_both(only, SUPERBLOCK, MAPPING_UNIT)) and (
        draw(placements(geometry, ftl, cell)) or draw(separations(geometry, ftl, cell, plain=plain))
    )
    if apart:
        by_unit = lines or asks_for_both(only, SEPARATION, MAPPING_UNIT, MULTI_PLANE)
        placed = draw(separations(geometry, ftl, cell, plain=plain or cached or by_unit, wanted=True))
    level = ftl["wear"].get("static_threshold")
    no_cache = plain or (placed and not cached) or (lines and not asks_for_both(only, CACHE, WORD_LINES))
    blocks = 0 if no_cache else draw(caches(geometry, ftl, cell, wanted=cached))
    if blocks and level is not None and asks_for_both(only, CACHE, STATIC):
        ftl["wear"]["static_threshold"] = level
    return placed, blocks, False


@st.composite
def placements(draw: st.DrawFn, geometry: Section, ftl: Section, cell: Section) -> bool:
    """Place pages by level, where that is legal; planes have more blocks then."""
    legal = ftl["gc_frontier"] == "separate" and ftl["assign_pages"] == "at-start"
    if not legal or LEVELS[cell["cell"]] == 1 or cell.get("program_unit") == "word-line":
        return False
    if draw(st.integers(0, 2)) > 0:
        return False
    ftl["placement"] = {"kind": draw(st.sampled_from(["level-by-history", "level-by-future"]))}
    sometimes(draw, ftl["placement"], short_lived=st.sampled_from(["fast", "slow"]))
    ftl["placement"]["open_blocks"] = draw(st.sampled_from([2, 2, 3, 4]))
    geometry["blocks_per_plane"] += ftl["placement"]["open_blocks"]
    return True


@st.composite
def _has_stripes(draw: st.DrawFn, only: Sequence[str]) -> bool:
    if _scopes(only):
        return False
    return draw(st.integers(0, 3)) == 3 or asks_for_both(only, REDUNDANCY, *BESIDE_STRIPES)


@st.composite
def parts_of_pages(draw: st.DrawFn, only: Sequence[str], *, redundant: bool) -> int:
    """How many parts of a page of flash are mapped by themselves: mostly it is one page."""
    if redundant and not asks_for_both(only, REDUNDANCY, MAPPING_UNIT):
        return 1
    several = st.sampled_from([2, 3, 4, 4, 8])
    return draw(several) if MAPPING_UNIT in only or draw(st.integers(0, 5)) == 5 else 1


@st.composite
def separations(
    draw: st.DrawFn,
    geometry: Section,
    ftl: Section,
    cell: Section,
    *,
    plain: bool,
    by_class: bool = False,
    wanted: bool = False,
) -> bool:
    """Keep pages apart, where that is legal; planes have more blocks then.

    A plain drive has the plain schemes, with pages relocated together, unless those may be `by_class`.
    """
    legal = ftl["gc_frontier"] == "separate" and ftl["assign_pages"] == "at-start"
    if not legal or (cell.get("program_unit") == "word-line" and not wanted):
        return False
    if not wanted and draw(st.integers(0, 3)) > 0:
        return False
    apart = ["dac", "sepbit", "fadac", "future-knowledge"]
    kinds = ["by-stream", "by-lifetime", "eti", "sfr", *([] if plain else apart)]
    section: Section = {"kind": draw(st.sampled_from(kinds))}
    if section["kind"] == "sepbit":
        sometimes(draw, section, lifespans=st.sampled_from([1, 2, 3]))
    elif section["kind"] == "eti":
        of_extents = {"extents": st.sampled_from([1, 2, 3, 5, 20]), "halving": st.sampled_from([1, 2, 7, 50])}
        sometimes(draw, section, **of_extents)
    else:
        section["open_blocks"] = draw(st.sampled_from([2, 2, 3, 4]))
    if section["kind"].startswith("by-") and (by_class or not plain):
        sometimes(draw, section, relocated=st.sampled_from(["by-class", "by-class", "together"]))
    if section["kind"] == "sfr":
        of_chunks = {"chunk_pages": st.sampled_from([1, 2, 5, 16]), "decay": st.sampled_from([1, 4, 30])}
        sometimes(draw, section, **of_chunks)
    if section["kind"] == "by-lifetime":
        sometimes(draw, section, base=st.sampled_from([2, 3, 5, 40]))
    if section["kind"] == "future-knowledge":
        sometimes(draw, section, span=st.sampled_from([1, 3, 10]))
    ftl["separation"] = section
    geometry["blocks_per_plane"] += sum(open_of_classes(section)) - 1
    return True


@st.composite
def caches(draw: st.DrawFn, geometry: Section, ftl: Section, cell: Section, *, wanted: bool) -> int:
    """Have a cache in single-level mode, where that is legal; its blocks, which planes have more then."""
    legal = ftl["gc_frontier"] == "separate" and ftl["assign_pages"] == "at-start"
    if not legal or LEVELS[cell["cell"]] == 1:
        return 0
    if not wanted and draw(st.integers(0, 4)) > 0:
        return 0
    blocks = draw(st.sampled_from([1, 1, 2, 3, 5]))
    geometry["blocks_per_plane"] += blocks
    section: Section = {"kind": "static", "blocks": f"{blocks} blocks"}
    if draw(st.booleans()):
        section["blocks"] = percent(-(-blocks * MILLION // geometry["blocks_per_plane"]))
    starts_at = st.one_of(
        st.integers(1, blocks).map(lambda count: f"{count} blocks"), st.sampled_from(["100%", "100%", "50%"])
    )
    programs = times(2_000, 10_000, 30_000)
    sometimes(draw, section, start=starts_at, rested=st.booleans())
    sometimes(draw, section, t_read=times(1_000, 2_000, 5_000), t_program=programs)
    ftl["slc_cache"] = section
    ftl["wear"] = {"dynamic": ftl["wear"]["dynamic"]}
    return blocks


@st.composite
def superblocks(draw: st.DrawFn, geometry: Section, ftl: Section, cell: Section, only: Sequence[str]) -> bool:
    """Have planes share superblocks, where that is legal; whether they do."""
    wanted, by_line = _scopes(only), asks_for_both(only, SUPERBLOCK, WORD_LINES)
    if cell.get("program_unit") == "word-line" and not by_line:
        return False
    if not wanted and draw(st.integers(0, 7)) > 0:
        return False
    ftl["superblock"] = draw(st.sampled_from(wanted or ["die", "channel", "drive"]))
    if ftl["superblock"] == "die":
        geometry["planes_per_die"] = max(2, geometry["planes_per_die"])
    ftl |= {"gc_frontier": "separate", "assign_pages": "at-start"}
    if not asks_for_both(only, SUPERBLOCK, STATIC):
        ftl["wear"] = {"dynamic": ftl["wear"]["dynamic"]}
    if ftl["allocation"]["kind"] == "striping":
        ftl["allocation"]["by"] = "arrival"
    return True


@st.composite
def cells(
    draw: st.DrawFn, geometry: Section, ftl: Section, only: Sequence[str], *, by_page: bool, parts: int
) -> Section:
    """The cell and the program unit; blocks and translation layer follow."""
    wanted = asks_for_both(only, WORD_LINES, CACHE, SEPARATION, SUPERBLOCK)
    word_lines = not by_page and (draw(st.integers(0, 2)) == 2 or wanted)
    if word_lines or parts > 1:
        cell = draw(st.sampled_from(["TLC", "MLC", "QLC", "SLC"]))
        # Pages that make no whole unit need spare blocks, and something must be left for the host.
        lines = max(1 if word_lines else LEVELS[cell], draw(st.integers(3, 6)))
        geometry["pages_per_block"] = (LEVELS[cell] if word_lines else 1) * lines * parts
        geometry["blocks_per_plane"] = max(geometry["blocks_per_plane"], 11 if parts == 1 else 13)
        ftl |= {"gc_frontier": "separate", "assign_pages": "at-start"}
        section: Section = {"cell": cell, "program_unit": "word-line" if word_lines else "page"}
        waits = ["0ns", "3us", "17us", "100us", "1ms"]
        sometimes(
            draw, section, flush_after=st.sampled_from(waits), flush_clock=st.sampled_from(["trace", "drive"])
        )
        return section
    possible = [cell for cell, levels in LEVELS.items() if levels <= geometry["pages_per_block"]]
    section = {"cell": draw(st.sampled_from(possible))}
    sometimes(draw, section, program_unit=st.just("page"))
    return section


@st.composite
def capacities(
    draw: st.DrawFn, geometry: Section, redundancy: Section, most_of_plane: int, *, crowded: bool, dies: int
) -> int:
    """Choose what the host sees and say it in one of three ways; the pages it is."""
    dimensions = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
    planes: int = math.prod(geometry[dimension] for dimension in dimensions)
    pages: int = planes * geometry["blocks_per_plane"] * geometry["pages_per_block"]
    most = planes * most_of_plane

    def seen(stored: int) -> int:
        return stored // dies * (dies - 1) if dies else host_pages(geometry, redundancy, stored)

    # Full drives collect; emptier ones show what happens before.
    spare = pages - most + draw(st.integers(0, most // 4))
    if crowded:
        least = max(least_stored(geometry, redundancy), 3 * dies)
        spare = max(spare, pages - draw(st.integers(least, max(24, 2 * least))))
    way = draw(st.sampled_from(["user_capacity", "over_provisioning", "spare_factor"]))
    if spare > 100 * (pages - spare):
        # More over-provisioning than a hundredfold cannot be written down.
        way = "user_capacity"
    if way == "spare_factor":
        ppm = -(-spare * MILLION // pages)
        geometry[way] = percent(ppm)
        return seen(pages - pages * ppm // MILLION)
    if way == "over_provisioning":
        ppm = -(-spare * MILLION // (pages - spare))
        geometry[way] = percent(ppm)
        return seen(pages * MILLION // (MILLION + ppm))
    page_bytes = geometry["page_bytes"]
    rest = draw(st.integers(0, data_pages_of_row(geometry, redundancy) * page_bytes - 1))
    count = seen(pages - spare)
    geometry[way] = f"{count * page_bytes + rest}B"
    return count


@st.composite
def controllers(
    draw: st.DrawFn, page_bytes: int, redundancy: Section, collector: Section, *, crowded: bool
) -> Section:
    """What the controller has: mostly a write buffer that is soon full, perhaps a time to look pages up."""
    found: Section = {"write_buffer": draw(write_buffers(page_bytes, redundancy.get("stripe_chips", 1)))}
    lookup = times(0, 1_000, crowded=True) if crowded else times(0, 25, 1_000)
    sometimes(draw, found, lookup=lookup)
    if draw(st.integers(0, 2)) == 0:
        found["command"] = draw(times(1_000, 2_000, 5_000, least=1, crowded=crowded))
        sometimes(draw, found, cores=st.sampled_from([1, 2, 3, 8]))
    if draw(st.integers(0, 3)) == 0:
        found["reads_before_write"] = draw(st.sampled_from([1, 1, 2, 4]))
    if redundancy["kind"] != "raid5":
        sometimes(draw, found, acknowledge=st.sampled_from(["staged", "programmed"]))
    if found.get("acknowledge") == "staged" and collector["relocation"]["kind"] != "buffered":
        sometimes(draw, found, merge_overwrites=st.booleans())
    return found


@st.composite
def write_buffers(draw: st.DrawFn, page_bytes: int, least_pages: int) -> str:
    """A write buffer of at least so many pages, mostly one that is soon full."""
    least, most = least_pages * page_bytes, (least_pages + 11) * page_bytes
    small = st.integers(least, most).map(lambda size: f"{size}B")
    return draw(st.one_of(st.just("unlimited"), st.just("16MiB"), small))


@st.composite
def translation_layers(draw: st.DrawFn, *, plain: bool) -> Section:
    allocation: Section = {"kind": draw(st.sampled_from(["striping", "dynamic", "ospada"]))}
    if allocation["kind"] == "striping":
        by = st.sampled_from(["lpn", "arrival"])
        sometimes(draw, allocation, order=st.sampled_from(ORDERS), by=by)
    elif allocation["kind"] == "ospada":
        sometimes(draw, allocation, distance=st.integers(0, 6))
    else:
        sometimes(draw, allocation, together=st.sampled_from(["page", "run", "unit"]))
    wear: Section = {"dynamic": draw(st.booleans())}
    sometimes(draw, wear, static_threshold=st.integers(0, 3))
    if "static_threshold" in wear:
        sometimes(draw, wear, ties=st.sampled_from(TIES))
    assign_pages = draw(st.sampled_from(["at-start", "at-start", *([] if plain else ["on-arrival"])]))
    frontiers = ["separate", "shared"] if assign_pages == "at-start" and not plain else ["separate"]
    return {
        "allocation": allocation,
        "gc_frontier": draw(st.sampled_from(frontiers)),
        "assign_pages": assign_pages,
        "wear": wear,
    }


@st.composite
def flash(
    draw: st.DrawFn,
    cell: Section,
    pages_per_block: int,
    *,
    weighed: bool,
    placed: bool,
    cached: bool,
    together: bool,
    crowded: bool,
) -> Section:
    levels = LEVELS[cell["cell"]]
    section = cell | {"level_order": draw(st.sampled_from(["level-major", "interleaved"]))}
    if cell.get("program_unit") != "word-line" and draw(st.booleans()):
        section["pages_per_word_line"] = levels * draw(st.integers(1, pages_per_block // levels))
    for key, common in [("t_read", (1_000, 2_000, 5_000)), ("t_program", (2_000, 10_000, 30_000))]:
        # Where blocks are chosen by these times, no page may weigh nothing.
        one = times(*common, least=1 if weighed else 0, crowded=crowded)
        section[key] = draw(st.one_of(one, st.lists(one, min_size=levels, max_size=levels)))
    section["t_erase"] = draw(times(5_000, 30_000, 100_000, crowded=crowded))
    # Where each plane chooses its next page for itself, they cannot agree on one.
    agreed = ["same-page", "same-page-anywhere"] if not (placed or cached) else []
    section["multi_plane"] = draw(st.sampled_from(["off", *agreed, "any-page"]))
    if together:
        section["multi_plane"] = draw(st.sampled_from(["same-page", "same-page-anywhere"]))
    section["dies_overlap"] = draw(st.sampled_from([True, True, False]))
    if draw(st.integers(0, 3)) == 3:
        section["read_retry"] = draw(read_retries(crowded=crowded))
    if not cached and draw(st.integers(0, 3)) == 3:
        section["wear"] = draw(times_by_wear())
    sometimes(draw, section, initial_erases=st.sampled_from([0, 1, 2, 1000]))
    return section


@st.composite
def spare_to_fail(draw: st.DrawFn, most: int, geometry: Section, redundancy: Section) -> tuple[int, int]:
    """The most pages of a plane that the host may see, and how many blocks may fail: they must be spare."""
    failing = draw(st.sampled_from([0, 0, 1, 2])) if redundancy["kind"] != "raid5" else 0
    per_block: int = geometry["pages_per_block"]
    failing = failing if most >= (failing + 1) * per_block else 0
    return most - failing * per_block, failing


@st.composite
def failures(draw: st.DrawFn, initial: int) -> list[Section]:
    """Blocks that fail from the first erases on: few or most of them, with or without a beginning."""
    rows = [{"erases": initial, "failed": "0%"}] if initial else []
    for erases in sorted(draw(st.sets(st.integers(1, 6), min_size=1, max_size=2))):
        least = int(str(rows[-1]["failed"]).rstrip("%")) if rows else 0
        rows.append({"erases": initial + erases, "failed": f"{draw(st.integers(max(least, 5), 100))}%"})
    return rows


@st.composite
def times_by_wear(draw: st.DrawFn) -> list[Section]:
    """Times that change with the first few erases of a block, and with those of a worn drive."""
    counts = st.sampled_from([0, 1, 2, 3, 5, 1000, 1001, 1003])
    factors = st.sampled_from(["0.0001%", "33.3333%", "92%", "100%", "140.5%", "1000%"])
    rows: list[Section] = [
        {"erases": erases} for erases in sorted(draw(st.lists(counts, min_size=1, max_size=4, unique=True)))
    ]
    for row in rows:
        sometimes(draw, row, read=factors, program=factors, erase=factors)
    return rows


@st.composite
def read_retries(draw: st.DrawFn, *, crowded: bool) -> Section:
    """Reads that fail: hardly any, many or all."""
    section: Section = {"rate": draw(st.sampled_from(["0.5%", "20%", "70%", "100%"]))}
    lengths = times(0, 1_000, 3_000, crowded=crowded)
    sometimes(draw, section, most=st.sampled_from([0, 1, 2, 5]), t_retry=lengths)
    return section


@st.composite
def beside_each_other(draw: st.DrawFn, *, whole_units: bool, crowded: bool) -> Section:
    """What may begin beside what: programs set aside, reads of other planes, data in cache registers."""
    section: Section = {"suspend": draw(suspensions(crowded=crowded))}
    sometimes(draw, section, plane_reads=st.sampled_from(["independent", "independent", "shared"]))
    if section.get("plane_reads") == "independent":
        sometimes(draw, section, cache_reads=st.booleans())
    if not whole_units and draw(st.integers(0, 3)) == 3:
        section["cache_programs"] = True
        section["suspend"]["program"] = False
    return section


@st.composite
def suspensions(draw: st.DrawFn, *, crowded: bool) -> Section:
    suspend: Section = {"program": draw(st.booleans()), "erase": draw(st.booleans())}
    time = times(0, 1_000, 2_000, crowded=crowded)
    suspend["t_suspend"] = draw(time)
    sometimes(draw, suspend, t_resume=time, limit=st.sampled_from([0, 1, 2, 5]))
    return suspend


@st.composite
def channels(draw: st.DrawFn, page_bytes: int, *, crowded: bool, stripes: bool) -> Section:
    commands: Section = {}
    cycles, overhead = st.integers(0, 9), times(0, 1_000, 2_000, crowded=crowded)
    sometimes(draw, commands, read_cycles=cycles, program_cycles=cycles, erase_cycles=cycles)
    sometimes(draw, commands, read_overhead=overhead, program_overhead=overhead, erase_overhead=overhead)
    further = {f"{name}_further_plane": overhead for name in ("read", "program", "erase")}
    sometimes(draw, commands, **further)
    # The first moves a page in a whole number of microseconds.
    rates = ["512 MT/s", "1536 MT/s", "333 MT/s", "1200.7 MT/s", "40 MT/s"]
    section: Section = {
        "rate": draw(st.sampled_from(rates[:1] if crowded else rates)),
        "command_cycle": draw(times(0, 1_000, crowded=True) if crowded else times(0, 25, 1_000)),
        "commands": commands,
        "partial_programs": draw(st.booleans()),
        "order": draw(st.sampled_from(["commands-first", "commands-first", "data-first"])),
    }
    granularity = st.integers(1, 2 * page_bytes).map(lambda size: f"{size}B")
    sometimes(draw, section, width_bits=st.sampled_from([1, 8, 16]), granularity=granularity)
    sometimes(draw, section, host_buffer=times(0, 1_000, crowded=True) if crowded else times(0, 25, 1_000))
    if section.get("host_buffer", "0ns") != "0ns" and not stripes:
        sometimes(draw, section, host_buffer_path=st.sampled_from(["controller", "controller", "channel"]))
    return section


@st.composite
def schedulers(draw: st.DrawFn, channel: Section) -> Section:
    scheduler: Section = {"kind": draw(st.sampled_from(["read-first", "fcfs", "type-first", "by-class"]))}
    if scheduler["kind"] == "type-first":
        sometimes(draw, scheduler, gc_first=st.sampled_from(["always", "urgent"]))
    elif scheduler["kind"] == "fcfs":
        sometimes(draw, scheduler, gc_first=st.sampled_from(["always", "by-arrival"]))
    elif scheduler["kind"] == "by-class":
        sometimes(draw, scheduler, order=orders(), urgent_order=st.one_of(st.just("none"), orders()))
        if draw(st.integers(0, 3)) > 0:
            channel["order"] = "by-class"
    return scheduler


@st.composite
def orders(draw: st.DrawFn) -> list[str | list[str]]:
    """The five classes in any order; sometimes neighbours are equal."""
    classes = draw(st.permutations(["host-read", "host-write", "gc-read", "gc-write", "erase"]))
    groups: list[list[str]] = []
    for name in classes:
        if groups and draw(st.integers(0, 3)) == 0:
            groups[-1].append(name)
        else:
            groups.append([name])
    return [group[0] if len(group) == 1 else group for group in groups]


@st.composite
def hosts(draw: st.DrawFn, *, crowded: bool) -> Section:
    host: Section = {"mode": draw(st.sampled_from(["open-loop", "closed-loop"]))}
    if host["mode"] == "closed-loop":
        sometimes(draw, host, queue_depth=st.sampled_from([1, 2, 4, 8, 16, 64]))
    else:
        sometimes(draw, host, time_scale=st.sampled_from([0.37, 0.5, 2.0, 3.0, 1000.0]))
    if draw(st.integers(0, 3)) == 3:
        sizes = st.sampled_from([0, 512, 1024]) if crowded else st.integers(0, 200)
        small = sizes.map(lambda size: f"{size}B")
        rates = ["512 MT/s"] if crowded else ["1 GT/s", "123.456789 MT/s"]
        link: Section = {"lanes": 1, "lane_rate": rates[0], "packet_overhead": "0B"} if crowded else {}
        sometimes(draw, link, lanes=st.integers(1, 5), lane_rate=st.sampled_from(rates))
        payload = st.integers(1, 600).map(lambda size: f"{size}B")
        sometimes(draw, link, max_payload=payload, packet_overhead=small)
        sometimes(draw, link, doorbell=small, submission_entry=small, completion_entry=small)
        host["link"] = link
    return host


@st.composite
def measures(draw: st.DrawFn, *, cuts: bool) -> Section:
    after = ["start", "start", "start", "first-round", "0%", "25%", "60%"]
    section: Section = {"after": draw(st.sampled_from(after))}
    if cuts:
        sometimes(draw, section, power_cut_every=st.sampled_from([2, 40, 200]))
    return section
