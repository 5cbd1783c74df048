"""What the page of a paper needs of a run: `page.json` of its folder, small enough to be kept there."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.paper.decisions import Name, comes_before
from reclaim.paper.evaluation import JudgedClaim, Reproduction
from reclaim.paper.figures import PageTable
from reclaim.paper.loads import WORDS
from reclaim.paper.measured import Figure
from reclaim.paper.text import ours, printed
from reclaim.paper.why import turned

FORMAT = 1
LISTS = ("groups", "claims", "tables")
"""Of these, each entry has a line of its own, so that a change of one claim is a change of one line."""
WHY = "what headlines depend on"
"""Among the names of figures and tables that another run made."""
TURNED: Name = "depends on a choice"


def to_data(found: Reproduction) -> dict[str, Any]:
    """Give it as plain values: what is printed and what is ours as the page has them, with agreements."""
    counted = {id(row) for row in found.measurements()}
    provenance = found.provenance
    return {
        "format": FORMAT,
        "paper": found.paper.key,
        "title": found.paper.title,
        "authors": found.paper.authors,
        "level": provenance.level,
        "command": provenance.command,
        "reclaim_version": provenance.version,
        "commit": commit(),
        "load": WORDS[found.paper.load],
        "unsettled": list(found.paper.unsettled),
        "why": [each.to_dict() for each in found.findings],
        "failures": list(provenance.failures),
        "figures": {name: asdict(figure) for name, figure in found.figures},
        "groups": [
            {"id": group, "title": found.title(group), "claims": [row.claim.id for row in rows]}
            for group, rows in found.groups().items()
        ],
        "claims": [_claim(row, id(row) in counted) for row in found.rows],
        "tables": [asdict(each) for each in found.tables],
    }


def with_kept(data: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Give the data of a run with the figures and tables that it has not made, from the run before.

    `kept` says what came from where: the command, version and commit of each earlier run, and names.

    Args:
        data: of the run, as `to_data` gives them.
        before: what the page was made of so far.
    """
    figures = {name: each for name, each in before.get("figures", {}).items() if name not in data["figures"]}
    there = {each["name"] for each in data["tables"]}
    tables = [each for each in before.get("tables", []) if each["name"] not in there]
    names = {*figures, *(each["name"] for each in tables)}
    if before.get("why") and not data["why"]:
        data = _with_findings(data, before["why"])
        names.add(WHY)
    earlier = [
        *before.get("kept", []),
        {key: before.get(key, "") for key in ("command", "reclaim_version", "commit")}
        | {"names": sorted(names)},
    ]
    kept: list[dict[str, Any]] = []
    for each in earlier:
        # A name is of the oldest run that has it: what a later page kept was not made for it.
        still = [name for name in each["names"] if name in names]
        names.difference_update(still)
        if still:
            kept.append({**each, "names": still})
    return data | {
        "kept": kept,
        "figures": data["figures"] | figures,
        "tables": [*data["tables"], *tables],
    }


def with_added(
    before: dict[str, Any],
    figures: Mapping[str, Figure],
    tables: Sequence[PageTable],
    findings: Sequence[Mapping[str, Any]],
    command: str,
    version: str,
) -> dict[str, Any]:
    """Give the data of a page with figures and tables of another run in place of its own, or beside them.

    Args:
        before: what the page was made of so far; its claims and agreements stay.
        figures: of the other run, by name.
        tables: of the other run.
        findings: what headlines depend on, in place of what the page says; none if it was not asked.
        command: that made them.
        version: of Reclaim.

    Raises:
        InputError: if a claim depended on a choice before: what it comes to without is not known here.
    """
    added = {*figures, *(each.name for each in tables)}
    if findings:
        before = _with_findings(before, findings)
        added.add(WHY)
    kept = [
        {**each, "names": [one for one in each["names"] if one not in added]}
        for each in before.get("kept", [])
    ]
    run = {"command": command, "reclaim_version": version, "commit": commit(), "names": sorted(added)}
    return before | {
        "kept": [each for each in (*kept, run) if each["names"]],
        "figures": before["figures"] | {name: asdict(figure) for name, figure in figures.items()},
        "tables": [
            *(each for each in before["tables"] if each["name"] not in added),
            *(asdict(each) for each in tables),
        ],
    }


def _with_findings(data: dict[str, Any], findings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the data with what headlines depend on, and claims judged as if that had been known."""
    by = turned(findings)
    return data | {
        "why": [*findings],
        "claims": [_turned(each, by.get(each["id"], "")) for each in data["claims"]],
    }


def _turned(claim: dict[str, Any], by: str) -> dict[str, Any]:
    if claim["agreement"] == TURNED:
        raise InputError(
            f'the page says of "{claim["id"]}" that it {TURNED}, by an earlier study; '
            "reclaim reproduce with --why --write-page judges it anew"
        )
    if not by or comes_before(claim["agreement"], TURNED):
        return claim
    return claim | {"agreement": TURNED, "why": f"{claim['why']}; {by}"}


def _claim(row: JudgedClaim, counted: bool) -> dict[str, Any]:
    claim, figure = row.claim, row.figure
    return {
        "id": claim.id,
        "class": claim.of_class,
        "origin": claim.origin,
        "counted": counted,
        "what": claim.what,
        "printed": printed(claim),
        "ours": ours(figure, claim),
        "expected": claim.value if isinstance(claim.value, float) else None,
        "value": None if figure is None else figure.value,
        "low": None if figure is None else figure.low,
        "high": None if figure is None else figure.high,
        "agreement": row.judgement.agreement,
        "why": row.judgement.why,
    }


def as_text(data: dict[str, Any]) -> str:
    """Write it as JSON; of the long lists each entry is a line.

    >>> print(as_text({"format": 1, "claims": [{"id": "a"}, {"id": "b"}], "tables": []}))
    {
    "format": 1,
    "claims": [
    {"id": "a"},
    {"id": "b"}
    ],
    "tables": []
    }
    <BLANKLINE>
    """
    parts = []
    for name, value in data.items():
        entries = value if name in LISTS else []
        text = "[\n" + ",\n".join(map(_line, entries)) + "\n]" if entries else _line(value)
        parts.append(f"{_line(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def commit() -> str:
    """Name the commit of the source, with a + if something was changed since; empty without one."""
    here = Path(__file__).parent
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],  # noqa: S607 - git is where it is
            cwd=here,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def by_id(claims: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Give claims by their ids."""
    return {each["id"]: each for each in claims}
