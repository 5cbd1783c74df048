"""What is wrong with a file that a user wrote: every mistake with its file, its line and its key."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from reclaim import _core
from reclaim.errors import InputError, ResultWarning
from reclaim.parsing import UnreadableError, toml, toml_key
from reclaim.suggestions import near

KeyPath = tuple[str | int, ...]
"""Keys from the top of the file down to a value; a number is the place in a list, counted from 0."""
MOST = 25
"""Mistakes that are told one by one."""
LONGEST = 200
"""Characters of a text that a message shows."""


def line_of(text: str, path: KeyPath) -> int | None:
    r"""Find the line of a key, or of the nearest above it; None if not even that is there.

    >>> line_of('name = "a"\n[axes]\nseed = [\n 1,\n "two",\n]\n', ("axes", "seed", 1))
    5
    >>> line_of('[[schemes]]\nname = "a"\n[[schemes]]\nname = "b"\n', ("schemes", 1, "name"))
    4
    >>> line_of('[set]\nwarmup.kind = "x"\n', ("set", "warmup.kind"))
    2
    """
    return _core.toml_line(text, path)


def dotted(path: KeyPath) -> str:
    """Write a key as TOML does; entries of a list are counted from 1.

    >>> dotted(("axes", "gc.victim", 0))
    'axes."gc.victim"[1]'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + toml_key(part)
    return text


def valid(word: str, choices: Iterable[str]) -> str:
    """List what is valid in place of `word`, with what was probably meant.

    >>> valid("axs", ["axes", "vary"])
    'valid: axes, vary; did you mean "axes"?'
    """
    listed = list(choices)
    return f"valid: {', '.join(listed)}{near(word, listed)}"


def kind_of(value: Any) -> str:
    """Name a TOML value's kind for a message: never in the same words as what it should have been.

    >>> kind_of([]), kind_of({}), kind_of(["a", 1]), kind_of([[1]])
    ('an empty list', 'an empty table', 'a list with 1 in it', 'a list with a list in it')
    """
    match value:
        case bool():
            return f"{str(value).lower()}"
        case str():
            return f'"{value}"' if len(value) <= LONGEST else f"a text of {len(value):,} characters"
        case list():
            odd = next((each for each in value if not isinstance(each, str)), None)
            if odd is None:
                return "a list of text" if value else "an empty list"
            inner = "a list" if isinstance(odd, list) else kind_of(odd)
            return f"a list with {inner} in it"
        case Mapping():
            return "a table" if value else "an empty table"
    return str(value)


class SourceFile(NamedTuple):
    """One of the files."""

    file: str
    """What messages call it."""
    text: str
    """Its text, to find lines in; empty where there is none."""
    renamed: Mapping[KeyPath, str] = {}
    """Keys that stand there under an old name, by the place of the present one."""

    def written(self, path: KeyPath) -> KeyPath:
        """Give a path as it stands in the file."""
        return tuple(self.renamed.get(path[: end + 1], part) for end, part in enumerate(path))


@dataclass(frozen=True)
class Node:
    """A value, and where it stands; those inside of it may stand elsewhere."""

    source: SourceFile
    path: KeyPath
    content: Any
    """Nodes by their keys, a list of nodes, or a plain value."""


def planted(value: Any, source: SourceFile, path: KeyPath = ()) -> Node:
    """Give a value of one file with all that is inside."""
    if isinstance(value, Mapping):
        return Node(source, path, {key: planted(inner, source, (*path, key)) for key, inner in value.items()})
    if isinstance(value, list):
        return Node(source, path, [planted(inner, source, (*path, at)) for at, inner in enumerate(value)])
    return Node(source, path, value)


def plain(node: Node) -> Any:
    """Give the value alone."""
    if isinstance(node.content, dict):
        return {key: plain(inner) for key, inner in node.content.items()}
    if isinstance(node.content, list):
        return [plain(inner) for inner in node.content]
    return node.content


