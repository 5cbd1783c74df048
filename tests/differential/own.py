"""Policies of one's own on random drives: twins of built-ins, and some that no built-in equals.

What is drawn is not touched: of a drive with built-ins a second one is made, with their twins in Python, and
both must do the same. Where settings ask for policies of kind `python`, the drive gets some that look at all
they are shown, and the reference model runs them, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from differential.drawing import LEVELS as LEVELS_OF
from differential.drawing import Section, open_of_classes
from differential.own_policies import blocks

POLICIES = Path(__file__).with_name("own_policies.py")
KEYS = {
    "gc.victim": "victim",
    "gc.trigger": "trigger",
    "gc.concurrency": "concurrency",
    "ftl.allocation": "allocation",
    "ftl.separation": "separation",
}
"""What a policy of each kind is called in the files that are written."""
FREELY_DRAWN = [key for key in KEYS if key != "ftl.separation"]
"""Those that may come beside another that was wanted."""
OCCASIONS = ("drive", "sealed", "invalidated", "erased", "idle", "requests", "writes")
LEVELS = ("start", "stop", "hard", "host_stop", "jobs")
"""Settings of triggers that one in Python has, too."""


def section(tree: Mapping[str, Any], key: str) -> Section:
    """The table of a policy."""
    room, name = key.split(".")
    found: Section = tree[room].get(name, {"kind": "none"})
    return found


def written(lines: Mapping[str, str]) -> Path:
    """A file with the policies of this project's tests, and these made of them."""
    text = POLICIES.read_text("utf-8") + "".join(f"\n{name} = {made}" for name, made in lines.items()) + "\n"
    folder = Path(tempfile.gettempdir()) / "reclaim-own-policies"
    folder.mkdir(exist_ok=True)
    file = folder / f"{blake2b(text.encode(), digest_size=12).hexdigest()}.py"
    if not file.exists():
        part = file.with_suffix(f".{id(text)}")
        part.write_text(text, "utf-8")
        part.replace(file)
    return file


def _placed(tree: Mapping[str, Any], made: Mapping[str, str], kept: Mapping[str, Section]) -> Section:
    """The drive with policies in Python of these kinds."""
    file = written({KEYS[key]: call for key, call in made.items()})
    result: Section = deepcopy(dict(tree))
    for key in made:
        room, name = key.split(".")
        own = {"kind": "python", "function": f"{file}:{KEYS[key]}"}
        result[room][name] = own | kept.get(key, {})
    return result


def free_to_choose(tree: Mapping[str, Any]) -> list[str]:
    """The kinds that may be in Python on a drive with all that it has."""
    keys = [key for key in KEYS if key != "ftl.separation" or "separation" in tree["ftl"]]
    if tree["ftl"].get("superblock", "plane") != "plane":
        return [key for key in keys if key == "ftl.separation"]
    if "slc_cache" in tree["ftl"]:
        keys = [key for key in keys if key not in ("gc.trigger", "gc.concurrency")]
    if tree["gc"]["deferral"]["kind"] == "dgc":
        keys.remove("gc.trigger")
    if tree["redundancy"]["kind"] == "raid5" or tree["gc"]["trigger"]["kind"] == "foreground":
        keys.remove("ftl.allocation")
    return keys


