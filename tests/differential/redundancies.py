"""Random redundancy: stripes over chips, on drives that can bear them."""

from __future__ import annotations

from hypothesis import strategies as st

from differential.drawing import TIES, Section, sometimes

ORDERS = ["CWDP", "PDWC", "WCPD"]
"""Of a striping that stripes overrule."""


def chips_of(geometry: Section) -> int:
    """All chips of the drive."""
    return int(geometry["channels"] * geometry["chips_per_channel"])


@st.composite
def redundancies(draw: st.DrawFn, geometry: Section, ftl: Section, *, whole_units: bool) -> Section:
    """Stripes over several chips; blocks and translation layer follow."""
    chips = chips_of(geometry)
    widths = [width for width in range(2, chips + 1) if chips % width == 0]
    section: Section = {"kind": "raid5", "stripe_chips": draw(st.sampled_from(widths))}
    ftl["allocation"] = {"kind": "striping"}
    sometimes(draw, ftl["allocation"], order=st.sampled_from(ORDERS), by=st.just("lpn"))
    ftl["assign_pages"] = "at-start"
    sometimes(draw, section, unreadable_chip=st.integers(0, chips - 1))
    if "unreadable_chip" not in section:
        sometimes(draw, section, rebuild_chip=st.integers(0, chips - 1))
    if "rebuild_chip" in section:
        orders = st.sampled_from(["host-first", "rebuild-first"])
        sometimes(draw, section, rebuild_order=orders, rebuild_stripes=st.sampled_from([1, 2, 5, 30]))
    sometimes(draw, section, read_around=st.booleans(), xor=st.sampled_from(["0ns", "1us", "1300ns"]))
    if ftl["gc_frontier"] == "separate" and not whole_units:
        sometimes(draw, section, parity_blocks=st.sampled_from(["own", "own", "shared"]))
    geometry["blocks_per_plane"] += spare_blocks(section)
    return section


@st.composite
def deferrals(draw: st.DrawFn, redundancy: Section) -> Section:
    """Writes that leave their chips, in any way."""
    deferral: Section = {"kind": "dgc"}
    sometimes(
        draw,
        deferral,
        redirect=st.sampled_from(["warned", "warned", "busy", "never"]),
        take=st.sampled_from(["oldest", "newest"]),
        parity=st.booleans(),
        lookahead=st.sampled_from([0, 1, 5, 5000]),
        idle=st.sampled_from(["warned", "all", "none"]),
        restore=st.sampled_from(["1 block", "2 blocks"]),
        ties=st.sampled_from([*TIES, "least-worn"]),
    )
    if not {"unreadable_chip", "rebuild_chip"} & redundancy.keys():
        sometimes(draw, deferral, same_stripe=st.sampled_from(["allowed", "forbidden"]))
    return deferral


def may_defer(geometry: Section, redundancy: Section, *, whole_units: bool) -> bool:
    """Whether writes may leave their chips."""
    if redundancy["kind"] != "raid5" or whole_units or redundancy.get("parity_blocks") == "own":
        return False
    return bool(redundancy["stripe_chips"] < chips_of(geometry))


def spare_blocks(redundancy: Section) -> int:
    """The blocks of each plane that it needs and others do not: for copies, and for parity alone."""
    if redundancy["kind"] != "raid5":
        return 0
    return 2 if redundancy.get("parity_blocks") == "own" else 1


def data_pages_of_row(geometry: Section, redundancy: Section) -> int:
    """The pages of the host that there are or are not together: those of a stripe of every set."""
    if redundancy["kind"] != "raid5":
        return 1
    chips, width = chips_of(geometry), int(redundancy["stripe_chips"])
    return chips - chips // width


def host_pages(geometry: Section, redundancy: Section, stored: int) -> int:
    """What the host sees where so many pages are stored, parity included."""
    if redundancy["kind"] != "raid5":
        return stored
    return stored // chips_of(geometry) * data_pages_of_row(geometry, redundancy)


def parity_dies(geometry: Section, ftl: Section, redundancy: Section) -> int:
    """The dies of each superblock, where one of them has the parity of the others; otherwise 0."""
    if redundancy["kind"] != "superblock-parity":
        return 0
    of_channel = geometry["chips_per_channel"] * geometry["dies_per_chip"]
    return int(of_channel * (1 if ftl["superblock"] == "channel" else geometry["channels"]))


def least_stored(geometry: Section, redundancy: Section) -> int:
    """So few pages are enough, also if one is lost when they are written as a share."""
    return 3 if redundancy["kind"] != "raid5" else max(3, chips_of(geometry) + 1)
