"""README.md and its picture from their templates and the data of papers: no figure in it is typed.

python tools/readme.py
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reclaim.paper import page, pictures
from reclaim.paper.measured import Figure, rounded
from reclaim.paper.page_parts import PageParts
from reclaim.paper.paper import load_paper

ROOT = Path(__file__).parents[1]
FOLDER, PAGE = ROOT / "tools" / "readme_page", ROOT / "README.md"
TEMPLATE = FOLDER / page.TEMPLATE
PICTURE = ROOT / "docs" / "images" / "papers.png"
OURS, THEIRS, TURNS = (ROOT / "benches" / f"{name}.json" for name in ("baseline", "mqsim", "turns"))
VALIDATION, MAKEFILE = ROOT / "docs" / "validation.md", ROOT / "Makefile"
LOWER: dict[str, Callable[[float], float]] = {
    "less": pictures.SHOWN["reduction"],
    "times": lambda gain: pictures.SHOWN["reduction"](pictures.SHOWN["inverse"](gain)),
}
"""How many percent lower, of a ratio and of a gain."""
ABSENT = {
    "no thermal throttling": ("throttl", "thermal"),
    "no spread between equally worn blocks": ("block-to-block", "variation between blocks"),
    "no blocks bad from the start": ("bad block", "bad_block", "bad from the start"),
    "no refresh of old data": ("refresh", "data_age"),
}
"""What README says is absent, and by which words a key or a policy would be known that brings it."""


def render() -> str:
    """Give the page."""
    ours, theirs, turns = (json.loads(file.read_text(encoding="utf-8")) for file in (OURS, THEIRS, TURNS))
    return (
        page.environment()
        .from_string(TEMPLATE.read_text(encoding="utf-8"))
        .render(
            speed=_by_turns(turns) + _processes(ours, theirs),
            models=MODELS,
            agreement=agreement(VALIDATION.read_text(encoding="utf-8")),
            absent=ABSENT,
            help_of=help_of,
            picture=declared(),
            less=lambda key, ref: rounded(LOWER["less"](parts_of(key).value(ref).value)),
            times=lambda key, ref: rounded(LOWER["times"](parts_of(key).value(ref).value)),
            **{name: _of_paper(name) for name in ("about", "cell", "change", "value")},
        )
    )


def declared() -> pictures.Picture:
    """Give the picture of the page as it is declared."""
    (found,) = pictures.load(FOLDER)
    return found


def draw() -> bytes:
    """Draw it: what papers claim, and what is found. A reference begins with the paper's key and a slash.

    After that, `less:` makes a ratio the percentage by which it is lower, `times:` one of a gain.
    """

    def ask(reference: str) -> Figure:
        key, _, name = reference.partition("/")
        how, colon, rest = name.partition(":")
        if not colon or how not in LOWER:
            return parts_of(key).value(name)
        found = parts_of(key).value(rest)
        low, high = sorted(map(LOWER[how], found.interval))
        return Figure(LOWER[how](found.value), low, high, found.count)

    return pictures.png(declared(), ask)


@functools.cache
def parts_of(key: str) -> PageParts:
    """Give what the page of a paper is made of."""
    folder = load_paper(key).folder
    data = json.loads((folder / page.DATA).read_text(encoding="utf-8"))
    return PageParts(folder / page.TEMPLATE, data, {})


def _of_paper(verb: str) -> Callable[..., Any]:
    """Give a verb of the pages of papers, with the key of the paper first."""
    return lambda key, *arguments: parts_of(key).verbs()[verb](*arguments)


Row = tuple[str, ...]
"""What is done, and how long it takes MQSim, the default drive, and the mirror of MQSim."""
MODELS = {"default": "gc-bypass", "mirror": "mqsim-mirror"}
"""Presets whose speed is shown: docs/performance.md, "What is reached"."""


def _by_turns(turns: dict[str, Any]) -> list[Row]:
    """Of requests in the loop: MQSim, the default and the mirror by turns."""
    works = {
        "writes-64g": "random writes of 4 KiB, 64 GiB, collecting: a request",
        "reads-64g": "random reads of 4 KiB, no collection: a request",
    }
    rows: list[Row] = []
    for row, work in works.items():
        found = turns[row]["found"]
        ours = [
            f"{found[name]['us'][0]:.2g} µs ({found[name]['times'][0]:.1f}×)"
            for name in ("Reclaim", "Reclaim, mirror")
        ]
        rows.append((work, f"{found['MQSim']['us'][0]:.3g} µs", *ours))
    return rows


def _processes(ours: dict[str, Any], theirs: dict[str, Any]) -> list[Row]:
    """Of whole processes, measured each by itself."""
    works = {
        ("writes-64g", "writes-64g-mirror"): "these writes with warm-up: the process",
        ("xval-mini", "xval-mirror"): "the cross-validation trace: the process",
    }
    rows: list[Row] = []
    for (row, mirror), work in works.items():
        them = theirs[row]["process_s"]
        both = [ours[each]["process_s"] for each in (row, mirror)]
        rows.append((work, f"{them:.3g} s", *(f"{us:.3g} s ({them / us:.1f}×)" for us in both)))
    return rows


def agreement(page: str) -> int:
    r"""How far the mirror is from MQSim at most, in whole percent: of the summary in docs/validation.md.

    >>> agreement("## Against MQSim\n| MQSim: a | 9 | +1.2 % (p95) | 5 % |\n| MQSim: b | 2 | 0 | exact |")
    2
    """
    section = page.partition("## Against MQSim")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| MQSim: ")]
    return math.ceil(max(abs(float(each[3].partition("%")[0])) for each in rows))


def help_of(target: str) -> str:
    """What `make help` says of a target."""
    found = re.search(rf'@echo "make {target} +(.+)"', MAKEFILE.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"make help says nothing of {target}")
    return found[1]


def main() -> None:
    """Write it, and its picture."""
    PAGE.write_text(render(), encoding="utf-8")
    PICTURE.write_bytes(draw())


if __name__ == "__main__":
    main()
