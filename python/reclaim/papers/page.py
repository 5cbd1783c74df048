"""The generated part of a paper's README.md: every claim with our figure and its verdict."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from reclaim import output_file
from reclaim.errors import InputError
from reclaim.papers.claims import Origin
from reclaim.papers.evaluation import Reproduction, Row
from reclaim.papers.loads import WORDS
from reclaim.papers.paper import Paper
from reclaim.papers.text import ours, printed, summary

BEGIN = "<!-- written by `reclaim reproduce --full --write-page`: begin -->"
END = "<!-- written by `reclaim reproduce --full --write-page`: end -->"
BY_DEFAULT = (BEGIN.replace(" --full", ""), END.replace(" --full", ""))
"""The same marks around figures of the default level."""
UNSETTLED = "Open, because the figures hang on a choice that is not declared as a reading:"
EXPECTED = "expected"
HEADS: Mapping[Origin, str] = {
    "paper": "printed",
    "program": "published",
    "formula": EXPECTED,
    "own": "asked",
}
"""What stands over the expected figures of a table, by their origin."""
_PART = re.compile(
    "|".join(f"{re.escape(one)}.*?{re.escape(other)}" for one, other in ((BEGIN, END), BY_DEFAULT)), re.DOTALL
)


def check_page(paper: Paper, level: str) -> str:
    """See that the figures of a level may be written into README.md of the paper's folder, and give its text.

    Raises:
        InputError: if the level is quick, or default where the page has figures of `--full`; if the page or
            its marks are not there.
    """
    if level == "quick":
        raise InputError("--write-page: --quick only shows that everything runs; leave one of them out")
    path = paper.folder / "README.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    part = _PART.search(text)
    if part is None:
        raise InputError(f"{path}: has no marks to write between: {BEGIN} and {END}")
    if level == "default" and f"`reclaim reproduce {paper.key} --full" in part.group():
        raise InputError(
            f"--write-page: {path} has figures of --full, which those of fewer runs do not replace"
        )
    return text


def write_page(found: Reproduction) -> Path:
    """Write the figures into README.md of the paper's folder, between its two marks, which name the level.

    Raises:
        InputError: as `check_page`.
    """
    level = found.provenance.level
    text = check_page(found.paper, level)
    begin, end = (BEGIN, END) if level == "full" else BY_DEFAULT
    path = found.paper.folder / "README.md"
    output_file.write_text(path, _PART.sub(lambda _: f"{begin}\n{markdown(found)}{end}", text))
    return path


def markdown(found: Reproduction) -> str:
    """Give the verdicts of each table or figure of the paper in a row, then its claims, folded away."""
    lines = [
        "",
        f"`{found.provenance.command}`, Reclaim {found.provenance.version}. Load: {WORDS[found.paper.load]}.",
        f"{summary(found)}.",
        "",
    ]
    lines += unsettled(found.paper)
    lines += why(found)
    lines += overview(found)
    for group, rows in found.groups().items():
        lines += [f"<details><summary>{found.title(group)}</summary>", ""]
        lines += claims_of(rows)
        lines += ["", "</details>", ""]
    return "\n".join(lines)


def unsettled(paper: Paper) -> list[str]:
    """Give what the figures hang on, as lines of a list."""
    return [UNSETTLED, "", *(f"- {each}" for each in paper.unsettled), ""] if paper.unsettled else []


def why(found: Reproduction) -> list[str]:
    """Give what the headlines depend on, as lines of a list."""
    if not found.findings:
        return []
    lines = ["What the headlines depend on:", ""]
    lines += [f"- *{each.headline.says}* {each.text}" for each in found.findings]
    return [*lines, ""]


def claims_of(rows: Sequence[Row]) -> list[str]:
    """Give the claims of a table or figure as the lines of a table."""
    origins = {row.claim.origin for row in rows}
    head = HEADS[origins.pop()] if len(origins) == 1 else EXPECTED
    lines = [f"| claim | {head} | ours | verdict | why |", "|---|--:|--:|---|---|"]
    for row in rows:
        claim = row.claim
        cells = (
            claim.what,
            printed(claim),
            ours(row.figure, claim),
            row.judgement.verdict,
            row.judgement.why,
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return lines


def overview(found: Reproduction) -> list[str]:
    """Give the measurements of each table or figure with each verdict, a table for each class."""
    lines = []
    measurements = found.measurements()
    for total in found.totals():
        names = [*total.counted, *total.shown]
        lines += [f"| {total.words} | {' | '.join(names)} |", f"|---|{'--:|' * len(names)}"]
        for group in found.groups():
            asked = group, total.of_class
            rows = [row for row in measurements if (row.claim.group, row.claim.of_class) == asked]
            of_group = Counter(row.judgement.verdict for row in rows)
            cells = (str(of_group[name] or "") for name in names)
            if of_group:
                lines.append(f"| {found.title(group)} | {' | '.join(cells)} |")
        sums = [f"{count} of {total.of}" for count in total.counted.values()]
        sums += [f"{count}, not counted" for count in total.shown.values()]
        lines += [f"| **all** | {' | '.join(sums)} |", ""]
    return lines
