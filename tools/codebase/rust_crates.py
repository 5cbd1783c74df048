"""The modules of the workspace's crates, and which file defines what a path names."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from codebase.graph import Edge, Kind, Place
from codebase.rust_file import Import, Named, Path, RustFile, read_rust


@dataclass
class Module:
    """A module: a file, or a part of one in braces."""

    file: RustFile
    root: Module | None = None
    parent: Module | None = None
    inner: Path = ()
    """The inline modules of the file that lead here."""
    children: dict[str, Module] = field(default_factory=dict)

    @property
    def imports(self) -> list[Import]:
        """The `use` declarations of this module."""
        return [item for item in self.file.imports if item.module == self.inner]


class Workspace:
    """All crates under `crates/`: libraries by name; every test, example and benchmark is a crate, too."""

    def __init__(self, root: FilePath) -> None:
        self.root = root
        self.files: dict[str, RustFile] = {}
        self.libraries: dict[str, Module] = {}
        self._roots: list[Module] = []
        self._left_out: set[str] = set()
        for manifest in sorted(root.glob("crates/*/Cargo.toml")):
            package = tomllib.loads(manifest.read_text())
            name = str(package["package"]["name"]).replace("-", "_")
            folder = manifest.parent
            library = self._library(folder / "src")
            self.libraries[name] = library
            for kind in ("tests", "examples", "benches"):
                for file in sorted(folder.glob(f"{kind}/*.rs")):
                    self._roots.append(self._declared(file))

    def edges(self) -> Iterator[Edge]:
        """Everything a file names that another one defines, once a line."""
        found: dict[tuple[str, str, int], Edge] = {}
        for module in self._modules():
            for edge in self._edges_of(module):
                key = (edge.source, edge.target, edge.place.line)
                if key not in found or not found[key].kind.binds:
                    found[key] = edge
        yield from found.values()

    def implementations(self, type_name: str) -> Iterator[Place]:
        """The `impl` blocks of a type, by its last name."""
        for file in self.files.values():
            for named in file.implements:
                if named.path[-1:] == (type_name,):
                    yield Place(file.path, named.line)

    def _read(self, path: FilePath) -> RustFile:
        name = path.relative_to(self.root).as_posix()
        if name not in self.files:
            self.files[name] = read_rust(name, path.read_bytes())
        return self.files[name]

    def _library(self, source: FilePath) -> Module:
        """A library: its modules are the files below `src/`, because macros declare some of them."""
        top = Module(self._read(source / "lib.rs"))
        self._roots.append(top)
        self._take_in(top, source, top)
        return top

    def _take_in(self, module: Module, folder: FilePath, root: Module) -> None:
        self._inline(module, root)
        for path in sorted(folder.glob("*")):
            is_folder = path.is_dir()
            name = path.stem
            if name in ("lib", "mod") or name in module.file.test_modules or name in module.children:
                continue
            main = next((p for p in (folder / f"{name}.rs", folder / name / "mod.rs") if p.is_file()), None)
            if main is None or not (is_folder or path.suffix == ".rs"):
                continue
            child = Module(self._read(main), root, module)
            module.children[name] = child
            self._take_in(child, folder / name, root)

    def _declared(self, path: FilePath, parent: Module | None = None, root: Module | None = None) -> Module:
        """A crate, or a module of one, that is followed from `mod name;` to `mod name;`."""
        module = Module(self._read(path), root, parent)
        root = root or module
        self._inline(module, root)
        below = path.parent if parent is None or path.name == "mod.rs" else path.with_suffix("")
        for name, elsewhere in module.file.modules.items():
            if elsewhere is not None:
                paths = [FilePath(os.path.normpath(path.parent / elsewhere))]
            else:
                paths = [below / f"{name}.rs", below / name / "mod.rs"]
            for found in paths:
                if found.is_file():
                    module.children[name] = self._declared(found, module, root)
        return module

    def _inline(self, module: Module, root: Module) -> None:
        for inner in sorted(module.file.items):
            if len(inner) == len(module.inner) + 1 and inner[:-1] == module.inner:
                child = Module(module.file, root, module, inner)
                module.children[inner[-1]] = child
                self._inline(child, root)

    def _modules(self) -> Iterator[Module]:
        waiting = list(self._roots)
        while waiting:
            module = waiting.pop()
            yield module
            waiting.extend(module.children.values())

    def _edges_of(self, module: Module) -> Iterator[Edge]:
        for item in module.imports:
            kind = Kind.USE
            if item.public and item.name and not module.file.uses(item.name):
                kind = Kind.REEXPORT
            yield from self._edge(module, item, kind)
        imported = {item.name for item in module.imports}
        for named in module.file.paths:
            # `Op::Read` says no more than `use …::Op` did; `formats::recognise` does.
            known = named.path[0] in imported and isinstance(self._find(module, named.path[0], set()), str)
            if named.module == module.inner and not known:
                yield from self._edge(module, named, Kind.PATH)

    def _edge(self, module: Module, named: Named, kind: Kind) -> Iterator[Edge]:
        found = self._resolve(module, named.path, set())
        if isinstance(found, Module):
            # `use super::*` needs the module; `use crate::config;` only says where names are looked up.
            glob = isinstance(named, Import) and not named.name
            found = found.file.path if glob else None
        if found is not None and found != module.file.path:
            place = Place(module.file.path, named.line)
            yield Edge(module.file.path, found, place, kind, "::".join(named.path))

    def _resolve(self, module: Module, path: Path, seen: set[tuple[int, str]]) -> Module | str | None:
        head, *rest = path
        found: Module | str | None
        if head == "crate":
            found = module.root or module
        elif head == "self":
            found = module
        elif head == "super":
            found = module.parent
        else:
            found = self._find(module, head, seen) or self.libraries.get(head)
        for name in rest:
            if not isinstance(found, Module):
                break
            # What a macro makes has no definition to be found: it belongs to the module's file.
            above = found.parent if name == "super" else None
            found = above or self._find(found, name, seen) or found.file.path
        return found

    def _find(self, module: Module, name: str, seen: set[tuple[int, str]]) -> Module | str | None:
        """What a name means in a module: a module, or the file that defines it."""
        if name in module.children:
            return module.children[name]
        if name in module.file.items[module.inner]:
            return module.file.path
        if (id(module), name) in seen:
            return None
        seen = seen | {(id(module), name)}
        for item in module.imports:
            if item.name == name and (found := self._resolve(module, item.path, seen)):
                return found
        for item in module.imports:
            if not item.name:
                behind = self._resolve(module, item.path, seen)
                if isinstance(behind, Module) and (found := self._find(behind, name, seen)):
                    return found
        return None
