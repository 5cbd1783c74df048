"""Python code that is no part of the package: policies of users, modules of papers.

Here it gets leave, and runs.

Whatever it does to end a run becomes one `InputError` that names its file and line.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NoReturn, Protocol

from reclaim.errors import InputError, ReclaimError

MOST_SHOWN = 300
"""Characters of a message or a value that are shown."""
LOADED = "reclaim_policy_"
"""How modules of policies are called, which go when their policies do."""
VARIABLE = "RECLAIM_REFUSED_CODE"
"""Why no code may run, for processes that this one starts."""
_refusals: list[str] = []
_denied: list[str] = []
"""What was asked for while it was refused."""
_lock = threading.Lock()
_held: set[int] = set()
"""Threads that are held for good."""


class _Ended(BaseException):
    """Raised inside code that is to end."""


class _Held(BaseException):
    """Raised inside code that catches whatever ends it: it gets no further than to make this one.

    Python cannot be taken down under a thread that still runs.
    """

    def __init__(self) -> None:
        _held.add(threading.get_ident())
        while True:
            time.sleep(3600)


class Reads(Protocol):
    """Hears of files that code opens."""

    def opened(self, path: Any, mode: Any, flags: Any) -> None:
        """One is opened: its name or number, and how."""


@dataclass
class Whose:
    """Code of a user's: the file it is in, for messages."""

    file: Path
    place: str = ""
    """What they say in its place where nothing in the file is under way."""
    reads: Reads | None = None
    """Hears of files that it opens."""


class _Here(threading.local):
    """Whose code runs on a thread."""

    now: Whose | None = None


_here = _Here()


_end_process = os._exit


class _Process:
    """What is put in place once, before the first code runs."""

    number = 0
    before_first: Callable[[], tuple[Any, ...]] | None = None
    streams: tuple[Any, ...] = ()
    """Standard output and error of the command line, which code may not replace; none in a library."""


@contextmanager
def refused(why: str) -> Iterator[None]:
    """Let no code run meanwhile, on any thread and in no process that is started; without a reason all may.

    Raises:
        InputError: at the end, if some was asked for and whoever asked made nothing of the refusal.
    """
    if not why:
        yield
        return
    with _lock:
        before = os.environ.get(VARIABLE)
        _refusals.append(why)
        os.environ[VARIABLE] = why
        known = len(_denied)
    try:
        yield
        if denied := _denied[known:]:
            raise InputError("\n".join(dict.fromkeys(denied)))
    finally:
        with _lock:
            _refusals.remove(why)
            del _denied[known:]
            if _refusals:
                os.environ[VARIABLE] = _refusals[-1]
            elif before is None:
                os.environ.pop(VARIABLE, None)
            else:
                os.environ[VARIABLE] = before


def demand_leave(file: Path) -> None:
    """See that code may run; every way to load some asks here.

    Raises:
        InputError: if it may not.
    """
    why = os.environ.get(VARIABLE)
    if why:
        with _lock:
            _denied.append(f"{file} {why}")
        raise InputError(f"{file} {why}")
    _prepare()


def is_running() -> bool:
    """Whether code of a user's runs on this thread."""
    return _here.now is not None


def reading() -> Reads | None:
    """Give who hears of files that code on this thread opens."""
    return _here.now.reads if _here.now is not None else None


def keep_streams(prepare: Callable[[], tuple[Any, ...]]) -> None:
    """Say what is done before the first code runs: it gives the streams that must stay in place."""
    _Process.before_first = prepare


def _prepare() -> None:
    with _lock:
        if _Process.before_first is not None:
            _Process.streams = _Process.before_first()
            _Process.before_first = None
        if _Process.number == 0:
            sys.addaudithook(_heard)
            os._exit = _exit
        # A process that code of a user's starts may end as it likes.
        _Process.number = os.getpid()


def _exit(status: int) -> NoReturn:
    """End the process, unless code of a user's asks for it: a run that is gone has no result."""
    if is_running() and os.getpid() == _Process.number:
        raise _Ended(f"os._exit({status}) would end the whole process")
    _end_process(status)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    whose = _here.now
    if whose is None:
        return
    if event == "open" and whose.reads is not None:
        whose.reads.opened(*arguments)
    elif event == "os.exec" and os.getpid() == _Process.number:
        raise _Ended("os.exec… would end the whole process")


