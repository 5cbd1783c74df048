"""`reclaim policy`: what can be exchanged inside the drive."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.text import Text

import reclaim
from reclaim import _core
from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out
from reclaim.errors import InputError
from reclaim.suggestions import near

app = Commands(no_args_is_help=True, help="List and show policies.")


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


def _show_kind(kind: dict[str, Any]) -> None:
    out.print(kind["key"], style="bold underline")
    out.print(_alternatives(kind["alternatives"]))
    out.print(listing({each["name"]: _described(each) for each in kind["policies"]}))


def _kinds() -> list[str]:
    return [str(kind["key"]) for kind in reclaim.catalogue()]


Kind = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help="Only the policies of this kind, as in gc.victim, with their parameters.",
        autocompletion=lambda incomplete: [kind for kind in _kinds() if kind.startswith(incomplete)],
    ),
]


@app.command("list")
def list_(wanted: Kind = None, json: options.Json = False) -> None:
    """List the kinds of policies, each with the names of its policies; of one kind, what each policy does."""
    catalogue = reclaim.catalogue()
    if wanted is not None:
        catalogue = [kind for kind in catalogue if kind["key"] == wanted]
        if not catalogue:
            known = _kinds()
            raise InputError(
                f'KIND: there is no kind "{wanted}"{near(wanted, known) or "."} Valid: {", ".join(known)}'
            )
    if json:
        streams.write_json(catalogue)
    elif wanted is not None:
        _show_kind(catalogue[0])
    else:
        names = {kind["key"]: ", ".join(each["name"] for each in kind["policies"]) for kind in catalogue}
        out.print(listing(names))
        out.print("\nOne kind: reclaim policy list gc.victim. Named combinations: reclaim scheme list")


def _schemes(kind: str, name: str) -> list[str]:
    """Which schemes choose this policy."""

    def chosen(scheme: str) -> object:
        node: Any = tomllib.loads(_core.scheme_toml(scheme))
        for each in [*kind.split("."), "kind"]:
            node = node.get(each, {})
        return node

    return [scheme for scheme in reclaim.schemes() if chosen(scheme) == name]


def _papers(schemes: list[str]) -> Iterator[str]:
    """Which papers have one of these schemes, perhaps with others on top."""
    from reclaim.paper.paper import keys, load_paper

    for key in keys():
        paper = load_paper(key)
        if any(part in schemes for each in paper.schemes.values() for part in each.split("+")):
            yield f"{paper.title} ({paper.authors}): reclaim reproduce {key}"


def _page(kind: dict[str, Any], policy: dict[str, Any]) -> dict[str, Text | str]:
    """What there is to say of a policy."""
    schemes = _schemes(kind["key"], policy["name"])
    conflicts = [f"{' or '.join(each['with'])}: {each['why']}" for each in policy["conflicts"]]
    return {
        "setting": f'{kind["key"]} = {{ kind = "{policy["name"]}" }}',
        "about": _described(policy),
        "not with": "\n".join(conflicts),
        "instead of it": ", ".join(each["name"] for each in kind["policies"] if each is not policy),
        "in studies": _alternatives(kind["alternatives"]).plain.strip(),
        "schemes": ", ".join(schemes),
        "papers": "\n".join(_papers(schemes)),
        "source": policy["source"],
    }


def _names() -> list[str]:
    return sorted({each["name"] for kind in reclaim.catalogue() for each in kind["policies"]})


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A policy's name, or a kind such as gc.victim, as reclaim policy list has it.",
        autocompletion=lambda incomplete: [
            name for name in _names() + _kinds() if name.startswith(incomplete)
        ],
    ),
]


@app.command()
def show(name: Name, json: options.Json = False) -> None:
    """Show a policy: what it does, its parameters, what it excludes and counts, who uses it, its source."""
    catalogue = reclaim.catalogue()
    of_kind = [kind for kind in catalogue if kind["key"] == name]
    found = [(kind, each) for kind in catalogue for each in kind["policies"] if each["name"] == name]
    if json and (of_kind or found):
        streams.write_json(of_kind or [{"key": kind["key"], **each} for kind, each in found])
        return
    if of_kind:
        _show_kind(of_kind[0])
        if not found:
            return
    if not found:
        known = _names() + _kinds()
        hint = near(name, known) or "."
        raise InputError(f'NAME: there is no policy "{name}"{hint} Valid: {", ".join(known)}')
    for kind, policy in found:
        out.print(listing({label: text for label, text in _page(kind, policy).items() if text}))
        out.print()
