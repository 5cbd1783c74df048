"""Loading the file of a policy: anew for every policy that is made, with whatever it imports from its folder.

What one run leaves in a module or a class is never seen by another. Modules of the folder are imported as
those of a package that is made for the purpose, so that none takes the place of a library, and nobody else
finds them.
"""

from __future__ import annotations

import builtins
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from reclaim.own_code import LOADED, reading
from reclaim.policy.reads import PolicyReads, is_beside

_numbers = count()


class _Loader(SourceFileLoader):
    """Runs what the file says now: a compiled copy can be of a moment ago."""

    def __init__(self, name: str, path: str, reads: PolicyReads) -> None:
        super().__init__(name, path)
        self._reads = reads

    def get_code(self, fullname: str) -> CodeType:
        self._reads.opened(self.path, "r", 0)
        return compile(self.get_data(self.path), self.get_filename(fullname), "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _importer(self.name, self._reads)}
        super().exec_module(module)


class _Finder:
    """Finds modules of the folders of policies, each for its policy alone."""

    def __init__(self) -> None:
        self.reads: dict[str, PolicyReads] = {}
        self._looking: ContextVar[bool] = ContextVar("_looking")

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        reads = self.reads.get(name.partition(".")[0])
        if reads is None or not path:
            self._refuse(name, path)
            return None
        for folder in map(Path, path):
            last = name.rpartition(".")[2]
            for file, inside in (
                (folder / last / "__init__.py", [str(folder / last)]),
                (folder / f"{last}.py", None),
            ):
                if file.is_file():
                    return importlib.util.spec_from_file_location(
                        name, file, loader=_Loader(name, str(file), reads), submodule_search_locations=inside
                    )
            if (folder / last).is_dir():
                spec = ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [str(folder / last)]
                return spec
        return None

    def _refuse(self, name: str, path: Sequence[str] | None) -> None:
        """Refuse what code of a policy imports otherwise than by `import`: others would share it."""
        reads = reading()
        if path is not None or not isinstance(reads, PolicyReads) or self._looking.get(False):
            return
        token = self._looking.set(True)
        try:
            beside = is_beside(reads.folder, name)
        finally:
            self._looking.reset(token)
        if beside:
            raise ImportError(
                f'{name} lies beside the policy: write "import {name}" or "from . import {name}"'
            )


_finder = _Finder()


def _importer(importing: str, reads: PolicyReads) -> Callable[..., Any]:
    """Give what `import` does in a module: those of the policy's folder are taken from its package."""
    package = importing.partition(".")[0]
    known: dict[str, bool] = {}

    def imports(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        first = name.partition(".")[0]
        if not level and first not in known:
            known[first] = is_beside(reads.folder, first)
        if level or not known[first]:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{package}.{first}"]

    return imports


def loaded(file: Path, reads: PolicyReads) -> ModuleType:
    """Run the file of a policy as a module of its own. `forget` lets go of it."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    package = reads.package = f"{LOADED}{next(_numbers)}"
    holder = ModuleType(package)
    holder.__path__ = [str(file.parent)]
    sys.modules[package] = holder
    _finder.reads[package] = reads
    name = f"{package}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file, loader=_Loader(name, str(file), reads))
    assert spec is not None  # noqa: S101 - it has a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        _Loader(name, str(file), reads).exec_module(module)
    except BaseException:
        forget(package)
        raise
    return module


def forget(package: str) -> None:
    """Let go of the modules of a policy that is no more; one of a running script has none."""
    if not package:
        return
    _finder.reads.pop(package, None)
    # Of a copy: this runs where garbage is collected, while another thread may be importing.
    for name in sys.modules.copy():
        if name == package or name.startswith(f"{package}."):
            sys.modules.pop(name, None)
