"""The modules of a Python package, and which file defines what they import of each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codebase.graph import Edge, Kind, Place


@dataclass
class Module:
    """A module of the package."""

    file: str
    package: str
    """What relative imports start from."""
    tree: ast.Module
    imports: list[tuple[ast.Import | ast.ImportFrom, Kind]]

    @property
    def is_package(self) -> bool:
        """Whether it may do no more than pass names on."""
        return self.file.endswith("__init__.py")

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that a statement imports from, dots resolved."""
        if not node.level:
            return node.module or ""
        above = self.package.split(".")
        return ".".join([*above[: len(above) - node.level + 1], *([node.module] if node.module else [])])

    def mentions(self, name: str) -> bool:
        """Whether the code uses a name it imports."""
        return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(self.tree))


class Package:
    """A package below `folder`, its files named from `root`."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for path in sorted(folder.rglob("*.py*")):
            if path.suffix in (".py", ".pyi"):
                self._read(folder, path)

    @property
    def files(self) -> list[str]:
        """All files of the package."""
        return [module.file for module in self.modules.values()]

    def edges(self) -> Iterator[Edge]:
        """Everything a module imports that another one of the package defines, once a statement."""
        found: dict[tuple[str, str, int], Edge] = {}
        for module in self.modules.values():
            for node, kind in module.imports:
                for target, name, text in self._targets(module, node):
                    file = self.modules[target].file
                    passed_on = kind is Kind.USE and module.is_package and not module.mentions(name)
                    place = Place(module.file, node.lineno)
                    edge = Edge(module.file, file, place, Kind.REEXPORT if passed_on else kind, text)
                    key = (module.file, file, node.lineno)
                    if file != module.file and (key not in found or not found[key].kind.binds):
                        found[key] = edge
        yield from found.values()

    def _read(self, folder: Path, path: Path) -> None:
        words = [folder.name, *path.relative_to(folder).with_suffix("").parts]
        package = ".".join(words[:-1])
        if words[-1] == "__init__":
            words.pop()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        file = path.relative_to(self.root).as_posix()
        self.modules[".".join(words)] = Module(file, package, tree, list(_imports(tree.body, Kind.USE)))

    def _targets(self, module: Module, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
        """The modules that a statement imports from, each with the name it brings and how it is written."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in self.modules:
                    name = alias.asname or alias.name.partition(".")[0]
                    yield alias.name, name, f"import {alias.name}"
            return
        base = module.absolute(node)
        for alias in node.names:
            target = self._definer(base, alias.name, frozenset())
            if target is not None:
                yield target, alias.asname or alias.name, f"from {base} import {alias.name}"

    def _definer(self, base: str, name: str, seen: frozenset[tuple[str, str]]) -> str | None:
        """The module that defines `name`, which `base` may only have from elsewhere."""
        if base not in self.modules or (base, name) in seen:
            return None
        module = self.modules[base]
        for node, kind in module.imports:
            if kind is Kind.USE and isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        found = self._definer(module.absolute(node), alias.name, seen | {(base, name)})
                        if found is not None:
                            return found
        return f"{base}.{name}" if f"{base}.{name}" in self.modules else base


def _imports(body: list[ast.stmt], kind: Kind) -> Iterator[tuple[ast.Import | ast.ImportFrom, Kind]]:
    """All imports, each with when it is carried out."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, kind
            continue
        inner = kind
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and kind is Kind.USE:
            inner = Kind.LATE
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            inner = Kind.TYPES
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            block = getattr(node, name, [])
            # What stands behind `else` of TYPE_CHECKING is carried out.
            statements = [part for part in block if isinstance(part, ast.stmt)]
            clauses = [stmt for part in block if not isinstance(part, ast.stmt) for stmt in part.body]
            yield from _imports([*statements, *clauses], kind if name == "orelse" else inner)
