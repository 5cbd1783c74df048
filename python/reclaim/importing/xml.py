"""XML of other simulators, with the line of each key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from reclaim import input_file
from reclaim.errors import InputError

MOST_BYTES = 1 << 22
"""Of a file: more than any configuration has."""
DEEPEST = 20


@dataclass
class Element:
    """An element, and what stands in it."""

    name: str
    line: int
    text: str = ""
    inside: list[Element] = field(default_factory=list)


def read_xml(file: Path) -> Element:
    """Read a file; entities are not expanded, so that it is no larger than it looks.

    Raises:
        InputError: if it cannot be read, or is no XML, with the line.
    """
    try:
        content = input_file.data(file, most=MOST_BYTES)
    except OSError as error:
        raise InputError(f"{file}: {input_file.fault(error)}") from None
    top = Element("", 0)
    open_ones = [top]
    parser = expat.ParserCreate()

    def begin(name: str, _: dict[str, str]) -> None:
        if len(open_ones) > DEEPEST:
            raise InputError(
                f"{file}:{parser.CurrentLineNumber}: <{name}> lies deeper than any key of a configuration"
            )
        element = Element(name, parser.CurrentLineNumber)
        open_ones[-1].inside.append(element)
        open_ones.append(element)

    def end(_: str) -> None:
        open_ones.pop()

    def add(text: str) -> None:
        open_ones[-1].text += text

    def refuse(*_: object) -> None:
        raise InputError(
            f"{file}:{parser.CurrentLineNumber}: declares entities, which no configuration needs"
        )

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = add
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InputError(f"{file}:{error.lineno}: is no XML: {expat.errors.messages[error.code]}") from None
    except (LookupError, UnicodeError, ValueError) as error:
        raise InputError(f"{file}: is no XML: {error}") from None
    return top.inside[0]
