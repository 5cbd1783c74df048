"""What a case is: what lies there, what is asked, and what must come of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Thing = str | bytes | Callable[[Path], None]
"""What a file holds, or what makes something else than a file."""

TRACE = "time_us,op,offset_bytes,size_bytes\n" + "".join(
    f"{index * 500},{'read' if index % 10 == 9 else 'write'},{index * 7919 % 256 * 4096},4096\n"
    for index in range(300)
)
DRIVE = """base = "coupled-copyback-mini"
name = "small"
[geometry]
pages_per_block = 30
"""
SCENE: dict[str, Thing] = {"t.csv": TRACE, "d.toml": DRIVE, "notes.txt": "mine\n", "kept/notes.txt": "mine\n"}
"""What lies in the folder of every case: nothing of it may be lost."""
RUN = "run t.csv -d d.toml"
SAVED = (0, 1, 3)
"""Exit codes of a run that came to its end."""


@dataclass(frozen=True)
class Moment:
    """When a command gets a signal: so long after it began, or after a file like `seen` is there."""

    signal: str
    seen: str = ""
    after_seconds: float = 0.0
    times: int = 1


@dataclass(frozen=True)
class Case:
    """One bad input; paths are relative to the folder of the case, in which everything runs.

    Either a `command` (the words behind `reclaim`) or a Python `call`, where `reclaim`, `drive` and `trace`
    are known.
    """

    name: str
    command: str | Sequence[str] = ""
    says: str | tuple[str, ...] = ()
    """What the one message must contain; of a call that gives a value: what its text must."""
    call: str = ""
    code: int | tuple[int, ...] = 2
    """Exit code; of a call 0 if it gives a value and 2 if it raises. Below 0: the signal that ends it."""
    raises: str = "InputError"
    """Class of the exception that a call raises."""
    files: Mapping[str, Thing] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    """What may be there afterwards that was not: names in the folder, with all that is in them."""
    changes: tuple[str, ...] = ()
    """Files that it is told to overwrite."""
    env: Mapping[str, str] = field(default_factory=dict)
    streams: Mapping[str, str] = field(default_factory=dict)
    """Where `stdin`, `stdout` and `stderr` go: a path, `closed`, or `unread` (a pipe that nobody reads)."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Limits of the process by their names in the module resource, such as RLIMIT_FSIZE."""
    moment: Moment | None = None
    disk: str = ""
    """Size of a tmpfs at `disk/`, as mount takes it; needs root."""
    read_only: bool = False
    """Whether that disk is read-only once the files are there."""
    frozen: tuple[str, ...] = ()
    """Names that not even root may change; needs root and a file system that knows `chattr +i`."""
    prints: bool = False
    """Whether it may print to standard output although it fails."""
    then: str = ""
    """A command afterwards, which must come to its end and leave nothing behind but results."""
    lines: int = 3
    """Most lines on standard error."""
    fresh: bool = False
    """Whether it needs an interpreter of its own, as a user starts it."""
    seconds: float = 10.0

    @property
    def given(self) -> list[str]:
        """The command line behind `reclaim`."""
        return shlex.split(self.command) if isinstance(self.command, str) else list(self.command)

    @property
    def asked(self) -> str:
        """What the table shows of the question."""
        if self.call:
            return self.call.strip().splitlines()[-1]
        return shlex.join(["reclaim", *self.given]).encode("ascii", "backslashreplace").decode()

    @property
    def codes(self) -> tuple[int, ...]:
        """Every exit code that is right."""
        return (self.code,) if isinstance(self.code, int) else self.code

    @property
    def parts(self) -> tuple[str, ...]:
        """What the answer must contain."""
        return (self.says,) if isinstance(self.says, str) else self.says


def words(command: str, *says: str, lines: int = 3, **files: Thing) -> Case:
    """A case of these words, called as they are; an underscore in the name of a file is a dot."""
    named = {key.replace("_", "."): each for key, each in files.items()}
    return Case(command, command, says, lines=lines, files=named)


def folder(path: Path) -> None:
    """An empty folder."""
    path.mkdir()


def fifo(path: Path) -> None:
    """A named pipe that nobody writes to."""
    os.mkfifo(path)


def link(target: str) -> Callable[[Path], None]:
    """A symbolic link."""
    return lambda path: path.symlink_to(target)


def hard(name: str) -> Callable[[Path], None]:
    """A second name of a file beside it."""
    return lambda path: os.link(path.with_name(name), path)


def sparse(size: int, head: bytes = b"") -> Callable[[Path], None]:
    """A file of so many bytes that takes no room on the disk."""

    def make(path: Path) -> None:
        path.write_bytes(head)
        os.truncate(path, size)

    return make


def place(top: Path, name: str, thing: Thing) -> None:
    """Put one thing into the folder of a case."""
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(thing, str):
        path.write_text(thing, encoding="utf-8")
    elif isinstance(thing, bytes):
        path.write_bytes(thing)
    else:
        thing(path)
