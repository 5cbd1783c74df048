"""Which Rust file names what another one defines, and the code of each without comments, strings and tests.

This is what import-linter and grimp do for Python. Rust has no such tool: Clippy has no rule about who may
use whom, and cargo-modules draws a graph without files and lines. What `use` and paths name is found here in
code as rustfmt writes it: items of a file begin its lines. A name that is handed on (`pub use`) is followed
to the file that defines it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import tree_sitter_rust
from tree_sitter import Language, Node, Parser, Query, QueryCursor

RUST = Language(tree_sitter_rust.language())
BLANK = "[(line_comment) (block_comment) (string_literal) (raw_string_literal) (char_literal)] @blank"
QUERY = Query(RUST, f"{BLANK} (attribute_item) @attribute")
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))? )?use\s+([^;]+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+")
KINDS = r"struct|enum|union|fn|const|static|trait|type|mod|macro_rules!"
ITEM = re.compile(rf"^(?:pub(?:\([^)]*\))? )?(?:(?:const|unsafe|async) )*(?:{KINDS})\s+(\w+)", re.MULTILINE)
INLINE = re.compile(r"^(?:pub(?:\([^)]*\))? )?mod \w+ \{\n.*?^\}", re.MULTILINE | re.DOTALL)

Names = tuple[str, ...]


class Edge(NamedTuple):
    """A line of a file names what another file defines."""

    source: str
    target: str
    line: int
    text: str
    binds: bool
    """Whether the file needs it: what is only handed on, or for a type checker, closes no circle."""


class Import(NamedTuple):
    """One name of a `use` declaration; no name for `*`."""

    path: Names
    name: str
    line: int
    public: bool


@dataclass
class RustFile:
    """A file, and its code: comments, strings and tests are blanks, so that lines and columns stay."""

    path: str
    code: str
    tests: list[str]
    """Its modules under `#[cfg(test)]` that have files of their own."""

    @cached_property
    def named(self) -> str:
        """The code with paths of modules in braces as the file would write them."""
        inline = re.compile(r"\bsuper::(super::)?")
        return INLINE.sub(
            lambda found: inline.sub(lambda up: "super::" if up[1] else "self::", found[0]), self.code
        )

    @cached_property
    def items(self) -> set[str]:
        """What it defines."""
        return set(ITEM.findall(self.code))

    @cached_property
    def imports(self) -> list[Import]:
        """What its `use` declarations bring."""
        return [
            Import(path, name, self.named.count("\n", 0, use.start(2)) + 1, bool(use[1]))
            for use in USE.finditer(self.named)
            for path, name in _leaves(use[2], ())
        ]

    def uses(self, name: str) -> bool:
        """Whether the code has a name outside of imports, and not as a field, a method or a module."""
        code = re.sub(r"\bmod\s+\w+;", "", USE.sub("", self.code))
        return re.search(rf"(?<![.\w]){re.escape(name)}\b(?!\s*:(?!:))", code) is not None


def read_rust(path: str, source: bytes) -> RustFile:
    """Parse a file."""
    found = QueryCursor(QUERY).captures(Parser(RUST).parse(source).root_node)
    text, tests = bytearray(source), []
    spans = [(node.start_byte, node.end_byte) for node in found.get("blank", [])]
    for attribute in found.get("attribute", []):
        item: Node | None = attribute
        while item is not None and item.type in ("attribute_item", "line_comment", "block_comment"):
            item = item.next_named_sibling
        if item is not None and re.match(rb"#\[cfg\(.*\btest\b.*\)\]$", attribute.text or b""):
            spans.append((attribute.start_byte, item.end_byte))
            tests += re.findall(r"^mod (\w+);", (item.text or b"").decode())
    for first, last in spans:
        text[first:last] = re.sub(rb"[^\n]", b" ", source[first:last])
    return RustFile(path, text.decode(errors="replace"), tests)


def _leaves(tree: str, before: Names) -> Iterator[tuple[Names, str]]:
    """Every path of a `use` tree, and the name that it gets."""
    path, brace, inner = tree.strip().partition("{")
    words = [word.strip() for word in path.partition(" as ")[0].split("::") if word.strip()]
    if brace:
        depth, part = 0, ""
        for letter in inner[: inner.rindex("}")] + ",":
            depth += (letter == "{") - (letter == "}")
            if letter == "," and not depth:
                yield from _leaves(part, (*before, *words))
                part = ""
            else:
                part += letter
    elif words[-1:] == ["*"]:
        yield (*before, *words[:-1]), ""
    elif words:
        names = (*before, *words)
        names = names[:-1] if names[-1] == "self" and before else names
        yield names, path.partition(" as ")[2].strip() or names[-1]


class Crates:
    """The files of all crates below `crates/` by module: crate, folder, and names of modules."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[Names, RustFile] = {}
        self.libraries: dict[str, Names] = {}
        for manifest in sorted(root.glob("crates/*/Cargo.toml")):
            crate = manifest.parent.name
            name = re.search(r'^name = "(.*)"', manifest.read_text(encoding="utf-8"), re.MULTILINE)
            self.libraries[name[1].replace("-", "_") if name else crate] = (crate, "src")
            for folder in ("src", "tests", "examples", "benches"):
                for path in sorted((manifest.parent / folder).rglob("*.rs")):
                    words = path.relative_to(manifest.parent).with_suffix("").parts
                    module = words[:-1] if words[-1] in ("lib", "mod", "main") else words
                    file = path.relative_to(root).as_posix()
                    self.modules[crate, *module] = read_rust(file, path.read_bytes())
        for module, read in list(self.modules.items()):
            for test in read.tests:
                for each in [each for each in self.modules if each[: len(module) + 1] == (*module, test)]:
                    del self.modules[each]
        self.code = {read.path: read.code for read in self.modules.values()}

    def edges(self) -> list[Edge]:
        """Whatever a file names that another one defines, once a line."""
        found: dict[tuple[str, str, int], Edge] = {}
        for module, file in self.modules.items():
            for edge in self._edges_of(module, file):
                key = edge[:3]
                if edge.source != edge.target and (key not in found or not found[key].binds):
                    found[key] = edge
        return list(found.values())

    def _edges_of(self, module: Names, file: RustFile) -> Iterator[Edge]:
        imported = {each.name for each in file.imports}
        for each in file.imports:
            target = self._resolve(module, each.path, frozenset())
            if isinstance(target, tuple):
                # `use super::*` needs the module; `use crate::config;` only says where names are looked up.
                target = self.modules[target].path if not each.name and target in self.modules else None
            if target is not None:
                binds = not (each.public and each.name) or file.uses(each.name)
                yield Edge(file.path, target, each.line, "::".join(each.path), binds)
        code = USE.sub(lambda use: re.sub(r"[^\n]", " ", use[0]), file.named)
        for path in PATH.finditer(code):
            names = tuple(re.split(r"\s*::\s*", path[0]))
            # `Op::Read` says no more than `use …::Op` did; `formats::recognise` does.
            known = names[0] in imported and isinstance(self._find(module, names[0], frozenset()), str)
            target = None if known else self._resolve(module, names, frozenset())
            if isinstance(target, str):
                yield Edge(file.path, target, code.count("\n", 0, path.start()) + 1, "::".join(names), True)

    def _resolve(self, module: Names, path: Names, seen: frozenset[tuple[Names, str]]) -> Names | str | None:
        """The module, or the file of the item, that a path names."""
        head, *rest = path
        found: Names | str | None
        if head == "crate":
            found = module[: 2 + (module[1] in ("examples", "benches"))]
        elif head in ("self", "super"):
            found = module[: len(module) - (head == "super")]
        else:
            found = self._find(module, head, seen) or self.libraries.get(head)
        for name in rest:
            if not isinstance(found, tuple):
                break
            up = found[:-1] if name == "super" else None
            # What a macro makes has no definition to be found: it belongs to the module's file.
            file = self.modules.get(found)
            found = up or self._find(found, name, seen) or (file.path if file else None)
        return found

    def _find(self, module: Names, name: str, seen: frozenset[tuple[Names, str]]) -> Names | str | None:
        """What a name means in a module."""
        file = self.modules.get(module)
        if (*module, name) in self.modules:
            return (*module, name)
        if file is None or (module, name) in seen:
            return None
        if name in file.items:
            return file.path
        seen |= {(module, name)}
        for each in file.imports:
            if each.name == name and (found := self._resolve(module, each.path, seen)):
                return found
        for each in file.imports:
            behind = None if each.name else self._resolve(module, each.path, seen)
            if isinstance(behind, tuple) and (found := self._find(behind, name, seen)):
                return found
        return None