def place_of(node: Node, path: KeyPath) -> tuple[SourceFile, KeyPath]:
    """Say where a key of the whole stands; of one that is not there, where it would.

    >>> below = planted({"set": {"seed": 1}}, SourceFile("below.toml", ""))
    >>> whole = Node(SourceFile("above.toml", ""), (), {"set": below.content["set"]})
    >>> place_of(whole, ("set", "seed"))[0].file, place_of(whole, ("axes",))[0].file
    ('below.toml', 'above.toml')
    """
    for depth, part in enumerate(path):
        content = node.content
        inner = dict(enumerate(content)) if isinstance(content, list) else content
        if not isinstance(inner, dict) or part not in inner:
            return node.source, node.path + path[depth:]
        node = inner[part]
    return node.source, node.path


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong."""

    key: str
    """Where, as TOML writes keys; empty for the file as a whole."""
    text: str
    line: int | None = field(default=None, compare=False)
    """Where that is known; what is only counted has none."""
    file: str = ""
    """The file that it is in, where that is one that the experiment extends."""

    def message(self, file: str) -> str:
        """Write it as one message."""
        file = self.file or file
        place = file if self.line is None else f"{file}:{self.line}"
        return f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"


@dataclass
class Mistakes:
    """All that is known so far of one file, and in those that it extends."""

    file: str
    """What messages call it."""
    text: str = ""
    """Its text, to find lines in; empty where there is none."""
    told: list[Mistake] = field(default_factory=list)
    """The first `MOST`."""
    more: set[Mistake] = field(default_factory=set)
    """What there is past `MOST`; nobody reads it all."""
    whole: Node | None = None
    """Where each key stands; None where all are in this file."""
    renamed: Mapping[KeyPath, str] = field(default_factory=dict)
    """As that of the file itself."""

    @property
    def count(self) -> int:
        """How many there are, those that are not told included."""
        return len(self.told) + len(self.more)

    @property
    def source(self) -> SourceFile:
        """The file itself."""
        return SourceFile(self.file, self.text, self.renamed)

    def add(self, path: KeyPath, text: str) -> None:
        """Note a mistake at a key of the experiment, once."""
        source, own = (self.source, path) if self.whole is None else place_of(self.whole, path)
        self.at(source, own, text)

    def at(self, source: SourceFile, path: KeyPath, text: str) -> None:
        """Note a mistake at a key of one of its files, once."""
        path = source.written(path)
        # Looking for a line takes as long as the file: what is only counted is not worth it.
        line = line_of(source.text, path) if source.text and len(self.told) < MOST else None
        self.note(source, Mistake(dotted(path), text, line))

    def note(self, source: SourceFile, mistake: Mistake) -> None:
        """Note a mistake of which the place is known, once."""
        if source.file != self.file:
            mistake = replace(mistake, file=source.file)
        if mistake in self.told:
            return
        if len(self.told) < MOST:
            self.told.append(mistake)
        else:
            self.more.add(mistake)

    def has(self, section: str) -> bool:
        """Whether something is wrong with a section, so that what it says is not known."""
        return any(each.key.partition(".")[0] == section for each in self.told)

    def refuse(self) -> None:
        """Do nothing if there are none.

        Raises:
            InputError: with all that are told, a line each.
        """
        messages = self.messages()
        if len(messages) > 1:
            raise InputError(f"{self.count} mistakes\n" + "\n".join(messages))
        if messages:
            raise InputError(messages[0])

    def messages(self) -> list[str]:
        """Write all, file by file in the order of their lines; past `MOST` they are counted."""
        ordered = sorted(self.told, key=lambda each: (each.file, each.line or 0))
        said = [each.message(self.file) for each in ordered]
        if not self.more:
            return said
        many = "1 more mistake" if len(self.more) == 1 else f"{len(self.more):,} more mistakes"
        return [*said, f"{self.file}: and {many}"]


def parse_toml(source: SourceFile, mistakes: Mistakes) -> Mapping[str, Any]:
    """Parse TOML; an empty table, and the parser's mistake with its line, where it is none."""
    text = source.text
    try:
        return toml(text)
    except UnreadableError as error:
        column = "" if error.column is None else f"column {error.column}: "
        written = "".join(text.splitlines()[error.line - 1 : error.line]) if error.line else ""
        said = f"{column}no TOML: {error.reason}{_core.meant(written)}"
        mistakes.note(source, Mistake("", said, error.line))
        return {}


RENAMED: Mapping[str, Mapping[str, str]] = {
    "comparisons": {"scheme": "candidate", "to": "baseline"},
    "ablate": {"from": "baseline", "to": "candidate"},
    "sensitivity": {"base": "baseline", "other": "candidate", "metric": "metrics"},
    "tune": {"objectives": "objective"},
}
"""By section, each old key and the present one."""


def with_present_keys(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Give a table with the names that its keys have now, and by the place of each new name the old one.

    >>> with_present_keys({"ablate": {"from": "a"}, "comparisons": [{"to": "b"}]})
    ({'ablate': {'baseline': 'a'}, 'comparisons': [{'baseline': 'b'}]}, {('ablate', 'baseline'): 'from', \
('comparisons', 0, 'baseline'): 'to'})
    """
    old: dict[KeyPath, str] = {}
    present = {
        key: _renamed(value, RENAMED[key], (key,), old) if key in RENAMED else value
        for key, value in table.items()
    }
    return present, old


def _renamed(value: Any, names: Mapping[str, str], path: KeyPath, old: dict[KeyPath, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, names, (*path, number), old) for number, each in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    # A table that has both names is told of the old one that it is unknown.
    now = {key: names.get(key, key) if names.get(key) not in value else key for key in value}
    old |= {(*path, new): key for key, new in now.items() if key != new}
    return {now[key]: inner for key, inner in value.items()}


def parse_present(source: SourceFile, mistakes: Mistakes) -> tuple[dict[str, Any], SourceFile]:
    """Parse an experiment with the names that its keys have now; each that has another is told."""
    table, renamed = with_present_keys(parse_toml(source, mistakes))
    for path, key in renamed.items():
        written = (*path[:-1], key)
        line = line_of(source.text, written)
        told = f"{dotted(written)}: is called {path[-1]} now; the next version does not know {key}"
        warnings.warn(f"{source.file}:{line}: {told}", ResultWarning, stacklevel=2)
    return table, source._replace(renamed=renamed)
