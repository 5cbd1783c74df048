"""Rooms: the folders of a crate or package, and the files beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from codebase.graph import Graph
from codebase.python_package import Package
from codebase.rust_crates import Workspace

BESIDE = ("tests", "examples", "benches")
"""Folders of a crate that use it from outside."""
FRONTS = ("lib.rs", "__init__.py", "__main__.py")
"""Files that only hand on what others define, where they stand beside the folders."""


def part_of(file: str) -> str:
    """The crate or package that a file belongs to: `crates/sim`, `python/reclaim`."""
    return "/".join(file.split("/")[:2])


def name_of(room: str) -> str:
    """What a room is called inside of its crate or package: `gc/victim/`, `drive.rs`."""
    return "/".join(room.split("/")[2:])


def is_beside(room: str) -> bool:
    """Whether a room uses its crate from outside: tests, examples, benchmarks."""
    return name_of(room).split("/")[0] in BESIDE


def is_front(room: str) -> bool:
    """Whether a room only hands on what others define."""
    return name_of(room) in FRONTS


@dataclass
class Codebase:
    """All Rust crates and the Python package."""

    root: Path
    rust: Workspace
    python: Package
    files: Graph
    """Edges between files."""

    def room_of(self, file: str) -> str:
        """The folder a file lies in, without `src/`, or the file itself where it lies beside the folders.

        A file with a folder of its name (`arrow.rs` and `arrow/`) belongs to that room.
        """
        path = PurePosixPath(file)
        home = path.with_suffix("") if path.with_suffix("").as_posix() in self._folders else path.parent
        words = [word for at, word in enumerate(home.parts) if not (at == 2 and word == "src")]
        name = "/".join(words)
        return f"{name}/{path.name}" if name == part_of(file) else f"{name}/"

    @cached_property
    def _folders(self) -> set[str]:
        return {PurePosixPath(file).parent.as_posix() for file in self.files.nodes}

    @cached_property
    def rooms(self) -> Graph:
        """Edges between rooms."""
        return self.files.grouped(self.room_of)

    @property
    def parts(self) -> list[str]:
        """Crates and packages."""
        return sorted({part_of(file) for file in self.files.nodes})

    def size(self, room: str) -> tuple[int, int]:
        """Files and lines of a room."""
        files = [file for file in self.files.nodes if self.room_of(file) == room]
        return len(files), sum(len((self.root / file).read_bytes().splitlines()) for file in files)


def read_codebase(root: Path) -> Codebase:
    """Read `crates/` and `python/reclaim/` below `root`."""
    rust = Workspace(root)
    python = Package(root, root / "python" / "reclaim")
    files = Graph([*rust.files, *python.files], [*rust.edges(), *python.edges()])
    return Codebase(root, rust, python, files)
