"""`reclaim policy`: what can be exchanged inside the drive."""

from __future__ import annotations

from typing import Any

from rich.text import Text

import reclaim
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out

app = Commands(no_args_is_help=True, help="List policies.")


@app.callback()
def group() -> None:
    """List policies."""


def _alternatives(declared: dict[str, Any]) -> Text:
    """What a study of sensitivity moves a key to, and where that comes from."""
    if "exempt" in declared:
        return Text(f"  no alternatives: {declared['exempt']}", style="dim")
    values = ", ".join(declared["values"])
    return Text(f"  alternatives ({declared['kind']}): {values}. {declared['why']}", style="dim")


def _described(policy: dict[str, Any]) -> Text:
    lines = [Text(policy["about"])]
    for name, about in policy["parameters"].get("properties", {}).items():
        default = f" (default {about['default']})" if about.get("default") is not None else ""
        lines.append(Text.assemble((name, "cyan"), f"{default}: {about.get('description', '')}"))
        lines.append(_alternatives(about["x-alternatives"]))
    lines += [
        Text.assemble("counts ", (each["name"], "cyan"), f": {each['about']}") for each in policy["metrics"]
    ]
    return Text("\n").join(lines)


@app.command("list")
def list_() -> None:
    """List every exchangeable part of the drive with its policies, their parameters and what they count."""
    for kind in reclaim.catalogue():
        out.print(kind["key"], style="bold underline")
        out.print(_alternatives(kind["alternatives"]))
        out.print(listing({each["name"]: _described(each) for each in kind["policies"]}))
        out.print()
