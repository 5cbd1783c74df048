"""What a page's template may ask for: figures, agreements and tables of the data of a run, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.paper.claims import CLASSES, Origin
from reclaim.paper.decisions import NAMES, NOT_COUNTED
from reclaim.paper.measured import Figure, number, rounded, with_error
from reclaim.paper.page_data import by_id
from reclaim.report.document import Column, Table
from reclaim.report.forms import chosen, markdown_of
from reclaim.suggestions import near

EXPECTED = "expected"
TIMES = 2.0
"""From this ratio on, prose says how many times instead of by how many percent."""
HEADS: Mapping[Origin, str] = {
    "paper": "printed",
    "program": "published",
    "formula": EXPECTED,
    "own": "asked",
}
"""What stands over the expected figures of a table, by their origin."""
WHOSE: Mapping[Origin, str] = {
    "paper": "the paper prints it",
    "program": "a published program or its log has it",
    "formula": "a closed form or an enumeration expects it",
    "own": "a question that the paper does not ask",
}
"""What a table of totals calls origins."""
MOVED: Mapping[str, str] = {
    "other trace": "an absolute figure of a trace that nobody has is shown, and not judged",
    "not established": "the runs themselves do not establish the figure",
    "not trustworthy": "a run warns of its own figure",
    "below resolution": "the interval holds no difference as well as the printed effect",
    "not reproduced": "measured anew: the printed effect is excluded, or no gain is there",
    "same direction": "measured anew: the direction holds, the size does not",
    "matches": "measured anew",
    "artefact": "what produces the printed number is known",
    "depends on a choice": "a choice that the paper leaves open turns it",
    "not run": "the level of this page has no such runs",
    "outside the model": "declared as outside, with the reason",
    "error in the paper": "printed numbers contradict each other",
    "open": "our figure hangs on a choice that no reading declares",
}
"""Why an agreement is now this one, where it was another."""


class PageParts:
    """Answers what one template asks of the data of one run."""

    def __init__(self, template: Path, data: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        self._template = template
        self._data = data
        self._before: Mapping[str, str] = before.get("agreements", {})
        self._claims = by_id(data["claims"])
        self._tables = {each["name"]: each for each in data["tables"]}

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """Give what a template may call, by name."""
        return {
            "ours": lambda name: self._claim(name)["ours"],
            "printed": lambda name: self._claim(name)["printed"],
            "agreement": lambda name: self._claim(name)["agreement"],
            # As templates called it before 0.1.
            "verdict": lambda name: self._claim(name)["agreement"],
            **chosen(self, "figure", "about", "cell", "interval", "change", "count", "table", "totals"),
            **chosen(self, "by_origin", "claims", "why", "unsettled", "moved", "kept"),
            # Not a figure: how a drive or a run was set, or the paper's was. A digit is typed nowhere else.
            "setting": str,
            "value": lambda name: self.value(name).value,
            "there": lambda name: name in self._tables,
        }

    def _of(self, what: str, name: str, there: Mapping[str, Any]) -> Any:
        if name not in there:
            raise InputError(f'{self._template}: no {what} "{name}"{near(name, list(there))}')
        return there[name]

    def _claim(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._of("claim", name, self._claims)
        return found

    def value(self, name: str) -> Figure:
        """Give what a reference stands for: `ours:CLAIM`, `printed:CLAIM`, or the name of a figure.

        Raises:
            InputError: if nothing has this name, or it is no number.
        """
        kind, colon, claim = name.partition(":")
        if not colon or kind not in {"ours", "printed"}:
            found = self._of("figure", name, self._data["figures"])
            return Figure(**found)
        found = self._claim(claim)
        value = found["value" if kind == "ours" else "expected"]
        if value is None:
            raise InputError(f'{self._template}: "{name}" is no number: {found[kind]}')
        if kind == "printed":
            return Figure(value, value, value, 1)
        return Figure(value, found["low"], found["high"], 1)

    def figure(self, name: str, unit: str = "") -> str:
        """Give a figure of the paper's module, with its interval."""
        return self.value(name).text(number, unit)

    def about(self, name: str, unit: str = "", digits: int = 2) -> str:
        """Give a reference for prose: two significant digits, no interval."""
        return f"{rounded(self.value(name).value, digits)}{unit}"

    def cell(self, name: str, unit: str = "") -> str:
        """Give a reference for a table: three digits, and half the width of its interval."""
        found = self.value(name)
        low, high = found.interval
        half = max(high - found.value, found.value - low)
        return f"{with_error(found.value, half)}{unit}"

    def interval(self, name: str, unit: str = "") -> str:
        """Give a reference for a table where the sides of its interval differ: two digits, and both ends."""
        found = self.value(name)
        low, high = map(rounded, found.interval)
        shown = f"{rounded(found.value)}{unit}"
        return shown if low == high else f"{shown} [{low}, {high}]"

    def change(self, name: str, less: str = "lower", more: str = "higher") -> str:
        """Say a ratio in words: how much lower or higher, or that no difference is to be seen."""
        found = self.value(name)
        low, high = found.interval
        if low <= 1 <= high:
            return "no measurable difference"
        if found.value >= TIMES:
            return f"{rounded(found.value)} times {more}"
        return f"{rounded(100 * abs(1 - found.value))} % {less if found.value < 1 else more}"

    def count(self, of_class: str, agreement: str) -> str:
        """Say how many measurements of a class have an agreement, and of how many."""
        rows = [each for each in self._counted() if each["class"] == of_class]
        of = sum(each["agreement"] not in NOT_COUNTED for each in rows)
        return f"{sum(each['agreement'] == agreement for each in rows)} of {of}"

    def table(self, name: str) -> str:
        """Give a table of the paper's module."""
        found = self._of("table", name, self._tables)
        return as_table(found["head"], found["rows"])

    def kept(self) -> str:
        """Say of which earlier runs the page has figures and tables; nothing where there are none."""
        return "\n".join(
            f"- `{each['command']}`, Reclaim {each['reclaim_version']} ({each['commit']}): "
            f"{len(each['names'])} figures and tables"
            for each in self._data.get("kept", [])
        )

    def _counted(self) -> list[dict[str, Any]]:
        return [each for each in self._claims.values() if each["counted"]]

    def totals(self) -> str:
        """Give the measurements of each class with each agreement."""
        rows = self._counted()
        found = {
            name: Counter(each["agreement"] for each in rows if each["class"] == name) for name in CLASSES
        }
        return totals_table(["class"], [([CLASSES[name]], each) for name, each in found.items() if each])

    def by_origin(self) -> str:
        """Give the claims with each agreement, by whose figure they are; each claim counts."""
        rows = self._claims.values()
        found = {
            origin: Counter(each["agreement"] for each in rows if each["origin"] == origin)
            for origin in WHOSE
        }
        there = [([WHOSE[origin]], each) for origin, each in found.items() if each]
        return totals_table(["whose figure"], there)

    def claims(self) -> str:
        """Give the claims of each table or figure of the paper, folded away."""
        lines = []
        for group in self._data["groups"]:
            lines += [f"<details><summary>{group['title']}</summary>", ""]
            lines += [self._of_group([self._claims[name] for name in group["claims"]])]
            lines += ["", "</details>", ""]
        return "\n".join(lines).rstrip("\n")

    def _of_group(self, rows: Sequence[Mapping[str, Any]]) -> str:
        return as_table(
            ["claim", head_of(row["origin"] for row in rows), "ours", "agreement", "why"],
            [[row["what"], row["printed"], row["ours"], row["agreement"], row["why"]] for row in rows],
        )

    def why(self) -> str:
        """Say what the headlines depend on, as lines of a list."""
        found = [
            f"- *{each['says']}* {' '.join((each['conclusion'], *each['parts']))}"
            for each in self._data["why"]
        ]
        return "\n".join(found)

    def unsettled(self) -> str:
        """Say what figures hang on that no reading declares, as lines of a list."""
        return "\n".join(f"- {each}" for each in self._data["unsettled"])

    def moved(self) -> str:
        """Give how many claims had another agreement before, and why they have it no more."""
        pairs = Counter(
            (self._before[name], each["agreement"])
            for name, each in self._claims.items()
            if name in self._before and each["agreement"] != self._before[name]
        )
        same = sum(each["agreement"] == self._before.get(name) for name, each in self._claims.items())
        rows = [
            [before, now, str(count), MOVED.get(now, "")]
            for (before, now), count in sorted(pairs.items(), key=lambda each: (-each[1], each[0]))
        ]
        rows.append(["the same", "", str(same), ""])
        new = sum(name not in self._before for name in self._claims)
        if new:
            rows.append(["", "new", str(new), "asked for the first time"])
        return as_table(["before", "now", "claims", "why"], rows)


