"""What goes past a paper, run by itself and put on its page beside what is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from reclaim import _core, input_file, output_file, output_folder
from reclaim.errors import InputError
from reclaim.paper import measures
from reclaim.paper.figures import LevelRuns, Tell, leave, module_of
from reclaim.paper.page import DATA, PAGE, write
from reclaim.paper.page_data import as_text, with_added
from reclaim.paper.paper import Paper
from reclaim.paper.reproduce import KIND, check_experiments, sweeper
from reclaim.paper.runs import Runs
from reclaim.study.study import RunOptions


def add(
    paper: Paper,
    labels: Sequence[str],
    output: Path,
    *,
    options: RunOptions = RunOptions(),  # noqa: B008 - it cannot be changed
    tell: Tell,
    why: bool = False,
    allow_code: bool = False,
) -> Path:
    """Run some of what goes past a paper or asks of its headlines, and write what it finds into the page.

    Claims and all else of the page stay; `page.json` says of which run and commit what is new. An agreement
    changes where a claim is found to depend on a choice. What is unsettled is as the paper's files say now.

    Args:
        paper: whose page has data already.
        labels: of `[beyond]`.
        output: where the sweeps go; points that are there already are not run again.
        options: how each sweep is run.
        tell: called now and then with what is done, how much of it, and out of how much.
        why: ask of every headline which choices turn it.
        allow_code: let the module run that lies in a paper's folder and did not come with Reclaim, and
            policies in Python that its experiments name.

    Returns:
        The page.

    Raises:
        InputError: if the page has no data yet; if a run failed; as `reproduce`.
    """
    if (other := output_folder.of_another_kind(output, KIND)) is not None:
        raise InputError(f"{other}; give another folder")
    data = paper.folder / DATA
    if not input_file.is_there(data):
        raise InputError(
            f"--only: {data} is not there; reclaim reproduce {paper.key} --write-page makes it first"
        )
    with leave(paper, allow_code=allow_code):
        return _added(paper, labels, output, data, options, tell, why=why, allow_code=allow_code)


def _added(
    paper: Paper,
    labels: Sequence[str],
    output: Path,
    data: Path,
    options: RunOptions,
    tell: Tell,
    *,
    why: bool,
    allow_code: bool,
) -> Path:
    module = module_of(paper, allow_code=allow_code)
    runs = Runs(paper, "default", output, sweeper(options, tell), {}, tuple(labels))
    with leave(paper, allow_code=allow_code):
        asked = check_experiments(runs, why=why)
    sweeps = output / "sweeps" / "default"
    ran = LevelRuns("default", paper.load, runs.further(), sweeps, paper.workload_names)
    if runs.failures:
        raise InputError(f"--only: the page stays as it is, because a run failed: {runs.failures[0]}")
    of_runs = measures.of_runs(paper.folder, module, ran)
    made = {name: each.figure for name, each in of_runs.figures.items() if each.figure is not None}
    findings = [each.ask(output, options, tell).to_dict() for each in asked]
    beyond = f" --beyond {','.join(labels)}" if labels else ""
    command = f"reclaim reproduce {paper.key}{beyond}{' --why' if why else ''} --only"
    before = json.loads(input_file.text(data))
    found = with_added(before, made, of_runs.tables, findings, command, _core.__version__)
    found["unsettled"] = list(paper.unsettled)
    output_file.write_text(data, as_text(found))
    write(paper.folder)
    return paper.folder / PAGE
