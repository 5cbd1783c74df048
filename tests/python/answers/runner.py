"""Runs a case in a folder of its own and looks at everything that must hold of every answer."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from answers.case import SCENE, Case, place
from conftest import environment, patience

REPOSITORY = Path(__file__).resolve().parents[3]

SURROUNDINGS = {"RECLAIM_TRACES": "kept"}
"""Traces of whoever runs the tests are not known."""
TEMPORARY = re.compile(r"(^|/)\.")
"""What nobody may leave behind: hidden files."""
ALIEN = re.compile(
    r"Traceback|panicked|RUST_BACKTRACE|unwrap\(|\bNone\b|\bSome\(|\bOk\(|\bErr\(|"
    r"\b[ui](8|16|32|64|128)\b|\b[ui]size\b|\bf(32|64)\b|\bPy(String|Int|Float|Bool|Long|Any)\b|"
    r"\bVec<|\bOption<|\bBox<|\bstruct\b|\benum\b|\bvariant\b|untagged|\b(core|std|serde|polars)::|"
    r"Utf8Error|ParseIntError|NoneType|object has no attribute|<class |object at 0x|\[Errno"
)
"""Words of the languages it is written in, which say nothing to who uses it."""
CLEAN_CODES = (0, 1, 2, 3, 130)
LONGEST = 20_000
"""Characters of a message, whatever is shown in it."""


@dataclass
class Answer:
    """What came of a case."""

    code: int | None
    """None if it did not end in time."""
    out: str
    err: str
    seconds: float
    faults: list[str] = field(default_factory=list)
    """What is wrong with it; nothing if it is as it must be."""


class Unavailable(Exception):  # noqa: N818
    """This computer does not allow what the case needs."""


def _surroundings() -> dict[str, str]:
    paths = os.pathsep.join(dict.fromkeys(filter(None, sys.path)))
    return environment() | SURROUNDINGS | {"PYTHONPATH": paths}


def _print_of(path: Path) -> str:
    """What a file is and holds, without following links."""
    status = path.lstat()
    kind = stat.S_IFMT(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return f"link to {path.readlink()}"
    if not stat.S_ISREG(status.st_mode):
        return f"kind {kind:o}"
    if status.st_size > 1 << 26:
        return f"{status.st_size} bytes of {status.st_mtime_ns}"
    return f"{status.st_mode:o} {hashlib.blake2b(path.read_bytes()).hexdigest()}"


def prints(top: Path) -> dict[str, str]:
    """Everything in a folder and what it is."""
    found: dict[str, str] = {}
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(folder, name)
            found[path.relative_to(top).as_posix()] = _print_of(path)
    return found


@contextlib.contextmanager
def _scene(case: Case, top: Path) -> Iterator[None]:
    """Lay out what a case finds; what was mounted or frozen for it is undone."""
    top.mkdir(parents=True)
    disk = top / "disk"
    with contextlib.ExitStack() as undone:
        if case.disk:
            disk.mkdir()
            if os.geteuid() != 0:
                raise Unavailable("a disk of its own needs root")
            words = ["mount", "-t", "tmpfs", "-o", f"size={case.disk}", "answers", str(disk)]
            mounted = subprocess.run(words, capture_output=True, text=True, check=False)
            if mounted.returncode:
                raise Unavailable(f"no tmpfs can be mounted: {mounted.stderr.strip()}")
            undone.callback(subprocess.run, ["umount", "-l", str(disk)], check=False, capture_output=True)
        for name, thing in (SCENE | dict(case.files)).items():
            place(top, name, thing)
        if case.read_only:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for name in case.frozen:
            if os.geteuid() != 0:
                raise Unavailable("chattr +i needs root")
            done = subprocess.run(["chattr", "+i", str(top / name)], capture_output=True, check=False)
            if done.returncode:
                raise Unavailable("the file system knows no chattr +i")
            undone.callback(subprocess.run, ["chattr", "-i", str(top / name)], check=False)
        yield


class Warm:
    """One interpreter that runs cases; not for several threads at once."""

    def __init__(self) -> None:
        surroundings = _surroundings()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "answers.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=surroundings,
            cwd="/",
            text=True,
        )

    def run(self, job: dict[str, Any]) -> tuple[int | None, float]:
        """Exit code, None if it took too long, and seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        done = json.loads(self._process.stdout.readline())
        return done["code"], done["seconds"]

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()


