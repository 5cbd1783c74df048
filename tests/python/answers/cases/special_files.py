"""A named pipe, a folder, a socket or a device in place of every file that is read: each ends at once."""

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
    "a pipe": (fifo, PIPE),
    "no end of zeros": (link("/dev/zero"), "is a device of the system, not a regular file"),
    "a folder": (folder, "is a directory"),
    "a socket": (a_socket, "is a socket, not a regular file"),
}

EXPERIMENT_WITH = 'name = "e"\ndevices = ["{device}"]\ntraces = ["{trace}"]\n{more}'


def experiment(device: str = "d.toml", trace: str = "t.csv", more: str = 'schemes = ["greedy"]\n') -> str:
    """An experiment with a file of somebody's."""
    return EXPERIMENT_WITH.format(device=device, trace=trace, more=more)


FOR_TRACES = 'schemes = [{ name = "mine", schemes = ["greedy"], for_traces = "x" }]\n'
PAPER = "paper/paper.toml"

READERS: dict[str, tuple[str, dict[str, Thing]]] = {
    "a trace": ("trace info x", {}),
    "a trace that is run": ("run x -d d.toml", {}),
    "a trace that is merged": ("run t.csv -d d.toml --merge x", {}),
    "a trace that is converted": ("trace convert x o.csv", {}),
    "a drive": ("device check ./x", {}),
    "what a drive is based on": ("device check y.toml", {"y.toml": 'base = "./x"\n'}),
    "an experiment": ("check x", {}),
    "an experiment that is run": ("sweep x -o o", {}),
    "an experiment that another extends": ("check y.toml", {"y.toml": 'name = "e"\nextends = "x"\n'}),
    "a drive of an experiment": ("check y.toml", {"y.toml": experiment(device="./x")}),
    "a trace of an experiment": ("check y.toml", {"y.toml": experiment(trace="x")}),
    "settings by trace": ("check y.toml", {"y.toml": experiment(more=FOR_TRACES)}),
    "a saved state": ("run t.csv -d d.toml --load-state x", {}),
    "a sheet": ("device measure d.toml --sheet x -o o", {}),
    "a sheet to fit": ("device fit x -o o", {}),
    "published figures": ("trace synthesize x o.toml", {}),
    "a job of fio": ("trace generate x o.csv", {}),
    "a paper": ("reproduce ./paper -o o", {PAPER: "x"}),
}
"""What reads a file called x, and what lies beside it."""


def _cases() -> list[Case]:
    found = []
    for reader, (command, beside) in READERS.items():
        for kind, (thing, says) in SPECIAL.items():
            files = dict(beside)
            if PAPER in files:
                files[PAPER] = thing
            else:
                files["x"] = thing
            # A drive may be a folder's name to the shell, and then is no name of a preset.
            found.append(Case(f"{reader}: {kind}", command, files=files, says=says))
    return found


def instead(name: str, thing: Callable[[Path], None] = fifo) -> Callable[[Path], object]:
    """Something else in place of a file of a sweep."""

    def change(top: Path) -> None:
        for each in sorted(top.glob("**/*")):
            if each.match(name):
                each.unlink()
                thing(each)

    return change


def of_point(name: str, thing: Callable[[Path], None] = fifo) -> Callable[[Path], None]:
    """What one point stored, with something else in place of one of its files."""

    def make(path: Path) -> None:
        shutil.copytree(point_of(), path)
        (path / name).unlink()
        thing(path / name)

    return make


STORED = [
    set_of("a pipe as points", "results show out", instead("points.parquet"), "points.parquet", PIPE),
    set_of("a pipe as histograms", "results show out", instead("histograms.parquet"), code=(0, 1, 2, 3)),
    set_of("a pipe as the manifest", "results show out", instead("manifest.json"), code=(0, 1, 2, 3)),
    set_of(
        "zeros as points", "results show out", instead("points.parquet", link("/dev/zero")), "device of the"
    ),
    Case("results: a pipe", "results show r.json", files={"r.json": fifo}, says="r.json"),
    Case(
        "results of a run: a pipe",
        call="reclaim.Result.load('r')",
        files={"r": of_point("results.json")},
        says=PIPE,
    ),
    Case(
        "settings of a run: a pipe",
        call="reclaim.Result.load('r')",
        files={"r": of_point("config.toml")},
        says=PIPE,
    ),
    Case(
        "histograms of a run: a pipe",
        call="reclaim.Result.load('r').histograms",
        files={"r": of_point("histograms.parquet")},
        says=PIPE,
    ),
]

CASES = [*_cases(), *STORED]
