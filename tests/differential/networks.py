"""Random networks beside the bus and the plain mesh."""

from __future__ import annotations

from hypothesis import strategies as st

from differential.drawing import Section, sometimes

OTHER_NETWORKS = ["pssd", "pnssd", "nossd", "venice", "venice", "venice", "smartnetssd", "smartnetssd"]


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
        return {} if option is None else {option: True}
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
    hops = ["0ns", "1ns", "500ns", "3us"]
    if kind == "nossd":
        sometimes(draw, network, hop=st.sampled_from(hops))
        return network
    of_gc = min(draw(st.sampled_from([0, 0, 0, 1, 2])), len(places))
    if of_gc > 0:
        network["gc_controllers"] = draw(_some_of(places, of_gc))
    sometimes(draw, network, hop=st.sampled_from(hops), ports_tried=st.sampled_from([1, 1, 2, 3, 4]))
    if network.get("hop") in ("500ns", "3us"):
        sometimes(draw, network, resend=st.sampled_from(["on-change", "at-once", "at-once"]))
    if kind == "venice":
        sometimes(draw, network, distance=st.sampled_from(["way", "scout"]))
    else:
        sometimes(draw, network, paths=st.sampled_from([1, 2, 3, 4]))
    return network


def _some_of(places: list[list[int]], count: int) -> st.SearchStrategy[list[list[int]]]:
    """So many different ones of these places, in any order."""
    return st.permutations(places).map(lambda shuffled: shuffled[:count])
