"""Random networks beside the bus and the plain mesh."""

from __future__ import annotations

from hypothesis import strategies as st

from differential.drawing import TIES, Section, sometimes

OTHER_NETWORKS = ["pssd", "pnssd", "nossd", "venice", "venice", "venice", "smartnetssd", "smartnetssd"]
OTHER_NETWORKS += ["venice-priority"] * 4


ASKING = ["newcomers-first", "waiting-first", "waiting-first"]
"""Who asks first (12.13)."""


@st.composite
def networks(draw: st.DrawFn, kind: str, channels: int, chips_per_channel: int) -> Section:
    """Parameters of a network for so many chips."""
    network: Section = {}
    if kind == "pssd":
        headers = st.sampled_from(["0ns", "3ns", "2us"])
        sometimes(draw, network, speed=st.sampled_from([1, 2, 3]), packet_header=headers)
        return network
    if kind == "pnssd":
        option = draw(st.sampled_from([None, "split", "spatial_gc"]))
        network = {} if option is None else {option: True}
        sometimes(draw, network, ties=st.sampled_from(TIES), order=st.sampled_from(ASKING))
        return network
    chips = channels * chips_per_channel
    rows, columns = channels, chips_per_channel
    if draw(st.booleans()):
        rows = draw(st.integers(1, chips + 1))
        columns = -(-chips // rows) + draw(st.integers(0, 1))
        network |= {"rows": rows, "columns": columns}
    places = [[row, column] for row in range(rows) for column in range(columns)]
    if draw(st.booleans()):
        network["chips"] = draw(_some_of(places, chips))
    count = min(draw(st.sampled_from([0, 1, 2, 3, 4])), len(places))
    if count > 0:
        network["controllers"] = draw(_some_of(places, count))
    of_priorities = kind == "venice-priority"
    hops = ["0ns", "1ns", "500ns", "3us"]
    if kind == "nossd":
        sometimes(draw, network, hop=st.sampled_from(hops), order=st.sampled_from(ASKING))
        return network
    dedicates = len(network.get("controllers", range(rows))) > 1
    network |= draw(_priorities(places, dedicates=dedicates) if of_priorities else _of_collector(places))
    if of_priorities:
        hops = hops[1:]
        network["hop"] = draw(st.sampled_from(hops))
    sometimes(draw, network, hop=st.sampled_from(hops), ports_tried=st.sampled_from([1, 1, 2, 3, 4]))
    sometimes(draw, network, picks=st.sampled_from(["register", "first"]))
    if network.get("hop") in ("500ns", "3us"):
        sometimes(draw, network, resend=st.sampled_from(["on-change", "at-once", "at-once"]))
    sometimes(draw, network, ties=st.sampled_from(TIES), order=st.sampled_from(ASKING))
    if kind != "smartnetssd":
        sometimes(draw, network, distance=st.sampled_from(["way", "scout"]))
    else:
        sometimes(draw, network, paths=st.sampled_from([1, 2, 3, 4]))
    return network


@st.composite
def _of_collector(draw: st.DrawFn, places: list[list[int]]) -> Section:
    """Controllers for collection only, if any."""
    count = min(draw(st.sampled_from([0, 0, 0, 1, 2])), len(places))
    return {"gc_controllers": draw(_some_of(places, count))} if count > 0 else {}


@st.composite
def _priorities(draw: st.DrawFn, places: list[list[int]], *, dedicates: bool) -> Section:
    """Which controller is the collector's, and when its transfers are elevated."""
    section: Section = {}
    kinds = ["extra", "extra", "shared"] + (["dedicated", "dedicated"] if dedicates else [])
    sometimes(draw, section, gc_controller=st.sampled_from(kinds))
    if section.get("gc_controller") != "shared":
        sometimes(draw, section, gc_at=st.sampled_from(places))
    kinds = ["constant", "free-space", "free-space"]
    sometimes(draw, section, elevate=st.sampled_from(kinds), elevate_after=st.integers(1, 4))
    return section


def _some_of(places: list[list[int]], count: int) -> st.SearchStrategy[list[list[int]]]:
    """So many different ones of these places, in any order."""
    return st.permutations(places).map(lambda shuffled: shuffled[:count])
