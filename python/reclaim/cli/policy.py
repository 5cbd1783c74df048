"""`reclaim policy`: what can be exchanged inside the drive."""

from __future__ import annotations

from typing import Any

import reclaim
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out

app = Commands(no_args_is_help=True, help="List policies.")


@app.callback()
def group() -> None:
    """List policies."""


def _described(policy: dict[str, Any]) -> str:
    lines = [policy["about"]]
    for name, about in policy["parameters"].get("properties", {}).items():
        default = f" (default {about['default']})" if about.get("default") is not None else ""
        lines.append(f"[cyan]{name}[/]{default}: {about.get('description', '')}")
    lines += [f"counts [cyan]{each['name']}[/]: {each['about']}" for each in policy["metrics"]]
    return "\n".join(lines)


@app.command("list")
def list_() -> None:
    """List every exchangeable part of the drive with its policies, their parameters and what they count."""
    for kind in reclaim.catalogue():
        out.print(f"[bold underline]{kind['key']}[/]")
        out.print(listing({each["name"]: _described(each) for each in kind["policies"]}))
        out.print()
