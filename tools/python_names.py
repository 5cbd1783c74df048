"""Which Python file of the package imports which, by grimp; and the extension, which grimp does not know."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

from rust_names import Edge


def edges(root: Path) -> list[Edge]:
    """Imports between the files of the package below `python/`; those for type checkers bind nothing."""
    folder = next(path.parent for path in (root / "python").glob("*/__init__.py"))
    sys.path.insert(0, str(folder.parent))
    try:
        graphs = [
            grimp.build_graph(folder.name, cache_dir=None, exclude_type_checking_imports=strict)
            for strict in (True, False)
        ]
    finally:
        sys.path.remove(str(folder.parent))
    binding, full = graphs
    paths = {}
    for module in full.modules:
        path = folder.parent.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        paths[module] = path.relative_to(root).as_posix()
    found = []
    for module in sorted(full.modules):
        for target in sorted(full.find_modules_directly_imported_by(module) - {folder.name}):
            binds = binding.direct_import_exists(importer=module, imported=target)
            for place in full.get_import_details(importer=module, imported=target):
                line, text = place["line_number"], place["line_contents"].strip()
                found.append(Edge(paths[module], paths[target], line, text, binds))
        found += _of_the_whole(root, folder, paths[module])
    return found


def _of_the_whole(root: Path, folder: Path, file: str) -> Iterator[Edge]:
    """Imports of the extension, and of what only `__init__.py` has: grimp takes both for the package."""
    package, top = folder.name, folder.relative_to(root).as_posix()
    extension, front = f"{top}/_core.pyi", f"{top}/__init__.py"
    for node in ast.walk(ast.parse((root / file).read_text(encoding="utf-8"))):
        targets = set()
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            targets = {front} & {front for name in names if name == package}
            targets |= {extension for name in names if name == f"{package}._core"}
        elif isinstance(node, ast.ImportFrom) and node.module == f"{package}._core":
            targets = {extension}
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            names = {alias.name for alias in node.names}
            targets = {extension for name in names if name == "_core"}
            there = {path.stem for path in folder.iterdir()} | {"_core"}
            targets |= {front for _ in names - there}
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (Edge(file, each, node.lineno, ast.unparse(node), True) for each in targets - {file})