def end(thread: int, for_good: bool) -> bool:
    """Tell code that runs on a thread to end, or hold it where it is for good; whether it is held."""
    if thread not in _held:
        told = ctypes.py_object(_Held if for_good else _Ended)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), told)
    return thread in _held


def guarded(
    function: Callable[..., Any],
    *arguments: Any,
    whose: Whose,
    through: tuple[type[Exception], ...] = (),
) -> Any:
    """Call code of a user's.

    Args:
        function: is called.
        arguments: with these.
        whose: code it is.
        through: what it raises of these is raised as it is.

    Raises:
        InputError: for whatever else it raised, and if it took away modules that others need.
        KeyboardInterrupt: on the main thread alone, where it may be Ctrl-C.
    """
    outer = _here.now
    count = len(sys.modules)
    if count != _Modules.count:
        _Modules.keep()
    _here.now = whose
    try:
        answer = function(*arguments)
    except through:
        raise
    except BaseException as error:
        _here.now = Whose(whose.file)
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
        raise InputError(where(error, whose.file, whose.place)) from error
    finally:
        _here.now = outer
        if _Process.streams and (sys.stdout, sys.stderr) != _Process.streams:
            sys.stdout, sys.stderr = _Process.streams
        gone = len(sys.modules) < count and _Modules.put_back()
    if gone:
        raise InputError(
            f"{whose.place or whose.file}: it took {gone} modules out of sys.modules, which others use; "
            "leave them there"
        )
    return answer


class _Modules:
    """All modules, for when code takes some away."""

    all: ClassVar[dict[str, ModuleType]] = {}
    count: ClassVar[int] = 0

    @classmethod
    def keep(cls) -> None:
        cls.all = dict(sys.modules)
        cls.count = len(cls.all)

    @classmethod
    def put_back(cls) -> int:
        gone = [name for name in cls.all if name not in sys.modules and not name.startswith(LOADED)]
        sys.modules.update({name: cls.all[name] for name in gone})
        return len(gone)


def where(error: BaseException, file: Path, place: str = "") -> str:
    """Say what went wrong in a file of the user's: its last line there, else the place, and why."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [at for at, each in enumerate(frames) if Path(each.filename).name == file.name]
    line = frames[inside[-1]].lineno if inside else None
    beyond = [
        f"{each.filename}:{each.lineno}"
        for each in frames[inside[-1] + 1 if inside else 0 :]
        if Path(each.filename).is_relative_to(file.parent) or each.filename.startswith("<string")
    ]
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        if Path(error.filename).name == file.name:
            line, beyond = error.lineno, []
        else:
            beyond = [f"{error.filename}:{error.lineno}"]
    place = f"{file}:{line}" if line else place or str(file)
    return f"{place}: {_said(error, file)}" + (f" (in {beyond[-1]})" if beyond else "")


def _said(error: BaseException, file: Path) -> str:
    if isinstance(error, _Ended):
        return f"{in_words(error)}; a policy gives its answer, and leaves the process alone"
    said = in_words(error)
    if isinstance(error, InputError):
        return said
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if isinstance(error, SystemExit):
        return f"{text}, as of sys.exit; a policy gives its answer, and leaves the process alone"
    if isinstance(error, ImportError) and "relative import" in said:
        text += f"; modules of {file.parent} alone can be imported so"
    return text


def in_words(value: object, how: Callable[[Any], str] = str) -> str:
    """Write what code of a user's raised or returned into a message, whatever it does when it is written."""
    try:
        text = str(how(value))
    except BaseException as error:  # noqa: BLE001 - whatever it does when it is shown
        what = f"something of the class {type(value).__name__}"
        return f"{what}, whose __{how.__name__}__ raised {type(error).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text):,} characters)"


def executed(file: Path, called: str) -> ModuleType:
    """Run a file as a module, once; nothing else becomes importable by it.

    Args:
        file: ends in .py, and is there. That of a package, `__init__.py`, may import from its folder.
        called: what the module is called, so that none takes the place of another.

    Raises:
        InputError: if it may not run, and for what the file raises; it is run again the next time.
    """
    demand_leave(file)
    if called in sys.modules:
        return sys.modules[called]
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(called, file, submodule_search_locations=inside)
    assert spec is not None  # noqa: S101 - the file is there, and ends in .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[called] = module
    try:
        guarded(spec.loader.exec_module, module, whose=Whose(file), through=(ReclaimError,))
    except BaseException:
        del sys.modules[called]
        raise
    return module
