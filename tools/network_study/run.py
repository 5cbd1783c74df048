"""Runs the study, and stores its figures in studies/networks/figures/.

PYTHONPATH=tools python -m network_study.run [--steps peaks,coarse] [--output out/networks] [--workers N]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from network_study.measured import Rows, Sweeps, rounded, rows, store, stored
from network_study.study import BUS, DRIVES, STUDY, Drive, Networks, experiment, paces, schemes, trace


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


def compared(
    sweep: Sweeps,
    section: Mapping[str, Any],
    name: str,
    drive: Drive,
    networks: Networks,
    loads: Iterable[float],
    beside: str,
    changes: Mapping[str, Any] | None = None,
) -> Rows:
    """Networks on a drive beside one of them, at shares of what the bus does there.

    `changes` of the trace and of settings are made for all of them, and the bus is measured anew.
    """
    chosen = changes or {}
    settings = chosen.get("settings", {})
    # What is changed of a mesh alone leaves the bus as it is.
    again = bool(chosen) and "link" not in chosen
    per_us = peak(sweep, drive, f"peak of {name}", chosen)["per_us"] if again else peaks()[drive.key]
    asked = experiment(
        f"{name}, {drive.key}",
        trace(drive, section["requests"], chosen.get("trace", {}), settings),
        schemes({key: {**given, **settings} for key, given in networks.items()}, drive.settings()),
        paces(loads, per_us),
        section["repeats"],
    )
    return [{**drive._asdict(), **row} for row in rows(sweep(asked), beside)]


def part_of_map(sweep: Sweeps, step: str, drives: Iterable[tuple[Drive, list[int]]]) -> Rows:
    """All networks on some drives at some loads, beside the bus."""
    parts = (
        compared(sweep, STUDY[step], step, drive, STUDY["networks"], loads, BUS) for drive, loads in drives
    )
    return [row for part in parts for row in part]


def listed(sweep: Sweeps, step: str, beside: str | None = None) -> Rows:
    """The networks that a section of the study lists, on its drives at its loads, beside one of them."""
    section = STUDY[step]
    changes = {key: section[key] for key in ("trace", "settings") if key in section}
    networks, other = section["networks"], beside or section["beside"]
    drives = [Drive(*each) for each in section["drives"]]
    parts = (
        compared(sweep, section, step, drive, networks, section["loads"], other, changes) for drive in drives
    )
    return [row for part in parts for row in part]


def turned(sweep: Sweeps) -> Rows:
    """A few networks under every other choice, each at a share of what the bus does under it."""
    made: Rows = []
    section, known = STUDY["turns"], STUDY["parts"]["networks"]
    for each, (choice, changes) in product(section["drives"], section["choices"].items()):
        networks = {
            name: {**known[name], **_of_mesh(changes, known[name]["kind"])} for name in section["networks"]
        }
        found = compared(
            sweep, section, choice, Drive(*each), networks, section["loads"], section["beside"], changes
        )
        made += [{**Drive(*each)._asdict(), "choice": choice, **row} for row in found]
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
    "waiting": lambda sweep: listed(sweep, STUDY["waiting"]["of"], STUDY["waiting"]["beside"]),
    **{
        step: partial(listed, step=step)
        for step in ("parts", "orders", "copybacks", "reads", "own", "lasting", "suspended")
    },
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
