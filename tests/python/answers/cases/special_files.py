"""A named pipe, a folder, a socket or a device in place of a file that is read: each ends at once."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from answers.case import Case, Thing, fifo, folder, link
from answers.cases.stored import point_of, set_of

PIPE = "is a named pipe, not a regular file"


def a_socket(path: Path) -> None:
    """A socket."""
    folder = os.open(path.parent, os.O_RDONLY)
    # Its whole path may be longer than names of sockets can be.
    with socket.socket(socket.AF_UNIX) as place:
        place.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


SPECIAL: dict[str, tuple[Thing, str]] = {
    "no end of zeros": (link("/dev/zero"), "is a device of the system, not a regular file"),
    "a folder": (folder, "is a directory"),
    "a socket": (a_socket, "is a socket, not a regular file"),
    "a file of the system": (link("/proc/cpuinfo"), "made up when it is read"),
}
EXPERIMENT = 'name = "e"\ndevices = ["{}"]\ntraces = ["{}"]\nschemes = [{}]\n'
FOR_TRACES = '{ name = "mine", schemes = ["greedy"], for_traces = "x" }'
READERS: dict[str, tuple[str, dict[str, str]]] = {
    "a trace": ("trace info x", {}),
    "a trace that is merged": ("run t.csv -d d.toml --merge x", {}),
    "a drive": ("device check ./x", {}),
    "what a drive is based on": ("device check y.toml", {"y.toml": 'base = "./x"\n'}),
    "an experiment": ("check x", {}),
    "an experiment that another extends": ("check y.toml", {"y.toml": 'name = "e"\nextends = "x"\n'}),
    "a drive of one": ("check y.toml", {"y.toml": EXPERIMENT.format("./x", "t.csv", "'greedy'")}),
    "a trace of one": ("check y.toml", {"y.toml": EXPERIMENT.format("d.toml", "x", "'greedy'")}),
    "settings by trace": ("check y.toml", {"y.toml": EXPERIMENT.format("d.toml", "t.csv", FOR_TRACES)}),
    "a saved state": ("run t.csv -d d.toml --load-state x", {}),
    "a sheet": ("device measure d.toml --sheet x -o o", {}),
    "a sheet to fit": ("device fit x -o o", {}),
    "published figures": ("trace synthesize x o.toml", {}),
    "a job of fio": ("trace generate x o.csv", {}),
    "a paper": ("reproduce ./x -o o", {}),
}
"""What reads a file called x, and what lies beside it."""
ALL_KINDS = "a trace", "a drive", "an experiment", "a saved state"
"""Each by a reader of its own: there a pipe is not for all."""


def _cases() -> list[Case]:
    found = []
    for reader, (command, beside) in READERS.items():
        name = "x/paper.toml" if reader == "a paper" else "x"
        others = SPECIAL if reader in ALL_KINDS else {}
        for kind, (thing, says) in {"a pipe": (fifo, PIPE), **others}.items():
            found.append(Case(f"{reader}: {kind}", command, says, files={**beside, name: thing}))
    return found


def instead(name: str, thing: Callable[[Path], None] = fifo) -> Callable[[Path], object]:
    """Something else in place of a file of a sweep."""

    def change(top: Path) -> None:
        for each in sorted(top.glob(f"**/{name}")):
            each.unlink()
            thing(each)

    return change


def of_point(name: str, source: str) -> Case:
    """A case of what one point stored, with a pipe in place of one of its files."""

    def make(path: Path) -> None:
        shutil.copytree(point_of(), path)
        instead(name)(path)

    return Case(f"{name} of a run: a pipe", says=PIPE, call=source, files={"r": make})


STORED = [
    set_of("a pipe as points", "show out", instead("points.parquet"), "points.parquet", PIPE),
    set_of("a pipe as histograms", "show out", instead("histograms.parquet"), code=(0, 1, 2, 3)),
    set_of("a pipe as the manifest", "show out", instead("manifest.json"), code=(0, 1, 2, 3)),
    Case("results: a pipe", "results show r.json", "r.json", files={"r.json": fifo}),
    of_point("results.json", "reclaim.Result.load('r')"),
    of_point("config.toml", "reclaim.Result.load('r')"),
    of_point("histograms.parquet", "reclaim.Result.load('r').histograms"),
]

CASES = [*_cases(), *STORED]
