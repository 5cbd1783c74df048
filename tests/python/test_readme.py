"""What README says of the demo is what the demo's command gives."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def demo_options() -> list[str]:
    """Everything `make demo` gives to `reclaim compare` but where results go."""
    makefile = (ROOT / "Makefile").read_text()

    def value(name: str) -> str:
        found = re.search(rf"^{name} \??:?= (.*)$", makefile, re.MULTILINE)
        assert found, f"{name} is not in the Makefile"
        return found[1]

    return [value("DEMO_TRACE"), "--device", value("DEMO_DEVICE"), *shlex.split(value("DEMO_OPTIONS"))]


def compared(options: list[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code, and results by scheme."""
    command = [sys.executable, "-m", "reclaim", "compare", *options, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    runs = json.loads(done.stdout)["runs"]
    return done.returncode, {run["scheme"]: run for run in runs}


@pytest.fixture(scope="module")
def readme() -> str:
    """README with its line breaks folded."""
    return " ".join((ROOT / "README.md").read_text().split())


def test_the_demo_gives_the_figures_that_readme_quotes(readme: str) -> None:
    code, runs = compared(demo_options())
    assert code == 0, "README says that both columns are trustworthy"
    greedy, fifo = runs["greedy"], runs["fifo"]
    quoted = [
        f"write amplification is {greedy['gc']['write_amplification']:.2f};",
        f"FIFO moves {fifo['gc']['valid_pages_per_victim']:.1f} valid pages per victim",
        f"amplifies writes {fifo['gc']['write_amplification']:.2f} times",
        f"die utilisation of {100 * fifo['utilisation']['die']:.0f} % instead of",
        f"instead of {100 * greedy['utilisation']['die']:.0f} %",
        f"writes is {greedy['requests']['write']['p99_ns'] / 1e3:.0f} µs under greedy",
        f"{fifo['requests']['write']['p99_ns'] / 1e6:.2f} ms under FIFO",
    ]
    assert [each for each in quoted if each not in readme] == []


def test_steady_under_random_writes_is_not_established_for_the_demo(readme: str) -> None:
    trace, device = demo_options()[0], demo_options()[2]
    code, runs = compared(
        [trace, "--device", device, "--schemes", "greedy,fifo", "--warmup", "steady", "--remap", "compact"]
    )
    assert code == 3
    assert {run["verdict"]["level"] for run in runs.values()} == {"not-established"}
    amplification = [runs[scheme]["gc"]["write_amplification"] for scheme in ("greedy", "fifo")]
    assert "gives {:.1f} against {:.1f},".format(*amplification) in readme
