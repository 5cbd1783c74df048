"""Runs the study, and stores its figures in studies/networks/figures/.

PYTHONPATH=tools python -m network_study.run [--steps peaks,coarse] [--output out/networks] [--workers N]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from network_study.measured import Rows, Sweeps, rounded, rows, store, stored
from network_study.study import BUS, DRIVES, STUDY, Drive, experiment, paces, schemes, trace


def peak(
    sweep: Sweeps, drive: Drive, name: str = "peak", changes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the bus does with `outstanding` requests under way."""
    chosen = dict(changes or {})
    requests = STUDY["peak"]["requests"]
    closed = {"host.mode": "closed-loop", "host.queue_depth": chosen.get("outstanding", STUDY["outstanding"])}
    points = sweep(
        experiment(
            f"{name}, {drive.key}",
            trace(drive, requests, chosen.get("trace", {}), chosen.get("settings")),
            schemes({BUS: {**STUDY["networks"][BUS], **chosen.get("settings", {})}}, drive.settings()),
            {"closed": closed},
            STUDY["peak"]["repeats"],
        )
    )
    return {
        "drive": drive.key,
        "per_us": rounded(requests / statistics.mean(points["simulated_ns"]) * 1000),
        "channel": rounded(statistics.mean(points["utilisation_channel"])),
        "die": rounded(statistics.mean(points["utilisation_die"])),
    }


def peaks() -> dict[str, float]:
    """Requests a microsecond that the bus does on every drive of the map."""
    return {row["drive"]: row["per_us"] for row in stored("peaks")}


def part_of_map(sweep: Sweeps, step: str, drives: list[tuple[Drive, list[int]]]) -> Rows:
    """The networks on some drives at some loads."""
    made = []
    size = STUDY[step]
    for drive, loads in drives:
        asked = experiment(
            f"{step}, {drive.key}",
            trace(drive, size["requests"], {}),
            schemes(STUDY["networks"], drive.settings()),
            paces(loads, peaks()[drive.key]),
            size["repeats"],
        )
        made += [{**drive._asdict(), **row} for row in rows(sweep(asked), BUS)]
    return made


def compared(sweep: Sweeps, step: str, beside: str | None = None) -> Rows:
    """The networks that a section of the study lists, on its drives at its loads, beside one of them."""
    made: Rows = []
    section = STUDY[step]
    changes = {key: section[key] for key in ("trace", "settings") if key in section}
    for drive in (Drive(*each) for each in section["drives"]):
        found = peak(sweep, drive, f"peak of {step}", changes) if changes else None
        networks = {
            name: {**keys, **changes.get("settings", {})} for name, keys in section["networks"].items()
        }
        asked = experiment(
            f"{step}, {drive.key}",
            trace(drive, section["requests"], changes.get("trace", {})),
            schemes(networks, drive.settings()),
            paces(section["loads"], found["per_us"] if found else peaks()[drive.key]),
            section["repeats"],
        )
        made += [{**drive._asdict(), **row} for row in rows(sweep(asked), beside or section["beside"])]
    return made


def turned(sweep: Sweeps) -> Rows:
    """A few networks under every other choice, each at a share of what the bus does under it."""
    made: Rows = []
    section = STUDY["turns"]
    for each, (choice, changes) in product(section["drives"], section["choices"].items()):
        drive = Drive(*each)
        # What is changed of a mesh alone leaves the bus as it is.
        same = not changes or "link" in changes
        found = None if same else peak(sweep, drive, f"peak of {choice}", changes)
        known = STUDY["parts"]["networks"]
        networks = {
            name: {**known[name], **changes.get("settings", {}), **_of_mesh(changes, known[name]["kind"])}
            for name in section["networks"]
        }
        asked = experiment(
            f"{choice}, {drive.key}",
            trace(drive, section["requests"], changes.get("trace", {}), changes.get("settings")),
            schemes(networks, drive.settings()),
            paces(section["loads"], found["per_us"] if found else peaks()[drive.key]),
            section["repeats"],
        )
        made += [
            {**drive._asdict(), "choice": choice, **row} for row in rows(sweep(asked), section["beside"])
        ]
        store("turns", made)
    return made


def _of_mesh(changes: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What is changed of a mesh alone, as far as that network has it."""
    valid = {"mesh": ("hop", "ties"), "venice": ("hop", "ties"), "nossd": ("hop",)}.get(kind, ())
    return {key: value for key, value in changes.get("link", {}).items() if key in valid}


STEPS: dict[str, Callable[[Sweeps], Any]] = {
    "peaks": lambda sweep: [peak(sweep, drive) for drive in DRIVES],
    "coarse": lambda sweep: part_of_map(sweep, "coarse", [(drive, STUDY["loads"]) for drive in DRIVES]),
    "fine": lambda sweep: part_of_map(
        sweep, "fine", [(Drive(*each[:3]), each[3]) for each in STUDY["fine"]["cells"]]
    ),
    "parts": lambda sweep: compared(sweep, "parts"),
    "waiting": lambda sweep: compared(sweep, STUDY["waiting"]["of"], STUDY["waiting"]["beside"]),
    "orders": lambda sweep: compared(sweep, "orders"),
    "copybacks": lambda sweep: compared(sweep, "copybacks"),
    "reads": lambda sweep: compared(sweep, "reads"),
    "own": lambda sweep: compared(sweep, "own"),
    "lasting": lambda sweep: compared(sweep, "lasting"),
    "suspended": lambda sweep: compared(sweep, "suspended"),
    "turns": turned,
}


def main() -> None:
    """Run the steps that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, default=Path("out/networks"))
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--steps", default=",".join(STEPS))
    asked = parser.parse_args()
    sweep = Sweeps(asked.output, asked.workers)
    for step in asked.steps.split(","):
        store(step, STEPS[step](sweep))


if __name__ == "__main__":
    main()
