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

from page_samples import run, samples

ROOT = Path(__file__).parents[2]


def demo_options() -> list[str]:
    """Everything `make demo` gives to `reclaim compare` but where results go."""
    makefile = (ROOT / "Makefile").read_text()

    def value(name: str) -> str:
        found = re.search(rf"^{name} \??:?= (.*)$", makefile.replace("\\\n", " "), re.MULTILINE)
        assert found, f"{name} is not in the Makefile"
        return found[1]

    return [value("DEMO_TRACE"), "--device", value("DEMO_DEVICE"), *shlex.split(value("DEMO_OPTIONS"))]


def compared(options: list[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code, and results by scheme."""
    command = [sys.executable, "-m", "reclaim", "compare", *options, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    runs = json.loads(done.stdout)["runs"]
    return done.returncode, {run["scheme"]: run for run in runs}


def blocks(page: str, language: str) -> list[str]:
    """The code on a page, block by block."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/cli.md", "docs/validation.md"])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = blocks(page, "python")
    assert found
    for code in found:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_the_python_of_readme_is_the_command_above_it(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = next(each for each in blocks("README.md", "") if "reclaim run" in each)
    words = shlex.split(command[command.index("reclaim run") :].replace("\\\n", " "), comments=True)
    assert words[-2] == "-o"
    done = subprocess.run(
        [sys.executable, "-m", *words[:-1], "command"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode in (0, 1, 3), done.stderr
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", blocks("README.md", "python")[0]],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    by_command = (tmp_path / "command" / "results.json").read_bytes()
    assert by_command == (tmp_path / words[-1] / "results.json").read_bytes()


def test_the_commands_of_readme_run(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = [sample for sample in samples("README.md") if sample.words and sample.words[1] != "sweep"]
    assert len(found) >= 5  # not the sweep, which takes minutes: test_bench_docs.py checks its file
    for sample in found:
        run(sample, tmp_path)


@pytest.fixture(scope="module")
def readme() -> str:
    """README with its line breaks folded."""
    return " ".join((ROOT / "README.md").read_text().split())


def test_the_demo_gives_the_figures_that_readme_quotes(readme: str) -> None:
    code, runs = compared(demo_options())
    levels = {name: run["verdict"]["level"] for name, run in runs.items()}
    assert code == 3
    assert levels.pop("adaptive") == "not-established"
    assert set(levels.values()) == {"trustworthy"}, "README says all columns but adaptive"
    greedy, adaptive, odd_even = runs["greedy"], runs["adaptive"], runs["copyback-odd-even"]
    bypass, raid5 = runs["gc-bypass"], runs["raid5"]

    def amplification(run: dict[str, Any]) -> str:
        return f"{run['gc']['write_amplification']:.2f}"

    def slow_reads(run: dict[str, Any]) -> str:
        return f"{run['requests']['read']['p99_9_ns'] / 1e6:.1f} ms"

    def mean_write(run: dict[str, Any]) -> str:
        return f"{run['requests']['write']['mean_ns'] / 1e6:.1f} ms"

    def capacity(run: dict[str, Any]) -> str:
        return f"{run['facts']['user_bytes'] >> 20} MiB"

    redirected = bypass["policies"]["gc.relocation"]["redirected_pages"]["value"]
    removed = bypass["policies"]["interconnect"]["preemptions"]["value"]
    options = demo_options()
    options[options.index("--schemes") + 1] = "gc-bypass"
    _, with_four_blocks = compared([*options, "--set", "gc.relocation.capacity=4 blocks"])
    options[options.index("--schemes") + 1] = "greedy,adaptive"
    _, prepared = compared([*options, "--start", "same:greedy"])
    urgent = adaptive["flash"]["urgent_reads"] / adaptive["flash"]["queued_reads"]
    noted = bypass["flash"]["urgent_reads"] / bypass["flash"]["queued_reads"]
    quoted = [
        f"there, {urgent:.0%} of the reads".replace("%", " %"),
        f"Of {noted:.1%} of the reads under `gc-bypass` the same is noted".replace("%", " %"),
        f"used for {greedy['utilisation']['channel']:.1%} of the time under greedy".replace("%", " %"),
        f"amplifies writes {amplification(greedy)} times",
        f"of reads is {slow_reads(adaptive)} instead of {slow_reads(greedy)}",
        f"with {adaptive['start']['free_blocks']:.1f} free blocks a plane",
        f"greedy with {greedy['start']['free_blocks']:.1f}",
        f"the percentile is {slow_reads(prepared['adaptive'])}.",
        f"spends {odd_even['flash']['wasted_pages']:,} pages",
        f"amplifies {amplification(odd_even)} times",
        f"writes {redirected:,} pages back to chips that were idle, and removes {removed:,} circuits",
        f"the 99.9th percentile of reads is {slow_reads(bypass)}. With four blocks",
        f"it is {slow_reads(with_four_blocks['gc-bypass'])}, as under greedy",
        f"leaves the host {capacity(raid5)} of {capacity(greedy)}",
        f"amplifies {amplification(raid5)} times with its parity",
        f"takes {mean_write(raid5)} in the mean instead of {mean_write(greedy)}",
    ]
    assert [each for each in quoted if each not in readme] == []
    word_line = runs["word-line"]["gc"]["write_amplification"] / greedy["gc"]["write_amplification"]
    assert abs(word_line - 1) < 0.03, "README says within 3 %"
    at_work = [
        ("adaptive", "gc.concurrency", "refused_starts"),
        ("adaptive", "gc.trigger", "blocks_listed"),
        ("word-line", "gc.victim", "lighter_but_fuller"),
        ("gc-bypass", "interconnect", "preemptions"),
        ("gc-bypass", "gc.relocation", "absorbed_writes"),
        ("raid5", "redundancy", "stripe_reads"),
        ("raid5", "redundancy", "stripe_waits"),
    ]
    idle = [at for at in at_work if runs[at[0]]["policies"][at[1]][at[2]]["value"] == 0]
    assert not idle, "a policy of the demo has done nothing"


def test_steady_under_random_writes_is_not_established_for_the_demo(readme: str) -> None:
    trace, device = demo_options()[0], demo_options()[2]
    code, runs = compared(
        [trace, "--device", device, "--schemes", "greedy,fifo", "--warmup", "steady", "--remap", "compact"]
    )
    assert code == 3
    assert {run["verdict"]["level"] for run in runs.values()} == {"not-established"}
    assert f"comes out as {runs['greedy']['gc']['write_amplification']:.1f}," in readme
