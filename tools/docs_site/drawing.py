"""A drawing of a few shapes, as SVG: what the pictures of docs/concepts are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

INK, GREY, LIGHT = "#24292f", "#8c959f", "#d8dee4"
VALID, INVALID, FREE, GC, WARM = "#4c8dba", "#c9d1d9", "#ffffff", "#d9822b", "#fbe3c8"


@dataclass
class Drawing:
    """A picture, measured from the top left corner; `about` says what it shows to those who cannot see it."""

    width: int
    height: int
    about: str
    parts: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, wide: float, high: float, fill: str = FREE, line: str = INK) -> None:
        """Draw a rectangle."""
        place = f'x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}"'
        self.parts.append(f'<rect {place} rx="3" fill="{fill}" stroke="{line}"/>')

    def text(
        self, x: float, y: float, words: str, *, at: str = "middle", size: int = 13, ink: str = INK
    ) -> None:
        """Write a line; `at` is start, middle or end."""
        place = f'x="{x:g}" y="{y:g}" text-anchor="{at}"'
        self.parts.append(f'<text {place} font-size="{size}" fill="{ink}">{escape(words)}</text>')

    def labelled(self, x: float, y: float, wide: float, high: float, words: str, fill: str = FREE) -> None:
        """Draw a rectangle with lines of text in its middle; `/` ends a line."""
        self.box(x, y, wide, high, fill)
        lines = words.split("/")
        for number, line in enumerate(lines):
            self.text(x + wide / 2, y + high / 2 + 4.5 + 16 * (number - (len(lines) - 1) / 2), line)

    def line(
        self, points: list[tuple[float, float]], ink: str = INK, *, dashed: bool = False, wide: float = 1.5
    ) -> None:
        """Draw a line through points."""
        self.parts.append(self._path(points, ink, dashed=dashed, wide=wide))

    def arrow(
        self, points: list[tuple[float, float]], ink: str = INK, *, dashed: bool = False, wide: float = 1.5
    ) -> None:
        """Draw a line through points that ends with a head."""
        (x, y), (to_x, to_y) = points[-2:]
        length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
        along = ((to_x - x) / length, (to_y - y) / length)
        back = (to_x - 9 * along[0], to_y - 9 * along[1])
        self.parts.append(self._path([*points[:-1], back], ink, dashed=dashed, wide=wide))
        corners = [
            (to_x, to_y),
            (back[0] - 4.5 * along[1], back[1] + 4.5 * along[0]),
            (back[0] + 4.5 * along[1], back[1] - 4.5 * along[0]),
        ]
        joined = " ".join(f"{each[0]:g},{each[1]:g}" for each in corners)
        self.parts.append(f'<polygon points="{joined}" fill="{ink}"/>')

    def pages(self, x: float, y: float, kinds: str, *, high: float = 14, wide: float = 46) -> None:
        """Draw a block as a column of pages: v valid, i invalid, . free, g written by collection."""
        fills = {"v": VALID, "i": INVALID, ".": FREE, "g": GC}
        for number, kind in enumerate(kinds):
            self.box(x, y + number * high, wide, high, fills[kind], GREY)

    def svg(self) -> str:
        """Give the file's text."""
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" role="img">'
        title = f"<title>{escape(self.about)}</title>"
        ground = f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        return "\n".join([head, title, ground, *self.parts, "</svg>"]) + "\n"

    @staticmethod
    def _path(points: list[tuple[float, float]], ink: str, *, dashed: bool, wide: float) -> str:
        joined = " ".join(f"{x:g},{y:g}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        return (
            f'<polyline points="{joined}" fill="none" stroke="{ink}" stroke-width="{wide:g}"{dashes} '
            'stroke-linejoin="round"/>'
        )
