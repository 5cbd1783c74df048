"""The files that rules look at, found without git: what is built lies in folders of known names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("crates", "python", "tests", "tools", "docs", "examples", "benches")
PAPERS = "papers"
"""Of which only code is looked at: claims and pages have the words of the papers."""
ENDINGS = (".rs", ".py", ".pyi", ".md", ".toml", ".json", ".j2", ".css")
BUILT = ("target", "node_modules", "__pycache__")


def source_files(root: Path) -> dict[str, str]:
    """The text of every source file, by its path."""
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in _paths(root)}


def _paths(root: Path) -> Iterator[Path]:
    beside = (path for path in sorted(root.iterdir()) if path.suffix in (".md", ".toml"))
    yield from (path for path in [*beside, root / "Makefile"] if path.is_file())
    waiting = [root / folder for folder in (*FOLDERS, PAPERS)]
    while waiting:
        folder = waiting.pop()
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_symlink() or path.name.startswith(".") or path.name in BUILT:
                continue
            if path.is_dir():
                waiting.append(path)
            elif path.suffix in ((".py",) if path.is_relative_to(root / PAPERS) else ENDINGS):
                yield path
