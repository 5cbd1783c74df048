"""Those of the pictures of docs/concepts that show which block a page goes to (`concept_pictures.py`)."""

from __future__ import annotations

from docs_site.drawing import FREE, GC, GREY, LIGHT, VALID, WARM, Drawing


def placement() -> Drawing:
    """Open blocks with different next levels."""
    picture = Drawing(
        720,
        250,
        "Two open blocks whose next pages have different levels; short-lived data takes the fast one",
    )
    picture.text(170, 26, "append", size=15)
    picture.text(520, 26, "level-by-history", size=15)
    levels = ["fast", "middle", "slow"] * 2
    for x, filled in ((130, 3), (430, 3), (560, 5)):
        picture.pages(x, 44, "v" * filled + "." * (6 - filled), high=26, wide=84)
        for row in range(filled, 6):
            picture.text(x + 42, 62 + 26 * row, levels[row], size=12, ink=GREY)
    picture.arrow([(96, 135), (130, 135)], GC, wide=2)
    picture.text(90, 139, "any write", at="end", size=12)
    picture.arrow([(396, 135), (430, 135)], GC, wide=2)
    picture.text(390, 132, "short-lived", at="end", size=12)
    picture.text(390, 147, "data", at="end", size=12)
    picture.arrow([(684, 187), (646, 187)], GC, wide=2)
    picture.text(686, 176, "other", at="middle", size=12)
    picture.text(170, 232, "one open block, page after page", size=12, ink=GREY)
    picture.text(540, 232, "the block whose next page has the wanted level", size=12, ink=GREY)
    return picture


def separation() -> Drawing:
    """An open block for all data, and one for each class."""
    picture = Drawing(720, 250, "Data of two lifetimes in one open block, and in an open block for each")
    boxes = {"s": ("short", WARM), "l": ("long", VALID), ".": ("", FREE)}
    for x, name, rows in ((170, "none", "sllsl."), (430, "class 0", "sss..."), (560, "class 1", "llll..")):
        picture.text(x, 26, name, size=15)
        for row, kind in enumerate(rows):
            picture.labelled(x - 42, 44 + 26 * row, 84, 24, *boxes[kind])
    picture.text(170, 232, "pages of a block live differently long", size=12, ink=GREY)
    picture.text(495, 232, "pages of a block die together", size=12, ink=GREY)
    return picture


def slc_cache() -> Drawing:
    """A burst: into the cache, past it when it is full, and folded behind the host's back."""
    picture = Drawing(
        720,
        250,
        "Writes go to single-level blocks while any is free, past them when none is; full ones are folded",
    )
    picture.labelled(20, 66, 90, 40, "host writes", LIGHT)
    picture.text(255, 26, "cache: one bit per cell", size=15)
    for x, filled in ((185, 3), (255, 3), (325, 1)):
        picture.pages(x - 28, 44, "v" * filled + "." * (3 - filled), high=26, wide=56)
    picture.arrow([(110, 86), (154, 86)], GC, wide=2)
    picture.text(560, 26, "other blocks: all levels", size=15)
    for x, filled in ((490, 7), (560, 4), (630, 2)):
        picture.pages(x - 28, 44, "v" * filled + "." * (9 - filled), high=16, wide=56)
    picture.arrow([(355, 86), (458, 86)], GC, wide=2)
    picture.text(406, 78, "folded", size=12)
    picture.arrow([(65, 106), (65, 214), (560, 214), (560, 192)], GC, wide=2)
    picture.text(300, 206, "once the cache is full", size=12)
    picture.text(255, 146, "a third of the pages, programmed fast", size=12, ink=GREY)
    picture.text(360, 238, "what is folded is written twice", size=12, ink=GREY)
    return picture