def head_of(origins: Iterable[Origin]) -> str:
    """Say what stands over the expected figures of some claims: printed, only where the paper prints all."""
    found = set(origins)
    return HEADS[found.pop()] if len(found) == 1 else EXPECTED


def totals_table(head: Sequence[str], rows: Sequence[tuple[Sequence[str], Counter[str]]]) -> str:
    """Give how many measurements have each agreement: labels and counts; in italics what does not count.

    >>> print(totals_table(["class"], [(["a"], Counter({"matches": 2, "other trace": 3}))]))
    | class | counted | matches | *other trace* |
    |---|--:|--:|--:|
    | a | 2 | 2 | 3 |
    """
    names = [name for name in NAMES if any(found[name] for _, found in rows)]
    heads = [f"*{name}*" if name in NOT_COUNTED else name for name in names]
    lines = []
    for labels, found in rows:
        counted = sum(found[name] for name in names if name not in NOT_COUNTED)
        lines.append([*labels, str(counted), *(str(found[name] or "") for name in names)])
    return as_table([*head, "counted", *heads], lines)


FIGURE = ("", *"0123456789–-")
"""How a cell with a figure begins, or with none."""


def as_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table of Markdown; all columns but the first are aligned to the right where they hold figures.

    >>> print(as_table(["a", "b"], [["x", "1"], ["y", "2"]]))
    | a | b |
    |---|--:|
    | x | 1 |
    | y | 2 |
    """
    cells = [[cell.replace("|", "/") for cell in row] for row in rows]
    columns = [
        Column(name, right=at > 0 and all(row[at][:1] in FIGURE for row in cells))
        for at, name in enumerate(head)
    ]
    return markdown_of(Table(columns, cells)).rstrip("\n")
