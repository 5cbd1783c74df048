"""What a policy follows from beside its own file: modules of its folder that it imports, files that it opens.

Imports are found in its text, those inside functions, too. Files are noted as they are opened, while the
policy is loaded and made; one that is opened later is refused, because no result could tell that it has
changed. Compiled libraries such as Polars open files without a word to Python: where the text uses one, files
that it names are taken for read.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import os
import re
import sys
import sysconfig
import tokenize
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError

_OPEN_BY_PYTHON = (sys.stdlib_module_names | {"numpy", "reclaim"}) - {"ctypes", "sqlite3"}
"""Modules that open no file, or have Python do it."""
_WRITES = ("write", "to_", "save", "dump", "sink")
"""How calls begin that write the file they name."""
LARGE_BYTES = 1 << 20
"""A file of so much is read again for its digest only when it looks different."""
WORD = re.compile(r"\w+")
PROSE = re.compile(r"""[rbuRBU]*['"].*\s.*""", re.DOTALL)
"""A text with blanks in it that cannot name anything."""
PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = {
    sys.prefix,
    sys.base_prefix,
    *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
    str(PACKAGE),
}


def digest(file: Path) -> str:
    """Give the digest of a file's bytes, by which a configuration knows the code it was made with."""
    now = file.stat()
    if now.st_size < LARGE_BYTES:
        return _digest(file)
    return _digest_of_large(file.absolute(), now.st_mtime_ns, now.st_size, now.st_ino)


def _digest(file: Path) -> str:
    return blake2b(input_file.data(file), digest_size=16).hexdigest()


@lru_cache(maxsize=64)
def _digest_of_large(file: Path, *_now: int) -> str:
    return _digest(file)


def is_beside(folder: Path, name: str) -> bool:
    """Whether a name without dots is a module of a folder: Python's own and installed ones come first."""
    if not (folder / f"{name}.py").is_file() and not (folder / name).is_dir():
        return False
    if name in sys.builtin_module_names or name in sys.stdlib_module_names or name == "reclaim":
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return True
    if spec is None or spec.origin is None:
        return True
    # A script's folder is looked through by Python, too.
    return Path(spec.origin).resolve().is_relative_to(folder.resolve())


def imported(file: Path) -> set[str]:
    """Give the modules of its folder that a file imports, and those that they import, by their paths."""
    folder = file.parent
    found: set[str] = set()
    waiting = [file]
    while waiting:
        each = waiting.pop()
        for path in _imports(each, folder):
            name = path.relative_to(folder).as_posix()
            if name not in found and path != file:
                found.add(name)
                waiting.append(path)
    return found


def _tree(file: Path) -> ast.AST:
    try:
        return ast.parse(input_file.data(file))
    except (SyntaxError, ValueError, OSError, RecursionError):
        # Whoever imports it will say so.
        return ast.Module([], [])


def named(folder: Path, modules: Iterable[Path]) -> set[str]:
    """Give the files of a folder that its modules name, if they import what may open files unseen."""
    texts: set[str] = set()
    is_unseen = False
    waiting: list[ast.AST] = [_tree(each) for each in modules]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and _name(node.func).startswith(_WRITES):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ".." not in node.value:
            texts.add(node.value)
        elif isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
            dotted = [node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            roots = {str(each).partition(".")[0] for each in dotted} - _OPEN_BY_PYTHON
            is_unseen = is_unseen or any(not is_beside(folder, each) for each in roots)
        waiting += ast.iter_child_nodes(node)
    if not is_unseen:
        return set()
    within = [folder, *(folder / text for text in texts if _is(Path.is_dir, folder, text))]
    files = {each / text for each in within for text in texts if _is(Path.is_file, each, text)}
    return {each.relative_to(folder).as_posix() for each in files}


def _is(what: Callable[[Path], bool], folder: Path, text: str) -> bool:
    """Whether a text names something of a folder; most texts name nothing."""
    try:
        return bool(text) and not Path(text).is_absolute() and what(folder / text)
    except (OSError, ValueError):
        return False


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _imports(file: Path, folder: Path) -> Iterator[Path]:
    tree = _tree(file)
    package = file.parent.relative_to(folder).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield from _modules(folder, tuple(each.name.split(".")), absolute=True)
        elif isinstance(node, ast.ImportFrom):
            base = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                if node.level - 1 > len(package):
                    continue
                base = package[: len(package) - node.level + 1] + base
            for each in node.names:
                yield from _modules(folder, (*base, each.name), absolute=not node.level)


def _modules(folder: Path, parts: tuple[str, ...], *, absolute: bool) -> Iterator[Path]:
    """Give the files that importing a dotted name runs, as far as they are in the folder."""
    if absolute and not is_beside(folder, parts[0]):
        return
    place = folder
    for part in parts:
        for each in (place / f"{part}.py", place / part / "__init__.py"):
            if each.is_file():
                yield each
                break
        place /= part


class PolicyReads:
    """The files of its folder that a policy is known to follow from, beside its own."""

    def __init__(self, file: Path) -> None:
        """Take what its text imports."""
        self._file = file
        self.folder = file.parent
        self._folders = list(dict.fromkeys((str(file.absolute().parent), str(file.resolve().parent))))
        self._elsewhere = [
            f"{each}{os.sep}"
            for each in filter(None, _PLACES)
            for folder in self._folders
            if each.startswith(f"{folder}{os.sep}")
        ]
        self.found = imported(file)
        self.found |= named(self.folder, (file, *map(self.folder.joinpath, sorted(self.found))))
        self.package = ""
        """What its modules are of, once they are loaded."""
        self.is_made = False
        self.late: list[str] = []

    def opened(self, path: Any, mode: Any, flags: Any) -> None:
        """Hear of a file that is opened.

        Raises:
            InputError: if it is one of the folder, and the policy has been made.
        """
        if not isinstance(path, str | bytes | os.PathLike):
            return
        is_read = ("r" in mode or "+" in mode) if mode else (flags & os.O_ACCMODE) != os.O_WRONLY
        if not is_read:
            return
        whole = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - without following links
        if f"{os.sep}__pycache__{os.sep}" in whole:
            try:
                whole = importlib.util.source_from_cache(whole)
            except ValueError:
                return
        is_file = os.path.isfile(whole)  # noqa: PTH113 - whatever its name holds
        if not is_file or any(whole.startswith(each) for each in self._elsewhere):
            return
        for folder in self._folders:
            if whole.startswith(f"{folder}{os.sep}"):
                self._note(Path(whole).relative_to(folder).as_posix())
                return

    def _note(self, name: str) -> None:
        if name == self._file.name or name in self.found:
            return
        if self.is_made:
            self.late.append(name)
            raise InputError(self.too_late())
        self.found.add(name)

    def too_late(self) -> str:
        """Say which file was opened too late; nothing if none was."""
        if not self.late:
            return ""
        return (
            f"opens {self.late[0]} of its folder while it runs; open it at the top of the file, or in "
            "__init__, so that results are known by what it holds"
        )

    def words(self) -> set[str]:
        """Give the words of the policy's file and of the modules of its folder, as `words_of` does."""
        beside = (self.folder / name for name in sorted(self.found) if name.endswith(".py"))
        files = [self._file, *filter(Path.is_file, beside)]
        return set().union(*(words_of(input_file.data(each).decode("utf-8", "replace")) for each in files))

    def code(self) -> str:
        """Give the digest of all of it."""
        return code_of(self._file, self.found)


def words_of(code: str) -> set[str]:
    r"""Give the words of code, those of comments, too, but none of a text with blanks in it: that is prose.

    >>> sorted(words_of("plane.valid  # of age\n'erases', 'by level', f'{plane.number} '"))
    ['age', 'erases', 'f', 'number', 'of', 'plane', 'valid']
    """
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(code).readline)]
    except (tokenize.TokenError, SyntaxError):
        # Whoever imports it will say so.
        return set(WORD.findall(code))
    prose = (each.type == tokenize.STRING and PROSE.fullmatch(each.string) is not None for each in tokens)
    return {
        word
        for each, is_prose in zip(tokens, prose, strict=True)
        if not is_prose
        for word in WORD.findall(each.string)
    }


def code_of(file: Path, beside: Iterable[str]) -> str:
    """Give the digest of a policy's file and, if it follows from others of its folder, of those."""
    rest = [(name, digest(file.parent / name)) for name in sorted(beside) if (file.parent / name).is_file()]
    if not rest:
        return digest(file)
    return f"{digest(file)}-{blake2b(json.dumps(rest).encode(), digest_size=16).hexdigest()}"


def of_file(code: str | None) -> str | None:
    """Give the digest of the file alone in that of all.

    >>> of_file("12ab-34cd"), of_file("12ab"), of_file(None)
    ('12ab', '12ab', None)
    """
    return code and code.partition("-")[0]