def _job(case: Case, top: Path, said: dict[str, Path]) -> dict[str, Any]:
    """What the interpreter that waits is to do."""
    places = {name: str(file) for name, file in said.items()} | dict(case.streams)
    return {
        "cwd": str(top),
        "words": case.given,
        "call": case.call,
        "env": _surroundings() | dict(case.env),
        "limits": dict(case.limits),
        "seconds": case.seconds * patience(),
        # Where nothing shows how far a command has come, it must not be importing still.
        "fresh": case.fresh or (case.moment is not None and case.moment.seen != ""),
        "moment": None if case.moment is None else asdict(case.moment),
        **places,
    }


def run(case: Case, top: Path, warm: Warm) -> Answer:
    """Run a case in the new folder `top`.

    Raises:
        Unavailable: if what it needs cannot be had here.
    """
    with _scene(case, top):
        before = prints(top)
        said = {name: top.with_name(f"{top.name}.{name}") for name in ("stdout", "stderr")}
        for file in said.values():
            file.write_bytes(b"")
        code, seconds = warm.run(_job(case, top, said))
        out, err = (said[name].read_text(encoding="utf-8", errors="replace") for name in said)
        answer = Answer(code, _plain(out, top), _plain(err, top), seconds)
        _judge(case, answer)
        killed = code == -signal.SIGKILL
        _lost(case, before, top, answer, killed=killed)
        if case.then and not answer.faults:
            _afterwards(case, top, warm, before, answer)
    return answer


def _judge(case: Case, answer: Answer) -> None:
    """Exit code, words and length of the answer."""
    faults = answer.faults
    if answer.code is None:
        faults.append(f"did not end within {case.seconds} s")
        return
    if answer.code not in case.codes:
        faults.append(f"ended with {answer.code}, not {' or '.join(map(str, case.codes))}")
    if answer.code not in CLEAN_CODES and answer.code not in case.codes:
        faults.append("crashed")
    if len(answer.err) > LONGEST:
        faults.append("is long")
    failed = answer.code == 2
    text = answer.err if failed or not case.call else answer.out
    faults += [f"does not say {part!r}" for part in case.parts if part not in text + answer.out]
    if alien := ALIEN.search(answer.err):
        faults.append(f"says {alien[0]!r}")
    shown = message(answer.err)
    if failed and not shown and case.streams.get("stderr", "") == "":
        faults.append("says nothing")
    if len(shown) > case.lines and failed:
        faults.append(f"takes {len(shown)} lines")
    if failed and case.call and not answer.err.startswith(f"{case.raises}: "):
        faults.append(f"raises no {case.raises}")
    if failed and not case.call and answer.out and not case.prints:
        faults.append("prints to standard output although it failed")


def _lost(case: Case, before: dict[str, str], top: Path, answer: Answer, *, killed: bool = False) -> None:
    """Files that are gone or changed, and files that should not be there."""
    after = prints(top)
    for name, content in before.items():
        if name in case.changes:
            continue
        if name not in after:
            answer.faults.append(f"lost {name}")
        elif after[name] != content:
            answer.faults.append(f"changed {name}")
    for name in after.keys() - before.keys():
        if killed:
            if TEMPORARY.search(name):
                # What is left is old when the next run finds it.
                os.utime(top / name, (0, 0), follow_symlinks=False)
            continue
        if TEMPORARY.search(name):
            answer.faults.append(f"left {name}")
        elif not any(name == each or name.startswith(f"{each}/") for each in case.writes):
            answer.faults.append(f"wrote {name}")


def _afterwards(case: Case, top: Path, warm: Warm, before: dict[str, str], answer: Answer) -> None:
    """What comes next finds nothing in its way and clears what a killed run left."""
    nothing = {"stdout": Path(os.devnull), "stderr": Path(os.devnull)}
    code, _ = warm.run(_job(Case("", case.then, seconds=case.seconds), top, nothing))
    if code not in (0, 1, 3):
        answer.faults.append(f"the next command ended with {code}")
    _lost(case, before, top, answer)


def message(err: str) -> list[str]:
    """The lines of a message, without the frame and the usage that the parser of options puts around it."""
    lines = []
    for line in err.splitlines():
        text = line.strip("│╭╮╰╯─ ")
        if not text or text == "Error" or text.startswith(("Usage: ", "Try 'reclaim")):
            continue
        framed = line.startswith("│")
        if framed and lines and lines[-1].startswith("│"):
            lines[-1] += f" {text}"
        else:
            lines.append(f"│{text}" if framed else text)
    return [line.removeprefix("│") for line in lines]


def _plain(text: str, top: Path) -> str:
    """An answer without what is different every time."""
    text = text.replace(str(top), "HERE").replace(str(REPOSITORY), "REPOSITORY")
    text = re.sub(r"partial-\d+", "partial-N", text)
    return re.sub(r"requests in [\d.]+ s", "requests in N s", text)
