"""The pictures of docs/concepts, one for each kind of policy: python tools/concept_pictures.py."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from concept_blocks import placement, separation, slc_cache
from docs_site.drawing import FREE, GC, GREY, INK, INVALID, LIGHT, VALID, WARM, Drawing

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "concepts"


def overview() -> Drawing:
    """Where each kind of policy decides."""
    picture = Drawing(
        720,
        330,
        "A request passes allocation, placement, scheduler and interconnect; collection decides beside it",
    )
    picture.text(20, 28, "requests of the host", at="start", ink=GREY)
    steps = ["host", "ftl.allocation/which plane", "ftl.placement/which block", "scheduler/which goes first"]
    steps.append("interconnect/which way")
    for number, words in enumerate(steps):
        x = 20 + number * 140
        picture.labelled(x, 44, 118, 50, words, LIGHT if number == 0 else FREE)
        if number:
            picture.arrow([(x - 22, 69), (x, 69)])
    picture.labelled(580, 136, 118, 44, "flash", LIGHT)
    picture.arrow([(639, 94), (639, 136)])
    picture.text(20, 190, "garbage collection", at="start", ink=GREY)
    jobs = [
        "gc.trigger/when",
        "gc.concurrency/how many at once",
        "gc.victim/which block",
        "gc.relocation/how moved",
    ]
    for number, words in enumerate(jobs):
        wide = (96, 150, 118, 118)[number]
        x = (20, 140, 314, 456)[number]
        picture.labelled(x, 206, wide, 50, words, WARM)
        if number:
            picture.arrow([(x - (24, 24, 24, 24)[number], 231), (x, 231)], GC)
    picture.arrow([(515, 206), (515, 94)], GC)
    picture.text(523, 120, "reads, programs,", at="start", size=11, ink=GREY)
    picture.text(523, 133, "erases", at="start", size=11, ink=GREY)
    picture.labelled(20, 276, 236, 40, "gc.deferral: busy chips avoided", WARM)
    picture.labelled(276, 276, 298, 40, "redundancy: what else is read and written")
    return picture


def victim() -> Drawing:
    """Five full blocks, and which of them each policy takes."""
    picture = Drawing(
        720, 300, "Five full blocks with valid and invalid pages, oldest first, and what policies choose"
    )
    blocks = ["vvvivvvv", "vivvivvi", "viviivii", "iivivvii", "viiiviii"]
    chosen = ["fifo", "", "cost-benefit", "", "greedy"]
    picture.text(20, 30, "sealed first", at="start", ink=GREY)
    picture.arrow([(105, 26), (440, 26)], GREY)
    picture.text(448, 30, "sealed last", at="start", ink=GREY)
    for number, (kinds, name) in enumerate(zip(blocks, chosen, strict=True)):
        x = 60 + number * 92
        picture.pages(x, 50, kinds)
        picture.text(x + 23, 182, f"{kinds.count('v')} valid", size=12, ink=GREY)
        if name:
            picture.arrow([(x + 23, 222), (x + 23, 192)], GC)
            picture.text(x + 23, 240, name)
    for number, (fill, words) in enumerate(
        [(VALID, "valid: must be moved"), (INVALID, "invalid: space to be freed")]
    ):
        picture.box(528, 58 + 28 * number, 18, 14, fill, GREY)
        picture.text(554, 70 + 28 * number, words, at="start", size=12)
    picture.text(528, 128, "random: any of them", at="start", size=12)
    picture.text(528, 150, "d-choices: the emptiest", at="start", size=12)
    picture.text(528, 166, "of d that are drawn", at="start", size=12)
    picture.text(528, 188, "windowed-greedy: emptiest", at="start", size=12)
    picture.text(528, 204, "of the oldest", at="start", size=12)
    picture.text(528, 226, "age-threshold: emptiest of", at="start", size=12)
    picture.text(528, 242, "those old enough", at="start", size=12)
    picture.text(
        60,
        278,
        "A young block with few valid pages may lose more of them soon: cost-benefit",
        at="start",
        size=12,
    )
    picture.text(60, 294, "weighs that against what moving costs now.", at="start", size=12)
    return picture


def trigger() -> Drawing:
    """Free blocks of a plane over time, between start, stop and hard."""
    picture = Drawing(
        720, 270, "Free blocks of a plane over time: collection starts, stops, and is urgent at three levels"
    )
    left, right = 70.0, 560.0
    picture.line([(left, 20), (left, 230), (right + 20, 230)])
    picture.text(left - 10, 26, "free", at="end", size=12)
    picture.text(left - 10, 40, "blocks", at="end", size=12)
    picture.text(right + 20, 250, "time", at="end", size=12)
    levels = [
        (92.0, "stop: ends above this"),
        (126.0, "start: begins here"),
        (196.0, "hard: before the host"),
    ]
    spans = [(178.0, 262.0, WARM), (352.0, 498.0, WARM), (415.0, 442.0, GC)]
    for begin, end, fill in spans:
        picture.box(begin, 30, end - begin, 200, fill, fill)
    for y, words in levels:
        picture.line([(left, y), (right, y)], GREY, dashed=True, wide=1)
        picture.text(right + 6, y + 4, words, at="start", size=12)
    course = [
        (70, 44),
        (178, 126),
        (205, 112),
        (222, 118),
        (262, 90),
        (352, 126),
        (415, 196),
        (428, 204),
        (442, 194),
    ]
    picture.line([*course, (498, 90), (540, 104)], VALID, wide=2.5)
    picture.text(220, 48, "collects", size=12)
    picture.text(385, 48, "collects", size=12)
    picture.text(428, 224, "urgent", size=11)
    return picture


def relocation() -> Drawing:
    """Three ways of a valid page."""
    picture = Drawing(
        720, 300, "Valid pages through the controller, inside the plane, and into a buffer and another chip"
    )
    for number, (name, note) in enumerate(
        [
            ("controller", "checked by ECC; two transfers"),
            ("copyback", "no data on the channel"),
            ("buffered", "erased first, then written back"),
        ]
    ):
        x = 20 + number * 240
        picture.text(x + 100, 24, name, size=15)
        picture.labelled(x, 40, 200, 40, "controller" if number < 2 else "controller    buffer", LIGHT)
        picture.line([(x, 106), (x + 200, 106)], GREY, wide=4)
        picture.text(x + 198, 98, "channel", at="end", size=11, ink=GREY)
        picture.pages(x + 24, 150, "vivi" + "iivi", high=13)
        picture.pages(x + 130, 150, "gg......", high=13)
        picture.text(x + 47, 274, "victim", size=12)
        picture.text(x + 153, 274, "open block" if number < 2 else "another chip", size=12)
        picture.text(x + 100, 294, note, size=12, ink=GREY)
    picture.arrow([(67, 150), (67, 80)], GC, wide=2)
    picture.arrow([(173, 80), (173, 150)], GC, wide=2)
    picture.arrow([(332, 157), (388, 157)], GC, wide=2)
    picture.arrow([(547, 150), (547, 128), (626, 128), (626, 80)], GC, wide=2)
    picture.arrow([(653, 80), (653, 150)], GC, dashed=True, wide=2)
    picture.text(660, 138, "later", at="start", size=11, ink=GREY)
    return picture


def concurrency() -> Drawing:
    """How many channels may collect, over the usage of the flash."""
    picture = Drawing(
        720, 260, "Channels that may collect at once over the share of pages in use, under three policies"
    )
    left, bottom = 80.0, 210.0
    picture.line([(left, 24), (left, bottom), (520, bottom)])
    picture.text(left - 8, 40, "8", at="end", size=12)
    picture.text(left - 8, 129, "4", at="end", size=12)
    picture.text(left - 8, 214, "0", at="end", size=12)
    picture.text(20, 20, "channels that may collect (of 8)", at="start", size=12, ink=GREY)
    picture.text(520, 246, "pages in use", at="end", size=12, ink=GREY)
    for share in (0, 50, 70, 85, 100):
        picture.text(left + 4.3 * share, 228, f"{share} %", size=12)

    def at(share: float, channels: float) -> tuple[float, float]:
        return left + 4.3 * share, bottom - 21.2 * channels

    picture.line([at(0, 8), at(100, 8)], GREY, wide=2.5)
    picture.line([at(0, 0), at(70, 0), at(70, 4), at(100, 4)], VALID, wide=2.5)
    steps = [at(0, 0), at(50, 0)]
    for channels, (begin, end) in enumerate(pairwise((50, 58.75, 67.5, 76.25, 100)), 1):
        steps += [at(begin, channels), at(end, channels)]
    picture.line([(x, y + 4) for x, y in steps], GC, wide=2.5)
    for y, ink, words in [
        (44.0, GREY, "all"),
        (112.0, VALID, "channels: half, from 70 %"),
        (140.0, GC, "adaptive: G(t), up to 4"),
    ]:
        picture.line([(535, y - 4), (555, y - 4)], ink, wide=2.5)
        picture.text(562, y, words, at="start", size=12)
    return picture


def deferral() -> Drawing:
    """A write that leaves a chip which is about to be collected, and an idle chip that collects."""
    picture = Drawing(
        720, 230, "A write goes to another chip because its own is about to collect; an idle chip collects"
    )
    names = ["chip 0: about to collect", "chip 1: idle", "chip 2: idle,/few free blocks"]
    for number, words in enumerate(names):
        x = 40 + number * 230
        picture.labelled(x, 110, 180, 60, words, (WARM, FREE, GC)[number])
    picture.labelled(90, 24, 80, 36, "write", LIGHT)
    picture.line([(130, 60), (130, 92)], GREY, dashed=True)
    picture.line([(122, 84), (138, 100)], GC, wide=2)
    picture.line([(138, 84), (122, 100)], GC, wide=2)
    picture.arrow([(170, 42), (360, 42), (360, 110)], INK, wide=2)
    picture.text(265, 34, "redirected", size=12)
    picture.text(590, 100, "collects while nothing waits", size=12)
    picture.text(
        40,
        206,
        "The next version of the page goes home; until then the drive remembers where this one is.",
        at="start",
        size=12,
        ink=GREY,
    )
    return picture


def allocation() -> Drawing:
    """Writes in stripes, or to the chip with the least to do."""
    picture = Drawing(
        720, 270, "Striping gives pages to planes in turn; dynamic allocation takes the least loaded die"
    )
    picture.text(150, 26, "striping (CWDP)", size=15)
    picture.text(540, 26, "dynamic", size=15)
    for channel in range(4):
        picture.text(36, 66 + 44 * channel, f"ch {channel}", size=12, ink=GREY)
        for chip in range(2):
            first = channel + 4 * chip
            picture.labelled(
                64 + 110 * chip, 44 + 44 * channel, 96, 34, f"{first}, {first + 8}, {first + 16} …"
            )
    picture.text(150, 240, "logical page n always has the same plane", size=12, ink=GREY)
    for number, load in enumerate((3, 1, 4, 2)):
        y = 44 + 44 * number
        picture.labelled(580, y, 80, 34, f"die {number}", LIGHT)
        for waiting in range(load):
            picture.box(556 - 22 * waiting, y + 8, 18, 18, VALID, GREY)
    picture.labelled(370, 88, 60, 34, "write", LIGHT)
    picture.arrow([(430, 105), (548, 105)], GC, wide=2)
    picture.text(540, 240, "the write goes where the least waits", size=12, ink=GREY)
    return picture


def redundancy() -> Drawing:
    """Stripes over chips with rotating parity, and what a write of one page takes."""
    picture = Drawing(
        720, 270, "Stripes of four chips with parity on one of them in turn; a write reads before it programs"
    )
    rows = [["A0", "A1", "A2", "P(A)"], ["B0", "B1", "P(B)", "B2"], ["C0", "P(C)", "C1", "C2"]]
    for chip in range(4):
        picture.text(75 + 90 * chip, 30, f"chip {chip}", size=12, ink=GREY)
        for row in range(3):
            words = rows[row][chip]
            fill = WARM if words.startswith("P") else FREE
            picture.labelled(40 + 90 * chip, 44 + 50 * row, 70, 38, words, GC if words == "A1" else fill)
    picture.text(
        40,
        222,
        "Parity turns from stripe to stripe, so that no chip has all of it.",
        at="start",
        size=12,
        ink=GREY,
    )
    picture.text(430, 40, "a write of A1:", at="start")
    steps = ["read A1 and P(A)", "P(A) = P(A) + old A1 + new A1", "program A1 and P(A)"]
    for number, words in enumerate(steps):
        picture.labelled(430, 54 + 54 * number, 260, 34, f"{number + 1}  {words}", LIGHT)
        if number:
            picture.arrow([(560, 34 + 54 * number), (560, 54 + 54 * number)])
    picture.text(430, 222, "If the rest of the stripe is fewer reads,", at="start", size=12, ink=GREY)
    picture.text(430, 238, "that is read instead.", at="start", size=12, ink=GREY)
    return picture


def scheduler() -> Drawing:
    """Operations that wait for a die, and in which order policies take them."""
    picture = Drawing(720, 300, "Five operations wait for a die; each scheduler takes them in another order")
    waiting = [("GC read", WARM), ("write", VALID), ("erase", GC), ("read", FREE), ("GC write", WARM)]
    picture.text(20, 30, "waiting for a die, first come on the left:", at="start", ink=GREY)
    for number, (words, fill) in enumerate(waiting):
        picture.labelled(20 + 104 * number, 42, 94, 34, words, fill)
    orders = {
        "fcfs": [0, 1, 2, 3, 4],
        "read-first": [3, 1, 2, 4, 0],
        "read-first, urgent": [2, 4, 0, 3, 1],
        "type-first": [3, 0, 1, 4, 2],
    }
    picture.text(20, 112, "taken in this order:", at="start", ink=GREY)
    for row, (name, order) in enumerate(orders.items()):
        y = 124 + 42 * row
        picture.text(150, y + 21, name, at="end")
        for number, index in enumerate(order):
            words, fill = waiting[index]
            picture.labelled(164 + 104 * number, y, 94, 32, words, fill)
    return picture


def interconnect() -> Drawing:
    """A bus for each channel, and a mesh of routers."""
    picture = Drawing(
        720, 280, "Chips on one bus wait for each other; in a mesh two circuits carry data at once"
    )
    picture.text(150, 26, "bus", size=15)
    picture.text(530, 26, "mesh", size=15)
    for channel in range(3):
        y = 62 + 64 * channel
        picture.labelled(20, y - 16, 48, 34, "ctrl", LIGHT)
        picture.line([(68, y), (300, y)], GC if channel == 0 else GREY, wide=3)
        for chip in range(3):
            picture.line([(122 + 70 * chip, y), (122 + 70 * chip, y + 10)], GREY, wide=3)
            picture.labelled(
                100 + 70 * chip, y + 10, 44, 28, "chip", WARM if (channel, chip) == (0, 1) else FREE
            )
    picture.text(160, 262, "one transfer at a time on a channel", size=12, ink=GREY)
    for row in range(3):
        y = 62 + 64 * row
        picture.labelled(370, y - 16, 48, 34, "ctrl", LIGHT)
        for column in range(3):
            x = 460 + 84 * column
            picture.line([(x - 42 if column == 0 else x - 84, y), (x, y)], GREY, wide=2)
            if row < 2:
                picture.line([(x, y), (x, y + 64)], GREY, wide=2)
    picture.line([(418, 62), (628, 62), (628, 126)], GC, wide=4)
    picture.line([(418, 190), (544, 190)], VALID, wide=4)
    for row in range(3):
        for column in range(3):
            x, y = 460 + 84 * column, 62 + 64 * row
            fill = {(1, 2): GC, (2, 1): VALID}.get((row, column), FREE)
            picture.labelled(x - 16, y - 13, 32, 26, "", fill)
    picture.text(530, 262, "circuits that share no link carry data at once", size=12, ink=GREY)
    return picture


PICTURES: dict[str, Callable[[], Drawing]] = {
    "overview": overview,
    "trigger": trigger,
    "victim": victim,
    "relocation": relocation,
    "concurrency": concurrency,
    "deferral": deferral,
    "allocation": allocation,
    "placement": placement,
    "separation": separation,
    "slc_cache": slc_cache,
    "redundancy": redundancy,
    "scheduler": scheduler,
    "interconnect": interconnect,
}


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
