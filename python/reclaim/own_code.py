"""Running a Python file that is no part of the package: code of a paper's folder, policies of users."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def executed(file: Path, called: str) -> ModuleType:
    """Run a file as a module, once; nothing else becomes importable by it.

    Args:
        file: ends in .py, and is there. That of a package, `__init__.py`, may import from its folder.
        called: what the module is called, so that none takes the place of another.

    Raises:
        Exception: what the file raises; it is run again the next time.
    """
    if called in sys.modules:
        return sys.modules[called]
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(called, file, submodule_search_locations=inside)
    assert spec is not None  # noqa: S101 - the file is there, and ends in .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[called] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[called]
        raise
    return module
