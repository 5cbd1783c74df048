"""How random drives start: warm-ups, how full they leave a drive, and other drives that do them."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from differential.drawing import Section, percent, sometimes


@st.composite
def starts(draw: st.DrawFn, tree: Section, most: int | None, *, full: bool) -> Section:
    """A warm-up; `most` is the largest share of valid pages that may be asked for, ppm, if any may."""
    warmup = draw(warm_ups(full=full))
    kind = warmup["kind"]
    fills = kind != "empty" and (kind != "replay" or warmup["fill"])
    if fills and most is not None and draw(st.integers(0, 3)) == 3:
        warmup["valid_share"] = percent(draw(st.integers(most // 2, most)))
    if kind != "empty" and not {"slc_cache", "superblock"} & {*tree["ftl"]} and draw(st.integers(0, 5)) == 5:
        warmup["scheme"] = "another"
        warmup["policies"] = draw(preparers(tree))
    return warmup


@st.composite
def preparers(draw: st.DrawFn, tree: Section) -> Section:
    """The policies of a drive that prepares this one, and keeps pages in their planes."""
    ftl, gc = deepcopy(tree["ftl"]), deepcopy(tree["gc"])
    ftl["wear"]["dynamic"] = draw(st.booleans())
    if draw(st.booleans()):
        ftl.pop("placement", None)
    elif "placement" in ftl:
        ftl["placement"]["open_blocks"] = draw(st.integers(2, ftl["placement"]["open_blocks"]))
    if draw(st.booleans()):
        ftl.pop("separation", None)
    elif ftl.get("separation", {}).get("kind") == "by-lifetime":
        ftl["separation"]["open_blocks"] = draw(st.integers(2, ftl["separation"]["open_blocks"]))
    units = tree["flash"].get("program_unit") == "word-line" or "mapping_unit" in tree["geometry"]
    several = gc["trigger"]["kind"] == "frontier-filled" or tree["redundancy"]["kind"] != "none"
    if (
        ftl["assign_pages"] == "at-start"
        and not {"placement", "separation", "mapping_cache"} & {*ftl}
        and not units
        and not several
    ):
        # A shared open block leaves too few spare ones for two.
        ftl["gc_frontier"] = draw(st.sampled_from([ftl["gc_frontier"], "shared"]))
    gc["victim"] = {"kind": draw(st.sampled_from(["greedy", "fifo", "random", "cost-benefit", "d-choices"]))}
    gc["relocation"] = {"kind": "controller"}
    gc["concurrency"] = {"kind": "all"}
    return {"ftl": ftl, "gc": gc, "interconnect": {"kind": "bus"}}


@st.composite
def warm_ups(draw: st.DrawFn, *, full: bool) -> Section:
    kinds = ["filled", "overwrite", "overwrite", "steady", "workload"]
    if not full:
        kinds = ["empty", *kinds, "replay"]
    warmup: Section = {"kind": draw(st.sampled_from(kinds))}
    if warmup["kind"] == "overwrite":
        warmup["overwrites"] = draw(st.sampled_from([0.5, 1.0, 2.3]))
    elif warmup["kind"] in ("steady", "workload"):
        warmup["limit"] = draw(st.sampled_from([2.5, 8.0]))
        warmup["tolerance"] = draw(st.sampled_from(["0.5%", "5%", "20%"]))
    elif warmup["kind"] == "replay":
        warmup["replays"] = draw(st.integers(1, 3))
        warmup["fill"] = draw(st.booleans())
    if warmup["kind"] in ("replay", "workload"):
        sometimes(draw, warmup, padding=st.sampled_from(["by-arrival", "none"]))
    return warmup


@st.composite
def replay_orders(draw: st.DrawFn, tree: Section) -> Section:
    """In which order warm-up plays requests again; where a policy foresees them, in that of the trace."""
    foresees = tree["ftl"].get("placement", {}).get("kind") == "level-by-future"
    foresees |= tree["ftl"].get("separation", {}).get("kind") == "future-knowledge"
    foresees |= tree["gc"]["relocation"].get("admission") == "future"
    if foresees or tree["warmup"]["kind"] not in ("replay", "workload"):
        return {}
    return {"repeat_order": draw(st.sampled_from(["same", "shuffled"]))}