def twin_of(tree: Mapping[str, Any]) -> Section | None:
    """The drive with twins of built-ins that have one: of all, or of some, as its seed says."""
    made: dict[str, str] = {}
    kept: dict[str, Section] = {}
    for key in free_to_choose(tree):
        given = section(tree, key)
        if key == "gc.concurrency" and tree["gc"]["relocation"]["kind"] == "buffered":
            # Planes that wait for room in the buffer are looked at again whenever one in Python is asked.
            continue
        name = given["kind"].replace("-", "_")
        if _has_twin(key, given, tree["geometry"]["blocks_per_plane"], alone=_planes_of_a_channel(tree) == 1):
            made[key] = f"{name}({given!r}, {_shape(tree)!r})"
            if key == "gc.trigger":
                kept[key] = _levels(given)
            if key == "ftl.separation":
                kept[key] = _open_blocks(given)
    seed = tree["seed"]
    if seed % 3 > 0 and len(made) > 1:
        made = {key: call for place, (key, call) in enumerate(made.items()) if (seed // 3 >> place) % 2 == 0}
    return _placed(tree, made, kept) if made else None


def _shape(tree: Mapping[str, Any]) -> Section:
    """What twins must know of the drive beside what policies are told."""
    flash = tree["flash"]
    whole = flash.get("program_unit") == "word-line"
    shape: Section = tree["geometry"] | {
        "dies_overlap": flash["dies_overlap"],
        "unit_flash_pages": LEVELS_OF[flash["cell"]] if whole else 1,
    }
    return shape


def _planes_of_a_channel(tree: Mapping[str, Any]) -> int:
    sizes = tree["geometry"]
    return int(sizes["chips_per_channel"] * sizes["dies_per_chip"] * sizes["planes_per_die"])


def _has_twin(key: str, given: Section, count: int, *, alone: bool) -> bool:
    kind = str(given["kind"])
    if kind == "python":
        return False
    if key == "gc.victim":
        by_number: bool = given.get("ties") == "lowest-number"
        return kind == "score" or (by_number and (kind == "greedy" or "weights" in given))
    if key == "gc.trigger":
        # One in Python is overruled at `hard`, and where the host may open no block: these two are not.
        hard = given.get("hard", "0.5%")
        urgent = 0 if hard == "off" else blocks(hard, count)
        overruled = kind == "frontier-filled" and urgent > blocks(given.get("host_stop", "1 block"), count)
        return kind in ("free-blocks", "frontier-filled") and not overruled
    if key == "gc.concurrency":
        # One in Python is asked again whenever anything that it is told has changed. That is sooner where
        # more than the jobs under way decides, and where an emergency begins on a channel of several planes.
        gated = str(given.get("gate", "0%")) != "0%"
        return kind == "all" or (kind == "channels" and alone and not given.get("idle") and not gated)
    if key == "ftl.separation":
        # A case has streams where the drive is by stream, and its twin is not.
        return kind in ("dac", "sepbit")
    return kind != "ospada"


def _open_blocks(given: Section) -> Section:
    """What a separation in Python is told of classes where the built-in has these."""
    host, relocated = open_of_classes(given)
    return {"open_blocks": host, "relocated_open_blocks": relocated}


def _levels(given: Section) -> Section:
    """What a trigger in Python is told of levels where the built-in has these."""
    found = {name: given[name] for name in LEVELS if name in given}
    if given["kind"] == "frontier-filled":
        found.setdefault("hard", "0.5%")
        found.setdefault("jobs", 10)
    return found


def asks_for_own(only: Sequence[str]) -> list[str]:
    """The settings that ask for a policy in Python."""
    return [f"{key}.kind=python" for key in KEYS if f"{key}.kind=python" in only]


def of_python(tree: Mapping[str, Any]) -> list[str]:
    """The kinds that are in Python on a drive."""
    return [key for key in KEYS if section(tree, key)["kind"] == "python"]


@st.composite
def with_own(draw: st.DrawFn, tree: Mapping[str, Any], wanted: Sequence[str]) -> Section | None:
    """The drive with policies that no built-in equals, some of a kind wanted; none if it cannot."""
    free = free_to_choose(tree)
    possible = [key for key in free if f"{key}.kind=python" in wanted]
    if not possible:
        return None
    first = draw(st.sampled_from(possible))
    beside = (key for key in free if key in (first, *FREELY_DRAWN))
    chosen = [key for key in beside if key == first or draw(st.integers(0, 2)) == 0]
    if first != "ftl.allocation" and "policies" in tree["warmup"]:
        # Pages of other policies may lie anywhere.
        chosen = [key for key in chosen if key != "ftl.allocation"]
    if (
        tree["ftl"]["allocation"].get("by", "lpn") == "lpn"
        and tree["ftl"]["allocation"]["kind"] == "striping"
    ):
        # Only by page each plane gets no more than its share, which some collectors need.
        chosen = [key for key in chosen if key != "ftl.allocation" or first == key]
    made: dict[str, str] = {}
    kept: dict[str, Section] = {}
    for key in chosen:
        salt = draw(st.integers(0, 10**6))
        made[key] = f"some_{KEYS[key]}({salt}, {_parameters(draw, key, tree)!r})"
        if key == "gc.trigger":
            kept[key] = _levels(section(tree, key))
            if section(tree, key)["kind"] == "invalid-ratio":
                kept[key] = dict.fromkeys(("start", "hard"), "1 block")
        if key == "ftl.separation":
            kept[key] = _open_blocks(section(tree, key))
    return _placed(tree, made, kept)


def _parameters(draw: Callable[[st.SearchStrategy[Any]], Any], key: str, tree: Mapping[str, Any]) -> Section:
    if key == "gc.trigger":
        occasions = st.lists(st.sampled_from(OCCASIONS), max_size=3, unique=True)
        # Where jobs pad what they move, those that win too little could follow each other for ever.
        padded = "mapping_unit" in tree["geometry"] or tree["flash"].get("program_unit") == "word-line"
        start = blocks(section(tree, key).get("start", "1 block"), tree["geometry"]["blocks_per_plane"])
        return {"asked_when": draw(occasions), "most": start if padded else start + 2}
    if key == "gc.concurrency":
        return {"limit": draw(st.booleans()), "note": draw(st.booleans())}
    if key == "ftl.allocation":
        allocation = tree["ftl"]["allocation"]
        by_page = allocation["kind"] == "striping" and allocation.get("by", "lpn") == "lpn"
        return {"by_page": by_page}
    return {}
