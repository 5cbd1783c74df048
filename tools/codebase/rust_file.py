"""One Rust file: what it defines, what it names, and its code without comments, strings and tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import tree_sitter_rust
from tree_sitter import Language, Node, Parser, Query, QueryCursor

RUST = Language(tree_sitter_rust.language())
QUERY = Query(
    RUST,
    """
    [(use_declaration) (scoped_identifier) (scoped_type_identifier) (token_tree)] @names
    (attribute_item) @attribute
    [(struct_item) (enum_item) (union_item) (function_item) (const_item) (static_item) (trait_item)
     (type_item) (macro_definition) (mod_item) (impl_item)] @item
    [(line_comment) (block_comment) (string_literal) (raw_string_literal) (char_literal)] @blank
    """,
)
WORDS = ("identifier", "type_identifier", "crate", "self", "super")

Path = tuple[str, ...]
Span = tuple[int, int]


@dataclass(frozen=True)
class Named:
    """A path that the file names."""

    path: Path
    """As it is written: `crate`, `self`, `super`, a module or a crate first."""
    line: int
    module: Path = ()
    """The inline module of the file that it stands in."""


@dataclass(frozen=True)
class Import(Named):
    """One name of a `use` declaration."""

    name: str = ""
    """What it is called in the file; nothing for `*`."""
    public: bool = False


@dataclass
class RustFile:
    """What is known about a file."""

    path: str
    code: str
    """The text with comments, strings and tests replaced by blanks; lines and columns stay."""
    imports: list[Import] = field(default_factory=list)
    paths: list[Named] = field(default_factory=list)
    items: dict[Path, set[str]] = field(default_factory=lambda: {(): set()})
    """What each inline module defines; `()` is the file itself."""
    modules: dict[str, str | None] = field(default_factory=dict)
    """`mod name;` with the file that a `#[path]` attribute gives it."""
    test_modules: set[str] = field(default_factory=set)
    """`mod name;` under `#[cfg(test)]`."""
    implements: list[Named] = field(default_factory=list)
    """The types of `impl` blocks."""

    def uses(self, name: str) -> bool:
        """Whether the code has the name outside of imports, and not as a field, a method or a module."""
        code = re.sub(r"\b(use\b[^;]*|mod\s+\w+);", "", self.code)
        return re.search(rf"(?<![.\w]){re.escape(name)}\b(?!\s*:(?!:))", code) is not None


def read_rust(path: str, source: bytes) -> RustFile:
    """Parse a file."""
    found = QueryCursor(QUERY).captures(Parser(RUST).parse(source).root_node)
    tests = [test for attribute in found.get("attribute", []) for test in _guarded_by_test(attribute)]
    test_spans = [span for span, _ in tests]
    blank = [(node.start_byte, node.end_byte) for node in found.get("blank", [])]
    file = RustFile(path, _blanked(source, [*blank, *test_spans]))
    file.test_modules = {name for _, name in tests if name}
    inline = _take_items(file, _outside(found.get("item", []), test_spans))

    def module_at(node: Node) -> Path:
        around = (name for (first, last), name in inline if first <= node.start_byte < last)
        return tuple(around)

    for node in _outermost(_outside(found.get("names", []), test_spans)):
        line, module = _line(node), module_at(node)
        if node.type == "use_declaration":
            public = any(child.type == "visibility_modifier" for child in node.named_children)
            for words, name in _leaves(node.child_by_field_name("argument"), ()):
                file.imports.append(Import(words, line, module, name, public))
        elif node.type == "token_tree":
            file.paths.extend(Named(words, at, module) for words, at in _token_paths(node))
        else:
            file.paths.append(Named(_words(node), line, module))
    return file


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode()


def _outside(nodes: Iterable[Node], spans: list[Span]) -> list[Node]:
    """The nodes that lie in none of the spans, in the order of the file, the outer before the inner."""
    kept = (node for node in nodes if not any(first <= node.start_byte < last for first, last in spans))
    return sorted(kept, key=lambda node: (node.start_byte, -node.end_byte))


def _outermost(nodes: list[Node]) -> Iterator[Node]:
    """Without what lies in a `use` or a macro, and without `a::b` of `a::b::C`.

    What is an argument stays: `d::D` of `a::B::<d::D>::c`.
    """
    start, end = -1, 0
    for node in nodes:
        if node.start_byte < end or (node.start_byte == start and node.type.startswith("scoped")):
            continue
        yield node
        start = node.start_byte
        if not node.type.startswith("scoped"):
            end = node.end_byte


def _guarded_by_test(attribute: Node) -> Iterator[tuple[Span, str]]:
    """The item under `#[cfg(test)]`, and its name if it is a module with a file of its own."""
    if not re.fullmatch(r"#\[cfg\(.*\btest\b.*\)\]", _text(attribute)):
        return
    item = attribute.next_named_sibling
    while item is not None and item.type in ("attribute_item", "line_comment", "block_comment"):
        item = item.next_named_sibling
    if item is not None:
        elsewhere = item.type == "mod_item" and item.child_by_field_name("body") is None
        yield (
            (attribute.start_byte, item.end_byte),
            _text(item.child_by_field_name("name")) if elsewhere else "",
        )


def _blanked(source: bytes, spans: list[Span]) -> str:
    text = bytearray(source)
    for first, last in spans:
        text[first:last] = re.sub(rb"[^\n]", b" ", source[first:last])
    return text.decode(errors="replace")


def _take_items(file: RustFile, nodes: list[Node]) -> list[tuple[Span, str]]:
    """Notes what the file defines; gives the inline modules, outer ones first."""
    inline: list[tuple[Span, str]] = []
    end = 0  # of the function, type or `impl` that the next nodes may lie in
    for node in nodes:
        if node.start_byte < end:
            continue
        module = tuple(name for (first, last), name in inline if first <= node.start_byte < last)
        name = _text(node.child_by_field_name("name"))
        if node.type == "impl_item":
            kind = node.child_by_field_name("type")
            if kind is not None:
                file.implements.append(Named(_words(kind), _line(node), module))
        if node.type != "mod_item":
            file.items.setdefault(module, set()).add(name)
            end = node.end_byte
        elif (body := node.child_by_field_name("body")) is not None:
            inline.append(((body.start_byte, body.end_byte), name))
            file.items.setdefault((*module, name), set())
        elif not module:
            file.modules[name] = _path_attribute(node)
    return inline


def _path_attribute(node: Node) -> str | None:
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if found := re.fullmatch(r'#\[path\s*=\s*"(.*)"\]', _text(before)):
            return found[1]
        before = before.prev_named_sibling
    return None


def _words(node: Node | None) -> Path:
    """The identifiers of a path, type arguments left out."""
    if node is None:
        return ()
    if node.type in ("scoped_identifier", "scoped_type_identifier"):
        return (*_words(node.child_by_field_name("path")), *_words(node.child_by_field_name("name")))
    if node.type == "generic_type":
        return _words(node.child_by_field_name("type"))
    return (_text(node),) if node.type in WORDS else ()


def _leaves(node: Node | None, before: Path) -> Iterator[tuple[Path, str]]:
    """Every path of a `use` tree and the name it gets."""
    if node is None:
        return
    if node.type == "use_list":
        for child in node.named_children:
            yield from _leaves(child, before)
    elif node.type == "scoped_use_list":
        inner = (*before, *_words(node.child_by_field_name("path")))
        yield from _leaves(node.child_by_field_name("list"), inner)
    elif node.type == "use_as_clause":
        path = _words(node.child_by_field_name("path"))
        yield before if path == ("self",) else (*before, *path), _text(node.child_by_field_name("alias"))
    elif node.type == "use_wildcard":
        yield (*before, *(word for child in node.named_children for word in _words(child))), ""
    elif node.type == "self" and before:
        yield before, before[-1]
    elif words := _words(node):
        yield (*before, *words), words[-1]


def _token_paths(tree: Node) -> Iterator[tuple[Path, int]]:
    """Paths among the tokens that a macro is given, each with its line."""
    words: list[str] = []
    joined = False
    line = 0
    for token in [*_tokens(tree), None]:
        if token is not None and token.type == "::":
            joined = bool(words)
            continue
        if token is not None and token.type in WORDS and joined:
            words.append(_text(token))
            joined = False
            continue
        if len(words) > 1:
            yield tuple(words), line
        words, joined = [], False
        if token is not None and token.type in WORDS:
            words, line = [_text(token)], _line(token)


def _tokens(tree: Node) -> Iterator[Node]:
    for child in tree.children:
        if child.type == "token_tree":
            yield from _tokens(child)
        else:
            yield child
