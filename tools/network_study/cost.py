"""What a page operation costs the simulator on each network, in instructions: `make networks-cost`.

PYTHONPATH=tools python -m network_study.cost --binary target/release/examples/network_cost [--name cost]

Counted by valgrind: what else the machine does is no matter.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from network_study.measured import rounded, store
from network_study.study import DRIVE, ROOT, STUDY, Drive

COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


def settings(given: dict[str, Any], drive: Drive) -> list[str]:
    """Settings of a network on a drive as `network_cost` takes them; `scheme` is a scheme's name."""
    section = STUDY["cost"]
    made = {**drive.settings(), "host.queue_depth": section["outstanding"]}
    scheme = [f"scheme={given['scheme']}"] if "scheme" in given else []
    network = {key: value for key, value in given.items() if key != "scheme"}
    if network:
        made["interconnect"] = network.pop("kind")
        made |= {f"interconnect.{key}": value for key, value in network.items()}
    return [*scheme, *(f"{key}={_text(value)}" for key, value in made.items())]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def counted(binary: Path, requests: int, given: list[str]) -> tuple[int, dict[str, int]]:
    """Instructions of a run, and what it did."""
    command = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
        str(binary),
    ]
    ran = subprocess.run(
        [*command, str(DRIVE), str(requests), *given], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found = COUNTED.search(ran.stderr)
    if found is None:
        raise ValueError(f"valgrind counted nothing: {ran.stderr}")
    return int(found[1].replace(",", "")), json.loads(ran.stdout)


def measured(binary: Path) -> list[dict[str, Any]]:
    """Instructions and refused asks a page operation of each network, between two numbers of requests."""
    section = STUDY["cost"]
    drive = Drive(*section["drive"])
    rows = []
    for name, given in section["networks"].items():
        runs = [counted(binary, requests, settings(given, drive)) for requests in section["requests"]]
        (few, did), (many, did_more) = runs
        operations = did_more["operations"] - did["operations"]
        row = {
            "network": name,
            "instructions": rounded((many - few) / operations),
            "refused": rounded((did_more["refused"] - did["refused"]) / operations),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def main() -> None:
    """Measure, and store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/examples/network_cost")
    parser.add_argument("--name", default="cost", help="of the stored figures")
    asked = parser.parse_args()
    store(asked.name, measured(asked.binary.resolve()))


if __name__ == "__main__":
    main()
